/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* call_graph_options.h - the option --call-graph */
#ifndef PFMON_OPTIONS_CALL_GRAPH_OPTIONS_H
#define PFMON_OPTIONS_CALL_GRAPH_OPTIONS_H

#include <stdbool.h>

#include "base/settings.h"

/*
 * Parses the option's argument, which may be NULL; returns false with a message
 * on failure.
 */
bool parse_call_graph(struct options *options, const char *text);

/* Uses several regions, so that monitoring continues when one is full. */
void call_graph_use_regions(struct options *options);

/*
 * Chooses the format. Without events and periods, also chooses the sampling
 * frequency. Returns false, with a message, if another format is given.
 */
bool call_graph_options_complete(struct options *options);

#endif /* PFMON_OPTIONS_CALL_GRAPH_OPTIONS_H */
