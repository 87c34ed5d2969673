/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* records.h - formats whose samples are records read from a device */
#ifndef PFMON_FORMATS_RECORDS_H
#define PFMON_FORMATS_RECORDS_H

#include "formats/format.h"

/* Sets the format's device if sysfs names one. */
void records_find(struct smpl_format *format);

#endif /* PFMON_FORMATS_RECORDS_H */
