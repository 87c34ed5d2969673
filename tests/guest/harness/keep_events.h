/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * keep_events.h - events that count nothing and exist all the time
 */
#ifndef GUEST_KEEP_EVENTS_H
#define GUEST_KEEP_EVENTS_H

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * The kernel patches its page fault handler and other places when the first
 * software event of a kind comes and when the last one goes, and its scheduler
 * with the first and last event of a thread. An emulated CPU that is there just
 * then may crash (QEMU 7.2 with Linux 6.12, also without perfmon): let one
 * event of each kind exist.
 * Returns 0, or -1. The descriptors are left open.
 */
static inline int keep_events_on(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.disabled = 1,
	};
	int kept = 0;

	/* Not every kernel has all of them. */
	for (attr.config = 0; attr.config < PERF_COUNT_SW_MAX; attr.config++)
		kept += syscall(SYS_perf_event_open, &attr, 0, -1, -1,
				PERF_FLAG_FD_CLOEXEC) >= 0;
	return kept ? 0 : -1;
}

#endif /* GUEST_KEEP_EVENTS_H */
