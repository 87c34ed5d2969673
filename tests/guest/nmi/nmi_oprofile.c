// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * nmi_oprofile.c - the OProfile bridge in NMIs: samples, callers, and
 *		    concurrent readers
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <unistd.h>

#include "bridge.h"
#include "check.h"
#include "ctx.h"
#include "oprofile_stream.h"
#include "rig.h"

#define EVENT		0xabcdef0123456789UL
#define NMIS		1000
#define WORDS		20000
#define ROUNDS		25

/**
 * struct bridged - a context that records every NMI, and the bridge's device
 * @fd:        the context's descriptor
 * @device:    the device's descriptor
 * @received:  samples received by the bridge
 * @delivered: samples read from the device
 * @lost:      samples lost
 * @stats:     statistics of the test PMU, pfm_nmi
 *
 * The last four are the values at the start of the recording. account()
 * replaces them with the increase since then.
 */
struct bridged {
	int			fd;
	int			device;
	unsigned long		received;
	unsigned long		delivered;
	unsigned long		lost;
	struct rig_stats	stats;
};

/*
 * Create a context that samples every NMI: each NMI counts as two events, and
 * the period is two, because not all PMUs support a period of one.
 */
static int ctx_recording(void)
{
	struct counter c = rig_counter(0, 0, 2);
	int fd = ctx_bridged(0);

	c.pmc.reg_value = rig_event(2);
	c.pmc.reg_smpl_eventid = EVENT;
	counter_write(fd, &c);
	return fd;
}

/* Start the bridge on CPU 0 with up to @depth callers per sample. */
static struct bridged bridged(const char *depth)
{
	struct bridged b;

	rig_need();
	ctx_pin(0);
	b.fd = ctx_recording();
	bridge_set("trace_depth", depth, 0);
	b.device = open_device();
	bridge_set("trace_depth", "0", 0);
	b.received = bridge_stat("sample_received");
	b.delivered = bridge_stat("sample_delivered");
	b.lost = bridge_lost();
	b.stats = rig_stats();
	ctx_start_on(b.fd, thread_id());
	return b;
}

/*
 * Check that the bridge has received a sample for each overflow, and that each
 * sample was read or counted as lost.
 */
static void account(struct bridged *b)
{
	b->stats = rig_since(b->stats);
	b->received = bridge_stat("sample_received") - b->received;
	b->delivered = bridge_stat("sample_delivered") - b->delivered;
	b->lost = bridge_lost() - b->lost;
	rig_print(&b->stats);
	printf("# %lu received, %lu delivered, %lu lost\n", b->received,
	       b->delivered, b->lost);
	CHECK_EQ(b->stats.sent, b->stats.received);
	CHECK_EQ(b->received, b->stats.reported);
	CHECK_EQ(b->received, b->delivered + b->lost);
}

__attribute__((noipa)) __section("spin_inner_text")
static void inner(const bool *done)
{
	/*
	 * Reading the frame address makes the compiler give the function a
	 * stack frame.
	 */
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
	while (!__atomic_load_n(done, __ATOMIC_ACQUIRE))
		;
}

__attribute__((noipa)) __section("spin_outer_text")
static void outer(const bool *done)
{
	inner(done);
	/* Prevent a tail call. */
	__asm__ volatile("");
}

__attribute__((noipa)) __section("spin_root_text")
static void root(const bool *done)
{
	outer(done);
	__asm__ volatile("");
}

extern const char __start_spin_inner_text[], __stop_spin_inner_text[];
extern const char __start_spin_outer_text[], __stop_spin_outer_text[];
extern const char __start_spin_root_text[], __stop_spin_root_text[];

static void expect_own(const struct sample *s)
{
	CHECK_EQ(s->tid, thread_id());
	CHECK_EQ(s->tgid, getpid());
	CHECK_EQ(s->event, EVENT);
	CHECK_EQ(s->cpu, 0);
	/* Kernel addresses are in the upper half. */
	CHECK_EQ(s->user, (__s64)s->offset >= 0);
}

static bool is_spinning(const struct sample *s)
{
	return s->user && is_between(s->offset, __start_spin_inner_text,
				     __stop_spin_inner_text);
}

/*
 * Return whether a sample has both callers. They are missing if the NMI arrived
 * in a function's prologue or epilogue.
 */
static bool has_callers(const struct sample *s)
{
	if (s->num_callers != 2)
		return false;
	return is_between(s->callers[0].offset, __start_spin_outer_text,
			  __stop_spin_outer_text) &&
	       is_between(s->callers[1].offset, __start_spin_root_text,
			  __stop_spin_root_text);
}

TEST(user_samples_have_file_offset_and_callers)
{
	struct bridged b = bridged("2");
	unsigned int spinning = 0, whole = 0, i = 0;
	size_t num_words = 0;

	/* Repeat, because all NMIs may arrive before this thread spins. */
	while (spinning < NMIS / 10) {
		rig_fire_while(NMIS, root);
		num_words = drain(b.device, num_words);
		decode(num_words);
		for (; i < num_samples; i++) {
			expect_own(&samples[i]);
			if (!is_spinning(&samples[i]))
				continue;
			expect_path(b.device, samples[i].cookie, own_path());
			spinning++;
			whole += has_callers(&samples[i]);
		}
	}
	ctx_stop(b.fd);
	decode(drain(b.device, num_words));
	account(&b);
	CHECK_EQ(b.lost, 0);
	CHECK_EQ(num_samples, b.delivered);
	printf("# %u samples while spinning, %u with both callers\n",
	       spinning, whole);
	/*
	 * Some samples lack a caller, because their NMI arrived in a prologue
	 * or epilogue.
	 */
	CHECK(whole > spinning / 2);
}

/* The NMIs arrive in the kernel, while interrupts are off. */
TEST(kernel_samples_are_marked_as_kernel)
{
	struct bridged b = bridged("2");

	rig_fire(NMIS);
	ctx_stop(b.fd);
	decode(drain(b.device, 0));
	account(&b);
	CHECK_EQ(b.stats.irqs_off, NMIS);
	CHECK_EQ(num_samples, b.stats.reported);
	for (unsigned int i = 0; i < num_samples; i++) {
		expect_own(&samples[i]);
		CHECK(!samples[i].user);
	}
}

/*
 * Call read() once, and store the words that it returns in words[], from index
 * @n on. A loop until the device is empty might not end while NMIs arrive.
 * Return: the number of words read.
 */
static size_t read_some(int device, size_t n)
{
	ssize_t len = read(device, words + n, sizeof(words) - n * WORD);

	if (len < 0)
		CHECK_ERRNO(len, EAGAIN);
	return len < 0 ? 0 : len / WORD;
}

/*
 * NMIs arrive while samples are copied from the CPU's buffer to the buffer of
 * the reader.
 */
TEST(reader_under_nmis_reads_a_valid_stream)
{
	struct bridged b;
	size_t n = 0;

	rig_need();
	close(ctx_bridged(0));
	bridge_set("cpu_buffer_size", "256", 0);
	bridge_set("event_buffer_size", "4096", 0);
	b = bridged("0");
	rig_rate(RIG_FASTEST);
	while (n < WORDS)
		n += read_some(b.device, n);
	rig_rate(0);
	ctx_stop(b.fd);
	decode(drain(b.device, n));
	account(&b);
	CHECK_EQ(num_samples, b.delivered);
	for (unsigned int i = 0; i < num_samples; i++)
		expect_own(&samples[i]);
	bridge_set("cpu_buffer_size", "8192", 0);
	bridge_set("event_buffer_size", "131072", 0);
}

static void await_report(void)
{
	__u64 before = rig_stats().reported;

	while (rig_stats().reported == before)
		;
}

TEST(readers_can_reopen_under_nmis)
{
	struct bridged b = bridged("2");

	rig_rate(RIG_FASTEST);
	for (int i = 0; i < ROUNDS; i++) {
		await_report();
		close(b.device);
		b.device = open_device();
		await_report();
		decode(read_some(b.device, 0));
	}
	rig_rate(0);
	ctx_stop(b.fd);
	close(b.device);
	b.stats = rig_since(b.stats);
	CHECK_EQ(bridge_stat("sample_received"),
		 b.received + b.stats.reported);
}
