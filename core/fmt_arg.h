/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fmt_arg.h - what a format says of the fields of its argument
 */
#ifndef PFM_CORE_FMT_ARG_H
#define PFM_CORE_FMT_ARG_H

#include <perfmon/perfmon_fmt.h>

/*
 * Judge the layout that a format publishes, if it does; what is wrong goes into
 * the log, with the field and the name of the format's module.
 * Context: process. Return: 0 or -EINVAL.
 */
int pfm_arg_layout_check(const pfm_buffer_fmt_t *fmt, const char *module);

/*
 * Write a layout that is right into a page, a line for each field: name,
 * offset, size, default and unit, separated by spaces.
 * Context: process. Return: bytes written.
 */
ssize_t pfm_arg_layout_show(const pfm_buffer_fmt_t *fmt, char *page);

#endif /* PFM_CORE_FMT_ARG_H */
