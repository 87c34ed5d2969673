/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * keep_events.h - an event that counts nothing and exists all the time
 */
#ifndef GUEST_KEEP_EVENTS_H
#define GUEST_KEEP_EVENTS_H

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * The kernel patches its page fault handler when the first event of page faults
 * comes and when the last one goes, and its scheduler with the first and last
 * event of a thread. An emulated CPU that is there just then may crash (QEMU 7.2
 * with Linux 6.12, also without perfmon): let one such event exist. Returns its
 * descriptor, or -1.
 */
static inline int keep_events_on(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.disabled = 1,
	};

	return syscall(SYS_perf_event_open, &attr, 0, -1, -1,
		       PERF_FLAG_FD_CLOEXEC);
}

#endif /* GUEST_KEEP_EVENTS_H */
