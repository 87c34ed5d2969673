/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* perf_options.h - options of perf that have other names in pfmon */
#ifndef PFMON_OPTIONS_PERF_OPTIONS_H
#define PFMON_OPTIONS_PERF_OPTIONS_H

/*
 * Returns the option of pfmon that replaces an option of perf, or NULL. perf's
 * option has the letter @letter or, if @letter is 0, the long name @name,
 * without dashes.
 */
const char *perf_option_here(int letter, const char *name);

#endif /* PFMON_OPTIONS_PERF_OPTIONS_H */
