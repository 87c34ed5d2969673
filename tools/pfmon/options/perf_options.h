/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* perf_options.h - options of perf that have other names in pfmon */
#ifndef PFMON_OPTIONS_PERF_OPTIONS_H
#define PFMON_OPTIONS_PERF_OPTIONS_H

/*
 * Returns pfmon's replacement for an option of perf, or NULL. If @letter is 0,
 * the option is the long option @name, without dashes.
 */
const char *perf_option_here(int letter, const char *name);

#endif /* PFMON_OPTIONS_PERF_OPTIONS_H */
