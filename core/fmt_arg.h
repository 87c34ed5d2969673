/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fmt_arg.h - the argument layout that a format publishes
 */
#ifndef PFM_CORE_FMT_ARG_H
#define PFM_CORE_FMT_ARG_H

#include <perfmon/perfmon_fmt.h>

/*
 * Check the argument layout of a format, if it has one. Errors are logged with
 * the field and the name of the format's module. Context: process. Return: 0 or
 * -EINVAL.
 */
int pfm_arg_layout_check(const pfm_buffer_fmt_t *fmt, const char *module);

/*
 * Print a valid layout to a page, one line per field: name, offset, size,
 * default and unit, and "live" if the field may change. Context: process.
 * Return: number of bytes.
 */
ssize_t pfm_arg_layout_show(const pfm_buffer_fmt_t *fmt, char *page);

/*
 * Do two arguments of a format differ only in live fields? Both have
 * fmt_arg_size bytes. Context: any.
 */
bool pfm_arg_may_become(const pfm_buffer_fmt_t *fmt, const u8 *old,
			const u8 *new);

#endif /* PFM_CORE_FMT_ARG_H */
