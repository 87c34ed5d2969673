/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* described.h - arguments of formats whose fields the kernel describes */
#ifndef PFMON_FORMATS_DESCRIBED_H
#define PFMON_FORMATS_DESCRIBED_H

#include <stdbool.h>

#include "formats/format.h"

/*
 * Makes the argument: the defaults of its fields, what --smpl-regions and
 * --smpl-arg set, and the size of the buffer that --smpl-entries takes. Loads
 * the format's module if possible. False with a message.
 */
bool described_set_up(struct smpl_format *format,
		      const struct options *options);

#endif /* PFMON_FORMATS_DESCRIBED_H */
