// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * callers.c - call chains recorded by a handler (perfmon_fmt_callers.h) in
 *	       threads and in interrupts; see ../nmi/nmi_callers.c for NMIs
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "chains.h"
#include "check.h"
#include "ctx.h"
#include "faults.h"

#define noipa		__attribute__((noipa))
#define FAULTS \
	PFM_PERF_EVENT(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS)
#define SWITCHES \
	PFM_PERF_EVENT(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES)
#define CPU_CLOCK \
	PFM_PERF_EVENT(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK)

extern const char __start_bottom_text[], __stop_bottom_text[];

static bool is_in(__u64 address, const char *start, const char *stop)
{
	return address >= (uintptr_t)start && address < (uintptr_t)stop;
}

/* Create a context that samples this thread every @period events. */
static struct chains sampling(__u64 event, __u64 period)
{
	struct chains c = chains_new(0);
	struct counter n = counter(0, 0, period);

	n.pmc.reg_value = event;
	counter_write(c.fd, &n);
	faults_prepare();
	return c;
}

static void start(const struct chains *c)
{
	ctx_start_on(c->fd, thread_id());
}

/* Chains in user space */

noipa __section("bottom_text")
static void fault(void *page)
{
	have_frame();
	NOTE_CALLER();
	__atomic_store_n((char *)page, 1, __ATOMIC_RELAXED);
}

TEST(user_chain_holds_the_callers)
{
	struct chains c = sampling(FAULTS, 1);
	char *page = fresh_page();
	const struct callers_smpl *s;

	start(&c);
	call_known(fault, page);
	ctx_stop(c.fd);
	s = only_chain(&c);
	expect_sane(s);
	CHECK(is_in(s->user[0], __start_bottom_text, __stop_bottom_text));
	CHECK(has_known_callers(s));
}

TEST(user_only_event_has_the_same_user_chain)
{
	struct chains c = sampling(FAULTS | PFM_PERF_EXCL_KERNEL, 1);
	char *page = fresh_page();

	start(&c);
	call_known(fault, page);
	ctx_stop(c.fd);
	expect_sane(only_chain(&c));
	CHECK(has_known_callers(only_chain(&c)));
}

/* More stack frames than fit into a chain. */
static struct {
	uintptr_t	next;
	uintptr_t	ret;
} ladder[10 * CALLERS_MAX];

static void expect_steps(const struct callers_smpl *s, unsigned int n)
{
	CHECK_EQ(s->num_user, n);
	for (unsigned int i = 1; i < n; i++)
		CHECK_EQ(s->user[i], ladder[i - 1].ret);
}

TEST(chain_ends_at_the_limit_or_the_last_frame)
{
	for (unsigned int n = 1; n < CALLERS_MAX + 2; n++) {
		struct chains c = sampling(FAULTS, 1);
		char *page = fresh_page();

		for (unsigned int i = 0; i < n; i++) {
			ladder[i].next = (uintptr_t)&ladder[i + 1];
			ladder[i].ret = 0x10000 + i;
		}
		ladder[n].ret = 0;
		start(&c);
		touch_with_frame(page, (uintptr_t)ladder);
		ctx_stop(c.fd);
		expect_steps(only_chain(&c), n + 1 < CALLERS_MAX ?
						     n + 1 : CALLERS_MAX);
		CHECK_OK(close(c.fd));
	}
}

TEST(hostile_frame_pointers_end_the_chain)
{
	struct hostile h[MAX_HOSTILE];
	unsigned int n = hostile_frames(h);

	for (unsigned int i = 0; i < n; i++) {
		struct chains c = sampling(FAULTS, 1);
		char *page = fresh_page();

		start(&c);
		touch_with_frame(page, h[i].fp);
		ctx_stop(c.fd);
		printf("# %s\n", h[i].name);
		/*
		 * Only one chain was recorded, so the stack walk has not caused
		 * a page fault itself.
		 */
		expect_sane(only_chain(&c));
		CHECK_EQ(only_chain(&c)->num_user, 1 + h[i].callers);
		CHECK(is_in(only_chain(&c)->user[0], __start_hostile_text,
			    __stop_hostile_text));
		CHECK_OK(close(c.fd));
	}
}

/* Chains in the kernel */

/*
 * Call read() without the C library, whose read() may have no stack frame. The
 * function that calls it would then be missing from the chain.
 */
static long bare_read(int fd, void *buf, size_t size)
{
#if defined(__x86_64__)
	long ret = SYS_read;

	__asm__ volatile("syscall" : "+a"(ret) : "D"(fd), "S"(buf), "d"(size) :
			 "rcx", "r11", "memory");
	return ret;
#elif defined(__i386__)
	long ret = SYS_read;

	__asm__ volatile("int $0x80" : "+a"(ret) :
			 "b"(fd), "c"(buf), "d"(size) : "memory");
	return ret;
#else
	register long x8 __asm__("x8") = SYS_read;
	register long x0 __asm__("x0") = fd;
	register void *x1 __asm__("x1") = buf;
	register long x2 __asm__("x2") = size;

	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) :
			 "memory");
	return x0;
#endif
}

static int zeroes;

noipa __section("bottom_text")
static void read_zeroes(void *page)
{
	have_frame();
	NOTE_CALLER();
	CHECK_EQ(bare_read(zeroes, page, 8), 8);
}

/* Let the kernel write to a page that is not present. */
TEST(syscall_fault_has_kernel_and_user_chains)
{
	struct chains c = sampling(FAULTS, 1);
	char *page = fresh_page();
	const struct callers_smpl *s;

	zeroes = CHECK_OK(open("/dev/zero", O_RDONLY));
	start(&c);
	call_known(read_zeroes, page);
	ctx_stop(c.fd);
	s = only_chain(&c);
	expect_sane(s);
	CHECK(is_in(s->user[0], __start_bottom_text, __stop_bottom_text));
	CHECK(has_known_callers(s));
	CHECK(kernel_called(s, "vfs_read"));
#if defined(__x86_64__)
	CHECK(kernel_called(s, "do_syscall_64"));
#elif defined(__aarch64__)
	CHECK(kernel_called(s, "el0_svc"));
#endif
}

/*
 * At a context switch, the scheduler passes only a few registers to perf. They
 * must suffice for both chains. sleep_once() sleeps in read(). Other switches
 * are possible, too: the thread may be preempted or, with PREEMPT_RT, wait for
 * a lock.
 */
TEST(context_switch_chain_includes_the_scheduler)
{
	struct chains c = sampling(SWITCHES, 1);
	bool slept = false;

	start(&c);
	sleep_once();
	ctx_stop(c.fd);
	CHECK(c.hdr->count <= CALLERS_SAMPLES);
	for (__u64 n = 0; n < c.hdr->count; n++) {
		const struct callers_smpl *s = chain_at(&c, n);

		expect_sane(s);
		CHECK(s->num_user > 0);
		slept |= kernel_called(s, "vfs_read") &&
			 kernel_called(s, "schedule");
	}
	CHECK(slept);
}

/* Interrupts arrive in user space and in the kernel. */
TEST(chains_from_interrupts_are_sane)
{
	struct chains c = sampling(CPU_CLOCK, 100000);
	unsigned int user = 0, kernel = 0;
	char byte;

	zeroes = CHECK_OK(open("/dev/zero", O_RDONLY));
	start(&c);
	while (c.hdr->count < CALLERS_SAMPLES)
		for (int i = 0; i < 1000; i++)
			CHECK_EQ(bare_read(zeroes, &byte, 1), 1);
	ctx_stop(c.fd);
	for (unsigned int i = 0; i < CALLERS_SAMPLES; i++) {
		const struct callers_smpl *s = &c.hdr->samples[i];

		expect_sane(s);
		user += s->num_user > 0;
		kernel += s->num_kernel > 1;
	}
	printf("# %u with a user chain, %u with a kernel chain\n", user,
	       kernel);
	CHECK_EQ(user, CALLERS_SAMPLES);
	CHECK(kernel > 0);
}

/* Only the idle thread runs while this thread sleeps. */
TEST(kernel_threads_have_no_user_chain)
{
	struct chains c = chains_new(PFM_FL_SYSTEM_WIDE);
	struct counter n = counter(0, 0, 100000);
	const struct callers_smpl *s = NULL;
	__u64 seen = 0;

	n.pmc.reg_value = CPU_CLOCK;
	counter_write(c.fd, &n);
	ctx_pin(0);
	ctx_start_on(c.fd, thread_id());
	/*
	 * Stop the context to read the ring, because a running context
	 * overwrites it.
	 */
	while (!s) {
		CHECK_OK(pfm_start(c.fd, NULL));
		/* Sleep because the idle thread must run to be sampled. */
		usleep(1000);
		ctx_stop(c.fd);
		for (; seen < c.hdr->count && !s; seen++)
			if (!c.hdr->samples[seen % CALLERS_SAMPLES].tid)
				s = &c.hdr->samples[seen % CALLERS_SAMPLES];
	}
	expect_sane(s);
	CHECK_EQ(s->num_user, 0);
	CHECK(kernel_called(s, "do_idle"));
}
