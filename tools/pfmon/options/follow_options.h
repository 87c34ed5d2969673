/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* follow_options.h - options that choose the measured threads */
#ifndef PFMON_OPTIONS_FOLLOW_OPTIONS_H
#define PFMON_OPTIONS_FOLLOW_OPTIONS_H

#include <stdbool.h>

#include "base/settings.h"

/* These return false with a message if the argument is invalid. */
bool follow_fork(struct options *options, const char *text);
bool follow_vfork(struct options *options, const char *text);
bool follow_pthread(struct options *options, const char *text);
bool follow_exec(struct options *options, const char *text);
bool follow_all(struct options *options, const char *text);
bool parse_exclude(struct options *options, const char *text);
bool parse_aggregate(struct options *options, const char *text);
bool parse_attach_task(struct options *options, const char *text);
bool parse_attach_process(struct options *options, const char *text);

/* Returns false, with a message, if options conflict. */
bool follow_options_agree(const struct options *options);

/*
 * Returns whether the options request that new threads and processes of the
 * command inherit its context.
 */
bool follow_wants_all(const struct options *options);

/* Returns the option that makes this impossible, or NULL. */
const char *follow_obstacle(const struct options *options);

/*
 * Returns whether pfmon must trace the command, because it must stop, choose or
 * distinguish threads.
 */
bool follow_needs_trace(const struct options *options);

void follow_options_free(struct options *options);

#endif /* PFMON_OPTIONS_FOLLOW_OPTIONS_H */
