// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * nomemory.c - make each call again and again, while a different allocation or
 * user copy fails each time
 *
 * A call whose n-th request (allocation or copy) fails must either succeed
 * without it, or return the matching error and change nothing, so that the same
 * call then succeeds. n is 1, 2 and so on, until the call makes fewer than n
 * requests. Calls whose requests may depend on the format are made with a
 * context of each kind (harness/kinds.h).
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "ctx.h"
#include "failnth.h"
#include "faults.h"
#include "kinds.h"
#include "params.h"
#include "worker.h"

#define LIMIT		5000	/* maximum number of requests of a call */
#define FAULTS		64	/* page faults that fill any kind of buffer */

/**
 * struct subject - what a call works on
 * @kind: kind of the context, or NULL if it has no format
 * @arg:  the format's argument
 * @arg_size: size of the argument, or 0
 * @fd:   the context's descriptor
 * @size: size of the context's buffer, or 0
 * @map:  the buffer, once mapped
 * @tid:  thread to load the context onto
 */
struct subject {
	const struct kind *kind;
	__u64		arg[8];
	size_t		arg_size;
	int		fd;
	size_t		size;
	void		*map;
	pid_t		tid;
};

/**
 * struct call - a call, and the state before and after it
 * @name:  for messages
 * @flags: flags of the context that the call needs, or NO_CONTEXT
 * @state: state of the context before the call and after a failure, or NULL
 * @enter: bring the context into @state, or NULL
 * @call:  make the call. Return: -1 with errno on failure
 * @leave: undo a successful call, or NULL
 */
struct call {
	const char	*name;
	__u32		flags;
	const char	*state;
	void		(*enter)(struct subject *s);
	long		(*call)(void *subject);
	void		(*leave)(struct subject *s);
};

#define NO_CONTEXT	(1U << 31)

static const char *name_of(const struct subject *s)
{
	return s->kind ? s->kind->name : "no format";
}

/* The calls */

static long create_flagged(struct subject *s, __u32 flags)
{
	pfarg_ctx_t ctx = { .ctx_flags = flags };

	if (s->kind)
		memcpy(ctx.ctx_smpl_buf_id, s->kind->uuid, sizeof(pfm_uuid_t));
	s->fd = pfm_create_context(&ctx, s->arg_size ? s->arg : NULL,
				   s->arg_size);
	s->size = ctx.ctx_smpl_buf_size;
	return s->fd;
}

static long call_create(void *subject)
{
	return create_flagged(subject, 0);
}

static long call_create_family(void *subject)
{
	return create_flagged(subject, PFM_FL_INHERIT);
}

static void leave_create(struct subject *s)
{
	CHECK_OK(close(s->fd));
}

static long call_map(void *subject)
{
	struct subject *s = subject;

	if (!s->size)
		return 0;
	s->map = mmap(NULL, s->size, PROT_READ, MAP_SHARED, s->fd, 0);
	return s->map == MAP_FAILED ? -1 : 0;
}

static void leave_map(struct subject *s)
{
	if (s->size)
		CHECK_OK(munmap(s->map, s->size));
}

static long call_write_pmcs(void *subject)
{
	const struct subject *s = subject;
	struct counter c[2] = { counter(0, PFM_REGFL_OVFL_NOTIFY, 1),
				counter(1, 0, 0) };
	pfarg_pmc_t pmcs[2] = { c[0].pmc, c[1].pmc };

	pfm_bv_set(pmcs[0].reg_smpl_pmds, 1);
	pfm_bv_set(pmcs[0].reg_reset_pmds, 1);
	return pfm_write_pmcs(s->fd, pmcs, 2);
}

static long call_write_pmds(void *subject)
{
	const struct subject *s = subject;
	struct counter c[2] = { counter(0, PFM_REGFL_OVFL_NOTIFY, 1),
				counter(1, 0, 0) };
	pfarg_pmd_t pmds[2] = { c[0].pmd, c[1].pmd };

	return pfm_write_pmds(s->fd, pmds, 2);
}

static long call_read_pmds(void *subject)
{
	const struct subject *s = subject;
	pfarg_pmd_t pmds[2] = { { .reg_num = 0 }, { .reg_num = 1 } };

	return pfm_read_pmds(s->fd, pmds, 2);
}

static long call_create_sets(void *subject)
{
	const struct subject *s = subject;
	pfarg_setdesc_t sets[2] = { { .set_id = 3 }, { .set_id = 7 } };

	return pfm_create_evtsets(s->fd, sets, 2);
}

static void enter_sets(struct subject *s)
{
	CHECK_OK(call_create_sets(s));
}

static void leave_sets(struct subject *s)
{
	pfarg_setdesc_t sets[2] = { { .set_id = 3 }, { .set_id = 7 } };

	CHECK_OK(pfm_delete_evtsets(s->fd, sets, 2));
}

static long call_getinfo_sets(void *subject)
{
	const struct subject *s = subject;
	pfarg_setinfo_t info[2] = { { .set_id = 3 }, { .set_id = 7 } };

	return pfm_getinfo_evtsets(s->fd, info, 2);
}

static long call_load(void *subject)
{
	const struct subject *s = subject;
	pfarg_load_t load = { .load_pid = s->tid };

	return pfm_load_context(s->fd, &load);
}

static void enter_loaded(struct subject *s)
{
	ctx_load(s->fd, s->tid);
}

static void leave_loaded(struct subject *s)
{
	CHECK_OK(pfm_unload_context(s->fd));
}

/*
 * Create a process, for which perfmon creates a member of the family. The
 * process shares memory with this one, so that fork copies no pages.
 */
static long call_fork(void *subject)
{
	pid_t pid = vfork();

	(void)subject;
	if (!pid)
		_exit(0);
	return pid;
}

/* Members that could not be created. The process itself then still runs. */
static __u64 unborn;

static void leave_fork(struct subject *s)
{
	CHECK_OK(waitpid(-1, NULL, 0));
	unborn += ctx_number(s->fd, "pfm_births_failed");
	leave_loaded(s);
}

static long call_unload(void *subject)
{
	const struct subject *s = subject;

	return pfm_unload_context(s->fd);
}

static long call_start(void *subject)
{
	const struct subject *s = subject;
	pfarg_start_t start = {};

	return pfm_start(s->fd, &start);
}

static void enter_started(struct subject *s)
{
	ctx_start_on(s->fd, s->tid);
}

static long call_stop(void *subject)
{
	const struct subject *s = subject;

	return pfm_stop(s->fd);
}

static void enter_masked(struct subject *s)
{
	/*
	 * The overflow in the previous round did not reset the counter, so set
	 * its period again.
	 */
	CHECK_OK(call_write_pmds(s));
	ctx_start_on(s->fd, s->tid);
	touch_pages(FAULTS, NULL);
}

static long call_restart(void *subject)
{
	const struct subject *s = subject;

	return pfm_restart(s->fd);
}

static long call_read_message(void *subject)
{
	const struct subject *s = subject;
	pfm_msg_t msg;

	return read(s->fd, &msg, sizeof(msg));
}

static long call_show(void *subject)
{
	const struct subject *s = subject;
	char path[64], text[512];
	long len;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", s->fd);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	len = read(fd, text, sizeof(text));
	close(fd);
	return len;
}

static long call_async(void *subject)
{
	const struct subject *s = subject;

	return fcntl(s->fd, F_SETFL, O_RDWR | O_ASYNC);
}

static void leave_async(struct subject *s)
{
	CHECK_OK(fcntl(s->fd, F_SETFL, O_RDWR));
}

static long call_getinfo_pmcs(void *subject)
{
	pfarg_pmcinfo_t info[2] = { { .reg_num = 0 }, { .reg_num = 1 } };

	return pfm_getinfo_pmcs(info, 2);
}

static long call_getinfo_pmds(void *subject)
{
	pfarg_pmdinfo_t info[2] = { { .reg_num = 0 }, { .reg_num = 1 } };

	return pfm_getinfo_pmds(info, 2);
}

static long call_get_config(void *subject)
{
	pfarg_config_t config;

	return pfm_get_config(&config);
}

static long call_set_config(void *subject)
{
	pfarg_config_t config = {
		.cf_sys_gid = PFM_GROUP_ANY, .cf_thread_gid = PFM_GROUP_ANY,
		.cf_arg_size_max = 1 << 20, .cf_smpl_buf_size_max = 1 << 24,
	};

	return pfm_set_config(&config);
}

/* Running the calls */

static unsigned int count_fds(void)
{
	unsigned int n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* Check a call in which a request failed. */
static void check_failed_call(const struct call *c, struct subject *s,
			      unsigned int n, long result)
{
	if (result >= 0)
		return; /* the call can do without this request */
	if (errno != ENOMEM && errno != EFAULT)
		check_failed(__FILE__, __LINE__, "%s, %s: wrong error after request %u failed",
			     c->name, name_of(s), n);
	if (c->state)
		ctx_expect_state(s->fd, c->state);
	result = c->call(s);
	if (result < 0)
		check_failed(__FILE__, __LINE__, "%s, %s: retry failed, after request %u had failed",
			     c->name, name_of(s), n);
}

static void fail_each_request(const struct call *c, struct subject *s)
{
	unsigned int n = 0;
	bool failed;

	do {
		long result;

		CHECK(++n < LIMIT);
		if (c->enter)
			c->enter(s);
		failed = failnth_call(n, c->call, s, &result);
		if (failed)
			check_failed_call(c, s, n, result);
		else
			CHECK_OK(result);
		if (c->leave)
			c->leave(s);
	} while (failed);
	printf("# %s, %s: %u requests\n", c->name, name_of(s), n - 1);
	fflush(stdout);
}

static void with_kind(const struct call *c, const struct kind *kind, pid_t tid)
{
	struct subject s = { .kind = kind, .tid = tid };
	unsigned int fds = count_fds();

	if (kind && kind->make_arg)
		s.arg_size = kind->make_arg(kind, s.arg);
	if (c->flags != NO_CONTEXT) {
		CHECK_OK(create_flagged(&s, c->flags));
		CHECK_OK(call_write_pmcs(&s));
		CHECK_OK(call_write_pmds(&s));
	}
	fail_each_request(c, &s);
	if (c->flags != NO_CONTEXT)
		CHECK_OK(close(s.fd));
	CHECK_EQ(count_fds(), fds);
}

static void with_no_kind(struct call c)
{
	failnth_prepare();
	with_kind(&c, NULL, thread_id());
}

static void with_each_kind(struct call c)
{
	with_no_kind(c);
	for (unsigned int i = 0; i < NUM_KINDS; i++)
		with_kind(&c, &kinds[i], thread_id());
}

/* Make a call with each kind of context that enter_masked() can mask. */
static void with_masking_kinds(struct call c)
{
	with_no_kind(c);
	for (unsigned int i = 0; i < NUM_KINDS; i++)
		if (kinds[i].masks && kinds[i].entries)
			with_kind(&c, &kinds[i], thread_id());
}

/* Proves H22 */
TEST(create_fails_cleanly_without_memory)
{
	with_each_kind((struct call){ "create", NO_CONTEXT, NULL, NULL,
				      call_create, leave_create });
}

/* Proves H22 */
TEST(mmap_fails_cleanly_without_memory)
{
	with_each_kind((struct call){ "map", 0, "unloaded", NULL, call_map,
				      leave_map });
}

/* Proves H22 */
TEST(write_pmcs_unloaded_fails_cleanly)
{
	with_each_kind((struct call){ "write PMCs", 0, "unloaded", NULL,
				      call_write_pmcs, NULL });
}

/* Proves H22 */
TEST(write_pmcs_loaded_fails_cleanly)
{
	with_each_kind((struct call){ "write PMCs loaded", 0, "stopped",
				      enter_loaded, call_write_pmcs,
				      leave_loaded });
}

/* Proves H22 */
TEST(write_pmds_started_fails_cleanly)
{
	with_each_kind((struct call){ "write PMDs started", 0, "started",
				      enter_started, call_write_pmds,
				      leave_loaded });
}

/* Proves H22 */
TEST(set_creation_fails_cleanly)
{
	with_each_kind((struct call){ "create sets", 0, "unloaded", NULL,
				      call_create_sets, leave_sets });
}

/* Proves H22 */
TEST(set_info_fails_cleanly)
{
	with_no_kind((struct call){ "set info", 0, "unloaded", enter_sets,
				    call_getinfo_sets, leave_sets });
}

/* Proves H22 */
TEST(read_pmds_fails_cleanly)
{
	with_each_kind((struct call){ "read PMDs", 0, "started", enter_started,
				      call_read_pmds, leave_loaded });
}

/* Proves H22 */
TEST(load_fails_cleanly_without_memory)
{
	with_each_kind((struct call){ "load", 0, "unloaded", NULL, call_load,
				      leave_loaded });
}

/* Proves H22 */
TEST(system_wide_load_fails_cleanly)
{
	ctx_pin(0);
	with_each_kind((struct call){ "load system-wide", PFM_FL_SYSTEM_WIDE,
				      "unloaded", NULL, call_load,
				      leave_loaded });
}

/* Proves H22 */
TEST(start_fails_cleanly_without_memory)
{
	with_each_kind((struct call){ "start", 0, "stopped", enter_loaded,
				      call_start, leave_loaded });
}

/* Proves H22 */
TEST(stopping_needs_no_memory)
{
	with_each_kind((struct call){ "stop", 0, "started", enter_started,
				      call_stop, leave_loaded });
}

/* Proves H22 */
TEST(unloading_needs_no_memory)
{
	with_each_kind((struct call){ "unload", 0, "started", enter_started,
				      call_unload, NULL });
}

/* Proves H22 */
TEST(masked_contexts_are_restarted)
{
	with_masking_kinds((struct call){ "restart", 0, "masked", enter_masked,
					  call_restart, leave_loaded });
}

/* Proves H22 */
TEST(failed_read_keeps_the_message)
{
	with_masking_kinds((struct call){ "read", 0, "masked", enter_masked,
					  call_read_message, leave_loaded });
}

/* Proves H22 */
TEST(fasync_fails_cleanly_without_memory)
{
	with_no_kind((struct call){ "async", 0, "unloaded", NULL, call_async,
				    leave_async });
}

/* Proves H22 */
TEST(fdinfo_fails_cleanly_without_memory)
{
	with_no_kind((struct call){ "fdinfo", 0, "unloaded", NULL, call_show,
				    NULL });
}

/* Proves H22 */
TEST(getinfo_fails_cleanly_without_memory)
{
	with_no_kind((struct call){ "PMC info", NO_CONTEXT, NULL, NULL,
				    call_getinfo_pmcs, NULL });
	with_no_kind((struct call){ "PMD info", NO_CONTEXT, NULL, NULL,
				    call_getinfo_pmds, NULL });
}

/* Proves H22 */
TEST(config_commands_fail_cleanly)
{
	with_no_kind((struct call){ "get configuration", NO_CONTEXT, NULL, NULL,
				    call_get_config, NULL });
	with_no_kind((struct call){ "set configuration", NO_CONTEXT, NULL, NULL,
				    call_set_config, NULL });
}

/* Make a call with families that use formats which record the thread. */
static void with_families(struct call c)
{
	failnth_prepare();
	for (unsigned int i = 0; i < NUM_KINDS; i++)
		if (kinds[i].entries)
			with_kind(&c, &kinds[i], thread_id());
}

/* Proves H22 */
TEST(family_creation_fails_cleanly)
{
	with_families((struct call){ "create family", NO_CONTEXT, NULL, NULL,
				     call_create_family, leave_create });
}

/* Proves H22 */
TEST(family_load_fails_cleanly)
{
	with_families((struct call){ "load family", PFM_FL_INHERIT, "unloaded",
				     NULL, call_load, leave_loaded });
}

/*
 * Only requests of the parent fail, because the new process does not inherit
 * the setting.
 *
 * Proves H22
 */
TEST(birth_without_memory_is_counted)
{
	with_families((struct call){ "fork in a family", PFM_FL_INHERIT,
				     "started", enter_started, call_fork,
				     leave_fork });
	CHECK(unborn > 0);
}

static void load_worker_as_nobody(void *arg)
{
	const struct worker *w = arg;
	struct call c = { "load another process", 0, "unloaded", NULL,
			  call_load, leave_loaded };

	failnth_prepare();
	become_nobody();
	with_kind(&c, NULL, w->pid);
}

/* Proves H22 */
TEST(load_of_same_users_process_fails_cleanly)
{
	struct worker w;
	struct param_run unprivileged = {
		.name = "paranoid", .value = "1",
		.run = load_worker_as_nobody, .arg = &w,
	};

	worker_start_as_nobody(&w);
	with_param(&unprivileged);
	worker_quit(&w);
}

/* Modules */

static long call_load_module(void *subject)
{
	const struct subject *s = subject;

	return syscall(SYS_finit_module, s->fd, "", 0);
}

static void leave_load_module(struct subject *s)
{
	CHECK_OK(syscall(SYS_delete_module, s->kind->module, O_NONBLOCK));
}

/* The modules, in the order in which they are loaded. */
static const char *const modules[][2] = {
	{ "perfmon", "core/perfmon" },
	{ "pfm_pmu_perf", "pmu/perf/pfm_pmu_perf" },
	{ "pfm_unwind", "unwind/pfm_unwind" },
	{ "pfm_fmt_oprofile", "formats/oprofile_bridge/pfm_fmt_oprofile" },
	{ "pfm_fmt_default", "formats/default/pfm_fmt_default" },
};

static void unload_all(void)
{
	for (unsigned int i = 0; i < NUM_KINDS; i++)
		syscall(SYS_delete_module, kinds[i].module, O_NONBLOCK);
	for (unsigned int i = ARRAY_SIZE(modules); i-- > 0;)
		syscall(SYS_delete_module, modules[i][0], O_NONBLOCK);
	CHECK(access(PFM_SYSFS, F_OK));
}

/*
 * Try to load a module again and again, while a different request fails each
 * time. Then load it, and leave it loaded.
 */
static void load_module(const char *name, const char *file)
{
	struct kind module = { .name = name, .module = name };
	struct subject s = { .kind = &module };
	struct call c = { "load module", NO_CONTEXT, NULL, NULL,
			  call_load_module, leave_load_module };
	struct utsname uts;
	char path[256];

	CHECK_OK(uname(&uts));
	snprintf(path, sizeof(path), "/lib/modules/%s/extra/%s.ko", uts.release,
		 file);
	s.fd = CHECK_OK(open(path, O_RDONLY | O_CLOEXEC));
	fail_each_request(&c, &s);
	CHECK_OK(call_load_module(&s));
	CHECK_OK(close(s.fd));
}

/* Proves H22 */
TEST(module_load_fails_cleanly_without_memory)
{
	/*
	 * Allow more time, because finit_module() makes many requests outside
	 * perfmon, too.
	 */
	alarm(4 * check_timeout());
	failnth_prepare();
	unload_all();
	for (unsigned int i = 0; i < ARRAY_SIZE(modules); i++)
		load_module(modules[i][0], modules[i][1]);
}
