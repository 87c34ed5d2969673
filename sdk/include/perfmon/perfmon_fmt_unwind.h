/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Call chains by unwind tables
 *
 * Gives fmt_handler the callers of programs that were built without frame
 * pointers. A tool opens /dev/perfmon_unwind, which makes a set of tables, adds
 * tables to it (perfmon_unwind.h), and passes its descriptor in the format's
 * argument. The format's fmt_init takes a reference, which its fmt_exit drops::
 *
 *	set = pfm_unwind_set_of_fd(arg->unwind_fd);
 *	if (IS_ERR(set))
 *		return PTR_ERR(set);
 *	priv->set = set;
 *
 * A format that uses this depends on the module pfm_unwind.
 */
#ifndef PERFMON_PERFMON_FMT_UNWIND_H
#define PERFMON_PERFMON_FMT_UNWIND_H

#include <linux/err.h>

struct pfm_unwind_set;

/**
 * pfm_unwind_set_of_fd() - take a reference to the set of a descriptor
 * @fd: descriptor of /dev/perfmon_unwind, or 0 for no set
 *
 * Context: process.
 * Return: the set; NULL if @fd is 0; or ERR_PTR(): -EBADF for no descriptor,
 * -EINVAL for one of another file.
 */
struct pfm_unwind_set *pfm_unwind_set_of_fd(int fd);

/**
 * pfm_unwind_set_put() - drop a reference
 * @set: the set, or NULL; no handler uses the reference any more
 *
 * Context: process, may sleep.
 */
void pfm_unwind_set_put(struct pfm_unwind_set *set);

#endif /* PERFMON_PERFMON_FMT_UNWIND_H */
