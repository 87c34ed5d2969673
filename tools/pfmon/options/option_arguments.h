/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* option_arguments.h - parsers for option arguments */
#ifndef PFMON_OPTIONS_OPTION_ARGUMENTS_H
#define PFMON_OPTIONS_OPTION_ARGUMENTS_H

#include <stdbool.h>

#include "base/settings.h"

/*
 * Parses a number of units, each of @unit_ns nanoseconds, and returns the time
 * in nanoseconds. Returns 0 if the text is not a number from 0.001 to 10^9.
 */
uint64_t parse_time(const char *text, double unit_ns);

/*
 * Each of these functions applies the option after which it is named; @text is
 * the option's argument, or NULL. On a usage error they print a message and
 * return false.
 */
bool take_user_level(struct options *options, const char *text);
bool take_kernel_level(struct options *options, const char *text);
bool take_list_events(struct options *options, const char *pattern);
bool take_us_numbers(struct options *options, const char *text);
bool take_eu_numbers(struct options *options, const char *text);
bool take_hex_numbers(struct options *options, const char *text);
bool take_event_info(struct options *options, const char *names);
bool parse_smpl_pmds(struct options *options, const char *text);
bool parse_cpu_list(struct options *options, const char *text);
bool parse_smpl_entries(struct options *options, const char *text);
bool parse_smpl_regions(struct options *options, const char *text);
bool parse_smpl_record(struct options *options, const char *text);
bool parse_show_top(struct options *options, const char *text);
bool parse_session_timeout(struct options *options, const char *text);
bool parse_interval(struct options *options, const char *text);
bool parse_duration(struct options *options, const char *text);
bool parse_delay(struct options *options, const char *text);
bool parse_snapshot(struct options *options, const char *text);
bool parse_control(struct options *options, const char *text);
bool parse_switch_timeout(struct options *options, const char *text);
bool parse_smpl_arg(struct options *options, const char *text);

#endif /* PFMON_OPTIONS_OPTION_ARGUMENTS_H */
