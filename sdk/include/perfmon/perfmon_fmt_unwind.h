/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Call chains by unwind tables
 *
 * pfm_unwind_callers() gives fmt_handler the callers of programs that were
 * built without frame pointers. A tool opens /dev/perfmon_unwind, which creates
 * a set of tables, adds tables to the set (perfmon_unwind.h), and passes the
 * set's descriptor in the format's argument. The format's fmt_init takes a
 * reference, which its fmt_exit drops::
 *
 *	set = pfm_unwind_set_of_fd(arg->unwind_fd);
 *	if (IS_ERR(set))
 *		return PTR_ERR(set);
 *	priv->set = set;
 *
 * A format that uses this header depends on the module pfm_unwind.
 */
#ifndef PERFMON_PERFMON_FMT_UNWIND_H
#define PERFMON_PERFMON_FMT_UNWIND_H

#include <linux/err.h>
#include <perfmon/perfmon_fmt_callers.h>
#include <perfmon/perfmon_unwind.h>

struct pfm_unwind_set;

/**
 * struct pfm_unwind_end - how a call chain was found
 * @why:     an enum pfm_unwind_why
 * @guessed: number of callers that were found by frame pointer although there
 *           is a set, because no table describes the callee's code
 */
struct pfm_unwind_end {
	u16	why;
	u16	guessed;
};

/**
 * pfm_unwind_set_of_fd() - take a reference to the set of a descriptor
 * @fd: descriptor of /dev/perfmon_unwind, or 0 for no set
 *
 * Context: process.
 * Return: the set; NULL if @fd is 0; or ERR_PTR(): -EBADF if @fd is not open,
 * -EINVAL if it belongs to another file.
 */
struct pfm_unwind_set *pfm_unwind_set_of_fd(int fd);

/**
 * pfm_unwind_set_put() - drop a reference
 * @set: the set, or NULL; no handler may still use the set
 *
 * Context: process, may sleep.
 */
void pfm_unwind_set_put(struct pfm_unwind_set *set);

/*
 * The number of addresses of a chain, and its end. Both fit into one register.
 */
struct pfm_unwind_found {
	u32			nr;
	struct pfm_unwind_end	end;
};

/* As pfm_unwind_callers(), but @set is not NULL. */
struct pfm_unwind_found pfm_unwind_with_set(struct pfm_unwind_set *set,
					    const struct pfm_ovfl_data *data,
					    u64 *out, unsigned int max);

/**
 * pfm_unwind_callers() - get the call chain in user space
 * @set:  the set; NULL for frame pointers only
 * @data: as passed to fmt_handler
 * @out:  out: as for pfm_user_callers()
 * @max:  maximum number of addresses
 * @end:  out: how the chain was found
 *
 * If the process's mappings are not known yet, or for a 32-bit program, the
 * chain is that of pfm_user_callers(). After an overflow that interrupted user
 * space, the thread copies its mappings before it continues, so that the next
 * sample can use them. If the kernel was interrupted, or the thread itself
 * caused the overflow (a page fault, for example), this function looks up
 * unknown mappings at once. It cannot do so in an NMI, on PREEMPT_RT, while
 * another thread changes the mappings, or if there are too many of them.
 *
 * Context: fmt_handler, NMI included.
 * Return: number of addresses, as for pfm_user_callers().
 */
static inline unsigned int
pfm_unwind_callers(struct pfm_unwind_set *set, const struct pfm_ovfl_data *data,
		   u64 *out, unsigned int max, struct pfm_unwind_end *end)
{
	struct pfm_unwind_found found;

	if (likely(!set)) {
		*end = (struct pfm_unwind_end) { .why = PFM_UNWIND_MORE };
		return pfm_user_callers(data, out, max);
	}
	found = pfm_unwind_with_set(set, data, out, max);
	*end = found.end;
	return found.nr;
}

#endif /* PERFMON_PERFMON_FMT_UNWIND_H */
