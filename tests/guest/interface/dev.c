// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * dev.c - /dev/perfmon: creating contexts, commands without a context, bad
 *	   descriptors (specification 3.1, 3.1.1)
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "ctx.h"
#include "faults.h"
#include "modules.h"
#include "params.h"
#include "smpl.h"
#include "worker.h"

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

/* Proves H13 */
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

static const pfm_uuid_t unknown_uuid = { 0x12, 0x34, 0x56 };

/* Proves 3.1.1-12, 3.5.2-02 */
TEST(create_refuses_unknown_format)
{
	pfarg_ctx_t ctx = {};

	memcpy(ctx.ctx_smpl_buf_id, unknown_uuid, sizeof(pfm_uuid_t));
	CHECK_ERRNO(pfm_create_context(&ctx, NULL, 0), EINVAL);
	CHECK_ERRNO(perfmonctl(0, PFM_CREATE_CONTEXT, &ctx, 1), EINVAL);
}

/* Proves 3.1.1-01, 3.1.1-13 */
TEST(create_ignores_output_fields)
{
	pfarg_ctx_t ctx = { .ctx_fd = -77, .ctx_smpl_buf_size = SENTINEL };

	CHECK_OK(perfmonctl(-1, PFM_CREATE_CONTEXT, &ctx, 1));
	CHECK(ctx.ctx_fd >= 0);
	CHECK_EQ(ctx.ctx_smpl_buf_size, 0);
}

/* A context structure that is followed by the format's argument. */
struct appended {
	pfarg_ctx_t		ctx;
	pfm_default_smpl_arg_t	arg;
};

/* Proves 3.1-01, 3.1.1-14, 3.5.2-02, 3.5.3-02, 3.6.2-01 */
TEST(create_takes_format_argument_after_structure)
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
TEST(create_checks_format_argument_size)
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

/* Proves 2.3.7-01 */
TEST(reserved_field_of_a_command_must_be_0)
{
	pfarg_config_t cfg = {};
	struct pfm_ioc ioc = {
		.arg = (uintptr_t)&cfg,
		.narg = 1,
		.reserved = 1,
	};
	int fd = CHECK_OK(open(PFM_DEVICE, O_RDWR));

	CHECK_ERRNO(ioctl(fd, PFM_IOC(PFM_GET_CONFIG), &ioc), EINVAL);
	CHECK_EQ(cfg.cf_version, 0);
	ioc.reserved = 0;
	CHECK_OK(ioctl(fd, PFM_IOC(PFM_GET_CONFIG), &ioc));
	CHECK_EQ(cfg.cf_version, PFM_VERSION);
	CHECK_OK(close(fd));
}

TEST(create_refuses_format_argument_without_format)
{
	pfm_default_smpl_arg_t arg = { .buf_size = 4096 };
	pfarg_ctx_t ctx = {};

	CHECK_ERRNO(pfm_create_context(&ctx, &arg, sizeof(arg)), EINVAL);
}

TEST(create_refuses_bad_address_of_format_argument)
{
	pfarg_ctx_t ctx = { .ctx_smpl_buf_id = PFM_DFL_SMPL_UUID };

	CHECK_ERRNO(pfm_create_context(&ctx, BAD_ADDRESS,
				       sizeof(pfm_default_smpl_arg_t)),
		    EFAULT);
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
	struct param_run r = { "paranoid", "3", create_is_not_permitted, NULL };

	with_param(&r);
}

/* Proves 3.1.1-17 */
TEST(contexts_are_limited_by_descriptors)
{
	const struct rlimit limit = { 64, 64 };
	pfarg_ctx_t ctx = {};
	int fds[64], fd, n;

	CHECK_OK(setrlimit(RLIMIT_NOFILE, &limit));
	for (n = 0; (fd = pfm_create_context(&ctx, NULL, 0)) >= 0; n++) {
		pfarg_pmd_t pmd = { .reg_value = 1000 + n };

		fds[n] = fd;
		CHECK_OK(pfm_write_pmds(fd, &pmd, 1));
	}
	CHECK_EQ(errno, EMFILE);
	CHECK(n > 32);
	for (int i = 0; i < n; i++)
		CHECK_EQ(ctx_read(fds[i], 0), 1000 + i);
	close(fds[0]);
	ctx_new(0);
}

static long count_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	long n = 0;

	CHECK(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static long count_references(void)
{
	return module_references(MODULE_CORE) +
	       module_references(MODULE_PMU) +
	       module_references(MODULE_DEFAULT);
}

static void create_use_and_close(int i)
{
	struct smpl s = smpl_new(0, 4096, 0);

	ctx_add_counter(s.fd, 0, 0, 5);
	ctx_start_on(s.fd, thread_id());
	touch_pages(5, NULL);
	/* Unmap and close in either order. */
	if (i % 2)
		CHECK_OK(munmap((void *)s.hdr, s.size));
	CHECK_OK(close(s.fd));
	if (!(i % 2))
		CHECK_OK(munmap((void *)s.hdr, s.size));
}

/* Proves 3.1.15-01, P4.1-16, H04 */
TEST(many_contexts_leave_nothing_behind)
{
	long descriptors = count_descriptors();
	long references = count_references();

	faults_prepare();
	for (int i = 0; i < 200; i++)
		create_use_and_close(i);
	CHECK_EQ(count_descriptors(), descriptors);
	CHECK_EQ(count_references(), references);
}

/* Proves H04 */
TEST(failed_creations_leave_nothing_behind)
{
	long descriptors = count_descriptors();
	long references = count_references();
	pfarg_ctx_t ctx;

	for (int i = 0; i < 50; i++) {
		CHECK_ERRNO(smpl_create(&ctx, 0, 8, 0), EINVAL);
		CHECK_ERRNO(smpl_create(&ctx, 0, 1ULL << 50, 0), ENOMEM);
		CHECK_ERRNO(smpl_create(&ctx, 0x40, 4096, 0), EINVAL);
	}
	CHECK_EQ(count_descriptors(), descriptors);
	CHECK_EQ(count_references(), references);
}

/* All commands */

/* Proves 3.1-01 */
TEST(successful_commands_return_0)
{
	struct counter c = counter(0, 0, 0);
	pfarg_load_t load = { .load_pid = thread_id() };
	pfarg_pmcinfo_t info = {};
	pfarg_config_t config;
	int fd = ctx_new(0);

	CHECK(fd > 0);
	CHECK_EQ(perfmonctl(fd, PFM_WRITE_PMCS, &c.pmc, 1), 0);
	CHECK_EQ(perfmonctl(fd, PFM_WRITE_PMDS, &c.pmd, 1), 0);
	CHECK_EQ(perfmonctl(fd, PFM_READ_PMDS, &c.pmd, 1), 0);
	CHECK_EQ(perfmonctl(fd, PFM_LOAD_CONTEXT, &load, 1), 0);
	CHECK_EQ(perfmonctl(fd, PFM_START, NULL, 0), 0);
	CHECK_EQ(perfmonctl(fd, PFM_RESTART, NULL, 0), 0);
	CHECK_EQ(perfmonctl(fd, PFM_STOP, NULL, 0), 0);
	CHECK_EQ(perfmonctl(fd, PFM_UNLOAD_CONTEXT, NULL, 0), 0);
	CHECK_EQ(perfmonctl(fd, PFM_GETINFO_PMCS, &info, 1), 0);
	CHECK_EQ(perfmonctl(fd, PFM_GETINFO_PMDS, &info, 1), 0);
	CHECK_EQ(perfmonctl(fd, PFM_GET_CONFIG, &config, 1), 0);
	CHECK_EQ(perfmonctl(fd, PFM_SET_CONFIG, &config, 1), 0);
}

/* Proves 3.1-02, 3.1.13-01, 3.1.14-01, 3.1.16-01, 3.1.17-01 */
TEST(commands_without_context_ignore_the_descriptor)
{
	const int fds[] = { -1, 0, 1000, CHECK_OK(open("/dev/null", O_RDWR)),
			    ctx_new(0) };

	for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
		pfarg_ctx_t ctx = {};
		pfarg_pmcinfo_t pmc = {};
		pfarg_pmdinfo_t pmd = {};
		pfarg_config_t config;

		CHECK_OK(perfmonctl(fds[i], PFM_CREATE_CONTEXT, &ctx, 1));
		CHECK_OK(perfmonctl(fds[i], PFM_GETINFO_PMCS, &pmc, 1));
		CHECK_OK(perfmonctl(fds[i], PFM_GETINFO_PMDS, &pmd, 1));
		CHECK_OK(perfmonctl(fds[i], PFM_GET_CONFIG, &config, 1));
		CHECK_OK(perfmonctl(fds[i], PFM_SET_CONFIG, &config, 1));
	}
}

static void ask_as_nobody(void *unused)
{
	pfarg_pmcinfo_t pmc = {};
	pfarg_pmdinfo_t pmd = {};
	pfarg_config_t config;

	become_nobody();
	CHECK_OK(pfm_getinfo_pmcs(&pmc, 1));
	CHECK_OK(pfm_getinfo_pmds(&pmd, 1));
	CHECK_OK(perfmonctl(0, PFM_GET_CONFIG, &config, 1));
	CHECK_ERRNO(perfmonctl(0, PFM_SET_CONFIG, &config, 1), EPERM);
}

/* Proves 3.1.17-03, 4.2-03, 4.2-04, H30 */
TEST(unprivileged_users_can_query_but_not_configure)
{
	struct stat st;

	CHECK_OK(stat(PFM_DEVICE, &st));
	CHECK_EQ(st.st_mode & 0777, 0666);
	reap(spawn(ask_as_nobody, NULL));
}

static const int context_commands[] = {
	PFM_WRITE_PMCS, PFM_WRITE_PMDS, PFM_READ_PMDS, PFM_START, PFM_STOP,
	PFM_RESTART, PFM_LOAD_CONTEXT, PFM_UNLOAD_CONTEXT, PFM_SET_FMT_ARG,
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

static bool is_known(int command)
{
	static const int others[] = {
		PFM_CREATE_CONTEXT, PFM_GETINFO_PMCS, PFM_GETINFO_PMDS,
		PFM_CREATE_EVTSETS, PFM_DELETE_EVTSETS, PFM_GETINFO_EVTSETS,
		PFM_SET_CONFIG, PFM_GET_CONFIG,
	};

	for (size_t i = 0; i < ARRAY_SIZE(context_commands); i++)
		if (command == context_commands[i])
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (command == others[i])
			return true;
	return false;
}

/* PMCs cannot be read: no command does so, and unknown numbers fail. */
/* Proves 2.2.2-01, 3.1-03 */
TEST(unknown_commands_are_invalid)
{
	static const int far[] = { -1, 1 << 16, INT_MIN, INT_MAX };
	int fd = ctx_new(0), known = 0;

	for (size_t i = 0; i < ARRAY_SIZE(far); i++)
		CHECK_ERRNO(perfmonctl(fd, far[i], NULL, 0), EINVAL);
	for (int command = 0; command <= 0xffff; command++) {
		if (is_known(command))
			known++;
		else
			CHECK_ERRNO(perfmonctl(fd, command, NULL, 0), EINVAL);
	}
	CHECK_EQ(known, 17);
}

/* Reserved fields */

/* The argument of any command */
union any {
	pfarg_ctx_t	ctx;
	pfarg_pmc_t	pmc;
	pfarg_pmd_t	pmd;
	pfarg_load_t	load;
	pfarg_start_t	start;
	pfarg_setdesc_t	setdesc;
	pfarg_setinfo_t	setinfo;
	pfarg_pmcinfo_t	info;
	pfarg_config_t	config;
};

struct reserved {
	int	command;
	size_t	offset;
	size_t	size;
};

#define RESERVED(command, type, field)					\
	{ command, offsetof(type, field), sizeof(((type *)0)->field) }

static const struct reserved reserved_fields[] = {
	RESERVED(PFM_CREATE_CONTEXT, pfarg_ctx_t, reserved),
	RESERVED(PFM_WRITE_PMCS, pfarg_pmc_t, reserved),
	RESERVED(PFM_WRITE_PMDS, pfarg_pmd_t, reserved),
	RESERVED(PFM_READ_PMDS, pfarg_pmd_t, reserved),
	RESERVED(PFM_GETINFO_PMCS, pfarg_pmcinfo_t, reserved),
	RESERVED(PFM_GETINFO_PMDS, pfarg_pmdinfo_t, reserved),
	RESERVED(PFM_CREATE_EVTSETS, pfarg_setdesc_t, reserved),
	RESERVED(PFM_DELETE_EVTSETS, pfarg_setdesc_t, reserved),
	RESERVED(PFM_GETINFO_EVTSETS, pfarg_setinfo_t, reserved),
	RESERVED(PFM_LOAD_CONTEXT, pfarg_load_t, reserved1),
	RESERVED(PFM_LOAD_CONTEXT, pfarg_load_t, reserved2),
	RESERVED(PFM_SET_CONFIG, pfarg_config_t, reserved1),
	RESERVED(PFM_SET_CONFIG, pfarg_config_t, reserved2),
	RESERVED(PFM_SET_CONFIG, pfarg_config_t, reserved3),
};

static const struct reserved reserved_of_start[] = {
	RESERVED(PFM_START, pfarg_start_t, reserved2),
	RESERVED(PFM_START, pfarg_start_t, reserved3),
};

/* Return a valid argument of a command; its reserved fields are 0. */
static union any good_argument(int command)
{
	union any arg = {};

	switch (command) {
	case PFM_WRITE_PMCS:
		arg.pmc.reg_value = PAGE_FAULTS;
		break;
	case PFM_LOAD_CONTEXT:
		arg.load.load_pid = thread_id();
		break;
	case PFM_DELETE_EVTSETS:
		arg.setdesc.set_id = 1;
		break;
	case PFM_SET_CONFIG:
		CHECK_OK(pfm_get_config(&arg.config));
		break;
	}
	return arg;
}

static void expect_bits_refused(int fd, const struct reserved *r)
{
	for (size_t bit = 0; bit < 8 * r->size; bit++) {
		union any arg = good_argument(r->command);

		((unsigned char *)&arg)[r->offset + bit / 8] = 1 << bit % 8;
		CHECK_ERRNO(perfmonctl(fd, r->command, &arg, 1), EINVAL);
	}
}

static void expect_accepted(int fd, int command)
{
	union any arg = good_argument(command);

	CHECK_EQ(perfmonctl(fd, command, &arg, 1), 0);
}

/* Proves 2.3.7-01, 3.1-08, P7-01, H13 */
TEST(each_bit_of_each_reserved_field_is_refused)
{
	int fd = ctx_new(0);

	ctx_create_set(fd, 1, 0);
	for (size_t i = 0; i < ARRAY_SIZE(reserved_fields); i++)
		expect_bits_refused(fd, &reserved_fields[i]);
	for (size_t i = 0; i < ARRAY_SIZE(reserved_fields); i++)
		if (reserved_fields[i].command != PFM_LOAD_CONTEXT)
			expect_accepted(fd, reserved_fields[i].command);
	expect_accepted(fd, PFM_LOAD_CONTEXT);
	for (size_t i = 0; i < ARRAY_SIZE(reserved_of_start); i++)
		expect_bits_refused(fd, &reserved_of_start[i]);
	ctx_expect_state(fd, "stopped");
	expect_accepted(fd, PFM_START);
}
