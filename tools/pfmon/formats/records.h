/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* records.h - any format whose samples are records that a device gives out */
#ifndef PFMON_FORMATS_RECORDS_H
#define PFMON_FORMATS_RECORDS_H

#include "formats/format.h"

/* Sets the format's device, if the kernel says that it has one. */
void records_find(struct smpl_format *format);

#endif /* PFMON_FORMATS_RECORDS_H */
