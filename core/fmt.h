/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fmt.h - the registry of sampling formats
 */
#ifndef PFM_CORE_FMT_H
#define PFM_CORE_FMT_H

#include <perfmon/perfmon_fmt.h>

/*
 * Check the result of a format's call-back, and log a value that is neither 0
 * nor an errno, with the format's name. Context: process; no lock held, as the
 * console may be slow. Return: @ret, or -EINVAL if @ret is invalid.
 */
int pfm_fmt_result(const pfm_buffer_fmt_t *fmt, const char *callback, int ret);

#endif /* PFM_CORE_FMT_H */
