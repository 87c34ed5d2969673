/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* format_options.h - options that not every sampling format takes */
#ifndef PFMON_FORMAT_OPTIONS_H
#define PFMON_FORMAT_OPTIONS_H

#include <stdbool.h>

#include "formats/format.h"

/* Does the format take all that were given? False with a message if not. */
bool format_options_agree(const struct smpl_format *format,
			  const struct options *options);

#endif /* PFMON_FORMAT_OPTIONS_H */
