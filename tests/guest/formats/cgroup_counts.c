// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * cgroup_counts.c - the cgroup_counts format on a real kernel: the counts of
 *		     nested control groups, while a thread moves between them
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perfmon/perfmon_cgroup_counts_smpl.h>

#include "check.h"
#include "ctx.h"
#include "faults.h"
#include "files.h"
#include "smpl.h"

#define GROUPS	"/sys/fs/cgroup"
#define GROUP	GROUPS "/counted"
#define PERIOD	10

static const pfm_uuid_t uuid = PFM_CGROUP_COUNTS_SMPL_UUID;

/* Create a context that samples page faults with PMD0, and counts with PMD1. */
static struct mapped counts_new(int all, int group)
{
	pfm_cgroup_counts_smpl_arg_t arg = {
		.sink.buf_size = 4096,
		.num_groups = 2,
		.groups = { all, group },
	};
	struct mapped m = mapped_new(uuid, 0, &arg, sizeof(arg));
	struct counter sampling = counter(0, 0, PERIOD);

	ctx_add_counter(m.fd, 1, 0, 0);
	pfm_bv_set(sampling.pmc.reg_smpl_pmds, 1);
	counter_write(m.fd, &sampling);
	ctx_start_here(m.fd);
	return m;
}

/* Return the count of PMD1 for a group; 0 if the group has no record. */
static __u64 count_of(const struct mapped *m, __u64 group)
{
	const pfm_sink_hdr_t *hdr = m->buf;
	const pfm_sink_rgn_t *rgn = (const void *)(hdr + 1);
	const pfm_cgroup_counts_record_t *record =
		m->buf + hdr->hdr_region_offs;

	for (__u64 i = 0; i < rgn->rgn_count; i++) {
		if (record[i].group == group)
			return record[i].counts[1];
	}
	return 0;
}

TEST(events_count_for_each_group_with_the_thread)
{
	int all = CHECK_OK(open(GROUPS, O_RDONLY | O_DIRECTORY)), group;
	struct mapped m;
	__u64 before, in;

	CHECK_OK(mkdir(GROUP, 0755));
	group = CHECK_OK(open(GROUP, O_RDONLY | O_DIRECTORY));
	m = counts_new(all, group);
	touch_pages(3 * PERIOD, NULL);
	before = count_of(&m, 0);
	CHECK(before >= 2 * PERIOD);
	CHECK_EQ(count_of(&m, 1), 0);
	write_text(GROUP "/cgroup.procs", "0");
	touch_pages(5 * PERIOD, NULL);
	write_text(GROUPS "/cgroup.procs", "0");
	in = count_of(&m, 1);
	CHECK(in >= 4 * PERIOD);
	CHECK_EQ(count_of(&m, 0), before + in);
	CHECK_OK(close(m.fd));
	CHECK_OK(close(group));
	remove_cgroup(GROUP);
}

TEST(descriptor_of_no_group_is_refused)
{
	pfm_cgroup_counts_smpl_arg_t arg = {
		.sink.buf_size = 4096,
		.num_groups = 1,
		.groups = { CHECK_OK(open("/", O_RDONLY | O_DIRECTORY)) },
	};
	pfarg_ctx_t ctx = { .ctx_flags = 0 };

	memcpy(ctx.ctx_smpl_buf_id, uuid, sizeof(uuid));
	CHECK_ERRNO(pfm_create_context(&ctx, &arg, sizeof(arg)), EBADF);
}
