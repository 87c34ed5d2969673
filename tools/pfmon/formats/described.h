/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * described.h - build a format's argument from the fields that sysfs describes
 */
#ifndef PFMON_FORMATS_DESCRIBED_H
#define PFMON_FORMATS_DESCRIBED_H

#include <stdbool.h>

#include "formats/format.h"

/*
 * Builds the argument from the defaults of its fields and from the options that
 * set fields: --call-graph, --off-cpu=sum, --smpl-regions, --smpl-arg and
 * --smpl-entries. If the format's module is installed, the kernel loads it.
 * Returns false, with a message, on failure.
 */
bool described_set_up(struct smpl_format *format,
		      const struct options *options);

/*
 * Returns a copy of the format's argument with the changes NAME=VALUE,...;
 * NULL, with a message, on failure. The caller must free the copy.
 */
unsigned char *described_changed(const struct smpl_format *format,
				 const char *assignments);

#endif /* PFMON_FORMATS_DESCRIBED_H */
