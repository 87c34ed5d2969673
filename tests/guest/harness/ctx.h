/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * ctx.h - contexts, counters, event sets and messages as most tests want them
 *
 * A failure in here fails the test.
 */
#ifndef GUEST_CTX_H
#define GUEST_CTX_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include <perfmon/perfmon.h>

struct worker;

/*
 * PMC value that counts page faults, at user and kernel level, or what
 * touch_pages() causes instead.
 */
#define PAGE_FAULTS	ctx_page_faults()
__u64 ctx_page_faults(void);
/* A PMC value that perf does not know. */
#define NO_SUCH_EVENT	PFM_PERF_EVENT(PERF_TYPE_SOFTWARE, 0xffff)

/* An address that no process has, and a value that no call writes. */
#define BAD_ADDRESS	((void *)8)
#define SENTINEL	0x5a5a5a5a5a5a5a5aULL

/* Contexts */

int ctx_new(__u32 flags);
void ctx_load(int fd, pid_t tid);
void ctx_load_self(int fd);
/* The same, but may fail. Return: 0, or -1 with errno. */
int ctx_try_load(int fd, pid_t tid);
/* A context can be attached to the thread. */
void ctx_expect_free(pid_t tid);
/* Load and start. */
void ctx_start_on(int fd, pid_t tid);
/*
 * The same on this thread, whose only page faults are then those of
 * touch_pages().
 */
void ctx_start_self(int fd);
/* The same, pinned to CPU 0: time stamps are monotonic on one CPU only. */
void ctx_start_here(int fd);
void ctx_stop(int fd);
__u64 ctx_read(int fd, unsigned int pmd);
__u64 ctx_last_reset(int fd, unsigned int pmd);
/* Wait until the context is in a state named as in its fdinfo. */
void ctx_wait_state(int fd, const char *state);
/* Is this a line of its fdinfo? */
bool ctx_says(int fd, const char *line);
void ctx_expect_state(int fd, const char *state);
/* A number in its fdinfo. */
__u64 ctx_number(int fd, const char *name);

/* Counters: PMCn and PMDn */

struct counter {
	pfarg_pmc_t	pmc;
	pfarg_pmd_t	pmd;
};

/*
 * Counter n of page faults; it overflows every @period faults, or never if that
 * is 0. @flags are PFM_REGFL_*.
 */
struct counter counter(unsigned int n, __u32 flags, __u64 period);
void counter_write(int fd, struct counter *c);
/* Make one and write it. */
void ctx_add_counter(int fd, unsigned int n, __u32 flags, __u64 period);
/* A context without format whose PMD0 counts, or notifies. */
int ctx_counting(void);
int ctx_notifying(__u32 ctx_flags, __u64 period);
/* One that counts at user level only, as unprivileged users may. */
int ctx_counting_user(void);
/* One that notifies, loaded on a worker and started. */
int ctx_notifying_on(const struct worker *w, __u64 period);

/* Event sets */

void ctx_create_set(int fd, unsigned int id, __u32 flags);
pfarg_setinfo_t ctx_set_info(int fd, unsigned int id);
/* A counter in a set; after @thres overflows, if not 0, the set is left. */
void ctx_add_set_counter(int fd, unsigned int set, unsigned int n, __u32 flags,
			 __u64 period, __u64 thres);
__u64 ctx_read_set(int fd, unsigned int set, unsigned int pmd);

/*
 * Messages: wait for the next one; expect one of a type; expect none, which
 * leaves the descriptor non-blocking.
 */
pfm_msg_t ctx_next_message(int fd);
void ctx_expect_message(int fd, __u32 type);
void ctx_expect_no_message(int fd);

/* Threads, and time */

pid_t thread_id(void);
/* Bind the calling thread to a CPU. */
void ctx_pin(int cpu);
/* Nanoseconds: what a clock shows, how long an interval is. */
__u64 clock_ns(clockid_t id);
/*
 * perf's clock of this thread, from now on, which it stops and starts with all
 * other clocks of the thread. The scheduler's is stopped earlier and started
 * earlier: what happens to an emulated CPU in between makes the two differ by
 * any time. And what it says, in ns.
 */
int thread_clock(void);
__u64 thread_clock_ns(int clock);
__u64 nanoseconds(const struct __kernel_timespec *t);

#endif /* GUEST_CTX_H */
