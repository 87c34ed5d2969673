/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * ctx.h - common helpers for contexts, counters, event sets and messages
 *
 * These functions fail the test on any error.
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
 * The PMC value that counts the events caused by touch_pages(): NMIs if
 * faults_are_nmis(), otherwise page faults in user space and in the kernel.
 */
#define PAGE_FAULTS	ctx_page_faults()
__u64 ctx_page_faults(void);
/* A PMC value for which perf has no event. */
#define NO_SUCH_EVENT	PFM_PERF_EVENT(PERF_TYPE_SOFTWARE, 0xffff)

/* An address that is never mapped, and a value that no call returns. */
#define BAD_ADDRESS	((void *)8)
#define SENTINEL	0x5a5a5a5a5a5a5a5aULL

/* Contexts */

int ctx_new(__u32 flags);
void ctx_load(int fd, pid_t tid);
void ctx_load_self(int fd);
/* Try to load a context. Return: 0, or -1 with errno. */
int ctx_try_load(int fd, pid_t tid);
/* Check that the thread has no context, by attaching one to it. */
void ctx_expect_free(pid_t tid);
/* Load the context and start it. */
void ctx_start_on(int fd, pid_t tid);
/*
 * Load the context on the calling thread and start it. From then on, only
 * touch_pages() causes page faults in the thread.
 */
void ctx_start_self(int fd);
/*
 * Pin the calling thread to CPU 0, where time stamps are monotonic, and call
 * ctx_start_self().
 */
void ctx_start_here(int fd);
void ctx_stop(int fd);
__u64 ctx_read(int fd, unsigned int pmd);
__u64 ctx_last_reset(int fd, unsigned int pmd);
/* Wait until the descriptor's fdinfo shows this state. */
void ctx_wait_state(int fd, const char *state);
/* Return whether the descriptor's fdinfo contains this line. */
bool ctx_says(int fd, const char *line);
void ctx_expect_state(int fd, const char *state);
/* Return the number in the line @name of the descriptor's fdinfo. */
__u64 ctx_number(int fd, const char *name);

/* Counters: PMCn and PMDn */

struct counter {
	pfarg_pmc_t	pmc;
	pfarg_pmd_t	pmd;
};

/*
 * Return the settings of counter @n for counting page faults; counter_write()
 * writes them. The counter overflows every @period faults, or never if @period
 * is 0. @flags are PFM_REGFL_*.
 */
struct counter counter(unsigned int n, __u32 flags, __u64 period);
void counter_write(int fd, struct counter *c);
/* Write the settings that counter() returns for these arguments. */
void ctx_add_counter(int fd, unsigned int n, __u32 flags, __u64 period);
/* Create a context without a format. PMD0 counts page faults. */
int ctx_counting(void);
int ctx_notifying(__u32 ctx_flags, __u64 period);
/*
 * Create a context that counts only in user space, as unprivileged users may.
 */
int ctx_counting_user(void);
/* Create a context that notifies on overflow, and start it on a worker. */
int ctx_notifying_on(const struct worker *w, __u64 period);

/* Event sets */

void ctx_create_set(int fd, unsigned int id, __u32 flags);
/* Create a set without flags. Return: 0, or -1 with errno. */
int ctx_try_set(int fd, unsigned int id);
void ctx_delete_set(int fd, unsigned int id);
pfarg_setinfo_t ctx_set_info(int fd, unsigned int id);
/* Return set0's set_act_duration in ns. */
__u64 ctx_active_ns(int fd);
/*
 * Add a counter to a set. After @thres overflows of the counter, the next set
 * becomes active. If @thres is 0, overflows do not switch sets.
 */
void ctx_add_set_counter(int fd, unsigned int set, unsigned int n, __u32 flags,
			 __u64 period, __u64 thres);
__u64 ctx_read_set(int fd, unsigned int set, unsigned int pmd);

/* Messages */

/* Wait for the next message and return it. */
pfm_msg_t ctx_next_message(int fd);
/* Wait for the next message, which must have this type. */
void ctx_expect_message(int fd, __u32 type);
/* Make the descriptor non-blocking, and check that no message is queued. */
void ctx_expect_no_message(int fd);

/* Threads and time */

pid_t thread_id(void);
/* Bind the calling thread to a CPU. */
void ctx_pin(int cpu);
/* Return the time of a clock in ns. */
__u64 clock_ns(clockid_t id);
/*
 * Skip the rest of the test, which compares times, unless the guest has one
 * CPU. Such a guest's clock counts instructions. In other guests, times depend
 * on the host's load.
 */
void need_exact_clock(void);
/*
 * Open perf's task clock for this thread. perf starts and stops this clock
 * together with the thread's other events. The scheduler's clock starts and
 * stops earlier. On an emulated CPU, the difference between the two clocks can
 * be arbitrarily large.
 */
int thread_clock(void);
/* Return the time of perf's task clock in ns. */
__u64 thread_clock_ns(int clock);
__u64 nanoseconds(const struct __kernel_timespec *t);

#endif /* GUEST_CTX_H */
