// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * pebs.c - the PEBS formats on a machine without precise events, where perf's
 *	    samples become imprecise records
 */
#define _GNU_SOURCE
#include <string.h>

#include <perfmon/perfmon_pebs32_smpl.h>
#include <perfmon/perfmon_pebs64_smpl.h>

#include "check.h"
#include "ctx.h"
#include "faults.h"
#include "smpl.h"

#define PERIOD		4
#define RECORDS		20
#define BASE		256	/* offset of the first record in both layouts */
#define NOTIFY		PFM_REGFL_OVFL_NOTIFY

static const pfm_uuid_t uuid32 = PFM_PEBS32_SMPL_UUID;
static const pfm_uuid_t uuid64 = PFM_PEBS64_SMPL_UUID;

static pfm_pebs64_smpl_arg_t arg64(__u32 flags)
{
	return (pfm_pebs64_smpl_arg_t){
		.buf_size = BASE + RECORDS * 200,
		.intr_thres = RECORDS,
		.flags = flags,
		.cnt_reset = -(__u64)PERIOD,
	};
}

static pfm_pebs32_smpl_arg_t arg32(__u32 flags)
{
	return (pfm_pebs32_smpl_arg_t){
		.buf_size = BASE + RECORDS * 40,
		.intr_thres = RECORDS,
		.flags = flags,
		.cnt_reset = -(__u64)PERIOD,
	};
}

/*
 * Skip the test on CPUs other than x86, because records contain x86 registers.
 */
static void need_records(void)
{
#if !defined(__x86_64__) && !defined(__i386__)
	check_skip("needs an x86 CPU: the records contain x86 registers");
#endif
}

static struct mapped start64(__u32 flags)
{
	pfm_pebs64_smpl_arg_t arg = arg64(flags | PFM_PEBS64_SMPL_IMPRECISE);
	struct mapped m;

	need_records();
	m = mapped_new(uuid64, 0, &arg, sizeof(arg));
	ctx_add_counter(m.fd, 0, NOTIFY, PERIOD);
	ctx_start_here(m.fd);
	return m;
}

static const pfm_pebs64_smpl_hdr_t *hdr64(const struct mapped *m)
{
	return m->buf;
}

TEST(create_fails_without_precise_events)
{
	pfarg_ctx_t ctx = { .ctx_smpl_buf_id = PFM_PEBS64_SMPL_UUID };
	pfm_pebs64_smpl_arg_t a64 = arg64(0);
	pfm_pebs32_smpl_arg_t a32 = arg32(0);

	CHECK_ERRNO(pfm_create_context(&ctx, &a64, sizeof(a64)), EOPNOTSUPP);
	memcpy(ctx.ctx_smpl_buf_id, uuid32, sizeof(uuid32));
	CHECK_ERRNO(pfm_create_context(&ctx, &a32, sizeof(a32)), EOPNOTSUPP);
}

TEST(imprecise_records_need_x86)
{
	pfarg_ctx_t ctx = { .ctx_smpl_buf_id = PFM_PEBS64_SMPL_UUID };
	pfm_pebs64_smpl_arg_t arg = arg64(PFM_PEBS64_SMPL_IMPRECISE);

#if defined(__x86_64__) || defined(__i386__)
	CHECK_OK(pfm_create_context(&ctx, &arg, sizeof(arg)));
#else
	CHECK_ERRNO(pfm_create_context(&ctx, &arg, sizeof(arg)), EOPNOTSUPP);
#endif
}

TEST(invalid_arguments_are_refused)
{
	static const struct {
		__u64 size;
		__u64 thres;
		__u32 flags;
		int error;
	} wrong[] = {
		{ 0, 1, 0, EINVAL }, { 1, 1, 0, EINVAL },
		{ 1 << 16, 0, 0, EINVAL }, { 1 << 16, 1 << 16, 0, EINVAL },
		{ 1 << 16, ~0ULL, 0, EINVAL }, { 1 << 16, 1, 0x80, EINVAL },
		{ BASE + 143, 1, 0, EINVAL }, { ~0ULL, ~0ULL, 0, EINVAL },
		{ 1ULL << 62, 1, 0, ENOMEM },
	};

	for (unsigned int i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		pfarg_ctx_t ctx = { .ctx_smpl_buf_id = PFM_PEBS64_SMPL_UUID };
		pfm_pebs64_smpl_arg_t arg = arg64(PFM_PEBS64_SMPL_IMPRECISE |
						  wrong[i].flags);

		arg.buf_size = wrong[i].size;
		arg.intr_thres = wrong[i].thres;
		CHECK_EQ(pfm_create_context(&ctx, &arg, sizeof(arg)), -1);
		CHECK_EQ(errno, wrong[i].error);
	}
}

TEST(each_period_makes_one_imprecise_record)
{
	struct mapped m = start64(PFM_PEBS64_SMPL_SKYLAKE);
	const pfm_pebs64_skl_entry_t *record = m.buf + BASE;
	uintptr_t stack = (uintptr_t)__builtin_frame_address(0);

	CHECK_EQ(hdr64(&m)->hdr_flags, 0);
	touch_pages(5 * PERIOD + 1, NULL);
	ctx_stop(m.fd);
	CHECK_EQ(hdr64(&m)->hdr_flags, PFM_PEBS64_HDR_IMPRECISE);
	CHECK_EQ(hdr64(&m)->hdr_ds.pebs_index, BASE + 5 * sizeof(*record));
	CHECK_EQ(ctx_read(m.fd, 0), -(__u64)PERIOD + 1);
	for (int i = 0; i < 5; i++) {
		const pfm_pebs64_nhm_entry_t *nhm = &record[i].base.base;

		CHECK(in_touch_pages(nhm->base.ip));
		CHECK_EQ(record[i].base.real_ip, nhm->base.ip);
		/* The stack pointer is a little below this function's frame. */
		CHECK(nhm->base.esp < stack && nhm->base.esp > stack - 4096);
		CHECK_EQ(nhm->status, 1);
		/*
		 * Each page faults once, so the addresses of two successive
		 * samples are PERIOD pages apart.
		 */
		CHECK(nhm->dla);
		if (i)
			CHECK_EQ(nhm->dla,
				 record[i - 1].base.base.dla + PERIOD * 4096);
	}
}

TEST(threshold_masks_notifies_and_restart_rewinds)
{
	struct mapped m = start64(PFM_PEBS64_SMPL_SKYLAKE);

	for (int round = 1; round <= 3; round++) {
		touch_pages(RECORDS * PERIOD - 1, NULL);
		ctx_expect_no_message(m.fd);
		touch_pages(1, NULL);
		ctx_expect_message(m.fd, PFM_MSG_OVFL);
		ctx_expect_state(m.fd, "masked");
		touch_pages(3 * PERIOD, NULL);
		CHECK_EQ(hdr64(&m)->hdr_ds.pebs_index, BASE + RECORDS * 200);
		CHECK_EQ(hdr64(&m)->hdr_overflows, round);
		CHECK_OK(pfm_restart(m.fd));
		CHECK_EQ(hdr64(&m)->hdr_ds.pebs_index, BASE);
	}
	CHECK_EQ(hdr64(&m)->hdr_lost, 0);
}

/*
 * The addresses in a 64-bit program do not fit in 32 bits, so its records are
 * dropped.
 */
TEST(pebs32_records_only_32_bit_programs)
{
	pfm_pebs32_smpl_arg_t arg = arg32(PFM_PEBS32_SMPL_IMPRECISE);
	const pfm_pebs32_smpl_hdr_t *hdr;
	struct mapped m;

	need_records();
	m = mapped_new(uuid32, 0, &arg, sizeof(arg));
	hdr = m.buf;
	ctx_add_counter(m.fd, 0, NOTIFY, PERIOD);
	ctx_start_here(m.fd);
	touch_pages(5 * PERIOD, NULL);
	ctx_stop(m.fd);
#ifdef __i386__
	CHECK_EQ(hdr->hdr_ds.pebs_index, BASE + 5 * 40);
	CHECK_EQ(hdr->hdr_dropped, 0);
	for (int i = 0; i < 5; i++) {
		const pfm_pebs32_smpl_entry_t *record = m.buf + BASE;

		CHECK(in_touch_pages(record[i].ip));
	}
#else
	CHECK_EQ(hdr->hdr_ds.pebs_index, BASE);
	CHECK_EQ(hdr->hdr_dropped, 5);
#endif
}
