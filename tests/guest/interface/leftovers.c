// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * leftovers.c - a refused call leaves nothing behind
 *
 * Commands are called with bad arguments, with addresses that cannot be read or
 * written, in a wrong state, without permission, and at a limit.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "ctx.h"
#include "files.h"
#include "modules.h"
#include "params.h"
#include "refusals.h"
#include "smpl.h"
#include "users.h"
#include "worker.h"
#include "../../../examples/format_threshold/perfmon_threshold_smpl.h"

#define NOBODY	65534
#define FIRST_UID 100000
#define LIMIT	16	/* pages that may be locked */
#define FRONT	1	/* unmapped page before a buffer; also charged */
#define MANY	16	/* elements, more than perfmon keeps on the stack */
#define FAR	64	/* distance of set IDs: no two share an xarray node */
#define INSTRUCTIONS \
	PFM_PERF_EVENT(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS)
#define BUF_SIZE_MAX PFM_SYSFS "/smpl_buf_size_max"
#define CGROUP	"/sys/fs/cgroup/leftovers"

static size_t page(void)
{
	return sysconf(_SC_PAGESIZE);
}

/*
 * Check that this user can still lock LIMIT pages, by creating a buffer that
 * uses all of them.
 */
static void expect_all_memory(void)
{
	pfarg_ctx_t ctx;

	CHECK_OK(close(CHECK_OK(smpl_create(&ctx, 0, (LIMIT - FRONT) * page(),
					    0))));
	CHECK_ERRNO(smpl_create(&ctx, 0, LIMIT * page(), 0), ENOMEM);
}

/**
 * struct group - a group of calls that perfmon must refuse
 * @refuse: makes the calls; its argument is the group
 * @root:   a process of root, started before memory was limited
 * @other:  a process of another user
 */
struct group {
	void		(*refuse)(void *group);
	struct worker	root;
	struct worker	other;
};

static void refuse_within_limits(void *group)
{
	struct group *g = group;

	worker_start(&g->root);
	worker_start_as_nobody(&g->other);
	keep_caps(ALL_CAPS & ~CAP(CAP_IPC_LOCK));
	limit_locked_pages(LIMIT);
	refusals_leave_nothing(g->refuse, g);
	expect_all_memory();
	/*
	 * Check that both processes can still exec. For example, a refused load
	 * must not keep its target's exec_update_lock.
	 */
	worker_do(&g->root, WORK_EXEC, 0);
	worker_do(&g->other, WORK_EXEC, 0);
}

static void refuse_at_level_2(void *group)
{
	with_paranoid("2", refuse_within_limits, group);
}

static void leave_nothing(void (*refuse)(void *group))
{
	struct group g = { .refuse = refuse };
	char bytes[32];

	snprintf(bytes, sizeof(bytes), "%zu", (LIMIT - FRONT) * page());
	with_setting(BUF_SIZE_MAX, bytes, refuse_at_level_2, &g);
}

/*
 * Return an array of @n elements: copies of @good, and @last as the last
 * element. The array is valid until the next call.
 */
static void *elements(const void *good, const void *last, size_t size,
		      unsigned int n)
{
	static char *at;

	if (!at)
		at = mmap(NULL, page(), PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(at != MAP_FAILED && n * size <= page());
	CHECK_OK(mprotect(at, page(), PROT_READ | PROT_WRITE));
	for (unsigned int i = 0; i < n; i++)
		memcpy(at + i * size, i + 1 < n ? good : last, size);
	return at;
}

/*
 * Return an array of @n copies of @good that the kernel can read but not write.
 */
static void *read_only(const void *good, size_t size, unsigned int n)
{
	void *at = elements(good, good, size, n);

	CHECK_OK(mprotect(at, page(), PROT_READ));
	return at;
}

/* PFM_CREATE_CONTEXT */

static int create(const pfarg_ctx_t *ctx, const void *arg, size_t size)
{
	return pfm_create_context((pfarg_ctx_t *)ctx, (void *)arg, size);
}

/* Create a context while no descriptor is free. */
static int create_without_descriptor(int device)
{
	pfarg_ctx_t ctx = {};
	struct pfm_ioc ioc = { .arg = (uintptr_t)&ctx, .narg = 1 };
	struct rlimit old, none;
	int ret, error;

	CHECK_OK(getrlimit(RLIMIT_NOFILE, &old));
	none = (struct rlimit){ 0, old.rlim_max };
	CHECK_OK(setrlimit(RLIMIT_NOFILE, &none));
	ret = ioctl(device, PFM_IOC(PFM_CREATE_CONTEXT), &ioc);
	error = errno;
	CHECK_OK(setrlimit(RLIMIT_NOFILE, &old));
	errno = error;
	return ret;
}

static void be_refused(void *unused)
{
	const pfarg_ctx_t ctx = {};
	uid_t uid = FIRST_UID + getpid();

	become(uid, uid, 0);
	CHECK_ERRNO(create(read_only(&ctx, sizeof(ctx), 1), NULL, 0), EFAULT);
}

/*
 * Try to create a context in a new process of a new user. If a charge is left
 * behind, its references to the process and to the user keep the kernel from
 * freeing their memory, and the memory in use grows with each call.
 */
static int create_as_new_user(void)
{
	reap(spawn(be_refused, NULL));
	errno = EFAULT;
	return -1;
}

static void refuse_creation(void *unused)
{
	static const pfarg_ctx_t bad[] = {
		{ .ctx_flags = 1U << 31 },
		{ .ctx_flags = PFM_FL_SYSTEM_WIDE | PFM_FL_NOTIFY_BLOCK },
		{ .ctx_flags = PFM_FL_SYSTEM_WIDE | PFM_FL_MAP_SETS },
		{ .ctx_smpl_buf_id = { 0x12, 0x34, 0x56 } },
		{ .reserved = { 1 } },
	};
	static const __u32 flags[] = {
		0, PFM_FL_SYSTEM_WIDE, PFM_FL_NOTIFY_BLOCK, PFM_FL_MAP_SETS,
	};
	int device = CHECK_OK(open(PFM_DEVICE, O_RDWR));
	pfarg_ctx_t ctx = {};

	REFUSED(perfmonctl(0, PFM_CREATE_CONTEXT, &ctx, 2), EINVAL);
	REFUSED(create(BAD_ADDRESS, NULL, 0), EFAULT);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		REFUSED(create(&bad[i], NULL, 0), EINVAL);
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		ctx.ctx_flags = flags[i];
		REFUSED(create(read_only(&ctx, sizeof(ctx), 1), NULL, 0),
			EFAULT);
	}
	REFUSED(create_as_new_user(), EFAULT);
	REFUSED(create_without_descriptor(device), EMFILE);
	/* Each set that can be mapped needs a page. */
	limit_locked_pages(0);
	ctx.ctx_flags = PFM_FL_MAP_SETS;
	REFUSED(create(&ctx, NULL, 0), ENOMEM);
}

/* Proves 3.1.1-27, H04, H13 */
TEST(refused_creation_leaves_nothing)
{
	leave_nothing(refuse_creation);
}

static void refuse_creation_with_format(void *unused)
{
	const pfm_default_smpl_arg_t arg = { .buf_size = page() };
	const pfarg_ctx_t good = { .ctx_smpl_buf_id = PFM_DFL_SMPL_UUID };
	const pfarg_ctx_t none = {};
	pfarg_ctx_t ctx;

	REFUSED(create(&none, &arg, sizeof(arg)), EINVAL);
	REFUSED(create(&good, BAD_ADDRESS, sizeof(arg)), EFAULT);
	REFUSED(create(&good, NULL, 0), EINVAL);
	REFUSED(create(&good, &arg, sizeof(arg) - 1), EINVAL);
	REFUSED(create(&good, elements(&arg, &arg, sizeof(arg), 2),
		       2 * sizeof(arg)), E2BIG);
	REFUSED(create(&good, &arg, page() + 1), E2BIG);
	REFUSED(create(read_only(&good, sizeof(good), 1), &arg, sizeof(arg)),
		EFAULT);
	/*
	 * These buffer sizes are refused: too small for the format, above
	 * smpl_buf_size_max, and more than the machine's memory.
	 */
	REFUSED(smpl_create(&ctx, 0, 8, 0), EINVAL);
	REFUSED(smpl_create(&ctx, 0, LIMIT * page(), 0), ENOMEM);
	REFUSED(smpl_create(&ctx, 0, 1ULL << 62, 0), ENOMEM);
	/* Lock one page, so that the next buffer is one page too large. */
	CHECK_OK(mlock(elements(&good, &good, sizeof(good), 1), 1));
	REFUSED(smpl_create(&ctx, 0, (LIMIT - FRONT) * page(), 0), ENOMEM);
}

/* Proves 3.1.1-27, H04, H13 */
TEST(refused_sampling_context_leaves_nothing)
{
	leave_nothing(refuse_creation_with_format);
}

static int create_odd(void)
{
	const pfarg_ctx_t ctx = { .ctx_smpl_buf_id = ODD_UUID };

	return create(&ctx, NULL, 0);
}

static void refuse_odd_format(void *error)
{
	REFUSED(create_odd(), *(int *)error);
}

static void leave_nothing_of_odd_format(void *error)
{
	refusals_leave_nothing(refuse_odd_format, error);
}

/*
 * Load the test format "odd" with @parameters. The format or the core must
 * refuse to create a context.
 */
static void expect_odd_refused(const char *parameters, int error)
{
	CHECK_OK(module_insert_with(ODD, parameters));
	with_setting(BUF_SIZE_MAX, "0xffffffffffffffff",
		     leave_nothing_of_odd_format, &error);
	CHECK_OK(module_unload(MODULE_ODD));
}

/* Proves H04 */
TEST(context_refused_by_format_leaves_nothing)
{
	expect_odd_refused("validate=-13", EACCES);
	expect_odd_refused("area_size=1", EINVAL);
	expect_odd_refused("buf_size=8192 init=-13", EACCES);
	/* The buffer can be allocated, but its private area is too large. */
	expect_odd_refused("buf_size=8192 area_size=0x4000000000000", ENOMEM);
}

/* Vectors */

static void refuse_addresses(int fd, int command, const void *good, size_t size)
{
	static const unsigned int numbers[] = { 1, MANY };

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		unsigned int n = numbers[i];

		REFUSED(perfmonctl(fd, command, BAD_ADDRESS, n), EFAULT);
		REFUSED(perfmonctl(fd, command, read_only(good, size, n), n),
			EFAULT);
	}
}

/*
 * Issue a vector command with bad addresses, bad lengths and a bad element,
 * which perfmon must refuse.
 */
static void refuse_vectors(int fd, int command, const void *good,
			   const void *bad, size_t size)
{
	refuse_addresses(fd, command, good, size);
	REFUSED(perfmonctl(fd, command, elements(good, good, size, 1), 0),
		EINVAL);
	REFUSED(perfmonctl(fd, command, elements(good, good, size, 1),
			   page() / size + 1), EFAULT);
	REFUSED(perfmonctl(fd, command, elements(good, bad, size, 1), 1),
		EINVAL);
	REFUSED(perfmonctl(fd, command, elements(good, bad, size, MANY), MANY),
		EINVAL);
}

/* Registers */

static void refuse_pmcs(int fd)
{
	const pfarg_pmc_t good = counter(0, 0, 0).pmc;
	pfarg_pmc_t bad[6];

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		bad[i] = good;
	bad[0].reg_num = PFM_MAX_PMCS;
	bad[1].reg_set = 9;
	bad[2].reg_flags = 1U << 15;
	bad[3].reg_value = NO_SUCH_EVENT;
	pfm_bv_set(bad[4].reg_smpl_pmds, PFM_MAX_PMDS - 1);
	pfm_bv_set(bad[5].reg_reset_pmds, PFM_MAX_PMDS - 1);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		refuse_vectors(fd, PFM_WRITE_PMCS, &good, &bad[i],
			       sizeof(good));
}

static void refuse_pmds(int fd)
{
	const pfarg_pmd_t good = {};
	const pfarg_pmd_t bad[] = {
		{ .reg_num = PFM_MAX_PMDS },
		{ .reg_set = 9 },
		{ .reg_flags = 1U << 15 },
		{ .reserved = { 1 } },
	};
	const pfarg_pmd_t tid = { .reg_num = PFM_PMD_TID };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		refuse_vectors(fd, PFM_WRITE_PMDS, &good, &bad[i],
			       sizeof(good));
		refuse_vectors(fd, PFM_READ_PMDS, &good, &bad[i],
			       sizeof(good));
	}
	refuse_vectors(fd, PFM_WRITE_PMDS, &good, &tid, sizeof(good));
}

static void refuse_registers(void *unused)
{
	int fd = ctx_new(0);

	refuse_pmcs(fd);
	refuse_pmds(fd);
	ctx_start_on(fd, thread_id());
	refuse_pmcs(fd);
	refuse_pmds(fd);
}

/* Proves H04, H13 */
TEST(refused_register_access_leaves_nothing)
{
	leave_nothing(refuse_registers);
}

/* Event sets */

static void refuse_sets(void *unused)
{
	const pfarg_setdesc_t good = { .set_id = 1 };
	const pfarg_setdesc_t bad[] = {
		{ .set_id = 2, .set_flags = 1U << 15 },
		{ .set_id = 2, .reserved = { 1 } },
		{ .set_id = 2, .set_flags = PFM_SETFL_TIME_SWITCH |
					    PFM_SETFL_OVFL_SWITCH },
		{ .set_id = 2, .set_flags = PFM_SETFL_TIME_SWITCH,
		  .set_timeout.tv_nsec = -1 },
	};
	const pfarg_setdesc_t set0 = {}, none = { .set_id = 9 };
	int fd = ctx_new(PFM_FL_MAP_SETS);

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		refuse_vectors(fd, PFM_CREATE_EVTSETS, &good, &bad[i],
			       sizeof(good));
	REFUSED(pfm_delete_evtsets(fd, elements(&set0, &set0, sizeof(set0), 1),
				   1), EINVAL);
	REFUSED(pfm_delete_evtsets(fd, elements(&none, &none, sizeof(none), 1),
				   1), EINVAL);
	REFUSED(pfm_delete_evtsets(fd, BAD_ADDRESS, 1), EFAULT);
	REFUSED(pfm_delete_evtsets(fd, NULL, 0), EINVAL);
	ctx_load_self(fd);
	REFUSED(ctx_try_set(fd, 2), EBUSY);
	REFUSED(pfm_delete_evtsets(fd, elements(&good, &good, sizeof(good), 1),
				   1), EBUSY);
}

static int delete_read_only(int fd)
{
	const pfarg_setdesc_t desc = { .set_id = 1 };

	ctx_create_set(fd, 1, 0);
	return pfm_delete_evtsets(fd, read_only(&desc, sizeof(desc), 1), 1);
}

static void refuse_set_queries(void *unused)
{
	const pfarg_setinfo_t good = {};
	const pfarg_setinfo_t bad[] = {
		{ .set_id = 9 },
		{ .set_flags = 1 },
		{ .reserved = { 1 } },
	};
	int fd = ctx_new(0);

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		refuse_vectors(fd, PFM_GETINFO_EVTSETS, &good, &bad[i],
			       sizeof(good));
	REFUSED(delete_read_only(fd), EFAULT);
}

/* Proves H04, H13 */
TEST(refused_event_set_leaves_nothing)
{
	leave_nothing(refuse_sets);
	leave_nothing(refuse_set_queries);
}

/*
 * Create sets until the memory limit is reached. Return: the ID of the refused
 * set.
 */
static unsigned int fill(int fd)
{
	unsigned int id = FAR;

	while (!ctx_try_set(fd, id))
		id += FAR;
	CHECK_EQ(errno, ENOMEM);
	return id;
}

/*
 * Add PMDs to all sets until the memory limit is reached. Return: the refused
 * PMD.
 */
static pfarg_pmd_t fill_sets(int fd)
{
	pfarg_pmd_t pmd = { .reg_set = FAR };

	while (!pfm_write_pmds(fd, &pmd, 1))
		if (++pmd.reg_num == 16)
			pmd = (pfarg_pmd_t){ .reg_set = pmd.reg_set + FAR };
	CHECK_EQ(errno, ENOMEM);
	return pmd;
}

static int write_pmc(int fd, const pfarg_pmd_t *of, __u64 smpl_pmds)
{
	pfarg_pmc_t pmc = counter(of->reg_num, 0, 0).pmc;

	pmc.reg_set = of->reg_set;
	pmc.reg_smpl_pmds[0] = smpl_pmds;
	return pfm_write_pmcs(fd, &pmc, 1);
}

static int write_config(int fd, unsigned int set)
{
	pfarg_pmc_t pmc = { .reg_num = 64, .reg_set = set, .reg_value = 1 };

	return pfm_write_pmcs(fd, &pmc, 1);
}

/*
 * Create sets and registers until the memory limit is reached, and delete the
 * sets. Check that no charge remains, although charges are rounded up to pages.
 */
static void refuse_beyond_limit(__u32 flags, unsigned int counters)
{
	int fd = ctx_new(flags);
	long before = charged_to(getpid());
	unsigned int refused;
	pfarg_pmd_t pmd;

	/*
	 * @counters varies, so that the limit is reached at different
	 * allocations.
	 */
	ctx_create_set(fd, 1, 0);
	for (unsigned int n = 0; n < counters; n++)
		ctx_add_set_counter(fd, 1, n, 0, 0, 0);
	refused = fill(fd);
	REFUSED(ctx_try_set(fd, refused), ENOMEM);
	pmd = fill_sets(fd);
	REFUSED(pfm_write_pmds(fd, &pmd, 1), ENOMEM);
	REFUSED(write_pmc(fd, &pmd, 0), ENOMEM);
	REFUSED(write_pmc(fd, &pmd, 0xffff), ENOMEM);
	REFUSED(write_config(fd, pmd.reg_set), ENOMEM);
	ctx_delete_set(fd, 1);
	for (unsigned int id = FAR; id < refused; id += FAR)
		ctx_delete_set(fd, id);
	CHECK_EQ(charged_to(getpid()), before);
	CHECK_OK(close(fd));
}

static void refuse_beyond_limits(void *unused)
{
	for (unsigned int n = 0; n < 8; n++) {
		refuse_beyond_limit(0, n);
		refuse_beyond_limit(PFM_FL_MAP_SETS, n);
	}
}

/* Proves H04, H15 */
TEST(set_refused_at_memory_limit_leaves_nothing)
{
	leave_nothing(refuse_beyond_limits);
}

/* Attaching */

static void exit_at_once(void *unused)
{
}

static void sleep_on(void *unused)
{
	pause();
}

/* Attach to a thread that has exited. */
static int load_on_zombie(int fd)
{
	pid_t child = spawn(exit_at_once, NULL);
	siginfo_t info;
	int ret, error;

	CHECK_OK(waitid(P_PID, child, &info, WEXITED | WNOWAIT));
	ret = ctx_try_load(fd, child);
	error = errno;
	reap(child);
	errno = error;
	return ret;
}

/*
 * Call a function with the ID of a new process, and kill the process. If the
 * call leaves a reference to the process, the process's memory is not freed.
 */
static int on_child(int (*call)(int fd, pid_t child), int fd)
{
	pid_t child = spawn(sleep_on, NULL);
	int ret, error;

	ret = call(fd, child);
	error = errno;
	CHECK_OK(kill(child, SIGKILL));
	wait_for(child);
	errno = error;
	return ret;
}

static int load_unknown_set(int fd, pid_t child)
{
	pfarg_load_t load = { .load_pid = child, .load_set = 9 };

	return pfm_load_context(fd, &load);
}

static int load_second_context(int fd, pid_t child)
{
	int first = ctx_new(0), ret, error;

	ctx_load(first, child);
	ret = ctx_try_load(fd, child);
	error = errno;
	CHECK_OK(close(first));
	errno = error;
	return ret;
}

static void refuse_loads_of_busy_threads(const struct worker *w)
{
	int fd = ctx_counting(), other = ctx_new(0);
	int blocking = ctx_new(PFM_FL_NOTIFY_BLOCK);
	int cpu = ctx_new(PFM_FL_SYSTEM_WIDE);

	ctx_load_self(fd);
	REFUSED(ctx_try_load(fd, thread_id()), EBUSY);
	REFUSED(ctx_try_load(other, thread_id()), EBUSY);
	REFUSED(ctx_try_load(cpu, thread_id()), EBUSY);
	ctx_load(other, w->pid);
	REFUSED(ctx_try_load(blocking, w->pid), EBUSY);
	CHECK_OK(close(fd));
	CHECK_OK(close(other));
	ctx_load_self(cpu);
	REFUSED(ctx_try_load(blocking, w->pid), EBUSY);
}

static void refuse_loads(void *group)
{
	const struct group *g = group;
	const pfarg_load_t bad[] = {
		{ .load_pid = thread_id(), .load_set = 9 },
		{ .load_pid = thread_id(), .reserved1 = 1 },
		{ .load_pid = thread_id(), .reserved2 = { 1 } },
	};
	int blocking = ctx_new(PFM_FL_NOTIFY_BLOCK);
	int cpu = ctx_new(PFM_FL_SYSTEM_WIDE);
	int fd = ctx_counting();

	REFUSED(perfmonctl(fd, PFM_LOAD_CONTEXT, (void *)bad, 2), EFAULT);
	REFUSED(pfm_load_context(fd, BAD_ADDRESS), EFAULT);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		REFUSED(pfm_load_context(fd, (pfarg_load_t *)&bad[i]), EINVAL);
	REFUSED(ctx_try_load(fd, -1), ESRCH);
	REFUSED(ctx_try_load(blocking, thread_id()), EINVAL);
	REFUSED(ctx_try_load(cpu, g->root.pid), EINVAL);
	REFUSED(load_on_zombie(fd), ESRCH);
	REFUSED(on_child(load_unknown_set, fd), EINVAL);
	REFUSED(on_child(load_unknown_set, blocking), EINVAL);
	REFUSED(on_child(load_second_context, fd), EBUSY);
	refuse_loads_of_busy_threads(&g->root);
}

/* Proves H04, H13 */
TEST(refused_load_leaves_nothing)
{
	leave_nothing(refuse_loads);
}

/* Families */

static void refuse_families(void *unused)
{
	static const __u32 others[] = {
		PFM_FL_SYSTEM_WIDE, PFM_FL_NOTIFY_BLOCK, PFM_FL_MAP_SETS,
	};
	const pfm_default_smpl_arg_t arg = { .buf_size = page() };
	const pfarg_ctx_t plain = { .ctx_flags = PFM_FL_INHERIT };
	const pfarg_ctx_t sampling = { .ctx_flags = PFM_FL_INHERIT,
				       .ctx_smpl_buf_id = PFM_DFL_SMPL_UUID };
	pfarg_ctx_t ctx;
	int fd;

	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		ctx = plain;
		ctx.ctx_flags |= others[i];
		REFUSED(create(&ctx, NULL, 0), EINVAL);
	}
	REFUSED(create(read_only(&plain, sizeof(plain), 1), NULL, 0), EFAULT);
	REFUSED(create(read_only(&sampling, sizeof(sampling), 1), &arg,
		       sizeof(arg)), EFAULT);
	REFUSED(smpl_create(&ctx, PFM_FL_INHERIT, 8, 0), EINVAL);
	REFUSED(smpl_create(&ctx, PFM_FL_INHERIT, LIMIT * page(), 0), ENOMEM);
	CHECK_OK(smpl_create(&ctx, PFM_FL_INHERIT, page(), 0));
	fd = ctx.ctx_fd;
	REFUSED(ctx_try_set(fd, 1), EOPNOTSUPP);
	REFUSED(pfm_restart(fd), EBUSY);
	REFUSED(on_child(load_unknown_set, fd), EINVAL);
	REFUSED(on_child(load_second_context, fd), EBUSY);
	ctx_load_self(fd);
	REFUSED(ctx_try_load(fd, thread_id()), EBUSY);
}

/* Proves H04, H13 */
TEST(refused_family_leaves_nothing)
{
	const pfarg_ctx_t family = { .ctx_flags = PFM_FL_INHERIT };

	if (create(read_only(&family, sizeof(family), 1), NULL, 0) < 0 &&
	    errno == EOPNOTSUPP)
		check_skip("perfmon does not support families on PREEMPT_RT");
	leave_nothing(refuse_families);
}

/* Control groups */

static int load_group(int fd, int group, __u16 set)
{
	pfarg_load_t load = { .load_pid = thread_id(), .load_set = set,
			      .load_flags = PFM_LOADFL_CGROUP,
			      .load_cgroup = group };

	return pfm_load_context(fd, &load);
}

static int open_group(const char *path)
{
	return CHECK_OK(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

static void refuse_groups(void *unused)
{
	int group = open_group(CGROUP "/monitored"), removed;
	int fd = ctx_new(PFM_FL_SYSTEM_WIDE), of_thread = ctx_counting();

	CHECK_OK(mkdir(CGROUP "/removed", 0755));
	removed = open_group(CGROUP "/removed");
	remove_cgroup(CGROUP "/removed");
	ctx_pin(0);
	REFUSED(load_group(fd, -1, 0), EBADF);
	REFUSED(load_group(fd, removed, 0), ENOENT);
	REFUSED(load_group(fd, group, 9), EINVAL);
	REFUSED(load_group(of_thread, group, 0), EINVAL);
	ctx_load_self(ctx_new(PFM_FL_SYSTEM_WIDE));
	REFUSED(load_group(fd, group, 0), EBUSY);
}

/* A reference to a removed group would keep the kernel from freeing it. */
/* Proves H04 */
TEST(refused_control_group_leaves_nothing)
{
	CHECK_OK(mkdir(CGROUP, 0755));
	CHECK_OK(mkdir(CGROUP "/monitored", 0755));
	leave_nothing(refuse_groups);
	remove_cgroup(CGROUP "/monitored");
	while (!file_has(CGROUP "/cgroup.stat", "nr_dying_descendants 0"))
		sched_yield();
	remove_cgroup(CGROUP);
}

/* An x86 CPU has breakpoints for at most 4 addresses. */
#define WATCHED	4

static void watch(int fd, unsigned int set, unsigned int n)
{
	static __u32 watched;
	pfarg_pmc_t pmcs[] = {
		{ .reg_num = 64 + n, .reg_set = set,
		  .reg_value = (uintptr_t)&watched },
		{ .reg_num = 128 + n, .reg_set = set,
		  .reg_value = HW_BREAKPOINT_LEN_4 },
		{ .reg_num = n, .reg_set = set,
		  .reg_value = PFM_PERF_EXCL_KERNEL |
			       PFM_PERF_EVENT(PERF_TYPE_BREAKPOINT,
					      HW_BREAKPOINT_W) },
	};

	CHECK_OK(pfm_write_pmcs(fd, pmcs, ARRAY_SIZE(pmcs)));
}

/*
 * Create a context with two sets that together need one breakpoint more than a
 * CPU has.
 */
static int watch_too_much(__u32 flags)
{
	int fd = ctx_new(flags);

	ctx_create_set(fd, 1, 0);
	for (unsigned int n = 0; n < WATCHED - 1; n++)
		watch(fd, 0, n);
	watch(fd, 1, 0);
	watch(fd, 1, 1);
	return fd;
}

static void refuse_breakpoints(void *group)
{
	const struct group *g = group;
	int fd = watch_too_much(0);
	int blocking = watch_too_much(PFM_FL_NOTIFY_BLOCK);
	int enough = ctx_new(0);

	REFUSED(ctx_try_load(fd, thread_id()), EINVAL);
	REFUSED(ctx_try_load(blocking, g->root.pid), EINVAL);
	for (unsigned int n = 0; n < WATCHED; n++)
		watch(enough, 0, n);
	/* All breakpoints must still be available. */
	ctx_load_self(enough);
}

/* Proves H04 */
TEST(load_refused_by_pmu_leaves_no_event)
{
#ifndef __x86_64__
	check_skip("perfmon has breakpoints on x86_64 only");
#endif
	leave_nothing(refuse_breakpoints);
}

/* Commands on a context */

static void refuse_starts(int fd)
{
	static const pfarg_start_t bad[] = {
		{ .start_set = 9 },
		{ .start_flags = 2 },
		{ .reserved2 = 1 },
		{ .reserved3 = { 1 } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		REFUSED(pfm_start(fd, (pfarg_start_t *)&bad[i]), EINVAL);
	REFUSED(pfm_start(fd, BAD_ADDRESS), EFAULT);
	REFUSED(perfmonctl(fd, PFM_START, (void *)bad, 2), EFAULT);
}

static void refuse_unloaded(int fd)
{
	REFUSED(pfm_start(fd, NULL), EBUSY);
	REFUSED(pfm_stop(fd), EBUSY);
	REFUSED(pfm_restart(fd), EBUSY);
	REFUSED(pfm_unload_context(fd), EBUSY);
}

/*
 * Issue commands with a descriptor that does not belong to a context, commands
 * with bad arguments, and a command that a context does not have. perfmon must
 * refuse all of them.
 */
static void refuse_descriptors(int fd)
{
	static const int commands[] = {
		PFM_WRITE_PMCS, PFM_WRITE_PMDS, PFM_READ_PMDS, PFM_START,
		PFM_STOP, PFM_RESTART, PFM_LOAD_CONTEXT, PFM_UNLOAD_CONTEXT,
		PFM_CREATE_EVTSETS, PFM_DELETE_EVTSETS, PFM_GETINFO_EVTSETS,
		PFM_SET_FMT_ARG,
	};
	int device = CHECK_OK(open(PFM_DEVICE, O_RDWR));
	struct pfm_ioc ioc = { .reserved = 1 };

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		REFUSED(perfmonctl(device, commands[i], NULL, 1), EBADF);
		REFUSED(ioctl(fd, PFM_IOC(commands[i]), &ioc), EINVAL);
		REFUSED(ioctl(fd, PFM_IOC(commands[i]), BAD_ADDRESS), EFAULT);
	}
	REFUSED(ioctl(fd, PFM_IOC(PFM_CREATE_CONTEXT), &(struct pfm_ioc){}),
		ENOTTY);
}

static void refuse_commands(void *unused)
{
	int fd = ctx_notifying(0, 1000);

	refuse_unloaded(fd);
	refuse_descriptors(fd);
	ctx_load_self(fd);
	refuse_starts(fd);
	CHECK_OK(pfm_start(fd, NULL));
	refuse_starts(fd);
	CHECK_OK(pfm_unload_context(fd));
	refuse_unloaded(fd);
}

/* Proves H04, H13 */
TEST(refused_command_leaves_nothing)
{
	leave_nothing(refuse_commands);
}

static void refuse_start_without_counter(void *unused)
{
	int fd = ctx_new(0);

	for (unsigned int n = 0; n < 16; n++) {
		pfarg_pmc_t pmc = { .reg_num = n, .reg_value = INSTRUCTIONS };

		CHECK_OK(pfm_write_pmcs(fd, &pmc, 1));
	}
	ctx_load_self(fd);
	REFUSED(pfm_start(fd, NULL), EBUSY);
}

/* Proves H04 */
TEST(start_refused_without_counter_leaves_nothing)
{
	struct counter c = counter(0, 0, 0);

	c.pmc.reg_value = INSTRUCTIONS;
	if (pfm_write_pmcs(ctx_new(0), &c.pmc, 1))
		check_skip("needs a hardware PMU");
	leave_nothing(refuse_start_without_counter);
}

static void refuse_arguments(void *unused)
{
	static const pfm_uuid_t uuid = PFM_THRESHOLD_SMPL_UUID;
	pfm_threshold_smpl_arg_t arg = {
		.sink = { .buf_size = 4 * page(), .num_regions = 1 },
	};
	const size_t size = sizeof(arg);
	int plain = ctx_new(0), fixed = smpl_new(0, page(), 0).fd;
	int fd = mapped_new(uuid, 0, &arg, size).fd;

	REFUSED(pfm_set_fmt_arg(plain, &arg, size), EINVAL);
	REFUSED(pfm_set_fmt_arg(fixed, &arg, size), EOPNOTSUPP);
	REFUSED(pfm_set_fmt_arg(fd, elements(&arg, &arg, size, 2), 2 * size),
		E2BIG);
	REFUSED(pfm_set_fmt_arg(fd, &arg, size - 1), EINVAL);
	REFUSED(pfm_set_fmt_arg(fd, BAD_ADDRESS, size), EFAULT);
	ctx_start_on(fd, thread_id());
	arg.sink.num_regions = 2;
	REFUSED(pfm_set_fmt_arg(fd, &arg, size), EOPNOTSUPP);
	arg.sink.num_regions = PFM_SINK_MAX_REGIONS + 1;
	REFUSED(pfm_set_fmt_arg(fd, &arg, size), EINVAL);
}

/* Proves H04, H13 */
TEST(refused_format_argument_leaves_nothing)
{
	leave_nothing(refuse_arguments);
}

/* Commands without a context */

static void refuse_queries(void *unused)
{
	const pfarg_pmcinfo_t pmc = {};
	const pfarg_pmdinfo_t pmd = {};
	const pfarg_pmcinfo_t bad_pmc = { .reg_num = PFM_MAX_PMCS };
	const pfarg_pmdinfo_t bad_pmd = { .reg_num = PFM_MAX_PMDS };
	pfarg_config_t cfg, bad;

	refuse_vectors(0, PFM_GETINFO_PMCS, &pmc, &bad_pmc, sizeof(pmc));
	refuse_vectors(0, PFM_GETINFO_PMDS, &pmd, &bad_pmd, sizeof(pmd));
	CHECK_OK(pfm_get_config(&cfg));
	REFUSED(pfm_get_config(BAD_ADDRESS), EFAULT);
	REFUSED(pfm_get_config(read_only(&cfg, sizeof(cfg), 1)), EFAULT);
	REFUSED(perfmonctl(0, PFM_GET_CONFIG, &cfg, 2), EFAULT);
	REFUSED(pfm_set_config(BAD_ADDRESS), EFAULT);
	REFUSED(perfmonctl(0, PFM_SET_CONFIG, &cfg, 2), EFAULT);
	bad = cfg;
	bad.cf_arg_size_max = page() - 1;
	REFUSED(pfm_set_config(&bad), EINVAL);
	bad = cfg;
	bad.cf_flags = 1;
	REFUSED(pfm_set_config(&bad), EINVAL);
}

/* Proves H04, H13 */
TEST(refused_query_leaves_nothing)
{
	leave_nothing(refuse_queries);
}

/* Permission */

struct protected {
	int	fd;	/* attached by root, who may monitor the kernel */
	pid_t	root;	/* a process of root */
};

static int write_event(int fd)
{
	pfarg_pmc_t pmc = { .reg_num = 1, .reg_value = PAGE_FAULTS };

	return pfm_write_pmcs(fd, &pmc, 1);
}

/*
 * Keep CAP_DAC_OVERRIDE, which REFUSED() needs to read files. perfmon ignores
 * this capability.
 */
static void refuse_to_nobody(void *arg)
{
	const struct protected *p = arg;
	pfarg_ctx_t cpu = { .ctx_flags = PFM_FL_SYSTEM_WIDE };
	pfarg_config_t cfg;
	int fd;

	CHECK_OK(pfm_get_config(&cfg));
	become(NOBODY, NOBODY, CAP(CAP_DAC_OVERRIDE));
	fd = ctx_new(0);
	REFUSED(create(&cpu, NULL, 0), EPERM);
	REFUSED(pfm_set_config(&cfg), EPERM);
	REFUSED(ctx_try_load(fd, p->root), EPERM);
	REFUSED(ctx_try_load(fd, 2), EPERM);
	REFUSED(write_event(p->fd), EPERM);
}

static int write_to_child(int fd, pid_t child)
{
	int ret, error;

	ctx_load(fd, child);
	CHECK_OK(seteuid(NOBODY));
	ret = write_event(fd);
	error = errno;
	CHECK_OK(seteuid(0));
	CHECK_OK(pfm_unload_context(fd));
	errno = error;
	return ret;
}

static void refuse_without_permission(void *group)
{
	const struct group *g = group;
	struct protected p = { .fd = ctx_counting(), .root = g->root.pid };
	int fd = ctx_counting();

	ctx_load(p.fd, g->other.pid);
	reap(spawn(refuse_to_nobody, &p));
	REFUSED(on_child(write_to_child, fd), EPERM);
}

/* Proves H04, H17 */
TEST(call_without_permission_leaves_nothing)
{
	leave_nothing(refuse_without_permission);
}

/* read() and mmap() */

static int try_map(int fd, size_t size, int prot, off_t offset)
{
	void *at = mmap(NULL, size, prot, MAP_SHARED, fd, offset);

	return at == MAP_FAILED ? -1 : 0;
}

static void refuse_mappings(void *unused)
{
	struct smpl s = smpl_new(PFM_FL_MAP_SETS, page(), 0);
	int plain = ctx_new(0);

	REFUSED(try_map(s.fd, page(), PROT_READ, 0), EBUSY);
	CHECK_OK(munmap((void *)s.hdr, s.size));
	REFUSED(try_map(s.fd, page(), PROT_READ | PROT_WRITE, 0), EINVAL);
	REFUSED(try_map(s.fd, 2 * page(), PROT_READ, 0), EINVAL);
	REFUSED(try_map(s.fd, 2 * page(), PROT_READ, page()), EINVAL);
	REFUSED(try_map(s.fd, page(), PROT_READ, 9 * page()), EINVAL);
	REFUSED(try_map(plain, page(), PROT_READ, 0), EINVAL);
}

static void refuse_reads(void *unused)
{
	int fd = ctx_new(0);
	pfm_msg_t msg;

	CHECK_OK(fcntl(fd, F_SETFL, O_NONBLOCK));
	REFUSED(read(fd, &msg, sizeof(msg)), EAGAIN);
	REFUSED(read(fd, &msg, sizeof(msg) - 1), EINVAL);
	ctx_add_counter(fd, 0, PFM_REGFL_OVFL_NOTIFY, 1);
	ctx_start_on(fd, thread_id());
	elements(&msg, &msg, sizeof(msg), 1);
	CHECK(is_readable(fd));
	REFUSED(read(fd, read_only(&msg, sizeof(msg), 1), sizeof(msg)), EFAULT);
	ctx_expect_message(fd, PFM_MSG_OVFL);
}

/* Proves H01, H04 */
TEST(refused_mapping_or_read_leaves_nothing)
{
	leave_nothing(refuse_mappings);
	leave_nothing(refuse_reads);
}
