// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * commands.c - errors and results of every command (3.1)
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "ctx.h"
#include "faults.h"
#include "files.h"
#include "params.h"
#include "worker.h"

#define SENTINEL	0x5a5a5a5a5a5a5a5aULL

static const pfm_uuid_t unknown_uuid = { 0x12, 0x34, 0x56 };

/* PFM_CREATE_CONTEXT */

/* Proves 3.1.1-02 */
TEST(create_takes_exactly_one_argument)
{
	static const int nargs[] = { 0, 2, -1 };
	pfarg_ctx_t ctx = {};

	for (size_t i = 0; i < ARRAY_SIZE(nargs); i++)
		CHECK_ERRNO(perfmonctl(0, PFM_CREATE_CONTEXT, &ctx, nargs[i]),
			    EINVAL);
}

/* Proves 3.1.1-27, H13 */
TEST(create_refuses_bad_address)
{
	CHECK_ERRNO(perfmonctl(0, PFM_CREATE_CONTEXT, NULL, 1), EFAULT);
	CHECK_ERRNO(pfm_create_context(BAD_ADDRESS, NULL, 0), EFAULT);
}

/* Proves 3.1.1-03, P7-01 */
TEST(create_refuses_unknown_flags)
{
	for (int bit = 0; bit < 32; bit++) {
		pfarg_ctx_t ctx = { .ctx_flags = 1U << bit };

		if (!(ctx.ctx_flags & PFM_FL_ALL))
			CHECK_ERRNO(pfm_create_context(&ctx, NULL, 0), EINVAL);
	}
}

/* Proves 3.1-08, H13 */
TEST(create_refuses_nonzero_reserved_fields)
{
	for (size_t i = 0; i < ARRAY_SIZE(((pfarg_ctx_t *)0)->reserved); i++) {
		pfarg_ctx_t ctx = {};

		ctx.reserved[i] = 1ULL << 63;
		CHECK_ERRNO(pfm_create_context(&ctx, NULL, 0), EINVAL);
	}
}

/* Proves 3.1.1-09, 3.4.3-14 */
TEST(create_refuses_blocking_system_wide_context)
{
	pfarg_ctx_t ctx = { .ctx_flags = PFM_FL_SYSTEM_WIDE |
					 PFM_FL_NOTIFY_BLOCK };

	CHECK_ERRNO(pfm_create_context(&ctx, NULL, 0), EINVAL);
}

/* Proves 3.1.1-11, P4.1-03 */
TEST(create_accepts_each_flag)
{
	static const __u32 flags[] = {
		0, PFM_FL_SYSTEM_WIDE, PFM_FL_NOTIFY_BLOCK, PFM_FL_OVFL_NO_MSG,
		PFM_FL_SYSTEM_WIDE | PFM_FL_OVFL_NO_MSG,
		PFM_FL_NOTIFY_BLOCK | PFM_FL_OVFL_NO_MSG,
	};

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		close(ctx_new(flags[i]));
}

/* Proves 3.1.1-12, 3.5.2-02 */
TEST(create_refuses_unknown_format)
{
	pfarg_ctx_t ctx = {};

	memcpy(ctx.ctx_smpl_buf_id, unknown_uuid, sizeof(pfm_uuid_t));
	CHECK_ERRNO(pfm_create_context(&ctx, NULL, 0), EINVAL);
	CHECK_ERRNO(perfmonctl(0, PFM_CREATE_CONTEXT, &ctx, 1), EINVAL);
}

/* Proves 3.1.1-01, 3.1.1-13 */
TEST(create_ignores_what_it_returns)
{
	pfarg_ctx_t ctx = { .ctx_fd = -77, .ctx_smpl_buf_size = SENTINEL };

	CHECK_OK(perfmonctl(-1, PFM_CREATE_CONTEXT, &ctx, 1));
	CHECK(ctx.ctx_fd >= 0);
	CHECK_EQ(ctx.ctx_smpl_buf_size, 0);
}

/* The format's argument follows the structure. */
struct appended {
	pfarg_ctx_t		ctx;
	pfm_default_smpl_arg_t	arg;
};

/* Proves 3.1-01, 3.1.1-14, 3.5.2-02, 3.5.3-02, 3.6.2-01 */
TEST(create_takes_format_argument_behind_the_structure)
{
	struct appended a = {
		.ctx = { .ctx_smpl_buf_id = PFM_DFL_SMPL_UUID },
		.arg = { .buf_size = 5000 },
	};
	size_t page = sysconf(_SC_PAGESIZE);

	CHECK_EQ(perfmonctl(0, PFM_CREATE_CONTEXT, &a, 1), 0);
	CHECK(a.ctx.ctx_fd >= 0);
	CHECK_EQ(a.ctx.ctx_smpl_buf_size, (5000 + page - 1) / page * page);
}

/* Proves 3.1.1-12, 3.1.1-13, P4.1-05 */
TEST(create_takes_format_argument_by_pointer)
{
	pfarg_ctx_t ctx;
	int fd = CHECK_OK(smpl_create(&ctx, 0, 1 << 20, 0));

	CHECK_EQ(ctx.ctx_fd, fd);
	CHECK_EQ(ctx.ctx_smpl_buf_size, 1 << 20);
}

/* Proves 3.1.1-26, 3.5.3-03, 3.5.7-02, H13 */
TEST(create_judges_size_of_format_argument)
{
	static const struct {
		size_t	size;
		int	error;
	} cases[] = {
		{ 0,					EINVAL },
		{ sizeof(pfm_default_smpl_arg_t) - 1,	EINVAL },
		{ sizeof(pfm_default_smpl_arg_t) + 1,	E2BIG },
		{ 4096,					E2BIG },
		{ 1 << 20,				E2BIG },
		{ (size_t)-1,				E2BIG },
	};
	static char arg[1 << 20];
	pfarg_ctx_t ctx = { .ctx_smpl_buf_id = PFM_DFL_SMPL_UUID };

	((pfm_default_smpl_arg_t *)arg)->buf_size = 4096;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		CHECK_ERRNO(pfm_create_context(&ctx, arg, cases[i].size),
			    cases[i].error);
}

TEST(create_refuses_format_argument_without_format)
{
	pfm_default_smpl_arg_t arg = { .buf_size = 4096 };
	pfarg_ctx_t ctx = {};

	CHECK_ERRNO(pfm_create_context(&ctx, &arg, sizeof(arg)), EINVAL);
}

/* Proves 3.1.1-27 */
TEST(create_refuses_bad_address_of_format_argument)
{
	pfarg_ctx_t ctx = { .ctx_smpl_buf_id = PFM_DFL_SMPL_UUID };

	CHECK_ERRNO(pfm_create_context(&ctx, BAD_ADDRESS,
				       sizeof(pfm_default_smpl_arg_t)),
		    EFAULT);
}

/* Proves 3.6.2-02, 3.6.2-07 */
TEST(default_format_refuses_bad_arguments)
{
	const pfm_default_smpl_arg_t args[] = {
		{ .buf_size = 0 },
		{ .buf_size = smpl_size_for(1, 0, 40) - 1 },
		{ .buf_size = 4096, .buf_flags = PFM_DFL_SMPL_ALL },
		{ .buf_size = 4096, .buf_flags = 0x4 },
		{ .buf_size = 4096, .reserved1 = 1 },
		{ .buf_size = 4096, .reserved2[5] = 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(args); i++) {
		pfarg_ctx_t ctx = { .ctx_smpl_buf_id = PFM_DFL_SMPL_UUID };

		CHECK_ERRNO(pfm_create_context(&ctx, (void *)&args[i],
					       sizeof(args[i])),
			    EINVAL);
	}
}

/* Proves 4.4.3-01 */
TEST(default_format_accepts_smallest_buffer)
{
	close(smpl_new(0, smpl_size_for(1, 0, 40), 0).fd);
}

/* Proves 3.1.1-25, 4.4.3-01, H12, H14 */
TEST(create_refuses_buffer_beyond_memory)
{
	pfarg_ctx_t ctx;

	CHECK_ERRNO(smpl_create(&ctx, 0, 1ULL << 62, 0), ENOMEM);
}

static void create_is_not_permitted(void *arg)
{
	pfarg_ctx_t ctx = {};

	become_nobody();
	CHECK_ERRNO(pfm_create_context(&ctx, NULL, 0), EPERM);
}

/* Proves 3.1.1-24, H17 */
TEST(create_needs_permission)
{
	reap(spawn(create_is_not_permitted, NULL));
}

/* Descriptors */

static const int context_commands[] = {
	PFM_WRITE_PMCS, PFM_WRITE_PMDS, PFM_READ_PMDS, PFM_START, PFM_STOP,
	PFM_RESTART, PFM_LOAD_CONTEXT, PFM_UNLOAD_CONTEXT,
};

static void expect_ebadf(int fd)
{
	pfarg_pmd_t pmd = {};

	for (size_t i = 0; i < ARRAY_SIZE(context_commands); i++)
		CHECK_ERRNO(perfmonctl(fd, context_commands[i], &pmd, 1),
			    EBADF);
}

/*
 * Proves 3.1.2-01, 3.1.3-01, 3.1.4-01, 3.1.5-01, 3.1.6-01, 3.1.7-01, 3.1.8-01,
 * 3.1.9-01, 4.2-05, 4.3.1-04, 4.3.2-01, 4.3.2-06, P4-01
 */
TEST(commands_refuse_bad_descriptor)
{
	int pipes[2];

	CHECK_OK(pipe(pipes));
	expect_ebadf(-1);
	expect_ebadf(1000);
	expect_ebadf(pipes[0]);
	expect_ebadf(CHECK_OK(open("/dev/null", O_RDWR)));
	expect_ebadf(CHECK_OK(open(PFM_DEVICE, O_RDWR)));
}

/* Proves 3.1-03 */
TEST(unknown_commands_are_invalid)
{
	static const int commands[] = { 0, 6, 7, 9, 0x7f, -1, 1 << 16 };
	int fd = ctx_new(0);

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		CHECK_ERRNO(perfmonctl(fd, commands[i], NULL, 0), EINVAL);
}

/* Vectors */

static const int vector_commands[] = {
	PFM_WRITE_PMCS, PFM_WRITE_PMDS, PFM_READ_PMDS, PFM_GETINFO_PMCS,
	PFM_GETINFO_PMDS,
};

/* Proves 3.1.2-03, 3.1.3-03, 3.1.4-03, 3.1.13-04, 3.1.14-04, H14 */
TEST(vectors_need_elements)
{
	int fd = ctx_new(0);
	pfarg_pmd_t pmd = {};

	for (size_t i = 0; i < ARRAY_SIZE(vector_commands); i++) {
		CHECK_ERRNO(perfmonctl(fd, vector_commands[i], &pmd, 0),
			    EINVAL);
		CHECK_ERRNO(perfmonctl(fd, vector_commands[i], &pmd, -1),
			    EINVAL);
	}
}

/* Proves 3.1.2-28, 3.1.3-30, 3.1.4-22, 3.1.13-16, 3.1.14-14, H13 */
TEST(vectors_refuse_bad_address)
{
	int fd = ctx_new(0);

	for (size_t i = 0; i < ARRAY_SIZE(vector_commands); i++) {
		CHECK_ERRNO(perfmonctl(fd, vector_commands[i], NULL, 1),
			    EFAULT);
		CHECK_ERRNO(perfmonctl(fd, vector_commands[i], BAD_ADDRESS, 2),
			    EFAULT);
	}
}

/* Proves 3.1.2-27, 3.1.3-29, 3.1.4-21, 4.1-03, 4.4.2-01, H13, H14 */
TEST(vectors_have_a_largest_size)
{
	static pfarg_pmd_t pmds[4096];
	int most = read_number("/sys/module/perfmon/parameters/arg_size_max") /
		   sizeof(pmds[0]);
	int fd = ctx_new(0);

	CHECK(most >= 1 && most < (int)ARRAY_SIZE(pmds));
	CHECK_OK(pfm_read_pmds(fd, pmds, most));
	CHECK_ERRNO(pfm_read_pmds(fd, pmds, most + 1), EFAULT);
	CHECK_ERRNO(pfm_read_pmds(fd, pmds, 0x7fffffff), EFAULT);
}

/* Proves 4.4.2-01 */
TEST(no_vector_is_larger_than_allowed)
{
	static const size_t sizes[] = {
		sizeof(pfarg_pmc_t), sizeof(pfarg_pmd_t), sizeof(pfarg_pmd_t),
		sizeof(pfarg_pmcinfo_t), sizeof(pfarg_pmdinfo_t),
	};
	static pfarg_pmd_t zeroes[4096];
	size_t max = read_number("/sys/module/perfmon/parameters/arg_size_max");
	int fd = ctx_new(0);

	CHECK(max < sizeof(zeroes) / 2);
	for (size_t i = 0; i < ARRAY_SIZE(vector_commands); i++) {
		CHECK_ERRNO(perfmonctl(fd, vector_commands[i], zeroes,
				       max / sizes[i] + 1),
			    EFAULT);
		CHECK_ERRNO(perfmonctl(fd, vector_commands[i], zeroes,
				       0x7fffffff),
			    EFAULT);
	}
}

/* Write three elements of which the second is bad, and see what became of it. */
static void expect_second_fails(pfarg_pmd_t second, __u32 mark)
{
	pfarg_pmd_t pmds[] = {
		{ .reg_num = 1, .reg_value = 11,
		  .reg_flags = PFM_REG_RETFL_MASK },
		second,
		{ .reg_num = 3, .reg_value = 33,
		  .reg_flags = PFM_REG_RETFL_NOSET },
	};
	int fd = ctx_new(0);

	CHECK_ERRNO(pfm_write_pmds(fd, pmds, 3), EINVAL);
	CHECK_EQ(pmds[0].reg_flags, 0);
	CHECK_EQ(pmds[1].reg_flags & PFM_REG_RETFL_MASK, mark);
	CHECK_EQ(pmds[2].reg_flags, PFM_REG_RETFL_NOSET);
	CHECK_EQ(ctx_read(fd, 1), 11);
	CHECK_EQ(ctx_read(fd, 2), 0);
	CHECK_EQ(ctx_read(fd, 3), 0);
}

/* Proves 3.1-08, 3.1.3-04, 3.1.3-05, 3.1.3-07, 3.1.3-31, P7-01, H13 */
TEST(write_pmds_stops_at_first_bad_element)
{
	const pfarg_pmd_t good = { .reg_num = 2, .reg_value = 22 };
	pfarg_pmd_t bad = good;

	bad.reg_num = 100;
	expect_second_fails(bad, PFM_REG_RETFL_NOTAVAIL);
	bad.reg_num = 0xffff;
	expect_second_fails(bad, PFM_REG_RETFL_NOTAVAIL);
	bad = good;
	bad.reg_set = 1;
	expect_second_fails(bad, PFM_REG_RETFL_NOSET);
	bad = good;
	bad.reg_flags = 0x4;
	expect_second_fails(bad, PFM_REG_RETFL_EINVAL);
	bad = good;
	bad.reserved[6] = 1;
	expect_second_fails(bad, PFM_REG_RETFL_EINVAL);
	bad = good;
	bad.reg_smpl_pmds[0] = 1;
	expect_second_fails(bad, PFM_REG_RETFL_EINVAL);
}

/* Proves 3.1.4-04, 3.1.4-07, 3.1.4-23 */
TEST(read_pmds_stops_at_first_bad_element)
{
	pfarg_pmd_t pmds[] = {
		{ .reg_num = 0, .reg_value = SENTINEL },
		{ .reg_num = 100, .reg_value = SENTINEL },
		{ .reg_num = 1, .reg_value = SENTINEL },
	};
	int fd = ctx_new(0);

	CHECK_ERRNO(pfm_read_pmds(fd, pmds, 3), EINVAL);
	CHECK_EQ(pmds[0].reg_value, 0);
	CHECK_EQ(pmds[1].reg_flags, PFM_REG_RETFL_NOTAVAIL);
	CHECK_EQ(pmds[1].reg_value, SENTINEL);
	CHECK_EQ(pmds[2].reg_value, SENTINEL);
}

/* Proves 3.1.4-05, 3.1.4-06 */
TEST(read_pmds_marks_what_is_wrong)
{
	pfarg_pmd_t flags = { .reg_flags = 0x1 }, set = { .reg_set = 3 };
	int fd = ctx_new(0);

	CHECK_ERRNO(pfm_read_pmds(fd, &flags, 1), EINVAL);
	CHECK_EQ(flags.reg_flags & PFM_REG_RETFL_MASK, PFM_REG_RETFL_EINVAL);
	CHECK_ERRNO(pfm_read_pmds(fd, &set, 1), EINVAL);
	CHECK_EQ(set.reg_flags, PFM_REG_RETFL_NOSET);
}

static void expect_pmc_refused(int fd, pfarg_pmc_t pmc, __u32 mark)
{
	CHECK_ERRNO(pfm_write_pmcs(fd, &pmc, 1), EINVAL);
	CHECK_EQ(pmc.reg_flags & PFM_REG_RETFL_MASK, mark);
}

/* Proves 3.1.2-04, 3.1.2-05, 3.1.2-06, 3.1.2-16, 3.1-08 */
TEST(write_pmcs_marks_what_is_wrong)
{
	const pfarg_pmc_t good = { .reg_value = PAGE_FAULTS };
	int fd = ctx_new(0);
	pfarg_pmc_t bad = good;

	bad.reg_num = 200;
	expect_pmc_refused(fd, bad, PFM_REG_RETFL_NOTAVAIL);
	bad = good;
	bad.reg_set = 1;
	expect_pmc_refused(fd, bad, PFM_REG_RETFL_NOSET);
	bad = good;
	bad.reg_value = NO_SUCH_EVENT;
	expect_pmc_refused(fd, bad, PFM_REG_RETFL_EINVAL);
	bad = good;
	bad.reg_flags = PFM_REGFL_SMPL;
	expect_pmc_refused(fd, bad, PFM_REG_RETFL_EINVAL);
	bad = good;
	bad.reserved[3] = 1;
	expect_pmc_refused(fd, bad, PFM_REG_RETFL_EINVAL);
	bad = good;
	bad.reg_smpl_pmds[4] = 1ULL << 63;
	expect_pmc_refused(fd, bad, PFM_REG_RETFL_EINVAL);
	bad = good;
	bad.reg_reset_pmds[1] = 1;
	expect_pmc_refused(fd, bad, PFM_REG_RETFL_EINVAL);
}

/* Proves 3.1.2-19, 3.1.2-29, H13 */
TEST(write_pmcs_stops_at_first_bad_element)
{
	pfarg_pmc_t pmcs[] = {
		{ .reg_num = 0, .reg_value = PAGE_FAULTS },
		{ .reg_num = 1, .reg_value = NO_SUCH_EVENT },
		{ .reg_num = 2, .reg_value = PAGE_FAULTS },
	};
	int fd = ctx_new(0);

	CHECK_ERRNO(pfm_write_pmcs(fd, pmcs, 3), EINVAL);
	CHECK_EQ(pmcs[0].reg_flags, 0);
	CHECK_EQ(pmcs[1].reg_flags, PFM_REG_RETFL_EINVAL);
	CHECK_EQ(pmcs[2].reg_flags, 0);
	faults_prepare();
	ctx_start_on(fd, thread_id());
	touch_pages(5, NULL);
	CHECK_EQ(ctx_read(fd, 0), 5);
	CHECK_EQ(ctx_read(fd, 1), 0);
	CHECK_EQ(ctx_read(fd, 2), 0);
}

/* Proves 3.1.2-06, H13 */
TEST(refused_pmc_keeps_its_program)
{
	pfarg_pmc_t bad = { .reg_value = NO_SUCH_EVENT };
	int fd = ctx_counting();

	CHECK_ERRNO(pfm_write_pmcs(fd, &bad, 1), EINVAL);
	faults_prepare();
	ctx_start_on(fd, thread_id());
	touch_pages(3, NULL);
	bad.reg_flags = 0;
	CHECK_ERRNO(pfm_write_pmcs(fd, &bad, 1), EINVAL);
	touch_pages(4, NULL);
	CHECK_EQ(ctx_read(fd, 0), 7);
}

/* Proves 3.2.2-02 */
TEST(read_only_pmds_cannot_be_written)
{
	pfarg_pmd_t pmd = { .reg_num = PFM_PMD_TID, .reg_value = 1 };
	int fd = ctx_new(0);

	CHECK_ERRNO(pfm_write_pmds(fd, &pmd, 1), EINVAL);
	CHECK_EQ(pmd.reg_flags, PFM_REG_RETFL_EINVAL);
}

TEST(sampling_fields_can_come_with_the_pmd)
{
	pfarg_pmc_t pmc = { .reg_value = PAGE_FAULTS,
			    .reg_flags = PFM_REGFL_VALUE_ONLY };
	pfarg_pmd_t pmd = {
		.reg_value = -4ULL,
		.reg_flags = PFM_REGFL_SMPL | PFM_REGFL_OVFL_NOTIFY,
	};
	int fd = ctx_new(0);

	CHECK_OK(pfm_write_pmds(fd, &pmd, 1));
	CHECK_OK(pfm_write_pmcs(fd, &pmc, 1));
	faults_prepare();
	ctx_start_on(fd, thread_id());
	touch_pages(4, NULL);
	ctx_expect_state(fd, "masked");
}

/* PFM_GETINFO_PMCS, PFM_GETINFO_PMDS */

struct mapping {
	bool			exists;
	unsigned long long	dfl;
	unsigned long long	rsvd;
};

static void read_mappings(const char *kind, struct mapping *mappings)
{
	FILE *file = fopen(PFM_SYSFS "/pmu_desc/mappings", "r");
	char line[256], name[8];
	unsigned int n;

	CHECK(file);
	while (fgets(line, sizeof(line), file)) {
		struct mapping m = { .exists = true };

		CHECK(sscanf(line, "%3[PMCD]%u:%llx:%llx:", name, &n, &m.dfl,
			     &m.rsvd) == 4);
		CHECK(n < PFM_MAX_PMDS);
		if (!strcmp(name, kind))
			mappings[n] = m;
	}
	fclose(file);
}

static void compare_info(const char *kind,
			 int (*getinfo)(pfarg_pmcinfo_t *info, int n))
{
	struct mapping mappings[PFM_MAX_PMDS] = {};
	unsigned int found = 0;

	read_mappings(kind, mappings);
	for (unsigned int i = 0; i < PFM_MAX_PMDS; i++) {
		pfarg_pmcinfo_t info = { .reg_num = i };

		if (!mappings[i].exists) {
			CHECK_ERRNO(getinfo(&info, 1), EINVAL);
			CHECK(info.reg_flags & PFM_REG_RETFL_EINVAL);
			continue;
		}
		CHECK_OK(getinfo(&info, 1));
		CHECK_EQ(info.reg_def_value, mappings[i].dfl);
		CHECK_EQ(info.reg_rsvd_mask, mappings[i].rsvd);
		CHECK(info.reg_type);
		CHECK_EQ(info.reg_flags, 0);
		found++;
	}
	CHECK(found);
}

/*
 * Proves 3.1.13-06, 3.1.13-08, 3.1.13-14, 3.1.14-06, 3.1.14-12, 3.2.1-01,
 * 3.2.3-01, 4.2-02, P4.3-03
 */
TEST(getinfo_agrees_with_sysfs)
{
	compare_info("PMC", pfm_getinfo_pmcs);
	compare_info("PMD", pfm_getinfo_pmds);
}

/* Proves 3.1-08, 3.1.13-07, 3.1.14-07 */
TEST(getinfo_refuses_nonzero_input)
{
	pfarg_pmcinfo_t flags = { .reg_flags = 1 };
	pfarg_pmcinfo_t reserved = { .reserved = { 0, 0, 0, 1 } };

	CHECK_ERRNO(pfm_getinfo_pmcs(&flags, 1), EINVAL);
	CHECK_ERRNO(pfm_getinfo_pmds(&reserved, 1), EINVAL);
}

/* Proves 3.1.1-23, 3.1.3-20, 3.1.4-12, 3.1.4-16, 3.1.14-06, 4.2-06 */
TEST(new_context_holds_default_values)
{
	int fd = ctx_new(0);

	for (unsigned int i = 0; i < PFM_MAX_PMDS; i++) {
		pfarg_pmdinfo_t info = { .reg_num = i };

		if (pfm_getinfo_pmds(&info, 1))
			continue;
		CHECK_EQ(ctx_read(fd, i), info.reg_def_value);
		CHECK_EQ(ctx_last_reset(fd, i), info.reg_def_value);
		if (info.reg_type != PFM_REG_TYPE_VIRTUAL)
			CHECK_EQ(info.reg_def_value, 0);
	}
}

/* Proves 3.1.2-20, 3.1.13-06 */
TEST(default_pmc_measures_nothing)
{
	pfarg_pmcinfo_t info = { .reg_num = 0 };
	int fd = ctx_counting();
	pfarg_pmc_t pmc;

	CHECK_OK(pfm_getinfo_pmcs(&info, 1));
	pmc = (pfarg_pmc_t){ .reg_value = info.reg_def_value };
	CHECK_OK(pfm_write_pmcs(fd, &pmc, 1));
	faults_prepare();
	ctx_start_on(fd, thread_id());
	touch_pages(5, NULL);
	CHECK_EQ(ctx_read(fd, 0), 0);
}

/* PFM_LOAD_CONTEXT, PFM_UNLOAD_CONTEXT */

static int load_result(int fd, pid_t tid)
{
	pfarg_load_t load = { .load_pid = tid };

	return pfm_load_context(fd, &load);
}

/* Proves 3.1.7-02 */
TEST(load_takes_exactly_one_argument)
{
	pfarg_load_t load = { .load_pid = thread_id() };
	int fd = ctx_new(0);

	CHECK_ERRNO(perfmonctl(fd, PFM_LOAD_CONTEXT, &load, 0), EFAULT);
	CHECK_ERRNO(perfmonctl(fd, PFM_LOAD_CONTEXT, &load, 2), EFAULT);
	CHECK_ERRNO(perfmonctl(fd, PFM_LOAD_CONTEXT, &load, -1), EFAULT);
	CHECK_ERRNO(perfmonctl(fd, PFM_LOAD_CONTEXT, NULL, 1), EFAULT);
	CHECK_ERRNO(pfm_load_context(fd, BAD_ADDRESS), EFAULT);
	ctx_expect_state(fd, "unloaded");
}

/* Proves 3.1-08, 3.1.7-31, P7-01 */
TEST(load_refuses_unknown_set_and_reserved_fields)
{
	pfarg_load_t set = { .load_pid = thread_id(), .load_set = 1 };
	pfarg_load_t first = { .load_pid = thread_id(), .reserved1 = 1 };
	pfarg_load_t last = { .load_pid = thread_id(),
			      .reserved2 = { 0, 0, 1 } };
	int fd = ctx_new(0);

	CHECK_ERRNO(pfm_load_context(fd, &set), EINVAL);
	CHECK_ERRNO(pfm_load_context(fd, &first), EINVAL);
	CHECK_ERRNO(pfm_load_context(fd, &last), EINVAL);
	ctx_expect_state(fd, "unloaded");
}

/* Proves 3.1.7-04 */
TEST(load_refuses_unknown_thread)
{
	int fd = ctx_new(0);

	CHECK_ERRNO(load_result(fd, 0x7fffffff), ESRCH);
	CHECK_ERRNO(load_result(fd, 0), ESRCH);
	CHECK_ERRNO(load_result(fd, -1), ESRCH);
	ctx_load_self(fd);
}

/* Proves 3.1.1-10 */
TEST(load_refuses_blocking_oneself)
{
	int fd = ctx_new(PFM_FL_NOTIFY_BLOCK);

	CHECK_ERRNO(load_result(fd, thread_id()), EINVAL);
}

/* Proves 3.1.7-05, 3.1.7-07, 4.2-07, P4.1-08 */
TEST(load_refuses_loaded_context)
{
	int fd = ctx_new(0);

	ctx_load_self(fd);
	CHECK_ERRNO(load_result(fd, thread_id()), EBUSY);
	CHECK_OK(pfm_unload_context(fd));
	ctx_load_self(fd);
}

/* Proves 3.1.7-06, 3.1.7-07, 3.1.8-08, P4.1-09, P4.1-12 */
TEST(load_refuses_second_context_of_a_thread)
{
	int first = ctx_new(0), second = ctx_new(0);

	ctx_load_self(first);
	CHECK_ERRNO(load_result(second, thread_id()), EBUSY);
	CHECK_OK(pfm_unload_context(first));
	ctx_load_self(second);
	CHECK_ERRNO(load_result(first, thread_id()), EBUSY);
	close(second);
	ctx_load_self(first);
}

/* Proves 3.1.7-14, P4.1-11 */
TEST(threads_have_contexts_of_their_own)
{
	int mine = ctx_new(0), other = ctx_new(0);
	struct worker w;

	worker_start(&w);
	ctx_load_self(mine);
	ctx_load(other, w.pid);
	worker_quit(&w);
}

/* Proves 3.1.7-20, 3.1.8-08, P4.1-09 */
TEST(load_refuses_second_context_of_a_cpu)
{
	int first = ctx_new(PFM_FL_SYSTEM_WIDE);
	int second = ctx_new(PFM_FL_SYSTEM_WIDE);

	ctx_pin(0);
	ctx_load_self(first);
	CHECK_ERRNO(load_result(second, thread_id()), EBUSY);
	CHECK_OK(pfm_unload_context(first));
	ctx_load_self(second);
}

/* Proves 3.1.7-15 */
TEST(system_wide_load_names_the_calling_thread)
{
	int fd = ctx_new(PFM_FL_SYSTEM_WIDE);

	CHECK_ERRNO(load_result(fd, getppid()), EINVAL);
	CHECK_ERRNO(load_result(fd, 0), EINVAL);
}

/* Proves 3.1.7-23, 3.1.7-24, P4.1-10 */
TEST(thread_and_system_wide_contexts_exclude_each_other)
{
	int thread = ctx_new(0), system = ctx_new(PFM_FL_SYSTEM_WIDE);

	ctx_pin(0);
	ctx_load_self(thread);
	CHECK_ERRNO(load_result(system, thread_id()), EBUSY);
	CHECK_OK(pfm_unload_context(thread));
	ctx_load_self(system);
	CHECK_ERRNO(load_result(thread, thread_id()), EBUSY);
	CHECK_OK(pfm_unload_context(system));
	ctx_load_self(thread);
}

static void load_is_not_permitted(void *parent)
{
	int fd;

	become_nobody();
	fd = ctx_counting();
	CHECK_ERRNO(load_result(fd, *(pid_t *)parent), EPERM);
	/* Not to see the kernel is what this level allows. */
	CHECK_ERRNO(load_result(fd, thread_id()), EPERM);
	ctx_expect_state(fd, "unloaded");
}

/* Proves 3.1.7-08, 4.1-01, 4.1-02, 4.2-08, P7-05, H17 */
TEST(load_needs_permission)
{
	pid_t self = getpid();
	struct param_run r = { "paranoid", "2", load_is_not_permitted, &self };

	open_device_to_all();
	with_param(&r);
}

static void user_level_is_permitted(void *arg)
{
	struct counter c = counter(0, 0, 0);
	struct worker w;
	int fd;

	become_nobody();
	worker_start(&w);
	fd = ctx_new(0);
	c.pmc.reg_value |= PFM_PERF_EXCL_KERNEL;
	counter_write(fd, &c);
	ctx_start_on(fd, w.pid);
	worker_do(&w, WORK_TOUCH, 6);
	CHECK_EQ(ctx_read(fd, 0), 6);
	worker_quit(&w);
}

/* Proves 4.1-04 */
TEST(users_may_measure_their_own_threads_at_user_level)
{
	struct param_run r = { "paranoid", "2", user_level_is_permitted, NULL };

	open_device_to_all();
	with_param(&r);
}

/* PFM_START, PFM_STOP, PFM_RESTART, PFM_UNLOAD_CONTEXT */

/* Proves 3.1.5-03, 3.1.6-02, 3.1.8-02, 3.1.9-02 */
TEST(commands_that_need_a_loaded_context)
{
	int fd = ctx_new(0);

	CHECK_ERRNO(pfm_start(fd, NULL), EBUSY);
	CHECK_ERRNO(pfm_stop(fd), EBUSY);
	CHECK_ERRNO(pfm_restart(fd), EBUSY);
	CHECK_ERRNO(pfm_unload_context(fd), EBUSY);
	ctx_load_self(fd);
	CHECK_OK(pfm_unload_context(fd));
	CHECK_ERRNO(pfm_start(fd, NULL), EBUSY);
	CHECK_ERRNO(pfm_unload_context(fd), EBUSY);
}

/* Proves 3.1.5-10, 3.1.6-03, 3.1.6-06 */
TEST(start_and_stop_can_be_repeated)
{
	int fd = ctx_counting();

	faults_prepare();
	ctx_load_self(fd);
	ctx_stop(fd);
	for (int i = 0; i < 2; i++) {
		CHECK_OK(pfm_start(fd, NULL));
		touch_pages(2, NULL);
	}
	for (int i = 0; i < 2; i++) {
		ctx_stop(fd);
		touch_pages(2, NULL);
	}
	CHECK_EQ(ctx_read(fd, 0), 4);
}

/* Proves 3.1.5-02, 3.1.5-16 */
TEST(start_takes_one_argument_or_none)
{
	pfarg_start_t start = {};
	int fd = ctx_new(0);

	ctx_load_self(fd);
	CHECK_ERRNO(perfmonctl(fd, PFM_START, &start, 0), EFAULT);
	CHECK_ERRNO(perfmonctl(fd, PFM_START, &start, 2), EFAULT);
	CHECK_ERRNO(perfmonctl(fd, PFM_START, NULL, 1), EFAULT);
	CHECK_ERRNO(pfm_start(fd, BAD_ADDRESS), EFAULT);
	ctx_expect_state(fd, "stopped");
	CHECK_OK(pfm_start(fd, &start));
	ctx_expect_state(fd, "started");
}

/* Proves 3.1.5-13, 3.1-08 */
TEST(start_refuses_unknown_set_and_reserved_fields)
{
	pfarg_start_t starts[] = {
		{ .start_set = 1 }, { .reserved1 = 1 }, { .reserved2 = 1 },
		{ .reserved3 = { 0, 0, 1 } },
	};
	int fd = ctx_new(0);

	ctx_load_self(fd);
	for (size_t i = 0; i < ARRAY_SIZE(starts); i++)
		CHECK_ERRNO(pfm_start(fd, &starts[i]), EINVAL);
	ctx_expect_state(fd, "stopped");
}

/* Proves 3.1.7-12 */
TEST(load_does_not_start)
{
	int fd = ctx_counting();

	faults_prepare();
	ctx_load_self(fd);
	touch_pages(5, NULL);
	CHECK_EQ(ctx_read(fd, 0), 0);
}

/* Proves 3.1.4-15, 3.1.7-10, 3.1.8-03, 3.1.8-04 */
TEST(unload_stops_and_keeps_values)
{
	int fd = ctx_counting();

	faults_prepare();
	ctx_start_on(fd, thread_id());
	touch_pages(5, NULL);
	CHECK_OK(pfm_unload_context(fd));
	touch_pages(5, NULL);
	CHECK_EQ(ctx_read(fd, 0), 5);
	ctx_load_self(fd);
	ctx_expect_state(fd, "stopped");
	CHECK_OK(pfm_start(fd, NULL));
	touch_pages(3, NULL);
	CHECK_EQ(ctx_read(fd, 0), 8);
}

/* Proves 3.1.2-24, 3.1.3-10, 3.1.3-24 */
TEST(registers_can_be_written_while_started)
{
	int fd = ctx_counting();
	pfarg_pmd_t pmd = { .reg_value = 1000 };
	pfarg_pmc_t pmc = { .reg_num = 1, .reg_value = PAGE_FAULTS };

	faults_prepare();
	ctx_start_on(fd, thread_id());
	touch_pages(5, NULL);
	CHECK_OK(pfm_write_pmds(fd, &pmd, 1));
	CHECK_OK(pfm_write_pmcs(fd, &pmc, 1));
	touch_pages(5, NULL);
	CHECK_EQ(ctx_read(fd, 0), 1005);
	CHECK_EQ(ctx_read(fd, 1), 5);
}

/* Proves 3.1.9-12 */
TEST(restart_without_overflow_changes_nothing)
{
	int fd = ctx_notifying(0, 100);

	faults_prepare();
	ctx_start_on(fd, thread_id());
	touch_pages(5, NULL);
	CHECK_OK(pfm_restart(fd));
	touch_pages(5, NULL);
	CHECK_EQ(ctx_read(fd, 0), -90ULL);
}
