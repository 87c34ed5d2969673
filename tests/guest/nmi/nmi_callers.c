// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * nmi_callers.c - call chains recorded by a handler in NMIs
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "chains.h"
#include "check.h"
#include "ctx.h"
#include "rig.h"

#define NMIS	200
/*
 * Take samples for ROUNDS rounds. End earlier if there are ENOUGH samples,
 * because a round of NMIs may take long.
 */
#define ROUNDS	30
#define ENOUGH	5000

extern const char __start_bottom_text[], __stop_bottom_text[];

/* Create a context that samples every NMI of this thread, on CPU 0. */
static struct chains sampling(__u64 flags)
{
	struct counter n;
	struct chains c;

	rig_need();
	c = chains_new(0);
	/*
	 * Use two events per NMI, because not all PMUs support a period of one.
	 */
	n = rig_counter(0, 0, 2);
	n.pmc.reg_value = rig_event(2) | flags;
	counter_write(c.fd, &n);
	ctx_pin(0);
	return c;
}

static void start(const struct chains *c)
{
	ctx_start_on(c->fd, thread_id());
}

/* Return the index of the oldest sample that is still in the ring. */
static __u64 first_kept(const struct chains *c)
{
	return c->hdr->count > CALLERS_SAMPLES ?
		       c->hdr->count - CALLERS_SAMPLES : 0;
}

__attribute__((noipa)) __section("bottom_text")
static void spin(void *done)
{
	have_frame();
	NOTE_CALLER();
	while (!__atomic_load_n((const bool *)done, __ATOMIC_ACQUIRE))
		;
}

static void spin_below(const bool *done)
{
	call_known(spin, (void *)done);
}

static bool is_in(__u64 address, const char *start, const char *stop)
{
	return address >= (uintptr_t)start && address < (uintptr_t)stop;
}

TEST(user_chain_holds_the_callers)
{
	struct chains c = sampling(0);
	unsigned int spinning = 0, known = 0;

	start(&c);
	/*
	 * Repeat, because all NMIs of a round may arrive before the function
	 * spins. If an NMI arrives in the function's prologue, a caller may be
	 * missing.
	 */
	for (__u64 i = 0; spinning < NMIS; ) {
		rig_fire_while(NMIS, spin_below);
		for (; i < c.hdr->count; i++) {
			const struct callers_smpl *s = chain_at(&c, i);

			expect_sane(s);
			if (!is_in(s->ip, __start_bottom_text,
				   __stop_bottom_text))
				continue;
			spinning++;
			known += has_known_callers(s);
		}
	}
	ctx_stop(c.fd);
	printf("# %u samples in spin(), %u with all callers\n", spinning,
	       known);
	CHECK(known > spinning / 2);
}

TEST(kernel_chain_holds_the_system_call)
{
	struct chains c = sampling(0);

	start(&c);
	rig_fire(NMIS);
	ctx_stop(c.fd);
	CHECK_EQ(c.hdr->count, NMIS);
	for (__u64 i = 0; i < NMIS; i++) {
		expect_sane(chain_at(&c, i));
		CHECK(chain_at(&c, i)->num_kernel > 1);
		CHECK(chain_at(&c, i)->num_user > 0);
	}
	CHECK(kernel_called(chain_at(&c, NMIS / 2), "vfs_write"));
	CHECK(kernel_called(chain_at(&c, NMIS / 2), "do_syscall_64"));
}

/* All NMIs arrive while the thread is in the kernel. */
TEST(user_only_event_has_no_kernel_chain)
{
	struct chains c = sampling(PFM_PERF_EXCL_KERNEL | RIG_SKID);

	start(&c);
	rig_fire(NMIS);
	ctx_stop(c.fd);
	CHECK_EQ(c.hdr->count, NMIS);
	for (__u64 i = 0; i < NMIS; i++) {
		expect_sane(chain_at(&c, i));
		CHECK_EQ(chain_at(&c, i)->num_kernel, 0);
		CHECK(chain_at(&c, i)->num_user > 0);
	}
}

/*
 * Two functions that are called from the same frame, so that their return
 * addresses are in the same place on the stack. Each makes a system call.
 */
static uintptr_t after_getpid, after_getppid;

static __attribute__((noipa)) void call_getpid(void)
{
	have_frame();
	after_getpid = (uintptr_t)__builtin_return_address(0);
	getpid();
	no_tail_call();
}

static __attribute__((noipa)) void call_getppid(void)
{
	have_frame();
	after_getppid = (uintptr_t)__builtin_return_address(0);
	getppid();
	no_tail_call();
}

static bool is_at(__u64 address, uintptr_t function)
{
	return address - function < 16;
}

static void expect_one_moment(const struct callers_smpl *s)
{
	expect_sane(s);
	if (s->num_user < 2)
		return;
	if (is_at(s->user[0], (uintptr_t)getpid))
		CHECK(s->user[1] != after_getppid);
	if (is_at(s->user[0], (uintptr_t)getppid))
		CHECK(s->user[1] != after_getpid);
}

/* Check the samples since @seen. Return: the number without a user chain. */
static unsigned int expect_moments(const struct chains *c, __u64 seen)
{
	unsigned int without = 0;

	if (seen < first_kept(c))
		seen = first_kept(c);
	for (; seen < c->hdr->count; seen++) {
		const struct callers_smpl *s = chain_at(c, seen);

		expect_one_moment(s);
		without += !s->num_user || !s->user[0];
	}
	return without;
}

/* NMIs also arrive while the kernel saves the registers of user space. */
static void sample_system_calls(__u64 flags)
{
	struct chains c = sampling(flags);
	unsigned int without = 0;

	start(&c);
	for (__u64 seen = 0; seen < ENOUGH; seen = c.hdr->count) {
		rig_rate(RIG_FASTEST);
		while (c.hdr->count < seen + CALLERS_SAMPLES / 2) {
			call_getpid();
			call_getppid();
		}
		rig_rate(0);
		without += expect_moments(&c, seen);
	}
	ctx_stop(c.fd);
	printf("# %u samples without a user chain\n", without);
}

TEST(user_chain_is_of_one_moment)
{
	sample_system_calls(0);
}

TEST(user_chain_of_user_only_event_is_of_one_moment)
{
	sample_system_calls(PFM_PERF_EXCL_KERNEL | RIG_SKID);
}

static uintptr_t hostile_fp;

static void spin_hostile(const bool *done)
{
	spin_with_frame(done, hostile_fp);
}

/*
 * Send NMIs while the thread spins. Return: the number of samples taken while
 * the thread was spinning. It may be 0, because all NMIs may arrive before the
 * thread starts to spin.
 */
static unsigned int fire_at_hostile(const struct chains *c,
				    const struct hostile *h)
{
	unsigned int spinning = 0;
	__u64 i = c->hdr->count;

	hostile_fp = h->fp;
	rig_fire_while(NMIS, spin_hostile);
	for (; i < c->hdr->count; i++) {
		const struct callers_smpl *s = chain_at(c, i);

		expect_sane(s);
		if (!is_in(s->ip, __start_hostile_text, __stop_hostile_text))
			continue;
		spinning += s->num_user == 1 + h->callers;
	}
	return spinning;
}

TEST(hostile_frame_pointers_end_the_chain)
{
	struct hostile h[MAX_HOSTILE];
	unsigned int n = hostile_frames(h);
	struct chains c = sampling(0);

	start(&c);
	for (unsigned int i = 0; i < n; i++) {
		printf("# %s\n", h[i].name);
		while (!fire_at_hostile(&c, &h[i]))
			;
	}
	ctx_stop(c.fd);
}

static void touch_in_child(void *page)
{
	*(volatile char *)page = 2;
}

/*
 * Change the thread's memory with page faults, system calls and context
 * switches.
 */
static void change_memory(void)
{
	char *page = fresh_page();

	*page = 1;
	reap(spawn(touch_in_child, page));
	CHECK_OK(munmap(page, sysconf(_SC_PAGESIZE)));
}

/* Take samples while change_memory() runs. */
static void fire_until_enough(struct chains *c)
{
	struct rig_stats stats = rig_stats();

	start(c);
	rig_rate(RIG_FASTEST);
	for (int i = 0; i < ROUNDS && c->hdr->count < ENOUGH; i++)
		change_memory();
	rig_rate(0);
	ctx_stop(c->fd);
	stats = rig_since(stats);
	rig_print(&stats);
}

TEST(chains_at_any_moment_are_sane)
{
	struct chains c = sampling(0);
	unsigned int user = 0, kernel = 0;
	__u64 seen;

	fire_until_enough(&c);
	CHECK(c.hdr->count > 0);
	for (seen = first_kept(&c); seen < c.hdr->count; seen++) {
		expect_sane(chain_at(&c, seen));
		user += chain_at(&c, seen)->num_user > 0;
		kernel += chain_at(&c, seen)->num_kernel > 1;
	}
	printf("# %llu samples; of those still in the ring, %u with a user chain, %u with a kernel chain\n",
	       (unsigned long long)c.hdr->count, user, kernel);
}

/*
 * The context samples a whole CPU, including its idle thread and switches to
 * that thread.
 */
TEST(chains_of_a_cpu_at_any_moment_are_sane)
{
	struct counter n;
	struct chains c;

	rig_need();
	c = chains_new(PFM_FL_SYSTEM_WIDE);
	n = rig_counter(0, 0, 2);
	n.pmc.reg_value = rig_event(2);
	counter_write(c.fd, &n);
	ctx_pin(0);
	fire_until_enough(&c);
	for (__u64 i = first_kept(&c); i < c.hdr->count; i++)
		expect_sane(chain_at(&c, i));
}
