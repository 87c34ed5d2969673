/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* perf_options.h - options of perf that have another name here */
#ifndef PFMON_OPTIONS_PERF_OPTIONS_H
#define PFMON_OPTIONS_PERF_OPTIONS_H

/*
 * Returns what replaces an option of perf, or NULL. The option is a letter; or,
 * if that is 0, a name without dashes.
 */
const char *perf_option_here(int letter, const char *name);

#endif /* PFMON_OPTIONS_PERF_OPTIONS_H */
