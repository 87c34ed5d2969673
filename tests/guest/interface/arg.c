// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * arg.c - change a format's argument with PFM_SET_FMT_ARG while a context uses
 * the format
 */
#include <string.h>

#include "check.h"
#include "ctx.h"
#include "faults.h"
#include "smpl.h"
#include "../../../examples/format_threshold/perfmon_threshold_smpl.h"

/* The number of page faults between two samples. */
#define PERIOD	2

static const pfm_uuid_t uuid = PFM_THRESHOLD_SMPL_UUID;

static pfm_threshold_smpl_arg_t threshold(__u64 min)
{
	return (pfm_threshold_smpl_arg_t){
		.sink = { .buf_size = 65536, .num_regions = 1 },
		.min = min,
	};
}

/*
 * Create a context that samples page faults. A sample is recorded only if PMD1,
 * which also counts page faults, has increased by at least @min since the
 * previous sample.
 */
static struct mapped threshold_new(__u64 min)
{
	pfm_threshold_smpl_arg_t arg = threshold(min);
	struct mapped m = mapped_new(uuid, 0, &arg, sizeof(arg));
	struct counter c = counter(0, 0, PERIOD), count = counter(1, 0, 0);

	pfm_bv_set(c.pmc.reg_smpl_pmds, 1);
	counter_write(m.fd, &c);
	counter_write(m.fd, &count);
	return m;
}

static int set(const struct mapped *m, pfm_threshold_smpl_arg_t arg)
{
	return pfm_set_fmt_arg(m->fd, &arg, sizeof(arg));
}

/* Cause @n samples. Return: how many of them were recorded. */
static __u64 recorded_of(const struct mapped *m, unsigned int n)
{
	const pfm_sink_hdr_t *hdr = m->buf;
	const pfm_sink_rgn_t *region = (const void *)(hdr + 1);
	__u64 before = region->rgn_count;

	touch_pages(n * PERIOD, NULL);
	return region->rgn_count - before;
}

TEST(threshold_changes_while_monitoring)
{
	struct mapped m = threshold_new(PERIOD + 1);

	ctx_start_self(m.fd);
	CHECK_EQ(recorded_of(&m, 20), 0);
	CHECK_OK(set(&m, threshold(PERIOD)));
	CHECK_EQ(recorded_of(&m, 20), 20);
	CHECK_OK(set(&m, threshold(PERIOD + 1)));
	CHECK_EQ(recorded_of(&m, 20), 0);
	ctx_expect_state(m.fd, "started");
	/* The changes did not make the context miss any event. */
	ctx_stop(m.fd);
	CHECK_EQ(ctx_read(m.fd, 1), 3 * 20 * PERIOD);
	CHECK(ctx_says(m.fd, "pfm_lost:\t0"));
}

TEST(threshold_changes_while_not_attached)
{
	struct mapped m = threshold_new(PERIOD + 1);

	CHECK_OK(set(&m, threshold(PERIOD)));
	ctx_start_self(m.fd);
	CHECK_EQ(recorded_of(&m, 5), 5);
	CHECK_OK(pfm_unload_context(m.fd));
	CHECK_OK(set(&m, threshold(PERIOD + 1)));
	ctx_start_self(m.fd);
	CHECK_EQ(recorded_of(&m, 5), 0);
}

TEST(refused_argument_changes_nothing)
{
	struct mapped m = threshold_new(PERIOD + 1);
	pfm_threshold_smpl_arg_t arg = threshold(PERIOD);

	ctx_start_self(m.fd);
	arg.sink.num_regions = 2;
	CHECK_ERRNO(set(&m, arg), EOPNOTSUPP);
	arg.sink.num_regions = PFM_SINK_MAX_REGIONS + 1;
	CHECK_ERRNO(set(&m, arg), EINVAL);
	CHECK_EQ(recorded_of(&m, 5), 0);
	CHECK_OK(set(&m, threshold(PERIOD)));
	CHECK_EQ(recorded_of(&m, 5), 5);
}

TEST(argument_has_exactly_the_size_of_the_format)
{
	struct {
		pfm_threshold_smpl_arg_t arg;
		__u64 more;
	} large = { threshold(PERIOD), 0 };
	struct mapped m = threshold_new(PERIOD);
	const size_t size = sizeof(large.arg);

	CHECK_ERRNO(pfm_set_fmt_arg(m.fd, &large, sizeof(large)), E2BIG);
	CHECK_ERRNO(pfm_set_fmt_arg(m.fd, &large, size - 1), EINVAL);
	CHECK_ERRNO(pfm_set_fmt_arg(m.fd, &large, 0), EINVAL);
	CHECK_ERRNO(pfm_set_fmt_arg(m.fd, NULL, size), EFAULT);
	CHECK_ERRNO(pfm_set_fmt_arg(m.fd, BAD_ADDRESS, size), EFAULT);
	CHECK_ERRNO(perfmonctl(m.fd, PFM_SET_FMT_ARG, &large, -1), EINVAL);
	CHECK_OK(perfmonctl(m.fd, PFM_SET_FMT_ARG, &large, size));
}

TEST(context_without_changeable_argument_is_refused)
{
	struct smpl s = smpl_new(0, 65536, 0);
	pfm_default_smpl_arg_t arg = { .buf_size = 65536 };

	CHECK_ERRNO(pfm_set_fmt_arg(s.fd, &arg, sizeof(arg)), EOPNOTSUPP);
	CHECK_ERRNO(pfm_set_fmt_arg(ctx_new(0), &arg, sizeof(arg)), EINVAL);
}
