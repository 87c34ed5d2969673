/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* cgroup_options.h - the option --cgroup */
#ifndef PFMON_CGROUP_OPTIONS_H
#define PFMON_CGROUP_OPTIONS_H

#include <stdbool.h>

#include "options.h"

/* Parses --cgroup; returns false with a message on an error. */
bool parse_cgroup(struct options *options, const char *text);

/* Returns false, with a message, if --cgroup conflicts with other options. */
bool cgroup_options_agree(const struct options *options);

#endif /* PFMON_CGROUP_OPTIONS_H */
