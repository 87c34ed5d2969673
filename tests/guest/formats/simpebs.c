// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * simpebs.c - the PEBS formats with records from the simulated PMU instead of a
 * CPU (Eranian 2006, section 5.4)
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include <perfmon/perfmon_pebs32_smpl.h>
#include <perfmon/perfmon_pebs64_smpl.h>

#include "check.h"
#include "ctx.h"
#include "sim.h"
#include "smpl.h"

#define PERIOD		10
#define RECORDS		6
#define BASE		256	/* offset of the first record in both layouts */
#define NOTIFY		PFM_REGFL_OVFL_NOTIFY

/* The value of the first field of record i. */
#define FIRST(i)	(0x7f0000001000ULL + (i) * 0x100)
#define FIRST32(i)	(0x80001000U + (i) * 0x100)

static struct mapped start(struct mapped m)
{
	ctx_add_counter(m.fd, 0, NOTIFY, PERIOD);
	ctx_start_on(m.fd, thread_id());
	return m;
}

static struct mapped new64(__u32 flags, __u64 size, __u64 thres)
{
	pfm_pebs64_smpl_arg_t arg = {
		.buf_size = BASE + RECORDS * size,
		.intr_thres = thres,
		.flags = flags,
		.cnt_reset = -(__u64)PERIOD,
	};
	static const pfm_uuid_t uuid = PFM_PEBS64_SMPL_UUID;

	return start(mapped_new(uuid, 0, &arg, sizeof(arg)));
}

static struct mapped new32(__u32 thres)
{
	pfm_pebs32_smpl_arg_t arg = {
		.buf_size = BASE + RECORDS * 40,
		.intr_thres = thres,
		.cnt_reset = -(__u64)PERIOD,
	};
	static const pfm_uuid_t uuid = PFM_PEBS32_SMPL_UUID;

	return start(mapped_new(uuid, 0, &arg, sizeof(arg)));
}

static const pfm_pebs64_smpl_hdr_t *hdr64(const struct mapped *m)
{
	return m->buf;
}

static const pfm_pebs32_smpl_hdr_t *hdr32(const struct mapped *m)
{
	return m->buf;
}

/*
 * The simulated PMU's names for the fields of a record, in the order of the
 * fields.
 */
static const char *const fields[] = {
	"eflags", "ip", "eax", "ebx", "ecx", "edx", "esi", "edi", "ebp", "esp",
	"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
	NULL,			/* the PMU sets the status */
	"dla", "dse", "lat", "real_ip", "tsx_tuning", "tsc",
};

/*
 * Make PMD0 overflow. The record's fields have the values @first, @first + 1
 * and so on.
 */
static void overflow(unsigned long long first)
{
	char text[704];
	size_t len = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(fields); i++) {
		if (!fields[i])
			continue;
		/* Write "ip VALUE", but "FIELD=VALUE" for all other fields. */
		len += snprintf(text + len, sizeof(text) - len,
				strcmp(fields[i], "ip") ? " %s=%#llx" :
							  " %s %#llx",
				fields[i], first + i);
	}
	sim_advance("0=%d%s", PERIOD, text);
}

static void expect_records64(const struct mapped *m, unsigned int n,
			     unsigned int size)
{
	CHECK_EQ(hdr64(m)->hdr_entry_size, size);
	CHECK_EQ(hdr64(m)->hdr_ds.pebs_index, BASE + n * size);
	for (unsigned int i = 0; i < n; i++) {
		const __u64 *field = m->buf + BASE + i * size;

		for (unsigned int f = 0; f < size / 8; f++)
			CHECK_EQ(field[f], f == 18 ? 1 : FIRST(i) + f);
	}
}

static void check_record(__u32 flags, unsigned int size)
{
	struct mapped m = new64(flags, size, RECORDS);

	for (int i = 0; i < RECORDS - 1; i++)
		overflow(FIRST(i));
	expect_records64(&m, RECORDS - 1, size);
	CHECK_EQ(hdr64(&m)->hdr_flags, 0);
	ctx_expect_no_message(m.fd);
}

/* Proves P5.4-08, P5.4-10 */
TEST(base_records)
{
	check_record(PFM_PEBS64_SMPL_BASE, sizeof(pfm_pebs64_smpl_entry_t));
}

TEST(nehalem_records)
{
	check_record(PFM_PEBS64_SMPL_NEHALEM, sizeof(pfm_pebs64_nhm_entry_t));
}

TEST(haswell_records)
{
	check_record(PFM_PEBS64_SMPL_HASWELL, sizeof(pfm_pebs64_hsw_entry_t));
}

TEST(skylake_records)
{
	check_record(PFM_PEBS64_SMPL_SKYLAKE, sizeof(pfm_pebs64_skl_entry_t));
}

/* Proves P5.4-08, P5.4-10 */
TEST(records_of_32_bits)
{
	struct mapped m = new32(RECORDS);

	for (int i = 0; i < RECORDS - 1; i++)
		overflow(FIRST32(i));
	CHECK_EQ(hdr32(&m)->hdr_ds.pebs_index, BASE + (RECORDS - 1) * 40);
	for (int i = 0; i < RECORDS - 1; i++) {
		const __u32 *field = m.buf + BASE + i * 40;

		for (unsigned int f = 0; f < 10; f++)
			CHECK_EQ(field[f], FIRST32(i) + f);
	}
}

TEST(pebs32_drops_records_beyond_32_bits)
{
	struct mapped m = new32(RECORDS);

	overflow(FIRST32(0));
	overflow(FIRST(0));
	overflow(0xfffffff7);
	overflow(FIRST32(1));
	CHECK_EQ(hdr32(&m)->hdr_ds.pebs_index, BASE + 2 * 40);
	CHECK_EQ(hdr32(&m)->hdr_dropped, 2);
	CHECK_EQ(hdr32(&m)->hdr_lost, 0);
	CHECK_EQ(ctx_read(m.fd, 0), -(__u64)PERIOD);
}

TEST(cpu_reloads_the_counter_after_each_record)
{
	struct mapped m = new64(0, 144, RECORDS);

	overflow(FIRST(0));
	CHECK_EQ(ctx_read(m.fd, 0), -(__u64)PERIOD);
	sim_advance("0=%d", PERIOD - 1);
	CHECK_EQ(ctx_read(m.fd, 0), -1ULL);
	sim_advance("0=1");
	CHECK_EQ(hdr64(&m)->hdr_ds.pebs_index, BASE + 2 * 144);
}

/* Proves P5.4-09 */
TEST(interrupt_comes_exactly_at_the_threshold)
{
	struct mapped m = new64(0, 144, 3);
	pfm_msg_t msg;

	for (int round = 1; round <= 3; round++) {
		overflow(FIRST(0));
		overflow(FIRST(1));
		CHECK_EQ(hdr64(&m)->hdr_overflows, round - 1);
		ctx_expect_state(m.fd, "started");
		sim_advance("irq 0=%d ip 0x99", PERIOD);
		CHECK_EQ(hdr64(&m)->hdr_overflows, round);
		ctx_expect_state(m.fd, "masked");
		msg = ctx_next_message(m.fd);
		CHECK_EQ(msg.ovfl.msg_ovfl_pmds[0], 1);
		/* Until the restart, nothing is counted or recorded. */
		overflow(FIRST(3));
		CHECK_EQ(hdr64(&m)->hdr_ds.pebs_index, BASE + 3 * 144);
		CHECK_OK(pfm_restart(m.fd));
		CHECK_EQ(hdr64(&m)->hdr_ds.pebs_index, BASE);
	}
	CHECK_EQ(hdr64(&m)->hdr_lost, 0);
}

TEST(simultaneous_overflows_share_a_record)
{
	pfm_pebs64_smpl_arg_t arg = {
		.buf_size = BASE + RECORDS * 176,
		.intr_thres = RECORDS,
		.flags = PFM_PEBS64_SMPL_NEHALEM,
		.cnt_reset = -(__u64)PERIOD,
	};
	static const pfm_uuid_t uuid = PFM_PEBS64_SMPL_UUID;
	struct mapped m = mapped_new(uuid, 0, &arg, sizeof(arg));
	const pfm_pebs64_nhm_entry_t *record = m.buf + BASE;

	ctx_add_counter(m.fd, 0, NOTIFY, PERIOD);
	ctx_add_counter(m.fd, 5, NOTIFY, PERIOD);
	ctx_start_on(m.fd, thread_id());
	sim_advance("0=%d 5=%d lat=77", PERIOD, PERIOD);
	sim_advance("5=%d", PERIOD);
	CHECK_EQ(hdr64(&m)->hdr_ds.pebs_index, BASE + 2 * 176);
	CHECK_EQ(record[0].status, 1 << 0 | 1 << 5);
	CHECK_EQ(record[0].lat, 77);
	CHECK_EQ(record[1].status, 1 << 5);
	CHECK_EQ(ctx_read(m.fd, 0), -(__u64)PERIOD);
}
