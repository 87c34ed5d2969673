/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* option_help.h - the --help text */
#ifndef PFMON_OPTIONS_OPTION_HELP_H
#define PFMON_OPTIONS_OPTION_HELP_H

void options_help(void);

#endif /* PFMON_OPTIONS_OPTION_HELP_H */
