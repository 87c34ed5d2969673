/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* follow_options.h - options that say which threads are measured */
#ifndef PFMON_FOLLOW_OPTIONS_H
#define PFMON_FOLLOW_OPTIONS_H

#include <stdbool.h>

#include "options.h"

/* Each returns false with a message if the argument is not one. */
bool follow_fork(struct options *options, const char *text);
bool follow_vfork(struct options *options, const char *text);
bool follow_pthread(struct options *options, const char *text);
bool follow_exec(struct options *options, const char *text);
bool follow_all(struct options *options, const char *text);
bool parse_exclude(struct options *options, const char *text);
bool parse_aggregate(struct options *options, const char *text);
bool parse_attach_task(struct options *options, const char *text);
bool parse_attach_process(struct options *options, const char *text);

/* Do they go together? False with a message if not. */
bool follow_options_agree(const struct options *options);

void follow_options_free(struct options *options);

#endif /* PFMON_FOLLOW_OPTIONS_H */
