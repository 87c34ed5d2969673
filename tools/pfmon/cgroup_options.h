/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* cgroup_options.h - whose control groups samples are of */
#ifndef PFMON_CGROUP_OPTIONS_H
#define PFMON_CGROUP_OPTIONS_H

#include <stdbool.h>

#include "options.h"

/* --cgroup; false with a message. */
bool parse_cgroup(struct options *options, const char *text);

/* Does it go together with other options? False with a message if not. */
bool cgroup_options_agree(const struct options *options);

#endif /* PFMON_CGROUP_OPTIONS_H */
