/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * keep_events.h - events that count nothing and stay open
 */
#ifndef GUEST_KEEP_EVENTS_H
#define GUEST_KEEP_EVENTS_H

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Open one disabled event of each software type, and keep it open. The kernel
 * patches its code when the first event of a type is created and when the last
 * one is closed. It patches the page fault handler for software events, and the
 * scheduler for per-thread events. An emulated CPU that executes this code
 * while it is patched may crash (QEMU 7.2 with Linux 6.12, even without
 * perfmon).
 *
 * Return: 0, or -1. The descriptors stay open.
 */
static inline int keep_events_on(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.disabled = 1,
	};
	int kept = 0;

	/* The kernel may lack some of these events. */
	for (attr.config = 0; attr.config < PERF_COUNT_SW_MAX; attr.config++)
		kept += syscall(SYS_perf_event_open, &attr, 0, -1, -1,
				PERF_FLAG_FD_CLOEXEC) >= 0;
	return kept ? 0 : -1;
}

#endif /* GUEST_KEEP_EVENTS_H */
