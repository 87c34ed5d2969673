/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* sink.h - buffers with the sink's header, of whatever format */
#ifndef PFMON_FORMATS_SINK_H
#define PFMON_FORMATS_SINK_H

#include <stdbool.h>
#include <stddef.h>

#include "formats/format.h"

/* Whether a buffer begins with such a header, and what it says fits. */
bool sink_is_one(const void *buffer, size_t size);

#endif /* PFMON_FORMATS_SINK_H */
