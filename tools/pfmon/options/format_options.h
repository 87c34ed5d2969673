/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* format_options.h - options that only some sampling formats accept */
#ifndef PFMON_OPTIONS_FORMAT_OPTIONS_H
#define PFMON_OPTIONS_FORMAT_OPTIONS_H

#include <stdbool.h>

#include "formats/format.h"

/* Returns false with a message if the format does not accept an option. */
bool format_options_agree(const struct smpl_format *format,
			  const struct options *options);

#endif /* PFMON_OPTIONS_FORMAT_OPTIONS_H */
