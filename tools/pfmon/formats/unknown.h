/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* unknown.h - the argument of a format that pfmon does not know */
#ifndef PFMON_FORMATS_UNKNOWN_H
#define PFMON_FORMATS_UNKNOWN_H

#include <stdbool.h>

#include "formats/format.h"

/*
 * Makes the argument of --smpl-arg and of what the kernel says of the format,
 * whose module it loads if it can. False with a message.
 */
bool smpl_unknown_set_up(struct smpl_format *format,
			 const struct options *options);

#endif /* PFMON_FORMATS_UNKNOWN_H */
