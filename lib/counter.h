/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * counter.h - read running counters without the kernel
 */
#ifndef PFM_LIB_COUNTER_H
#define PFM_LIB_COUNTER_H

#include "ioctl.h"

/**
 * struct counter_user - the process that mapped an event set's page
 * @generation: generation number of the process (counter.c); 0 if counters
 *              cannot be read
 * @pid_ns:     inode number of its PID namespace
 */
struct counter_user {
	__u32	generation;
	__u32	pid_ns;
};

/* Identify the calling process, which has mapped an event set's page. */
struct counter_user counter_this_user(void);

/*
 * Read the count of a PMD whose state in the page is @state, which is
 * PFM_MAP_COUNTER or above. This works only in the monitored thread, while the
 * PMD is in a counter of the CPU. Return: 1, and @value is set; 0 if only the
 * kernel can read the PMD; -1 if the kernel was changing the data.
 */
int counter_read(const struct counter_user *user,
		 const volatile pfm_set_page_t *page, int state, __u64 *value);

#endif /* PFM_LIB_COUNTER_H */
