/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* sink.h - recognise sinks: buffers with the common header of perfmon_sink.h */
#ifndef PFMON_FORMATS_SINK_H
#define PFMON_FORMATS_SINK_H

#include <stdbool.h>
#include <stddef.h>

#include "formats/format.h"

/* Returns whether a buffer begins with a valid sink header. */
bool sink_is_one(const void *buffer, size_t size);

#endif /* PFMON_FORMATS_SINK_H */
