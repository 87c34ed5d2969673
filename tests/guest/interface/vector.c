// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * vector.c - vectors of elements: their size, and the element at which a
 *	      command stops (specification 3.1.2 - 3.1.4, 3.1.10 - 3.1.14)
 */
#define _GNU_SOURCE
#include <string.h>

#include "check.h"
#include "ctx.h"
#include "faults.h"
#include "files.h"

#define REGS		16	/* PMC and PMD pairs of the perf PMU */

#define BY_OVFL		PFM_SETFL_OVFL_SWITCH

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
TEST(vectors_have_a_size_limit)
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

/* Registers */

/* Proves 2.2.2-02, 3.1.2-02, 3.1.2-22, 3.1.3-02, 3.1.3-22, 3.1.4-02 */
TEST(vectors_hold_many_registers)
{
	pfarg_pmc_t pmcs[REGS] = {};
	pfarg_pmd_t pmds[REGS] = {};
	int fd = ctx_new(0);

	for (int i = 0; i < REGS; i++) {
		pmcs[i].reg_num = i;
		pmcs[i].reg_value = PAGE_FAULTS;
		pmds[i].reg_num = REGS - 1 - i;
		pmds[i].reg_value = 1000 * i;
	}
	CHECK_OK(pfm_write_pmcs(fd, pmcs, REGS));
	CHECK_OK(pfm_write_pmds(fd, pmds, REGS));
	ctx_start_self(fd);
	touch_pages(7, NULL);
	CHECK_OK(pfm_unload_context(fd));
	for (int i = 0; i < REGS; i++)
		pmds[i].reg_value = SENTINEL;
	CHECK_OK(pfm_read_pmds(fd, pmds, REGS));
	for (int i = 0; i < REGS; i++)
		CHECK_EQ(pmds[i].reg_value, 1000 * i + 7);
}

/* Proves 3.1.2-30, 3.1.3-32, 3.1.4-24 */
TEST(flags_identify_the_bad_element)
{
	/* The first elements still contain the flags of an earlier error. */
	pfarg_pmc_t pmcs[] = { { .reg_value = PAGE_FAULTS,
				 .reg_flags = PFM_REG_RETFL_NOSET },
			       { .reg_value = PAGE_FAULTS, .reg_num = 300 },
			       { .reg_value = PAGE_FAULTS } };
	pfarg_pmd_t pmds[] = { { .reg_flags = PFM_REG_RETFL_NOSET },
			       { .reg_num = 300 }, { .reg_num = 0 } };
	int fd = ctx_new(0);

	CHECK_ERRNO(pfm_write_pmcs(fd, pmcs, 3), EINVAL);
	for (int i = 0; i < 3; i++)
		CHECK_EQ(!!PFM_REG_HAS_ERROR(pmcs[i].reg_flags), i == 1);
	CHECK_ERRNO(pfm_write_pmds(fd, pmds, 3), EINVAL);
	for (int i = 0; i < 3; i++)
		CHECK_EQ(!!PFM_REG_HAS_ERROR(pmds[i].reg_flags), i == 1);
	pmds[1].reg_flags = 0;
	CHECK_ERRNO(pfm_read_pmds(fd, pmds, 3), EINVAL);
	for (int i = 0; i < 3; i++)
		CHECK_EQ(!!PFM_REG_HAS_ERROR(pmds[i].reg_flags), i == 1);
	/* This error does not belong to an element. */
	pmds[1].reg_flags = 0;
	CHECK_ERRNO(pfm_read_pmds(fd, pmds, 0), EINVAL);
	for (int i = 0; i < 3; i++)
		CHECK(!PFM_REG_HAS_ERROR(pmds[i].reg_flags));
}

/* Write three elements, the second of which is bad, and check the results. */
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
	ctx_start_self(fd);
	touch_pages(5, NULL);
	CHECK_EQ(ctx_read(fd, 0), 5);
	CHECK_EQ(ctx_read(fd, 1), 0);
	CHECK_EQ(ctx_read(fd, 2), 0);
}

/* Event sets */

/*
 * Proves 3.1.10-02, 3.1.10-05, 3.1.10-23, 3.1.11-09, 3.1.11-11, 3.1.12-15,
 * 3.1.12-17, P6.1-01
 */
TEST(set_commands_stop_at_first_error)
{
	pfarg_setdesc_t desc[3] = { { .set_id = 9 }, { .set_id = 1 }, };
	pfarg_setinfo_t info[3] = { { .set_id = 9 }, { .set_id = 4 }, };
	int fd = ctx_new(0);

	desc[1].set_flags = 0x80;
	desc[2].set_id = 4;
	CHECK_ERRNO(pfm_create_evtsets(fd, desc, 3), EINVAL);
	CHECK(!PFM_SET_HAS_ERROR(desc[0].set_flags));
	CHECK_EQ(desc[1].set_flags, 0x80 | PFM_SET_RETFL_EINVAL);
	CHECK_ERRNO(pfm_getinfo_evtsets(fd, info, 3), EINVAL);
	CHECK_EQ(info[1].set_flags, PFM_SET_RETFL_NOSET);
	desc[1] = desc[2];
	CHECK_ERRNO(pfm_delete_evtsets(fd, desc, 2), EINVAL);
	CHECK_EQ(desc[1].set_flags, PFM_SET_RETFL_NOSET);
	CHECK_ERRNO(pfm_getinfo_evtsets(fd, info, 1), EINVAL);
}

/*
 * Proves 3.1.10-01, 3.1.10-02, 3.1.10-22, 3.1.11-01, 3.1.11-02, 3.1.11-10,
 * 3.1.12-01, 3.1.12-02, 3.1.12-16
 */
TEST(set_commands_refuse_bad_vectors)
{
	pfarg_setdesc_t desc = { .set_id = 1 };
	pfarg_setinfo_t info = {};
	int fd = ctx_new(0);

	CHECK_ERRNO(pfm_create_evtsets(fd, NULL, 1), EFAULT);
	CHECK_ERRNO(pfm_delete_evtsets(fd, NULL, 1), EFAULT);
	CHECK_ERRNO(pfm_getinfo_evtsets(fd, NULL, 1), EFAULT);
	CHECK_ERRNO(pfm_create_evtsets(fd, &desc, 0), EINVAL);
	CHECK_ERRNO(pfm_delete_evtsets(fd, &desc, 0), EINVAL);
	CHECK_ERRNO(pfm_getinfo_evtsets(fd, &info, 0), EINVAL);
	CHECK_ERRNO(pfm_create_evtsets(fd, &desc, 1 << 24), EFAULT);
	CHECK_ERRNO(pfm_create_evtsets(-1, &desc, 1), EBADF);
	CHECK_ERRNO(pfm_delete_evtsets(0, &desc, 1), EBADF);
	CHECK_ERRNO(pfm_getinfo_evtsets(0, &info, 1), EBADF);
}

/* Proves 3.1.11-02, 3.1.12-02, P6.1-01 */
TEST(one_call_deletes_and_describes_many_sets)
{
	pfarg_setdesc_t desc[3] = { { .set_id = 1 }, { .set_id = 2 },
				    { .set_id = 3 } };
	pfarg_setinfo_t info[3] = { { .set_id = 3 }, { .set_id = 2 },
				    { .set_id = 1 } };
	int fd = ctx_new(0);

	desc[1].set_flags = BY_OVFL;
	CHECK_OK(pfm_create_evtsets(fd, desc, 3));
	CHECK_OK(pfm_getinfo_evtsets(fd, info, 3));
	for (int i = 0; i < 3; i++)
		CHECK_EQ(info[i].set_flags, i == 1 ? BY_OVFL : 0);
	desc[1].set_flags = 0;
	CHECK_OK(pfm_delete_evtsets(fd, desc, 3));
	for (int i = 0; i < 3; i++) {
		info[i].set_flags = 0;
		CHECK_ERRNO(pfm_getinfo_evtsets(fd, &info[i], 1), EINVAL);
	}
}

/* Proves 3.1.11-10, 3.1.12-16 */
TEST(set_vectors_have_a_size_limit)
{
	static pfarg_setdesc_t desc[1024];
	static pfarg_setinfo_t info[1024];
	long bytes = read_number(PFM_SYSFS "/arg_size_max");
	int most = bytes / sizeof(desc[0]);
	int fd = ctx_new(0);

	CHECK(most < 1024);
	CHECK_OK(pfm_create_evtsets(fd, desc, most));
	CHECK_ERRNO(pfm_create_evtsets(fd, desc, most + 1), EFAULT);
	CHECK_ERRNO(pfm_delete_evtsets(fd, desc, most + 1), EFAULT);
	most = bytes / sizeof(info[0]);
	CHECK_OK(pfm_getinfo_evtsets(fd, info, most));
	memset(info, 0, sizeof(info));
	CHECK_ERRNO(pfm_getinfo_evtsets(fd, info, most + 1), EFAULT);
}

/* Proves P6.1-02 */
TEST(one_call_accesses_registers_of_several_sets)
{
	pfarg_pmc_t pmcs[3] = {};
	pfarg_pmd_t pmds[3] = {};
	int fd = ctx_new(0);

	ctx_create_set(fd, 1, 0);
	ctx_create_set(fd, 2, 0);
	for (unsigned int i = 0; i < 3; i++) {
		pmcs[i].reg_set = 2 - i;
		pmcs[i].reg_value = PAGE_FAULTS;
		pmds[i].reg_set = 2 - i;
		pmds[i].reg_value = 100 * i;
	}
	CHECK_OK(pfm_write_pmcs(fd, pmcs, 3));
	CHECK_OK(pfm_write_pmds(fd, pmds, 3));
	for (unsigned int i = 0; i < 3; i++)
		CHECK_EQ(ctx_read_set(fd, 2 - i, 0), 100 * i);
	memset(pmds, 0, sizeof(pmds));
	for (unsigned int i = 0; i < 3; i++)
		pmds[i].reg_set = i;
	CHECK_OK(pfm_read_pmds(fd, pmds, 3));
	for (unsigned int i = 0; i < 3; i++)
		CHECK_EQ(pmds[i].reg_value, 200 - 100 * i);
}
