/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ctxfile.h - a context's descriptor
 */
#ifndef PFM_CORE_CTXFILE_H
#define PFM_CORE_CTXFILE_H

#include <linux/fs.h>

extern const struct file_operations pfm_context_fops;

#endif /* PFM_CORE_CTXFILE_H */
