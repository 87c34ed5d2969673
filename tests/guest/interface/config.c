// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * config.c - limits and groups: PFM_SET_CONFIG, PFM_GET_CONFIG, sysfs files and
 *	      parameters (specification 3.1.16, 3.1.17, 4.3, 4.4)
 *
 * Every test restores the configuration.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "ctx.h"
#include "files.h"
#include "modules.h"
#include "params.h"
#include "smpl.h"

#define USER		1000
/* The group that a test configures, and another one. */
#define GROUP		4711
#define OTHER_GROUP	4712

static __u64 page(void)
{
	return sysconf(_SC_PAGESIZE);
}

static pfarg_config_t get_config(void)
{
	pfarg_config_t cfg;

	memset(&cfg, 0xff, sizeof(cfg));
	CHECK_OK(pfm_get_config(&cfg));
	return cfg;
}

static void expect_config(const pfarg_config_t *expected)
{
	pfarg_config_t now = get_config();

	CHECK_EQ(now.cf_sys_gid, expected->cf_sys_gid);
	CHECK_EQ(now.cf_thread_gid, expected->cf_thread_gid);
	CHECK_EQ(now.cf_arg_size_max, expected->cf_arg_size_max);
	CHECK_EQ(now.cf_smpl_buf_size_max, expected->cf_smpl_buf_size_max);
	CHECK(!memcmp(&now, expected, sizeof(now)));
}

/* Run a function in a child, then restore the configuration. */
static void restoring(void (*run)(void *arg), void *arg)
{
	pfarg_config_t old = get_config();
	int status = wait_for(spawn(run, arg));

	CHECK_OK(pfm_set_config(&old));
	CHECK_EQ(status, 0);
}

/* PFM_GET_CONFIG, PFM_SET_CONFIG */

/*
 * Proves 3.1.16-09, 3.1.16-12, 3.1.16-16, 3.1.17-04, 3.1.17-05, 3.1.17-06,
 * 4.2-12, 4.2-14, P7-02
 */
TEST(defaults_restrict_to_no_group)
{
	pfarg_config_t cfg = get_config();

	CHECK_EQ(PFM_VERSION_MAJOR(cfg.cf_version), 0);
	CHECK_EQ(PFM_VERSION_MINOR(cfg.cf_version), 6);
	CHECK_EQ(cfg.cf_flags, 0);
	CHECK_EQ(cfg.cf_sys_group, PFM_GROUP_ANY);
	CHECK_EQ(cfg.cf_thread_group, PFM_GROUP_ANY);
	CHECK_EQ(cfg.cf_arg_size_max, page());
	CHECK_EQ(cfg.cf_smpl_buf_size_max, 256 << 20);
}

/* Proves 3.1.17-04, 3.1.17-07 */
TEST(get_describes_the_pmu)
{
	pfarg_config_t cfg = get_config();

	for (unsigned int i = 0; i < PFM_MAX_PMDS; i++) {
		pfarg_pmcinfo_t pmc = { .reg_num = i };
		pfarg_pmdinfo_t pmd = { .reg_num = i };

		CHECK_EQ(pfm_bv_isset(cfg.cf_impl_pmcs, i),
			 !pfm_getinfo_pmcs(&pmc, 1));
		CHECK_EQ(pfm_bv_isset(cfg.cf_impl_pmds, i),
			 !pfm_getinfo_pmds(&pmd, 1));
	}
	CHECK(cfg.cf_counter_width >= 1 && cfg.cf_counter_width <= 64);
}

/* Proves 3.1.16-02, 3.1.17-02 */
TEST(config_commands_take_exactly_one_argument)
{
	static const int nargs[] = { 0, 2, -1 };
	pfarg_config_t cfg = get_config();

	for (size_t i = 0; i < ARRAY_SIZE(nargs); i++) {
		CHECK_ERRNO(perfmonctl(0, PFM_SET_CONFIG, &cfg, nargs[i]),
			    EFAULT);
		CHECK_ERRNO(perfmonctl(0, PFM_GET_CONFIG, &cfg, nargs[i]),
			    EFAULT);
	}
}

/* Proves 3.1.16-02, 3.1.17-02 */
TEST(config_commands_refuse_bad_address)
{
	CHECK_ERRNO(pfm_set_config(NULL), EFAULT);
	CHECK_ERRNO(pfm_set_config(BAD_ADDRESS), EFAULT);
	CHECK_ERRNO(pfm_get_config(NULL), EFAULT);
	CHECK_ERRNO(pfm_get_config(BAD_ADDRESS), EFAULT);
}

static pfarg_config_t other_config(void)
{
	pfarg_config_t cfg = get_config();

	cfg.cf_sys_gid = GROUP;
	cfg.cf_thread_gid = OTHER_GROUP;
	cfg.cf_arg_size_max = 3 * page();
	cfg.cf_smpl_buf_size_max = 1ULL << 40;
	return cfg;
}

static void get_config_returns_set_values(void *arg)
{
	pfarg_config_t cfg = other_config();

	CHECK_OK(pfm_set_config(&cfg));
	expect_config(&cfg);
}

/* Proves 3.1.16-10, 3.1.17-08, 4.2-02 */
TEST(get_config_returns_what_was_set)
{
	restoring(get_config_returns_set_values, NULL);
}

static void refuses(pfarg_config_t cfg)
{
	pfarg_config_t old = get_config();

	cfg.cf_sys_gid = GROUP;
	CHECK_ERRNO(pfm_set_config(&cfg), EINVAL);
	expect_config(&old);
}

static void bad_values_change_nothing(void *arg)
{
	pfarg_config_t good = get_config(), bad;

	bad = good;
	bad.cf_arg_size_max = page() - 1;
	refuses(bad);
	bad = good;
	bad.cf_smpl_buf_size_max = page() - 1;
	refuses(bad);
	bad = good;
	bad.cf_flags = 1U << 31;
	refuses(bad);
	bad = good;
	bad.reserved1 = 1;
	refuses(bad);
	bad = good;
	bad.reserved2 = 1;
	refuses(bad);
	bad = good;
	bad.reserved3 = 1;
	refuses(bad);
}

/* Proves 3.1-08, 3.1.16-06, 3.1.16-13, 3.1.16-15 */
TEST(set_with_bad_values_changes_nothing)
{
	restoring(bad_values_change_nothing, NULL);
}

/* Check that limits below a page are refused. */
static void limits_have_a_least_value(void *arg)
{
	const __u64 bad[] = { 0, 1, page() / 2, page() - 1 };
	const __u64 good[] = { page(), page() + 1, 1ULL << 31, ~0UL };
	pfarg_config_t cfg = get_config();

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		cfg = get_config();
		cfg.cf_arg_size_max = bad[i];
		refuses(cfg);
		cfg = get_config();
		cfg.cf_smpl_buf_size_max = bad[i];
		refuses(cfg);
	}
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		cfg = get_config();
		cfg.cf_arg_size_max = good[i];
		cfg.cf_smpl_buf_size_max = good[i];
		CHECK_OK(pfm_set_config(&cfg));
		expect_config(&cfg);
	}
}

/* Proves 3.1.16-13, 3.1.16-15, 3.1.16-19 */
TEST(set_refuses_limits_that_are_out_of_range)
{
	restoring(limits_have_a_least_value, NULL);
}

/* Check that sizes do not overflow even with the largest possible limits. */
static void nothing_goes_beyond_without_limits(void *arg)
{
	static const int nargs[] = { INT_MAX, INT_MAX / 2, 1 << 24 };
	pfarg_config_t cfg = get_config();
	pfarg_ctx_t ctx;
	int fd;

	cfg.cf_arg_size_max = ~0UL;
	cfg.cf_smpl_buf_size_max = ~0UL;
	CHECK_OK(pfm_set_config(&cfg));
	fd = ctx_new(0);
	for (size_t i = 0; i < ARRAY_SIZE(nargs); i++) {
		CHECK_EQ(pfm_read_pmds(fd, BAD_ADDRESS, nargs[i]), -1);
		CHECK(errno == EFAULT || errno == ENOMEM);
	}
	CHECK_ERRNO(smpl_create(&ctx, 0, ~0ULL, 0), ENOMEM);
	CHECK_ERRNO(smpl_create(&ctx, 0, -page(), 0), ENOMEM);
	CHECK_OK(smpl_create(&ctx, 0, page(), 0));
}

/* Proves 3.1.16-19, H14 */
TEST(largest_limits_cause_no_arithmetic_overflow)
{
	restoring(nothing_goes_beyond_without_limits, NULL);
}

static void become_user(gid_t gid, size_t n, const gid_t *groups)
{
	CHECK_OK(setgroups(n, groups));
	CHECK_OK(setresgid(USER, gid, USER));
	CHECK_OK(setresuid(USER, USER, USER));
}

static void user_may_only_look(void *arg)
{
	pfarg_config_t old = get_config(), cfg = other_config();

	become_user(USER, 0, NULL);
	CHECK_ERRNO(pfm_set_config(&cfg), EPERM);
	CHECK_ERRNO(pfm_set_config(&old), EPERM);
	expect_config(&old);
}

/* Proves 3.1.16-04, 3.1.17-03, 4.2-03, 4.2-04 */
TEST(only_privileged_users_can_set_config)
{
	restoring(user_may_only_look, NULL);
}

/* Limits */

static void expect_vectors_up_to(int fd, __u64 bytes)
{
	static pfarg_pmd_t pmds[512];
	int most = bytes / sizeof(pmds[0]);

	CHECK(most < (int)ARRAY_SIZE(pmds));
	CHECK_OK(pfm_read_pmds(fd, pmds, most));
	CHECK_ERRNO(pfm_read_pmds(fd, pmds, most + 1), EFAULT);
}

static void vectors_follow_the_limit(void *arg)
{
	pfarg_config_t cfg = get_config();
	int fd = ctx_new(0);

	for (int pages = 3; pages; pages--) {
		cfg.cf_arg_size_max = pages * page();
		CHECK_OK(pfm_set_config(&cfg));
		expect_vectors_up_to(fd, cfg.cf_arg_size_max);
	}
}

/* Proves 3.1.2-27, 3.1.16-03, 3.1.16-12, 4.4.2-01 */
TEST(vector_limit_takes_effect_at_once)
{
	restoring(vectors_follow_the_limit, NULL);
}

/*
 * Pass a format argument of 12288 bytes, once by pointer and once appended to
 * the pfarg_ctx_t. Check that both calls fail with @error, or succeed if @error
 * is 0.
 */
static void expect_large_argument(int error)
{
	struct {
		pfarg_ctx_t	ctx;
		char		arg[12288];
	} both = { .ctx = { .ctx_smpl_buf_id = ODD_UUID } };
	pfarg_ctx_t ctx = both.ctx;

	if (error) {
		CHECK_ERRNO(pfm_create_context(&ctx, both.arg,
					       sizeof(both.arg)), error);
		CHECK_ERRNO(perfmonctl(0, PFM_CREATE_CONTEXT, &both, 1),
			    error);
		return;
	}
	CHECK_OK(close(CHECK_OK(pfm_create_context(&ctx, both.arg,
						   sizeof(both.arg)))));
	CHECK_OK(perfmonctl(0, PFM_CREATE_CONTEXT, &both, 1));
	CHECK_OK(close(both.ctx.ctx_fd));
}

static void formats_follow_the_limit(void *arg)
{
	pfarg_config_t cfg = get_config();

	expect_large_argument(E2BIG);
	cfg.cf_arg_size_max = 12288;
	CHECK_OK(pfm_set_config(&cfg));
	expect_large_argument(0);
	cfg.cf_arg_size_max = 12287;
	CHECK_OK(pfm_set_config(&cfg));
	expect_large_argument(E2BIG);
}

/* Proves 3.1.1-26, 3.5.3-04 */
TEST(argument_limit_applies_to_format_arguments)
{
	CHECK_OK(module_insert_with(ODD, "arg_size=12288"));
	restoring(formats_follow_the_limit, NULL);
	CHECK_OK(module_unload(MODULE_ODD));
}

static void buffers_follow_the_limit(void *arg)
{
	pfarg_config_t cfg = get_config();
	pfarg_ctx_t ctx;
	int fd;

	cfg.cf_smpl_buf_size_max = 8 * page();
	CHECK_OK(pfm_set_config(&cfg));
	CHECK_OK(smpl_create(&ctx, 0, 6 * page(), 0));
	CHECK_ERRNO(smpl_create(&ctx, 0, 4 * page(), 0), ENOMEM);
	cfg.cf_smpl_buf_size_max = 10 * page();
	CHECK_OK(pfm_set_config(&cfg));
	fd = CHECK_OK(smpl_create(&ctx, 0, 4 * page(), 0));
	/* An existing buffer is kept even if it exceeds the new limit. */
	cfg.cf_smpl_buf_size_max = page();
	CHECK_OK(pfm_set_config(&cfg));
	CHECK_ERRNO(smpl_create(&ctx, 0, page(), 0), ENOMEM);
	ctx_load_self(fd);
}

/* Proves 3.1.16-14, 3.1.16-17, 3.5.11-04, 4.4.3-04, 4.4.3-05, H15 */
TEST(buffer_limit_takes_effect_at_once)
{
	restoring(buffers_follow_the_limit, NULL);
}

/* Files */

static void expect_number(const char *path, __u64 expected)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)expected);
	expect_text(path, text);
}

static void files_show_what_is_set(void *arg)
{
	pfarg_config_t cfg = other_config();

	CHECK_OK(pfm_set_config(&cfg));
	expect_number(PFM_SYSFS "/arg_size_max", cfg.cf_arg_size_max);
	expect_number(PFM_PARAMETERS "arg_size_max", cfg.cf_arg_size_max);
	expect_number(PFM_SYSFS "/smpl_buf_size_max", cfg.cf_smpl_buf_size_max);
	expect_number(PFM_PARAMETERS "smpl_buf_size_max",
		      cfg.cf_smpl_buf_size_max);
	expect_number(PFM_SYSFS "/sys_group", cfg.cf_sys_gid);
	expect_number(PFM_SYSFS "/task_group", cfg.cf_thread_gid);
	cfg.cf_sys_gid = PFM_GROUP_ANY;
	cfg.cf_thread_gid = PFM_GROUP_ANY;
	CHECK_OK(pfm_set_config(&cfg));
	expect_text(PFM_SYSFS "/sys_group", "any");
	expect_text(PFM_SYSFS "/task_group", "any");
}

/* Proves 3.1.16-16, 3.1.16-18, 3.1.17-10, P7-07 */
TEST(files_show_values_set_by_command)
{
	restoring(files_show_what_is_set, NULL);
}

static void command_tells_what_is_written(void *arg)
{
	pfarg_config_t cfg = get_config();

	write_text(PFM_SYSFS "/arg_size_max", "12288\n");
	write_text(PFM_SYSFS "/smpl_buf_size_max", "0x100000");
	write_text(PFM_SYSFS "/sys_group", "4711\n");
	write_text(PFM_SYSFS "/task_group", "0");
	cfg.cf_arg_size_max = 12288;
	cfg.cf_smpl_buf_size_max = 0x100000;
	cfg.cf_sys_gid = GROUP;
	cfg.cf_thread_gid = 0;
	expect_config(&cfg);
	write_text(PFM_PARAMETERS "arg_size_max", "8192");
	write_text(PFM_PARAMETERS "smpl_buf_size_max", "65536");
	write_text(PFM_SYSFS "/sys_group", "any\n");
	cfg.cf_arg_size_max = 8192;
	cfg.cf_smpl_buf_size_max = 65536;
	cfg.cf_sys_gid = PFM_GROUP_ANY;
	expect_config(&cfg);
}

/* Proves 3.1.16-18, P7-07 */
TEST(get_config_returns_values_written_to_files)
{
	restoring(command_tells_what_is_written, NULL);
}

static void refuses_text(const char *path, const char *text)
{
	int fd = CHECK_OK(open(path, O_WRONLY | O_CLOEXEC));

	CHECK_ERRNO(write(fd, text, strlen(text)), EINVAL);
	close(fd);
}

static void bad_text_changes_nothing(void *arg)
{
	static const char * const sizes[] = {
		PFM_SYSFS "/arg_size_max", PFM_SYSFS "/smpl_buf_size_max",
		PFM_PARAMETERS "arg_size_max",
		PFM_PARAMETERS "smpl_buf_size_max",
	};
	static const char * const groups[] = {
		PFM_SYSFS "/sys_group", PFM_SYSFS "/task_group",
	};
	pfarg_config_t old = get_config();

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		refuses_text(sizes[i], "much");
		refuses_text(sizes[i], "-8192");
		refuses_text(sizes[i], "4095");
		refuses_text(sizes[i], "99999999999999999999");
	}
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++) {
		refuses_text(groups[i], "users");
		refuses_text(groups[i], "-1");
		refuses_text(groups[i], "4294967296");
	}
	expect_config(&old);
}

TEST(files_with_bad_text_change_nothing)
{
	restoring(bad_text_changes_nothing, NULL);
}

TEST(config_files_are_writable_by_root_only)
{
	static const char * const files[] = {
		PFM_SYSFS "/arg_size_max", PFM_SYSFS "/smpl_buf_size_max",
		PFM_SYSFS "/sys_group", PFM_SYSFS "/task_group",
	};

	become_user(USER, 0, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		CHECK_ERRNO(open(files[i], O_WRONLY), EACCES);
		CHECK_OK(open(files[i], O_RDONLY));
	}
}

/* Groups */

static void expect_may_create(__u32 flags, bool may)
{
	pfarg_ctx_t ctx = { .ctx_flags = flags };

	if (may)
		CHECK_OK(close(CHECK_OK(pfm_create_context(&ctx, NULL, 0))));
	else
		CHECK_ERRNO(pfm_create_context(&ctx, NULL, 0), EPERM);
}

static void set_groups(gid_t sys_gid, gid_t thread_gid)
{
	pfarg_config_t cfg = get_config();

	cfg.cf_sys_gid = sys_gid;
	cfg.cf_thread_gid = thread_gid;
	CHECK_OK(pfm_set_config(&cfg));
}

static void member_by_effective_group(void *flags)
{
	become_user(GROUP, 0, NULL);
	expect_may_create(*(__u32 *)flags, true);
}

static void member_by_supplementary_group(void *flags)
{
	static const gid_t groups[] = { OTHER_GROUP, GROUP };

	become_user(USER, ARRAY_SIZE(groups), groups);
	expect_may_create(*(__u32 *)flags, true);
}

static void outsider(void *flags)
{
	static const gid_t groups[] = { OTHER_GROUP };

	become_user(USER, ARRAY_SIZE(groups), groups);
	expect_may_create(*(__u32 *)flags, false);
	expect_may_create(*(__u32 *)flags ^ PFM_FL_SYSTEM_WIDE, true);
}

static void only_members_create(void *arg)
{
	__u32 *flags = arg;

	if (*flags & PFM_FL_SYSTEM_WIDE)
		set_groups(GROUP, PFM_GROUP_ANY);
	else
		set_groups(PFM_GROUP_ANY, GROUP);
	reap(spawn(member_by_effective_group, flags));
	reap(spawn(member_by_supplementary_group, flags));
	reap(spawn(outsider, flags));
	/* Root is not a member of GROUP. */
	expect_may_create(*flags, false);
	set_groups(PFM_GROUP_ANY, PFM_GROUP_ANY);
	expect_may_create(*flags, true);
}

static void only_members_create_restoring(void *flags)
{
	restoring(only_members_create, flags);
}

static void test_group_of(__u32 flags)
{
	struct param_run r = { "paranoid", "0", only_members_create_restoring,
			       &flags };

	CHECK_OK(setgroups(0, NULL));
	with_param(&r);
}

/* Proves 3.1.1-24, 3.1.16-08, 3.1.16-09, 4.2-11, P7-06 */
TEST(thread_group_restricts_per_thread_contexts)
{
	test_group_of(0);
}

/* Proves 3.1.1-24, 3.1.16-07, 3.1.16-09, 4.2-13, P7-06 */
TEST(sys_group_restricts_system_wide_contexts)
{
	test_group_of(PFM_FL_SYSTEM_WIDE);
}

/* Use a context that was created before the groups were set. */
static void old_context_works(void *arg)
{
	pfarg_pmd_t pmd = { .reg_value = 5 };
	int fd = *(int *)arg;

	become_user(USER, 0, NULL);
	expect_may_create(0, false);
	CHECK_OK(pfm_write_pmds(fd, &pmd, 1));
	CHECK_EQ(ctx_read(fd, 0), 5);
	ctx_load_self(fd);
}

static void groups_come_after_a_context(void *arg)
{
	int fd = ctx_new(0);

	set_groups(GROUP, GROUP);
	reap(spawn(old_context_works, &fd));
}

static void groups_come_after_a_context_restoring(void *arg)
{
	restoring(groups_come_after_a_context, NULL);
}

/* Proves 3.1.16-11, 3.1.16-17 */
TEST(group_change_keeps_existing_contexts)
{
	struct param_run r = { "paranoid", "0",
			       groups_come_after_a_context_restoring, NULL };

	with_param(&r);
}

static void member_without_capability(void *arg)
{
	become_user(GROUP, 0, NULL);
	expect_may_create(0, false);
	expect_may_create(PFM_FL_SYSTEM_WIDE, false);
}

static void groups_loosen_nothing(void *arg)
{
	set_groups(GROUP, GROUP);
	reap(spawn(member_without_capability, NULL));
}

static void groups_loosen_nothing_restoring(void *arg)
{
	restoring(groups_loosen_nothing, NULL);
}

/* Proves H17 */
TEST(group_does_not_loosen_paranoid)
{
	struct param_run r = { "paranoid", "3", groups_loosen_nothing_restoring,
			       NULL };

	with_param(&r);
}
