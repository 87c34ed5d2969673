/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* perf_options.h - options of perf that have another name here */
#ifndef PFMON_OPTIONS_PERF_OPTIONS_H
#define PFMON_OPTIONS_PERF_OPTIONS_H

/*
 * Returns what replaces an option of perf, or NULL. @letter is the option or,
 * if it is 0, the option is a name without dashes.
 */
const char *perf_option_here(int letter, const char *name);

#endif /* PFMON_OPTIONS_PERF_OPTIONS_H */
