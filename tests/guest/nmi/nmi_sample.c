// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * nmi_sample.c - PMDs that contain data of the sample (address, latency,
 *		  branches and so on), on a CPU with precise events
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <unistd.h>

#include "check.h"
#include "ctx.h"
#include "files.h"
#include "rig.h"
#include "smpl.h"

#define PRECISE		(1ULL << PFM_PERF_PRECISE_SHIFT)
#define SAMPLES		20
#define PMDS		7
#define LATENCY		0x1234
#define WEIGHT2		0x234
#define WEIGHT3		0x34
#define SOURCE		0x1e8100042ULL
#define TRANSACTION	0x500000003ULL
#define KERNEL_ADDRESS	0xffff888000001000ULL
#define BRANCH_PMDS	(3 * PFM_BRANCHES)
#define FROM		0x401000
#define TO		0x402000
#define FLAGS		0x3
#define BRANCH_TYPE	"/sys/kernel/debug/pfm_nmi/branch_type"

/*
 * Sample i of the test PMU contains the address of data[i], if the test passes
 * the address of this array to set_data().
 */
static char data[SAMPLES] __attribute__((aligned(64)));

static void set_data(__u64 address)
{
	rig_need();
	rig_set("addr", address);
	rig_set("latency", LATENCY);
	rig_set("weight2", WEIGHT2);
	rig_set("weight3", WEIGHT3);
	rig_set("source", SOURCE);
	rig_set("transaction", TRANSACTION);
}

/*
 * Return a counter that overflows at every NMI and records all PMDs with sample
 * data.
 */
static struct counter recording(unsigned int n, __u64 modifiers)
{
	struct counter c = rig_counter(n, 0, 1);

	c.pmc.reg_value |= modifiers;
	for (unsigned int i = 0; i < PMDS; i++)
		pfm_bv_set(c.pmc.reg_smpl_pmds, PFM_PMD_ADDRESS + i);
	return c;
}

static void start_here(int fd)
{
	ctx_pin(0);
	ctx_start_on(fd, thread_id());
}

static struct smpl record(__u64 address, __u64 modifiers)
{
	struct counter c;
	struct smpl s;

	set_data(address);
	s = smpl_new_for(0, SAMPLES + 1, PMDS);
	c = recording(0, modifiers);
	counter_write(s.fd, &c);
	start_here(s.fd);
	rig_fire(SAMPLES);
	ctx_stop(s.fd);
	CHECK_EQ(s.hdr->hdr_count, SAMPLES);
	return s;
}

static __u64 value_of(const pfm_default_smpl_entry_t *e, unsigned int pmd)
{
	return smpl_values(e)[pmd - PFM_PMD_ADDRESS];
}

static __u64 physical_of(const void *at)
{
	long size = sysconf(_SC_PAGESIZE);
	int fd = CHECK_OK(open("/proc/self/pagemap", O_RDONLY));
	__u64 entry;

	CHECK_EQ(pread(fd, &entry, sizeof(entry),
		       (uintptr_t)at / size * sizeof(entry)), sizeof(entry));
	CHECK(entry >> 63);
	CHECK_OK(close(fd));
	return (entry & ((1ULL << 55) - 1)) * size + (uintptr_t)at % size;
}

TEST(samples_have_the_data_of_the_cpu)
{
	struct smpl s;
	__u64 physical;

	data[0] = 1;
	s = record((uintptr_t)data, PRECISE);
	physical = physical_of(data);
	for (unsigned int i = 0; i < SAMPLES; i++) {
		const pfm_default_smpl_entry_t *e = smpl_entry(&s, i, PMDS);

		CHECK_EQ(value_of(e, PFM_PMD_ADDRESS), (uintptr_t)&data[i]);
		CHECK_EQ(value_of(e, PFM_PMD_LATENCY), LATENCY + i);
		CHECK_EQ(value_of(e, PFM_PMD_WEIGHT2), WEIGHT2);
		CHECK_EQ(value_of(e, PFM_PMD_WEIGHT3), WEIGHT3);
		CHECK_EQ(value_of(e, PFM_PMD_SOURCE), SOURCE);
		CHECK_EQ(value_of(e, PFM_PMD_PHYSICAL), physical + i);
		CHECK_EQ(value_of(e, PFM_PMD_TRANSACTION), TRANSACTION);
	}
	CHECK_EQ(ctx_number(s.fd, "pfm_lost"), 0);
}

TEST(kernel_addresses_are_shown_to_kernel_samples)
{
	struct smpl s = record(KERNEL_ADDRESS, PRECISE);

	for (unsigned int i = 0; i < SAMPLES; i++)
		CHECK_EQ(value_of(smpl_entry(&s, i, PMDS), PFM_PMD_ADDRESS),
			 KERNEL_ADDRESS + i);
}

TEST(kernel_addresses_are_hidden_from_user_samples)
{
	struct smpl s = record(KERNEL_ADDRESS,
			       PRECISE | PFM_PERF_EXCL_KERNEL | RIG_SKID);

	for (unsigned int i = 0; i < SAMPLES; i++) {
		const pfm_default_smpl_entry_t *e = smpl_entry(&s, i, PMDS);

		CHECK_EQ(value_of(e, PFM_PMD_ADDRESS), 0);
		CHECK_EQ(value_of(e, PFM_PMD_PHYSICAL), 0);
		CHECK_EQ(value_of(e, PFM_PMD_LATENCY), LATENCY + i);
	}
}

/* The test PMU accepts the event but stores no data, as some CPUs do. */
TEST(data_that_the_cpu_does_not_store_are_0)
{
	struct smpl s = record((uintptr_t)data, 0);

	for (unsigned int i = 0; i < SAMPLES; i++)
		for (unsigned int pmd = 0; pmd < PMDS; pmd++)
			CHECK_EQ(smpl_values(smpl_entry(&s, i, PMDS))[pmd], 0);
}

/* Two counters with sample data, and one without, overflow in the same NMIs. */
TEST(counters_of_one_nmi_have_their_own_data)
{
	unsigned int seen[3] = {};
	struct counter c;
	struct smpl s;

	set_data((uintptr_t)data);
	s = smpl_new_for(0, 3 * SAMPLES + 1, PMDS);
	c = recording(0, PRECISE);
	counter_write(s.fd, &c);
	c = recording(1, 0);
	counter_write(s.fd, &c);
	c = recording(2, PRECISE);
	counter_write(s.fd, &c);
	start_here(s.fd);
	rig_fire(SAMPLES);
	ctx_stop(s.fd);
	CHECK_EQ(s.hdr->hdr_count, 3 * SAMPLES);
	for (unsigned int i = 0; i < 3 * SAMPLES; i++) {
		const pfm_default_smpl_entry_t *e = smpl_entry(&s, i, PMDS);
		unsigned int n = seen[e->ovfl_pmd]++;

		CHECK_EQ(value_of(e, PFM_PMD_LATENCY),
			 e->ovfl_pmd == 1 ? 0 : LATENCY + n);
	}
	CHECK_EQ(seen[0], SAMPLES);
	CHECK_EQ(ctx_number(s.fd, "pfm_lost"), 0);
}

/*
 * Only one of two counters has sample data. In each NMI, the PMU reports the
 * overflow of the other one first. This must not change the sample data.
 */
TEST(plain_counters_share_nmis_with_sample_data)
{
	struct counter plain, c;
	struct smpl s;

	set_data((uintptr_t)data);
	s = smpl_new_for(0, 2 * SAMPLES + 1, PMDS);
	plain = rig_counter(0, 0, 1);
	for (unsigned int i = 0; i < PMDS; i++)
		pfm_bv_set(plain.pmc.reg_smpl_pmds, 2 + i);
	counter_write(s.fd, &plain);
	c = recording(1, PRECISE);
	counter_write(s.fd, &c);
	start_here(s.fd);
	rig_fire(SAMPLES);
	ctx_stop(s.fd);
	CHECK_EQ(s.hdr->hdr_count, 2 * SAMPLES);
	for (unsigned int i = 0; i < SAMPLES; i++) {
		const pfm_default_smpl_entry_t *e = smpl_entry(&s, 2 * i, PMDS);

		CHECK_EQ(e->ovfl_pmd, 0);
		e = smpl_entry(&s, 2 * i + 1, PMDS);
		CHECK_EQ(e->ovfl_pmd, 1);
		CHECK_EQ(value_of(e, PFM_PMD_LATENCY), LATENCY + i);
	}
	CHECK_EQ(ctx_number(s.fd, "pfm_lost"), 0);
}

/*
 * Check the entries in the buffer. Return: the number of entries without sample
 * data.
 */
static unsigned int check_batch(const struct smpl *s, __u64 *last)
{
	unsigned int late = 0, count = s->hdr->hdr_count;

	for (unsigned int i = 0; i < count; i++) {
		const pfm_default_smpl_entry_t *e = smpl_entry(s, i, PMDS);
		__u64 latency = value_of(e, PFM_PMD_LATENCY);

		if (!latency) {
			CHECK_EQ(value_of(e, PFM_PMD_ADDRESS), 0);
			late++;
			continue;
		}
		CHECK(latency > *last);
		CHECK_EQ(value_of(e, PFM_PMD_ADDRESS) - (uintptr_t)data,
			 latency - LATENCY);
		*last = latency;
	}
	return late;
}

/*
 * NMIs arrive while PFM_RESTART owns the context. Some of their overflows are
 * handled only after the restart. Each sample must have its own data or none.
 */
TEST(late_samples_have_no_data)
{
	unsigned int late = 0;
	struct counter c;
	struct smpl s;
	__u64 last = 0;

	set_data((uintptr_t)data);
	s = smpl_new_for(0, 100, PMDS);
	c = recording(0, PRECISE);
	counter_write(s.fd, &c);
	start_here(s.fd);
	rig_rate(RIG_FASTEST);
	do {
		late += check_batch(&s, &last);
		CHECK_OK(pfm_restart(s.fd));
	} while (late < SAMPLES || last < LATENCY + SAMPLES);
	rig_rate(0);
}

/*
 * Return a counter that overflows at every NMI and records all PMDs with
 * branches.
 */
static struct counter branching(unsigned int branches, __u64 from, __u64 to,
				__u64 modifiers)
{
	struct counter c;

	rig_need();
	rig_set("branches", branches);
	rig_set("branch_from", from);
	rig_set("branch_to", to);
	rig_set("branch_flags", FLAGS);
	c = rig_counter(0, 0, 1);
	c.pmc.reg_value |= modifiers;
	for (unsigned int i = 0; i < BRANCH_PMDS; i++)
		pfm_bv_set(c.pmc.reg_smpl_pmds, PFM_PMD_BRANCH_FROM(0) + i);
	return c;
}

/* Record samples with branches, and unload the context. Return: its buffer. */
static struct smpl record_branches(unsigned int branches, __u64 from, __u64 to,
				   __u64 modifiers)
{
	struct counter c = branching(branches, from, to, modifiers);
	struct smpl s = smpl_new_for(0, SAMPLES + 1, BRANCH_PMDS);

	counter_write(s.fd, &c);
	start_here(s.fd);
	rig_fire(SAMPLES);
	CHECK_OK(pfm_unload_context(s.fd));
	CHECK_EQ(s.hdr->hdr_count, SAMPLES);
	CHECK_EQ(ctx_number(s.fd, "pfm_lost"), 0);
	return s;
}

/* Check the values of branch @n in sample @i. */
static void expect_branch(const struct smpl *s, unsigned int i, unsigned int n,
			  __u64 from, __u64 to, __u64 flags)
{
	const __u64 *values = smpl_values(smpl_entry(s, i, BRANCH_PMDS)) -
			      PFM_PMD_BRANCH_FROM(0);

	CHECK_EQ(values[PFM_PMD_BRANCH_FROM(n)], from);
	CHECK_EQ(values[PFM_PMD_BRANCH_TO(n)], to);
	CHECK_EQ(values[PFM_PMD_BRANCH_FLAGS(n)], flags);
}

/* The PMU records more branches than the PMDs have room for. */
TEST(samples_have_the_newest_branches)
{
	struct smpl s = record_branches(PFM_BRANCHES + 4, FROM, TO, 0);

	for (unsigned int i = 0; i < SAMPLES; i++)
		for (unsigned int n = 0; n < PFM_BRANCHES; n++)
			expect_branch(&s, i, n, FROM + 64 * n + i,
				      TO + 64 * n + i, FLAGS + (n << 4));
}

TEST(branches_that_are_not_recorded_are_0)
{
	struct smpl s = record_branches(1, FROM, TO, 0);

	for (unsigned int i = 0; i < SAMPLES; i++) {
		expect_branch(&s, i, 0, FROM + i, TO + i, FLAGS);
		for (unsigned int n = 1; n < PFM_BRANCHES; n++)
			expect_branch(&s, i, n, 0, 0, 0);
	}
}

TEST(branches_are_recorded_where_the_event_counts)
{
	record_branches(1, FROM, TO, 0);
	CHECK_EQ(read_number(BRANCH_TYPE),
		 PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER |
		 PERF_SAMPLE_BRANCH_KERNEL);
	record_branches(1, FROM, TO, PFM_PERF_EXCL_USER);
	CHECK_EQ(read_number(BRANCH_TYPE),
		 PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_KERNEL);
	record_branches(1, FROM, TO, PFM_PERF_EXCL_KERNEL | RIG_SKID);
	CHECK_EQ(read_number(BRANCH_TYPE),
		 PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER);
}

/*
 * A driver may record branches that enter or leave the kernel. Their kernel
 * addresses must be hidden.
 */
TEST(kernel_branches_are_hidden_from_user_samples)
{
	__u64 hidden = PFM_PERF_EXCL_KERNEL | RIG_SKID;
	struct smpl s = record_branches(1, KERNEL_ADDRESS, TO, hidden);

	expect_branch(&s, 0, 0, 0, TO, FLAGS);
	s = record_branches(1, FROM, KERNEL_ADDRESS, hidden);
	expect_branch(&s, 0, 0, FROM, 0, FLAGS);
	s = record_branches(1, KERNEL_ADDRESS, KERNEL_ADDRESS, 0);
	expect_branch(&s, 0, 0, KERNEL_ADDRESS, KERNEL_ADDRESS, FLAGS);
}

TEST(pmus_without_branches_refuse_them)
{
	struct counter c = branching(0, FROM, TO, 0);
	int fd = ctx_new(0);

	c.pmc.reg_flags = PFM_REGFL_OVFL_NOTIFY;
	counter_write(fd, &c);
	CHECK_ERRNO(ctx_try_load(fd, thread_id()), EINVAL);
}
