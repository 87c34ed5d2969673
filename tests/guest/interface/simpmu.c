// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * simpmu.c - exact overflows with the simulated PMU: 64-bit emulation
 *	      (specification 3.1.3), simultaneous overflows (specification
 *	      3.5.14), and event sets that switch while they are read (Eranian
 *	      2006, section 8)
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <perfmon/perfmon_nway_smpl.h>

#include "check.h"
#include "ctx.h"
#include "files.h"
#include "sim.h"
#include "smpl.h"

#define BUF_SIZE	(1 << 16)
#define IP		SIM_IP
#define PLAIN_PMD	8	/* a PMD that is not a counter */
#define NOTIFY		PFM_REGFL_OVFL_NOTIFY

static void write_pmd(int fd, unsigned int n, __u64 value)
{
	pfarg_pmd_t pmd = { .reg_num = n, .reg_value = value };

	CHECK_OK(pfm_write_pmds(fd, &pmd, 1));
}

/* Start a context in which counters 0 to 2 count. */
static int start_counting(void)
{
	int fd = ctx_new(0);

	for (int i = 0; i < 3; i++)
		ctx_add_counter(fd, i, 0, 0);
	ctx_start_on(fd, thread_id());
	return fd;
}

/* Proves 3.1.2-19 */
TEST(counters_count_simulated_events)
{
	int fd = start_counting();

	sim_advance("0=5 2=0xffffffff");
	sim_advance("0=7 1=1 3=100");
	CHECK_EQ(ctx_read(fd, 0), 12);
	CHECK_EQ(ctx_read(fd, 1), 1);
	CHECK_EQ(ctx_read(fd, 2), 0xffffffff);
	/* Counter 3 does not count, because its PMC was not written. */
	CHECK_EQ(ctx_read(fd, 3), 0);
}

/* Proves 3.1.3-26, 3.1.4-13, 3.1.8-03, P4.3-02 */
TEST(narrow_counters_have_64_bits)
{
	int fd = start_counting();

	for (__u64 i = 1; i <= 10; i++) {
		sim_advance("1=0xfffffff0");
		CHECK_EQ(ctx_read(fd, 1), i * 0xfffffff0ULL);
	}
	CHECK_OK(pfm_unload_context(fd));
	CHECK_EQ(ctx_read(fd, 1), 10 * 0xfffffff0ULL);
	ctx_start_on(fd, thread_id());
	sim_advance("1=0xfffffff0");
	CHECK_EQ(ctx_read(fd, 1), 11 * 0xfffffff0ULL);
}

/* Proves 3.1.3-08, 3.1.3-10 */
TEST(narrow_counters_take_64_bits_while_loaded)
{
	int fd = start_counting();

	write_pmd(fd, 0, 0x12345678fffffff0ULL);
	CHECK_EQ(ctx_read(fd, 0), 0x12345678fffffff0ULL);
	sim_advance("0=0x20");
	CHECK_EQ(ctx_read(fd, 0), 0x1234567900000010ULL);
}

/* Proves 3.1.3-26 */
TEST(narrow_counters_wrap_at_64_bits)
{
	int fd = start_counting();

	write_pmd(fd, 0, -16ULL);
	sim_advance("0=20");
	CHECK_EQ(ctx_read(fd, 0), 4);
}

/* Proves 3.1.6-03 */
TEST(stopped_context_counts_nothing)
{
	int fd = start_counting();

	ctx_stop(fd);
	sim_advance("0=5");
	CHECK_EQ(ctx_read(fd, 0), 0);
}

/* Proves 3.1.3-27, 3.4.1-02, 3.5.14-06, P5.1-01 */
TEST(only_overflow_of_64_bits_makes_a_sample)
{
	struct smpl s = smpl_new(0, BUF_SIZE, 0);

	ctx_add_counter(s.fd, 0, 0, (1ULL << 33) + 5);
	ctx_start_on(s.fd, thread_id());
	/* The 32-bit counter wraps twice. Then all 64 bits of the PMD are 1. */
	sim_advance("0=0xffffffff");
	sim_advance("0=0xffffffff");
	sim_advance("0=6");
	CHECK_EQ(s.hdr->hdr_count, 0);
	CHECK_EQ(ctx_read(s.fd, 0), -1ULL);
	sim_advance("0=1");
	CHECK_EQ(s.hdr->hdr_count, 1);
	CHECK_EQ(smpl_entry(&s, 0, 0)->last_reset_val, -(1ULL << 33) - 5);
	CHECK_EQ(ctx_read(s.fd, 0), -(1ULL << 33) - 5);
}

/* Proves 3.1.13-08, 3.1.13-09 */
TEST(reserved_bits_keep_their_default)
{
	pfarg_pmcinfo_t info = { .reg_num = 0 };
	pfarg_pmc_t pmc = { .reg_value = 0xffffffff00000000ULL };
	int fd = start_counting();

	CHECK_OK(pfm_getinfo_pmcs(&info, 1));
	CHECK_EQ(info.reg_rsvd_mask, 0xffffffff00000000ULL);
	/*
	 * Reserved bits are ignored, so this value is the default, which counts
	 * nothing.
	 */
	CHECK_OK(pfm_write_pmcs(fd, &pmc, 1));
	sim_advance("0=5");
	CHECK_EQ(ctx_read(fd, 0), 0);
}

/* Simultaneous overflows */

static const unsigned int sampling[] = { 0, 3, 5 };

static struct smpl start_sampling(__u32 flags)
{
	struct smpl s = smpl_new(0, BUF_SIZE, 0);

	/*
	 * Stay on one CPU, because time stamps of different CPUs may be out of
	 * order.
	 */
	ctx_pin(0);
	for (int i = 0; i < 3; i++)
		ctx_add_counter(s.fd, sampling[i], flags, 10);
	ctx_start_on(s.fd, thread_id());
	return s;
}

static void expect_one_instant(const struct smpl *s)
{
	CHECK_EQ(s->hdr->hdr_count, 3);
	for (int i = 0; i < 3; i++) {
		const pfm_default_smpl_entry_t *e = smpl_entry(s, i, 0);

		CHECK_EQ(e->ovfl_pmd, sampling[i]);
		CHECK_EQ(e->tstamp, smpl_entry(s, 0, 0)->tstamp);
		CHECK_EQ(e->ip, IP);
		CHECK_EQ(e->last_reset_val, -10ULL);
		CHECK_EQ(ctx_read(s->fd, sampling[i]), -10ULL);
	}
}

/* Proves 3.5.14-07, 3.5.14-08, 3.6.4-04, 3.6.4-07, 3.6.4-15, 3.6.4-16 */
TEST(simultaneous_overflows_are_recorded_in_order)
{
	struct smpl s = start_sampling(0);

	sim_advance("5=10 0=12 3=11");
	expect_one_instant(&s);
	CHECK_EQ(smpl_entry(&s, 0, 0)->pid, thread_id());
}

/* Proves 3.5.14-07, 3.6.4-15 */
TEST(overflows_of_one_interrupt_are_recorded_in_order)
{
	struct smpl s = start_sampling(0);

	sim_advance("irq 3=10 5=10 0=10");
	expect_one_instant(&s);
}

/* Proves 3.5.14-02, 3.6.4-08 */
TEST(time_stamps_advance)
{
	struct smpl s = start_sampling(0);
	__u64 first;

	sim_advance("0=10");
	first = smpl_entry(&s, 0, 0)->tstamp;
	/*
	 * The clock may be so coarse that two successive samples have the same
	 * time stamp.
	 */
	do {
		CHECK_OK(pfm_restart(s.fd));
		sim_advance("0=10");
	} while (smpl_entry(&s, 0, 0)->tstamp == first);
	CHECK(smpl_entry(&s, 0, 0)->tstamp > first);
}

/* Proves 3.1.9-06, 3.1.9-08, 3.4.3-03, 3.4.3-06 */
TEST(simultaneous_overflows_share_a_message)
{
	pfm_msg_t msg;
	int fd = ctx_new(0);

	for (int i = 0; i < 3; i++)
		ctx_add_counter(fd, sampling[i], NOTIFY, 10);
	ctx_start_on(fd, thread_id());
	sim_advance("0=10 5=10 3=9");
	CHECK_EQ(read(fd, &msg, sizeof(msg)), sizeof(msg));
	CHECK_EQ(msg.ovfl.msg_ovfl_pmds[0], 1 << 0 | 1 << 5);
	CHECK_EQ(msg.ovfl.msg_ovfl_ip, IP);
	CHECK_OK(fcntl(fd, F_SETFL, O_NONBLOCK));
	CHECK_ERRNO(read(fd, &msg, sizeof(msg)), EAGAIN);
	/* The restart resets only the two counters that have overflowed. */
	CHECK_OK(pfm_restart(fd));
	CHECK_EQ(ctx_read(fd, 0), -10ULL);
	CHECK_EQ(ctx_read(fd, 3), -1ULL);
	CHECK_EQ(ctx_read(fd, 5), -10ULL);
}

/* Proves 3.1.4-19, 3.1.9-03, 3.1.9-04, 3.4.3-07 */
TEST(masked_context_counts_nothing)
{
	int fd = ctx_notifying(0, 10);

	ctx_add_counter(fd, 1, 0, 0);
	ctx_start_on(fd, thread_id());
	sim_advance("0=10 1=3");
	ctx_expect_state(fd, "masked");
	sim_advance("0=5 1=5");
	CHECK_EQ(ctx_read(fd, 0), 0);
	CHECK_EQ(ctx_read(fd, 1), 3);
	CHECK_OK(pfm_restart(fd));
	sim_advance("0=4 1=5");
	CHECK_EQ(ctx_read(fd, 0), -6ULL);
	CHECK_EQ(ctx_read(fd, 1), 8);
}

/* Proves 3.1.2-13, 3.6.4-13 */
TEST(samples_record_counters_and_other_pmds)
{
	struct counter c = counter(0, 0, 10);
	struct smpl s = smpl_new(0, BUF_SIZE, 0);
	const __u64 *values = smpl_values(smpl_entry(&s, 0, 0));

	pfm_bv_set(c.pmc.reg_smpl_pmds, 1);
	pfm_bv_set(c.pmc.reg_smpl_pmds, PLAIN_PMD);
	pfm_bv_set(c.pmc.reg_reset_pmds, 1);
	counter_write(s.fd, &c);
	ctx_add_counter(s.fd, 1, 0, 0);
	write_pmd(s.fd, 1, 0x700000000ULL);
	write_pmd(s.fd, PLAIN_PMD, 77);
	ctx_start_on(s.fd, thread_id());
	sim_advance("0=10 1=4");
	CHECK_EQ(s.hdr->hdr_count, 1);
	CHECK_EQ(values[0], 0x700000004ULL);
	CHECK_EQ(values[1], 77);
	CHECK_EQ(ctx_read(s.fd, 1), 0);
}

/* Proves 3.6.5-06, 3.6.5-07 */
TEST(full_buffer_drops_remaining_overflows)
{
	struct smpl s = smpl_new_for(0, 2, 0);

	for (int i = 0; i < 3; i++)
		ctx_add_counter(s.fd, sampling[i], NOTIFY, 10);
	ctx_start_on(s.fd, thread_id());
	sim_advance("0=10 3=10 5=10");
	CHECK_EQ(s.hdr->hdr_count, 2);
	ctx_expect_state(s.fd, "masked");
	/* The message includes the overflow that was not recorded. */
	CHECK_EQ(ctx_next_message(s.fd).ovfl.msg_ovfl_pmds[0],
		 1 << 0 | 1 << 3 | 1 << 5);
	/* The counter whose overflow was not recorded is also reset. */
	CHECK_OK(pfm_restart(s.fd));
	for (int i = 0; i < 3; i++)
		CHECK_EQ(ctx_read(s.fd, sampling[i]), -10ULL);
}

/*
 * Let four counters overflow simultaneously; only counter @asks requests a
 * notification. The buffer has room for two samples, so the handler finds it
 * full at the third overflow, and is not called for the fourth. The
 * notification must be sent nevertheless.
 */
static void expect_notification(int fd, int asks)
{
	for (int i = 0; i < 4; i++)
		ctx_add_counter(fd, i, i == asks ? NOTIFY : 0, 10);
	ctx_start_on(fd, thread_id());
	sim_advance("0=10 1=10 2=10 3=10");
	ctx_expect_state(fd, "masked");
	CHECK(ctx_says(fd, "pfm_lost:\t2"));
	CHECK(is_readable(fd));
	CHECK_EQ(ctx_next_message(fd).ovfl.msg_ovfl_pmds[0], 0xf);
	CHECK_OK(close(fd));
}

/* Proves 3.6.5-08 */
TEST(full_buffer_notifies_whichever_counter_asks)
{
	for (int asks = 0; asks < 4; asks++)
		expect_notification(smpl_new_for(0, 2, 0).fd, asks);
}

TEST(full_regions_notify_whichever_counter_asks)
{
	for (int asks = 0; asks < 4; asks++)
		expect_notification(nway_new(0, 2, 1, 0,
					     PFM_NWAY_SMPL_MASK_WHEN_FULL).fd,
				    asks);
}

/*
 * Read counters 0 and 1 of a set from the set's page. Return: false if the page
 * does not contain their values (the counters are live), or if it has changed
 * during the read.
 */
static bool read_both(const volatile pfm_set_page_t *page, __u64 *values)
{
	__u32 seq = __atomic_load_n(&page->map_seq, __ATOMIC_ACQUIRE);
	bool kept = page->map_state[0] == PFM_MAP_VALUE &&
		    page->map_state[1] == PFM_MAP_VALUE;

	values[0] = page->map_value[0];
	values[1] = page->map_value[1];
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return kept && !(seq & 1) &&
	       seq == __atomic_load_n(&page->map_seq, __ATOMIC_RELAXED);
}

struct reading {
	const volatile pfm_set_page_t	*pages[2];
	const bool			*done;
};

/*
 * Check that the two counters of each set, which count the same events, never
 * differ.
 */
static void read_until_done(void *arg)
{
	const struct reading *r = arg;
	__u64 values[2];

	for (int i = 0; !__atomic_load_n(r->done, __ATOMIC_RELAXED); i ^= 1)
		if (read_both(r->pages[i], values))
			CHECK_EQ(values[0], values[1]);
}

/*
 * Create a set with two counters of the same event. Return: the set's effective
 * timeout.
 */
static unsigned long long add_set(int fd, unsigned int set, struct reading *r)
{
	pfarg_setdesc_t desc = { .set_id = set,
				 .set_flags = PFM_SETFL_TIME_SWITCH };
	void *page;

	CHECK_OK(pfm_create_evtsets(fd, &desc, 1));
	for (unsigned int n = 0; n < 2; n++) {
		struct counter c = counter(n, 0, 0);

		c.pmc.reg_set = set;
		c.pmd.reg_set = set;
		counter_write(fd, &c);
	}
	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd,
		    desc.set_mmap_offset);
	CHECK(page != MAP_FAILED);
	r->pages[set] = page;
	return desc.set_timeout.tv_nsec;
}

/* Proves P8-06 */
TEST(set_switches_never_tear_mapped_values)
{
	bool *done = mmap(NULL, sizeof(*done), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int fd = ctx_new(PFM_FL_MAP_SETS);
	struct reading r = { .done = done };
	unsigned long long timeout;
	__u64 values[2];
	pid_t reader;

	CHECK(done != MAP_FAILED);
	timeout = add_set(fd, 0, &r);
	add_set(fd, 1, &r);
	/* Run the reader on another CPU, if there is one. */
	reader = spawn(read_until_done, &r);
	ctx_start_on(fd, thread_id());
	for (int i = 0; i < 100; i++)
		sim_advance("0=0x10000001 1=0x10000001 ns %llu", timeout);
	__atomic_store_n(done, true, __ATOMIC_RELAXED);
	reap(reader);
	CHECK_OK(pfm_stop(fd));
	for (int i = 0; i < 2; i++) {
		CHECK(read_both(r.pages[i], values));
		CHECK_EQ(values[0], values[1]);
		CHECK(values[0] > 0);
	}
}
