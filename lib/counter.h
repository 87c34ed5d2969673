/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * counter.h - reading running counters without the kernel
 */
#ifndef PFM_LIB_COUNTER_H
#define PFM_LIB_COUNTER_H

#include "ioctl.h"

/**
 * struct counter_user - who has made a mapping
 * @generation: its process, of those that fork() has made; 0 if counters cannot
 *              be read at all
 * @pid_ns:     its PID namespace
 */
struct counter_user {
	__u32	generation;
	__u32	pid_ns;
};

/* The caller has made a mapping. */
struct counter_user counter_this_user(void);

/*
 * Read the count of a PMD whose state is @state, PFM_MAP_COUNTER or above. The
 * kernel is to be asked by all but the monitored thread, or if the counter is
 * not on the CPU.
 * Return: 1, and @value is read; 0 if the kernel is to be asked; -1 if it has
 * just been changed.
 */
int counter_read(const struct counter_user *user,
		 const volatile pfm_set_page_t *page, int state, __u64 *value);

#endif /* PFM_LIB_COUNTER_H */
