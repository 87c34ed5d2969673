/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* sink.h - recognise buffers that are sinks */
#ifndef PFMON_FORMATS_SINK_H
#define PFMON_FORMATS_SINK_H

#include <stdbool.h>
#include <stddef.h>

#include "formats/format.h"

/* Returns whether a buffer begins with the valid header of a sink. */
bool sink_is_one(const void *buffer, size_t size);

#endif /* PFMON_FORMATS_SINK_H */
