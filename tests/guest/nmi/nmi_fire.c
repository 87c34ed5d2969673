// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * nmi_fire.c - receive as many NMIs as the machine can handle
 *
 * Each NMI is an overflow, which must be sampled, counted as lost, or masked.
 * The tests share $NMIS NMIs equally. In each test, this CPU works while other
 * CPUs send half of the test's NMIs at random moments, or fewer if the time
 * limit is reached. This thread requests the other NMIs itself. If the guest
 * has perf's usual sample rate limit, perf may throttle the sampling counter,
 * that is, stop it for a while. The context must count how often that happens.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <perfmon/perfmon_nway_smpl.h>
#include <perfmon/perfmon_pebs64_smpl.h>

#include "check.h"
#include "ctx.h"
#include "rig.h"
#include "smpl.h"

#define NOTIFY		PFM_REGFL_OVFL_NOTIFY
#define SHARES		7	/* number of tests */
#define AT_ONCE		5	/* NMIs between two polls for messages */
#define MOST_TIME	8000000000ULL	/* ns */
#define SKEW		64	/* maximum number of NMIs missed per masking */
#define ENTRIES		100
#define REGIONS		4
#define BASE		256	/* offset of the first record */

/* One counter samples each NMI; the other one only counts. */
enum { PMD_SAMPLES, PMD_ALL };

/**
 * struct fired - a context that samples NMIs
 * @m:        its descriptor and buffer
 * @masks:    a full buffer masks monitoring and PFM_RESTART empties it
 * @recorded: return the number of samples in the buffer; NULL if the context
 *            does not have a buffer
 * @samples:  number of samples read
 * @messages: number of messages read
 * @stats:    the rig's statistics when fire() began; after fire(), how much
 *            they have increased since then
 */
struct fired {
	struct mapped	m;
	bool		masks;
	__u64		(*recorded)(const void *buf);
	__u64		samples;
	__u64		messages;
	struct rig_stats stats;
};

static __u64 share(void)
{
	const char *text = getenv("NMIS");

	return (text ? strtoull(text, NULL, 0) : 70000) / SHARES + 1;
}

/* Use two events per NMI, because not all PMUs support a period of one. */
static void program(int fd, unsigned int set, __u32 flags, __u64 thres)
{
	struct counter c = rig_counter(PMD_SAMPLES, flags, 2);
	struct counter all = rig_counter(PMD_ALL, 0, 0);

	c.pmc.reg_set = set;
	c.pmd.reg_set = set;
	all.pmc.reg_set = set;
	all.pmd.reg_set = set;
	c.pmc.reg_value = rig_event(2);
	c.pmd.reg_ovflsw_thres = thres;
	counter_write(fd, &c);
	counter_write(fd, &all);
}

/* Cause page faults, compute, and make system calls. */
static void work(void)
{
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(page != MAP_FAILED);
	*page = 1;
	for (volatile int i = 0; i < 200; i++)
		;
	getppid();
	CHECK_OK(munmap(page, 4096));
}

static void read_messages(struct fired *f)
{
	pfm_msg_t msg;

	while (read(f->m.fd, &msg, sizeof(msg)) == sizeof(msg)) {
		CHECK_EQ(msg.msg_type, PFM_MSG_OVFL);
		CHECK_EQ(msg.ovfl.msg_ovfl_pmds[0], 1 << PMD_SAMPLES);
		f->messages++;
		if (!f->masks)
			continue;
		if (f->recorded)
			f->samples += f->recorded(f->m.buf);
		CHECK_OK(pfm_restart(f->m.fd));
	}
}

static __u64 received(const struct fired *f)
{
	return rig_since(f->stats).received;
}

/* Receive @n NMIs from other CPUs, or as many as the time limit allows. */
static void be_shot_at(struct fired *f, __u64 n)
{
	__u64 end = clock_ns(CLOCK_MONOTONIC) + MOST_TIME;

	rig_rate(RIG_FASTEST);
	do {
		for (int i = 0; i < 10; i++)
			work();
		read_messages(f);
	} while (received(f) < n && clock_ns(CLOCK_MONOTONIC) < end);
	rig_rate(0);
}

/* Load the context, start it, and receive all NMIs. */
static void fire(struct fired *f)
{
	__u64 n = share();

	rig_need();
	ctx_pin(0);
	CHECK_OK(fcntl(f->m.fd, F_SETFL, O_NONBLOCK));
	f->stats = rig_stats();
	ctx_start_on(f->m.fd, thread_id());
	be_shot_at(f, n / 2);
	while (received(f) < n) {
		rig_fire(AT_ONCE);
		read_messages(f);
	}
	ctx_stop(f->m.fd);
	f->stats = rig_since(f->stats);
	rig_print(&f->stats);
	CHECK_EQ(f->stats.sent, f->stats.received);
	CHECK(f->stats.irqs_off > 0);
	CHECK_EQ(ctx_number(f->m.fd, "pfm_pmu_throttled"), f->stats.throttled);
}

/* Read the last samples. */
static void read_rest(struct fired *f)
{
	read_messages(f);
	f->samples += f->recorded(f->m.buf);
}

static __u64 lost(const struct fired *f)
{
	return ctx_number(f->m.fd, "pfm_lost");
}

/* Check that all NMIs are accounted for, in a context that is never masked. */
static void account(struct fired *f)
{
	__u64 all = ctx_read(f->m.fd, PMD_ALL);

	printf("# %llu samples, %llu lost, %llu counted\n",
	       (unsigned long long)f->samples, (unsigned long long)lost(f),
	       (unsigned long long)all);
	CHECK_EQ(f->samples + lost(f), f->stats.reported);
	/*
	 * If the sampling counter is throttled, only the other counter
	 * continues.
	 */
	if (f->stats.throttled)
		CHECK(f->samples + lost(f) <= all);
	else
		CHECK_EQ(f->samples + lost(f), all);
}

/* Check that all NMIs are accounted for, in a context that may be masked. */
static void account_masked(struct fired *f)
{
	__u64 known = f->samples + lost(f);
	__u64 all = ctx_read(f->m.fd, PMD_ALL);

	printf("# %llu samples, %llu lost, %llu counted, masked %llu times\n",
	       (unsigned long long)f->samples, (unsigned long long)lost(f),
	       (unsigned long long)all, (unsigned long long)f->messages);
	CHECK(f->messages > 0);
	CHECK(known <= f->stats.reported);
	/*
	 * Every counted NMI is accounted for, except for some each time
	 * monitoring is masked: NMIs may arrive between the reads of the two
	 * PMDs or between the starts of the two counters. While the sampling
	 * counter is throttled, any number of NMIs may arrive.
	 */
	if (!f->stats.throttled)
		CHECK(all <= known + SKEW * f->messages);
}

static __u64 dfl_recorded(const void *buf)
{
	return ((const pfm_default_smpl_hdr_t *)buf)->hdr_count;
}

static struct fired dfl_fired(__u32 ctx_flags)
{
	pfm_default_smpl_arg_t arg = {
		.buf_size = smpl_size_for(ENTRIES,
					  sizeof(pfm_default_smpl_entry_t),
					  sizeof(pfm_default_smpl_entry_t)),
	};
	static const pfm_uuid_t uuid = PFM_DFL_SMPL_UUID;

	return (struct fired){
		.m = mapped_new(uuid, ctx_flags, &arg, sizeof(arg)),
		.masks = true,
		.recorded = dfl_recorded,
	};
}

/*
 * Return the number of samples that were ever recorded. This works only if no
 * region is ever handed out to the reader.
 */
static __u64 nway_recorded(const void *buf)
{
	const pfm_nway_smpl_hdr_t *hdr = buf;
	const pfm_nway_smpl_rgn_t *rgn = (const void *)(hdr + 1);
	__u64 n = hdr->hdr_overwritten;

	for (unsigned int i = 0; i < hdr->hdr_num_regions; i++)
		n += rgn[i].rgn_count;
	return n;
}

static struct fired nway_fired(void)
{
	pfm_nway_smpl_arg_t arg = {
		.buf_size = PFM_NWAY_REGION_OFFS(REGIONS) + REGIONS *
			    ENTRIES * sizeof(pfm_default_smpl_entry_t),
		.num_regions = REGIONS,
	};
	static const pfm_uuid_t uuid = PFM_NWAY_SMPL_UUID;

	return (struct fired){
		.m = mapped_new(uuid, 0, &arg, sizeof(arg)),
		.recorded = nway_recorded,
	};
}

static __u64 pebs_recorded(const void *buf)
{
	const pfm_pebs64_smpl_hdr_t *hdr = buf;

	return (hdr->hdr_ds.pebs_index - hdr->hdr_ds.pebs_buf_base) /
	       hdr->hdr_entry_size;
}

static struct fired pebs_fired(void)
{
	pfm_pebs64_smpl_arg_t arg = {
		.buf_size = BASE + ENTRIES * sizeof(pfm_pebs64_skl_entry_t),
		.intr_thres = ENTRIES,
		.flags = PFM_PEBS64_SMPL_SKYLAKE | PFM_PEBS64_SMPL_IMPRECISE,
		.cnt_reset = -2ULL,
	};
	static const pfm_uuid_t uuid = PFM_PEBS64_SMPL_UUID;

	return (struct fired){
		.m = mapped_new(uuid, 0, &arg, sizeof(arg)),
		.masks = true,
		.recorded = pebs_recorded,
	};
}

TEST(overwritten_samples_are_all_counted)
{
	struct fired f;

	rig_need();
	f = nway_fired();
	program(f.m.fd, 0, 0, 0);
	fire(&f);
	f.samples = f.recorded(f.m.buf);
	account(&f);
}

TEST(full_buffers_mask_and_are_restarted)
{
	struct fired f;

	rig_need();
	f = dfl_fired(0);
	program(f.m.fd, 0, NOTIFY, 0);
	fire(&f);
	read_rest(&f);
	account_masked(&f);
}

TEST(whole_cpu_is_sampled_under_nmis)
{
	struct fired f;

	rig_need();
	f = dfl_fired(PFM_FL_SYSTEM_WIDE);
	program(f.m.fd, 0, NOTIFY, 0);
	fire(&f);
	read_rest(&f);
	account_masked(&f);
}

TEST(records_fill_a_debug_store_area)
{
	const pfm_pebs64_smpl_hdr_t *hdr;
	struct fired f;

	rig_need();
	f = pebs_fired();
	hdr = f.m.buf;
	program(f.m.fd, 0, NOTIFY, 0);
	fire(&f);
	read_rest(&f);
	CHECK_EQ(hdr->hdr_lost, 0);
	account_masked(&f);
}

/* Every overflow masks monitoring and sends a message. */
TEST(every_overflow_notifies_and_is_restarted)
{
	struct fired f = { .masks = true };

	rig_need();
	f.m.fd = ctx_new(0);
	program(f.m.fd, 0, NOTIFY, 0);
	fire(&f);
	read_messages(&f);
	f.samples = f.messages;
	account_masked(&f);
}

/* Each overflow switches to the other set. */
TEST(sets_are_switched_by_every_overflow)
{
	__u64 runs[2], all;
	struct fired f;

	rig_need();
	f = nway_fired();
	for (unsigned int id = 0; id < 2; id++) {
		ctx_create_set(f.m.fd, id, PFM_SETFL_OVFL_SWITCH);
		program(f.m.fd, id, 0, 1);
	}
	fire(&f);
	f.samples = f.recorded(f.m.buf);
	for (unsigned int id = 0; id < 2; id++)
		runs[id] = ctx_set_info(f.m.fd, id).set_runs;
	all = ctx_read_set(f.m.fd, 0, PMD_ALL) +
	      ctx_read_set(f.m.fd, 1, PMD_ALL);
	printf("# %llu samples, %llu lost, %llu counted, %llu + %llu runs\n",
	       (unsigned long long)f.samples, (unsigned long long)lost(&f),
	       (unsigned long long)all, (unsigned long long)runs[0],
	       (unsigned long long)runs[1]);
	CHECK(runs[0] > 1 && runs[0] - runs[1] <= 1);
	CHECK(runs[0] + runs[1] - 1 <= f.samples + lost(&f));
	CHECK(f.samples + lost(&f) <= f.stats.reported);
}

/* The PMU reports wraps late, like a slow interrupt controller. */
TEST(late_reported_overflows_are_accounted_for)
{
	struct fired f;

	rig_need();
	rig_set("late", 1);
	f = nway_fired();
	program(f.m.fd, 0, 0, 0);
	fire(&f);
	rig_set("late", 0);
	f.samples = f.recorded(f.m.buf);
	printf("# %llu samples, %llu lost\n", (unsigned long long)f.samples,
	       (unsigned long long)lost(&f));
	/*
	 * Compare with the reported overflows, because a wrap is not reported
	 * if the counter is removed before the report.
	 */
	CHECK(f.samples + lost(&f) >= f.stats.reported);
	CHECK(f.samples + lost(&f) <= f.stats.wrapped);
}
