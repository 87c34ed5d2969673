// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * levels.c - what each kind of user may do at each paranoid level
 *
 * The level is the kernel's perf_event_paranoid, unless perfmon's parameter
 * "paranoid" overrides it. If the kernel's level applies, perf_event_open()
 * must give the same results as perfmon.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"
#include "ctx.h"
#include "files.h"
#include "params.h"
#include "users.h"
#include "worker.h"

#define FUNCTIONS	"/sys/kernel/tracing/events/ftrace/function/id"
#define SWITCHES	"/sys/kernel/tracing/events/sched/sched_switch/id"
#define EXCL_KERNEL	PFM_PERF_EXCL_KERNEL

/* The requests, in the order of the results in everybody[]. */
enum {
	OWN, OWN_KERNEL, EQUAL, EQUAL_KERNEL, OTHER, ON_CPU, ON_CPU_KERNEL,
	TRACEPOINT, FUNCTION, ASKS
};

static const char * const ask_names[ASKS] = {
	"own thread, user space only",
	"own thread",
	"another process of the user, user space only",
	"another process of the user",
	"another user's process, user space only",
	"a CPU, user space only",
	"a CPU",
	"a tracepoint",
	"function tracing",
};

/* The callers: each function turns the process into one of them. */
static void be_member(void)
{
	become_member(USER, 0);
}

static void be_observer(void)
{
	become_member(USER, CAP(CAP_PERFMON));
}

static void be_administrator(void)
{
	become_member(USER, CAP(CAP_SYS_ADMIN));
}

/* Become a user with all capabilities in a nested user namespace. */
static void be_root_of_a_namespace(void)
{
	become_member(USER, 0);
	CHECK_OK(unshare(CLONE_NEWUSER));
	write_text("/proc/self/setgroups", "deny");
	write_text("/proc/self/uid_map", "1000 1000 1");
	write_text("/proc/self/gid_map", "1000 1000 1");
	CHECK_OK(unshare(CLONE_NEWUSER));
}

static void be_under_no_new_privs(void)
{
	become_member(USER, 0);
	CHECK_OK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
}

static void be_outsider(void)
{
	become(USER, USER, 0);
}

/*
 * The levels. In struct who, @may has a string for each level. The string
 * contains a + for each request that is allowed, and a - for each that is
 * refused.
 */
static const char * const level_names[] = { "-1", "0", "1", "2", "3", "4" };
#define LEVELS	ARRAY_SIZE(level_names)

static const struct who {
	const char	*name;
	void		(*be)(void);
	bool		outside;	/* not in the device's group */
	bool		observes;	/* has CAP_PERFMON or more */
	const char	*may[LEVELS];
} everybody[] = {
	{ "member", be_member, false, false, {
		"++++-++++", "++++-+++-", "++++---+-", "+-+------",
		"---------", "---------" } },
	{ "member with CAP_PERFMON", be_observer, false, true, {
		"+++++++++", "+++++++++", "+++++++++", "+++++++++",
		"---------", "---------" } },
	{ "member with CAP_SYS_ADMIN", be_administrator, false, true, {
		"+++++++++", "+++++++++", "+++++++++", "+++++++++",
		"+++++++++", "+++++++++" } },
	{ "root of a user namespace", be_root_of_a_namespace, false, false, {
		"++---++++", "++---+++-", "++-----+-", "+--------",
		"---------", "---------" } },
	{ "member under no_new_privs", be_under_no_new_privs, false, false, {
		"++++-++++", "++++-+++-", "++++---+-", "+-+------",
		"---------", "---------" } },
	{ "outsider", be_outsider, true, false, {
		"---------", "---------", "---------", "---------",
		"---------", "---------" } },
};

/* The IDs of tracepoints, and the processes to measure. */
static struct {
	long	functions;
	long	switches;
	pid_t	equal;
	pid_t	other;
} those;

static int ready[2];

static void live_as(void *uid)
{
	become(*(uid_t *)uid, *(uid_t *)uid, 0);
	CHECK_OK(write(ready[1], "", 1));
	pause();
}

static pid_t make_process_of(uid_t uid)
{
	pid_t pid = spawn(live_as, &uid);

	wait_go(ready[0]);
	return pid;
}

static void make_those(void)
{
	CHECK_OK(pipe(ready));
	those.functions = exists(FUNCTIONS) ? read_number(FUNCTIONS) : 0;
	those.switches = read_number(SWITCHES);
	those.equal = make_process_of(USER);
	those.other = make_process_of(OTHER_USER);
}

static bool is_on_cpu(int ask)
{
	return ask == ON_CPU || ask == ON_CPU_KERNEL;
}

static __u64 event_of(int ask)
{
	switch (ask) {
	case TRACEPOINT:
		return PFM_PERF_EVENT(PERF_TYPE_TRACEPOINT, those.switches);
	case FUNCTION:
		return PFM_PERF_EVENT(PERF_TYPE_TRACEPOINT, those.functions);
	case OWN_KERNEL:
	case EQUAL_KERNEL:
	case ON_CPU_KERNEL:
		return PFM_PERF_EVENT(PERF_TYPE_SOFTWARE,
				      PERF_COUNT_SW_PAGE_FAULTS);
	default:
		return PFM_PERF_EVENT(PERF_TYPE_SOFTWARE,
				      PERF_COUNT_SW_PAGE_FAULTS) | EXCL_KERNEL;
	}
}

static pid_t target_of(int ask)
{
	if (ask == EQUAL || ask == EQUAL_KERNEL)
		return those.equal;
	return ask == OTHER ? those.other : thread_id();
}

/* Return '+' if a call succeeded, '-' if it failed with EPERM or EACCES. */
static char answer(int ret)
{
	CHECK(ret >= 0 || errno == EPERM || errno == EACCES);
	return ret >= 0 ? '+' : '-';
}

static int write_event(int fd, __u64 event)
{
	struct counter c = counter(0, 0, 0);

	c.pmc.reg_value = event;
	return pfm_write_pmcs(fd, &c.pmc, 1);
}

static char ours(int ask)
{
	int fd = try_create(is_on_cpu(ask) ? PFM_FL_SYSTEM_WIDE : 0);
	char got;

	if (fd < 0)
		return '-';
	CHECK_OK(write_event(fd, event_of(ask)));
	got = answer(ctx_try_load(fd, target_of(ask)));
	CHECK_OK(close(fd));
	return got;
}

static char perfs(int ask)
{
	__u64 event = event_of(ask);
	struct perf_event_attr attr = {
		.type = (event & PFM_PERF_TYPE_MASK) >> PFM_PERF_TYPE_SHIFT,
		.size = sizeof(attr),
		.config = event & PFM_PERF_ID_MASK,
		.disabled = 1,
		.exclude_kernel = !!(event & EXCL_KERNEL),
		.exclude_hv = !!(event & EXCL_KERNEL),
	};
	pid_t pid = is_on_cpu(ask) ? -1 : target_of(ask);
	int fd = syscall(SYS_perf_event_open, &attr, pid,
			 is_on_cpu(ask) ? 0 : -1, -1, 0);
	char got = answer(fd);

	if (fd >= 0)
		CHECK_OK(close(fd));
	return got;
}

/*
 * A caller, the level that perfmon applies, and whether the level that perf
 * applies is stricter or looser.
 */
struct inquiry {
	const struct who	*who;
	size_t			level;
	enum { PERF_SAME, PERF_STRICT, PERF_LOOSE } perf;
};

static void expect_ask(const struct inquiry *q, int ask)
{
	char want = q->who->may[q->level][ask], us, perf;

	/*
	 * For requests on a CPU and for function tracing, perf also checks its
	 * own level, so a stricter level of perf forbids what perfmon's allows.
	 */
	if (q->perf == PERF_STRICT && !q->who->observes &&
	    (is_on_cpu(ask) || ask == FUNCTION))
		want = '-';
	/*
	 * Skip function tracing if perf would allow it, because the kernel
	 * then patches all functions, which takes minutes on an emulated CPU.
	 */
	if (ask == FUNCTION && (want == '+' || q->perf == PERF_LOOSE ||
				!those.functions))
		return;
	us = ours(ask);
	if (us != want)
		check_failed(__FILE__, __LINE__, "%s at level %s requests %s: got '%c', expected '%c'",
			     q->who->name, level_names[q->level],
			     ask_names[ask], us, want);
	if (q->perf != PERF_SAME || q->who->outside)
		return;
	perf = perfs(ask);
	if (us != perf)
		check_failed(__FILE__, __LINE__, "%s at level %s requests %s: got '%c', but perf_event_open() gives '%c'",
			     q->who->name, level_names[q->level],
			     ask_names[ask], us, perf);
}

static void inquire(void *inquiry)
{
	const struct inquiry *q = inquiry;

	q->who->be();
	ctx_pin(0);
	for (int ask = 0; ask < ASKS; ask++)
		expect_ask(q, ask);
}

static void inquire_at_level(void *inquiry)
{
	struct inquiry *q = inquiry;

	for (size_t i = 0; i < ARRAY_SIZE(everybody); i++) {
		q->who = &everybody[i];
		reap(spawn(inquire, q));
	}
}

static void at_all_levels(void *unused)
{
	make_those();
	for (size_t i = 0; i < LEVELS; i++) {
		struct inquiry q = { .level = i };

		with_setting(PARANOID, level_names[i], inquire_at_level, &q);
	}
}

/* Proves 4.1-01, 4.1-02, 4.1-04, H17 */
TEST(each_level_allows_what_perf_event_open_allows)
{
	expect_text(PFM_PARAMETERS "paranoid", "kernel");
	with_node_for_group(at_all_levels, NULL);
}

/* Test all levels of perfmon's parameter. perf's level does not change. */
static void at_all_own_levels(struct inquiry q)
{
	make_those();
	for (q.level = 0; q.level < LEVELS; q.level++) {
		struct param_run r = { "paranoid", level_names[q.level],
				       inquire_at_level, &q };

		with_param(&r);
	}
}

static void where_perf_is_strict(void *unused)
{
	at_all_own_levels((struct inquiry){ .perf = PERF_STRICT });
}

static void under_a_strict_perf(void *unused)
{
	with_setting(PARANOID, "4", where_perf_is_strict, NULL);
}

/* Proves H17 */
TEST(paranoid_parameter_uses_perf_levels)
{
	with_node_for_group(under_a_strict_perf, NULL);
}

static void where_perf_is_loose(void *unused)
{
	at_all_own_levels((struct inquiry){ .perf = PERF_LOOSE });
}

static void under_a_loose_perf(void *unused)
{
	with_setting(PARANOID, "-1", where_perf_is_loose, NULL);
}

/* Proves H17 */
TEST(paranoid_parameter_can_be_stricter_than_perf)
{
	with_node_for_group(under_a_loose_perf, NULL);
}

/* Level changes and existing contexts */

static void be_at(const char *level)
{
	write_text(PFM_PARAMETERS "paranoid", level);
}

/*
 * Pipes to and from a process of root. The process changes perfmon's level on
 * request, and reports when it has done so.
 */
static int tell[2], told[2];

static void raise_level_to(char level)
{
	CHECK_EQ(write(tell[1], &level, 1), 1);
	wait_go(told[0]);
}

static void raise_levels(void *unused)
{
	char level[2] = "";

	while (read(tell[0], level, 1) == 1) {
		be_at(level);
		CHECK_EQ(write(told[1], "", 1), 1);
	}
}

static void go_on_at_higher_levels(void *unused)
{
	const __u64 event = event_of(OWN_KERNEL);
	struct worker w;
	int fd;

	be_member();
	worker_start(&w);
	fd = ctx_new(0);
	CHECK_OK(write_event(fd, event));
	ctx_start_on(fd, w.pid);
	worker_do(&w, WORK_TOUCH, 10);
	raise_level_to('3');
	/* A running event keeps counting, even in the kernel. */
	worker_do(&w, WORK_TOUCH, 10);
	ctx_stop(fd);
	CHECK(ctx_read(fd, 0) >= 20);
	CHECK_OK(pfm_start(fd, NULL));
	/* New events must be refused. */
	CHECK_ERRNO(write_event(fd, event | EXCL_KERNEL), EPERM);
	ctx_expect_state(fd, "started");
	raise_level_to('2');
	CHECK_ERRNO(write_event(fd, event | EXCL_KERNEL), EPERM);
	CHECK_OK(pfm_unload_context(fd));
	CHECK_ERRNO(ctx_try_load(fd, w.pid), EPERM);
	CHECK_OK(write_event(fd, event | EXCL_KERNEL));
	ctx_load(fd, w.pid);
	CHECK_ERRNO(write_event(fd, event), EPERM);
	raise_level_to('3');
	CHECK_OK(pfm_unload_context(fd));
	CHECK_ERRNO(ctx_try_load(fd, w.pid), EPERM);
	worker_quit(&w);
}

static void raise_while_measuring(void *unused)
{
	CHECK_OK(pipe(tell));
	CHECK_OK(pipe(told));
	spawn(raise_levels, NULL);
	reap(spawn(go_on_at_higher_levels, NULL));
}

/* Proves H17 */
TEST(raised_level_keeps_events_and_refuses_new_ones)
{
	struct param_run r = { "paranoid", "1", raise_while_measuring, NULL };

	with_param(&r);
}

/* As a member of the group, load a context that root has created. */
static void load_what_root_made(void *arg)
{
	int fd = *(int *)arg;

	be_member();
	CHECK_ERRNO(ctx_try_load(fd, thread_id()), EPERM);
	CHECK_OK(write_event(fd, event_of(OWN)));
	ctx_load(fd, thread_id());
}

static void load_at_3(void *arg)
{
	be_member();
	CHECK_ERRNO(ctx_try_load(*(int *)arg, thread_id()), EPERM);
}

/* Proves 4.1-01, H17 */
TEST(load_checks_the_caller_not_the_creator)
{
	int fd = ctx_counting();
	struct param_run at2 = { "paranoid", "2", load_what_root_made, &fd };
	struct param_run at3 = { "paranoid", "3", load_at_3, &fd };

	with_param(&at3);
	with_param(&at2);
}

static void write_on_cpu(void *arg)
{
	int fd = *(int *)arg;

	be_member();
	ctx_pin(0);
	ctx_read(fd, 0);
	CHECK_ERRNO(write_event(fd, event_of(TRACEPOINT)), EPERM);
	ctx_stop(fd);
}

static void write_at_own_level(void *fd)
{
	struct param_run r = { "paranoid", "2", write_on_cpu, fd };

	with_param(&r);
}

/* Proves H17 */
TEST(cpu_descriptor_holder_cannot_add_events)
{
	int fd = ctx_new(PFM_FL_SYSTEM_WIDE);

	make_those();
	ctx_pin(0);
	CHECK_OK(write_event(fd, event_of(ON_CPU_KERNEL)));
	ctx_load_self(fd);
	CHECK_OK(pfm_start(fd, NULL));
	/* perf's own level would allow the event. */
	with_setting(PARANOID, "-1", write_at_own_level, &fd);
	ctx_expect_state(fd, "stopped");
	/* A privileged caller may add the event. */
	CHECK_OK(write_event(fd, event_of(TRACEPOINT)));
}

/* The device node */

static int create_on(int device)
{
	pfarg_ctx_t ctx = {};
	struct pfm_ioc ioc = { .arg = (uintptr_t)&ctx, .narg = 1 };

	return ioctl(device, PFM_IOC(PFM_CREATE_CONTEXT), &ioc);
}

static void create_as_member(void *device)
{
	be_member();
	CHECK_OK(create_on(*(int *)device));
}

static void create_as_outsider(void *device)
{
	be_outsider();
	CHECK_ERRNO(create_on(*(int *)device), EPERM);
}

static void create_with_old_descriptor(void *device)
{
	reap(spawn(create_as_member, device));
	reap(spawn(create_as_outsider, device));
}

static void udev_comes_late(void *unused)
{
	int device = CHECK_OK(open(PFM_DEVICE, O_RDWR));

	with_node_for_group(create_with_old_descriptor, &device);
}

/* Proves H17, H30 */
TEST(node_group_applies_to_open_descriptors)
{
	with_paranoid("2", udev_comes_late, NULL);
}

/* Exec of set-uid programs */

static void keep_set_uid_worker(void *unused)
{
	struct worker w;
	int fd;

	be_member();
	CHECK_OK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	worker_start(&w);
	fd = ctx_counting_user();
	ctx_start_on(fd, w.pid);
	worker_do(&w, WORK_EXEC_SETID, 0);
	worker_do(&w, WORK_TOUCH, 10);
	ctx_expect_state(fd, "started");
	CHECK(ctx_read(fd, 0) >= 10);
	ctx_expect_no_message(fd);
	worker_quit(&w);
}

/* Proves H10 */
TEST(no_new_privs_set_uid_exec_keeps_context)
{
	worker_make_setid();
	with_paranoid("2", keep_set_uid_worker, NULL);
	CHECK_OK(unlink(SETID_WORKER));
}

/* Install a seccomp filter that refuses a system call. */
static void refuse_call(unsigned int nr)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { ARRAY_SIZE(code), code };

	CHECK_OK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	CHECK_OK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
}

static void measure_under_a_filter(void *unused)
{
	be_member();
	refuse_call(SYS_perf_event_open);
	CHECK_EQ(perfs(OWN), '-');
	CHECK_EQ(ours(OWN), '+');
	refuse_call(SYS_ioctl);
	CHECK_EQ(ours(OWN), '-');
}

TEST(seccomp_filters_see_only_ioctl)
{
	if (prctl(PR_GET_SECCOMP) < 0)
		check_skip("needs a kernel with seccomp");
	with_paranoid("2", measure_under_a_filter, NULL);
}
