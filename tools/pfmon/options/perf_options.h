/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* perf_options.h - what replaces perf's options and commands in pfmon */
#ifndef PFMON_OPTIONS_PERF_OPTIONS_H
#define PFMON_OPTIONS_PERF_OPTIONS_H

/*
 * Returns the option of pfmon that replaces an option of perf, or NULL. perf's
 * option has the letter @letter or, if @letter is 0, the long name @name,
 * without dashes.
 */
const char *perf_option_here(int letter, const char *name);

/* Returns the command that replaces "perf WORD", or NULL. */
const char *perf_command_here(const char *word);

#endif /* PFMON_OPTIONS_PERF_OPTIONS_H */
