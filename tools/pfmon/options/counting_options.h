/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* counting_options.h - options for printing counts */
#ifndef PFMON_OPTIONS_COUNTING_OPTIONS_H
#define PFMON_OPTIONS_COUNTING_OPTIONS_H

#include <stdbool.h>

#include "base/settings.h"

/* These functions return false, with a message, on a usage error. */

bool parse_print_interval(struct options *options, const char *text);
bool parse_repeat(struct options *options, const char *text);
bool take_csv(struct options *options, const char *text);

/* Checks for conflicts among these options and with other options. */
bool counting_options_agree(const struct options *options);

#endif /* PFMON_OPTIONS_COUNTING_OPTIONS_H */
