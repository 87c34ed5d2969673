/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fmt.h - the registry of sampling formats
 */
#ifndef PFM_CORE_FMT_H
#define PFM_CORE_FMT_H

#include <perfmon/perfmon_fmt.h>

/*
 * What a call-back has answered, if that is 0 or an errno. Anything else is a
 * mistake of the format's, whose name goes into the log.
 * Context: process, nothing waits: the console may be slow.
 * Return: 0 or an errno.
 */
int pfm_fmt_result(const pfm_buffer_fmt_t *fmt, const char *callback, int ret);

#endif /* PFM_CORE_FMT_H */
