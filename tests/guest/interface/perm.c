// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * perm.c - permission to attach to threads and to block them (specification
 *	    4.2, 4.3, 4.4.1)
 *
 * perfmon must refuse to attach to a thread if perf_event_open() refuses it. If
 * the context can block the thread, perfmon must also refuse what ptrace()
 * refuses. So the tests compare the results.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "ctx.h"
#include "files.h"
#include "params.h"
#include "users.h"
#include "worker.h"

#define KTHREADD	2
#define EXCL_KERNEL	PFM_PERF_EXCL_KERNEL

/* Turn off Yama, which would limit ptrace() to descendants. */
static void turn_yama_off(void)
{
	if (exists(YAMA))
		write_text(YAMA, "0");
}

/* Callers and targets */

struct target {
	const char	*name;
	void		(*be)(void);	/* runs first in the process */
	pid_t		pid;
};

static int ready[2];

static void be_user(void)
{
	become(USER, USER, 0);
}

static void be_other_user(void)
{
	become(OTHER_USER, OTHER_USER, 0);
}

static void be_other_group(void)
{
	become(USER, GROUP, 0);
}

static void be_root(void)
{
}

static void be_undumpable(void)
{
	become(USER, USER, 0);
	CHECK_OK(prctl(PR_SET_DUMPABLE, 0));
}

static void be_privileged(void)
{
	become(USER, USER, CAP(CAP_NET_RAW));
}

/*
 * Make the real and the effective user ID differ, as after exec of a set-uid
 * program.
 */
static void be_set_uid(void)
{
	CHECK_OK(setresuid(USER, 0, 0));
	CHECK_OK(prctl(PR_SET_DUMPABLE, 1));
}

static void be_in_user_namespace(void)
{
	become(USER, USER, 0);
	CHECK_OK(unshare(CLONE_NEWUSER));
}

static void live(void *arg)
{
	const struct target *t = arg;

	t->be();
	CHECK_OK(write(ready[1], "", 1));
	pause();
}

static void be_zombie(void *arg)
{
	be_user();
}

enum {
	SAME_USER, OTHER, OTHER_GID, ROOT, UNDUMPABLE, PRIVILEGED, SETUID,
	NAMESPACE, LIVING,
	OWN_THREAD = LIVING, OWN_CHILD, KERNEL_THREAD, ZOMBIE, GONE, TARGETS
};

static struct target targets[TARGETS] = {
	[SAME_USER]	= { "process of the user", be_user },
	[OTHER]		= { "process of another user", be_other_user },
	[OTHER_GID]	= { "process of another group", be_other_group },
	[ROOT]		= { "process of root", be_root },
	[UNDUMPABLE]	= { "undumpable process", be_undumpable },
	[PRIVILEGED]	= { "process with a capability", be_privileged },
	[SETUID]	= { "set-uid program", be_set_uid },
	[NAMESPACE]	= { "process in a user namespace",
			    be_in_user_namespace },
	[OWN_THREAD]	= { "own thread" },
	[OWN_CHILD]	= { "own child" },
	[KERNEL_THREAD]	= { "kernel thread" },
	[ZOMBIE]	= { "zombie" },
	[GONE]		= { "process that is gone" },
};

/*
 * The result for each target, in the order of the targets: + allowed
 * - refused
 * n no such thread
 * s refused, although perf_event_open() allows it
 * i invalid for any caller
 * x refused or no such thread, depending on the kernel
 */
static const struct caller {
	const char	*name;
	uid_t		uid;
	__u64		caps;
	const char	*may;		/* to monitor */
	const char	*may_stop;	/* to monitor and block */
} callers[] = {
	{ "user", USER, 0,
	  "+------+++-nn",
	  "+------+i+ixn" },
	{ "another user", OTHER_USER, 0,
	  "-+------++--n",
	  "-+------i+ixn" },
	{ "user with CAP_PERFMON", USER, CAP(CAP_PERFMON),
	  "+++++++++++nn",
	  "+------+i+ixn" },
	{ "another user with CAP_PERFMON", OTHER_USER, CAP(CAP_PERFMON),
	  "+++++++++++nn",
	  "-+------i+ixn" },
	{ "user with CAP_SYS_PTRACE", OTHER_USER, CAP(CAP_SYS_PTRACE),
	  "++++++++++snn",
	  "++++++++i+ixn" },
	{ "user with other capabilities", USER,
	  CAP(CAP_KILL) | CAP(CAP_DAC_OVERRIDE) | CAP(CAP_NET_RAW),
	  "+----+-+++-nn",
	  "+----+-+i+ixn" },
	{ "root", 0, ALL_CAPS,
	  "+++++++++++nn",
	  "++++++++i+ixn" },
	{ "root without CAP_SYS_PTRACE", 0, ALL_CAPS & ~CAP(CAP_SYS_PTRACE),
	  "+++++++++++nn",
	  "--------i+ixn" },
	{ "root without CAP_SYS_PTRACE, CAP_PERFMON and CAP_SYS_ADMIN", 0,
	  ALL_CAPS & ~(CAP(CAP_SYS_PTRACE) | CAP(CAP_PERFMON) |
		       CAP(CAP_SYS_ADMIN)),
	  "--------++--n",
	  "--------i+ixn" },
	{ "root without capabilities", 0, 0,
	  "--------++--n",
	  "--------i+ixn" },
};

static void pause_in_child(void *unused)
{
	pause();
}

/* Return the character for the result of a call: '+', '-', 'i' or 'n'. */
static char answer(int ret, int error)
{
	if (ret >= 0)
		return '+';
	if (error == EINVAL)
		return 'i';
	return error == ESRCH ? 'n' : '-';
}

static char ours(int fd, pid_t pid)
{
	pfarg_load_t load = { .load_pid = pid };
	int ret = pfm_load_context(fd, &load);
	char got = answer(ret, errno);

	if (got == '-')
		CHECK_EQ(errno, EPERM);
	if (!ret)
		CHECK_OK(pfm_unload_context(fd));
	return got;
}

static char perfs(pid_t pid)
{
	int fd = perf_open(pid, -1, true);
	char got = answer(fd, errno);

	if (fd >= 0)
		close(fd);
	return got;
}

/*
 * Return the character for the result of ptrace(). The thread stays traced
 * until the caller exits.
 */
static char ptraces(pid_t pid)
{
	return answer(ptrace(PTRACE_SEIZE, pid, NULL, NULL), errno);
}

static void expect_may(const struct caller *c, const struct target *t, int fd)
{
	char want = c->may[t - targets];
	char us = ours(fd, t->pid), perf = perfs(t->pid);

	if (us != (want == 's' ? '-' : want))
		check_failed(__FILE__, __LINE__, "%s attaches to %s: got '%c', expected '%c' (perf_event_open(): '%c')",
			     c->name, t->name, us, want, perf);
	if ((us == '+') != (perf == '+') && want != 's')
		check_failed(__FILE__, __LINE__, "%s attaches to %s: got '%c', but perf_event_open() gives '%c'",
			     c->name, t->name, us, perf);
}

static void expect_may_stop(const struct caller *c, const struct target *t,
			    int fd)
{
	char want = c->may_stop[t - targets], us = ours(fd, t->pid);

	if (want == 'x' ? !strchr("-n", us) : us != want)
		check_failed(__FILE__, __LINE__, "%s blocks %s: got '%c', expected '%c'",
			     c->name, t->name, us, want);
	if ((us == '+') != (ptraces(t->pid) == '+'))
		check_failed(__FILE__, __LINE__,
			     "%s blocks %s: got '%c', but ptrace() gives another result",
			     c->name, t->name, us);
}

/* The check to make for each caller and target. */
static struct question {
	__u32	ctx_flags;
	void	(*expect)(const struct caller *c, const struct target *t,
			  int fd);
} question;

static int ctx_in_question(void)
{
	struct counter c = counter(0, 0, 0);
	int fd = ctx_new(question.ctx_flags);

	c.pmc.reg_value |= EXCL_KERNEL;
	counter_write(fd, &c);
	return fd;
}

static void call(void *arg)
{
	const struct caller *c = arg;
	pid_t child;
	int fd;

	become(c->uid, c->uid, c->caps);
	child = spawn(pause_in_child, NULL);
	targets[OWN_THREAD].pid = thread_id();
	targets[OWN_CHILD].pid = child;
	fd = ctx_in_question();
	for (size_t i = 0; i < TARGETS; i++)
		question.expect(c, &targets[i], fd);
	CHECK_OK(kill(child, SIGKILL));
}

static void make_targets(void)
{
	siginfo_t info;

	CHECK_OK(pipe(ready));
	for (size_t i = 0; i < LIVING; i++) {
		targets[i].pid = spawn(live, &targets[i]);
		wait_go(ready[0]);
	}
	targets[KERNEL_THREAD].pid = KTHREADD;
	targets[ZOMBIE].pid = spawn(be_zombie, NULL);
	CHECK_OK(waitid(P_PID, targets[ZOMBIE].pid, &info, WEXITED | WNOWAIT));
	targets[GONE].pid = spawn(be_zombie, NULL);
	reap(targets[GONE].pid);
}

static void all_callers(void *unused)
{
	make_targets();
	for (size_t i = 0; i < ARRAY_SIZE(callers); i++)
		reap(spawn(call, (void *)&callers[i]));
}

/* Proves H17, 4.1-02, 4.2-08, P7-05 */
TEST(load_permissions_match_perf_event_open)
{
	question = (struct question){ 0, expect_may };
	with_paranoid("2", all_callers, NULL);
}

/* Proves H29, 4.2-08, P7-05 */
TEST(blocking_permissions_match_ptrace)
{
	question = (struct question){ PFM_FL_NOTIFY_BLOCK, expect_may_stop };
	turn_yama_off();
	with_paranoid("2", all_callers, NULL);
}

/* Try to block a process that is not a descendant. */
static void block_under_yama(void *arg)
{
	question.ctx_flags = PFM_FL_NOTIFY_BLOCK;
	become(USER, USER, 0);
	CHECK_EQ(ours(ctx_in_question(), targets[SAME_USER].pid), '-');
	CHECK_EQ(ours(ctx_counting_user(), targets[SAME_USER].pid), '+');
}

static void try_to_block_under_yama(void *unused)
{
	make_targets();
	reap(spawn(block_under_yama, NULL));
}

static void restrict_blocking(void *unused)
{
	with_paranoid("2", try_to_block_under_yama, NULL);
}

/* Proves H17, H29 */
TEST(yama_restricts_blocking_contexts)
{
	if (!exists(YAMA))
		check_skip("this kernel has no Yama");
	with_setting(YAMA, "1", restrict_blocking, NULL);
}

/*
 * Check that the permission does not depend on the /proc that the caller sees,
 * because the caller can bind-mount other files over it.
 */
static void fool_with_proc(void *arg)
{
	const struct target *t = &targets[OTHER];
	char own[32], other[32];

	/* Become a user with new namespaces, in which the user may mount. */
	become(USER, USER, 0);
	CHECK_OK(unshare(CLONE_NEWUSER | CLONE_NEWNS));
	snprintf(own, sizeof(own), "/proc/%d", getpid());
	snprintf(other, sizeof(other), "/proc/%d", t->pid);
	CHECK_EQ(ours(*(int *)arg, t->pid), '-');
	CHECK_OK(syscall(SYS_mount, own, other, "", MS_BIND, NULL));
	CHECK_EQ(ours(*(int *)arg, t->pid), '-');
}

static void bind_mounts_prove_nothing(void *unused)
{
	int fd = ctx_counting_user();

	make_targets();
	reap(spawn(fool_with_proc, &fd));
}

/* Proves H17 */
TEST(bind_mount_over_proc_grants_nothing)
{
	with_paranoid("2", bind_mounts_prove_nothing, NULL);
}

/*
 * Become a user whose file system ID, which the kernel's check uses, differs
 * from the user ID.
 */
static void become_with_other_fsuid(void)
{
	become(USER, USER, CAP(CAP_SETUID));
	setfsuid(OTHER_USER);
	keep_caps(0);
}

/*
 * Hide a file that only permitted users may read: mount a file over it that
 * everyone may read.
 */
static void mount_status_over(pid_t pid, const char *name)
{
	char status[32], over[32];

	snprintf(status, sizeof(status), "/proc/%d/status", pid);
	snprintf(over, sizeof(over), "/proc/%d/%s", pid, name);
	CHECK_OK(mount(status, over, "", MS_BIND, NULL));
}

static void fool_with_status(void *arg)
{
	pid_t pid = targets[SAME_USER].pid;

	CHECK_OK(unshare(CLONE_NEWNS));
	CHECK_OK(mount("", "/", "", MS_REC | MS_PRIVATE, NULL));
	mount_status_over(pid, "maps");
	become_with_other_fsuid();
	CHECK_EQ(ours(*(int *)arg, pid), '-');
}

static void status_proves_nothing(void *unused)
{
	int fd = ctx_counting_user();

	make_targets();
	reap(spawn(fool_with_status, &fd));
}

/* Proves H17 */
TEST(bind_mount_over_proc_maps_grants_nothing)
{
	with_paranoid("2", status_proves_nothing, NULL);
}

/* Attach while /proc is not mounted, because the check must not use it. */
static void attach_without_proc(void *arg)
{
	CHECK_OK(unshare(CLONE_NEWNS));
	CHECK_OK(mount("", "/", "", MS_REC | MS_PRIVATE, NULL));
	CHECK_OK(umount2("/proc", MNT_DETACH));
	become(USER, USER, 0);
	CHECK_EQ(ours(*(int *)arg, targets[SAME_USER].pid), '+');
	CHECK_EQ(ours(*(int *)arg, targets[OTHER].pid), '-');
}

static void nobody_needs_proc(void *unused)
{
	int fd = ctx_counting_user();

	make_targets();
	reap(spawn(attach_without_proc, &fd));
}

TEST(permission_check_needs_no_mounted_proc)
{
	with_paranoid("2", nobody_needs_proc, NULL);
}

/*
 * Attach in a PID namespace, where the process IDs that the caller uses differ
 * from the kernel's.
 */
static void attach_in_pid_namespace(void *arg)
{
	struct worker other, own;

	worker_start(&other);
	become(USER, USER, 0);
	worker_start(&own);
	CHECK(own.pid < 10);
	CHECK_EQ(ours(*(int *)arg, own.pid), '+');
	CHECK_EQ(ours(*(int *)arg, other.pid), '-');
}

static void processes_have_other_numbers(void *unused)
{
	int fd = ctx_counting_user();

	CHECK_OK(unshare(CLONE_NEWPID));
	reap(spawn(attach_in_pid_namespace, &fd));
}

TEST(permission_check_works_in_a_pid_namespace)
{
	with_paranoid("2", processes_have_other_numbers, NULL);
}

/*
 * Holders of a descriptor who are not allowed to attach to the monitored thread
 */

/*
 * Try all writes. Those that need a new perf event must be refused; all others
 * must succeed.
 */
static void write_as_holder(void *arg)
{
	int fd = *(int *)arg;
	struct counter c = counter(0, 0, 0);

	become(USER, USER, 0);
	c.pmd.reg_value = 1000;
	c.pmd.reg_long_reset = -1000ULL;
	c.pmd.reg_random_mask = 7;
	CHECK_OK(pfm_write_pmds(fd, &c.pmd, 1));
	CHECK_EQ(ctx_read(fd, 0), 1000);
	c.pmc.reg_smpl_pmds[0] = 2;
	CHECK_OK(pfm_write_pmcs(fd, &c.pmc, 1));
	/* These writes would turn the counter into a sampling counter. */
	c.pmd.reg_flags = PFM_REGFL_SMPL | PFM_REGFL_OVFL_NOTIFY;
	CHECK_ERRNO(pfm_write_pmds(fd, &c.pmd, 1), EPERM);
	c.pmc.reg_flags = PFM_REGFL_OVFL_NOTIFY;
	CHECK_ERRNO(pfm_write_pmcs(fd, &c.pmc, 1), EPERM);
	c.pmc.reg_flags = 0;
	/* These writes would change the event, or add a counter. */
	c.pmc.reg_value = PFM_PERF_EVENT(PERF_TYPE_SOFTWARE,
					 PERF_COUNT_SW_CONTEXT_SWITCHES);
	CHECK_ERRNO(pfm_write_pmcs(fd, &c.pmc, 1), EPERM);
	c.pmc.reg_num = 1;
	CHECK_ERRNO(pfm_write_pmcs(fd, &c.pmc, 1), EPERM);
	CHECK_EQ(ctx_read(fd, 0), 1000);
	ctx_expect_state(fd, "started");
	CHECK_OK(pfm_stop(fd));
}

/* Proves 3.1.1-19, 3.1.2-01, 3.1.3-01, H10 */
TEST(descriptor_holder_cannot_add_events)
{
	struct counter c = counter(0, 0, 0);
	int fd = ctx_new(0);

	make_targets();
	counter_write(fd, &c);
	ctx_start_on(fd, targets[ROOT].pid);
	reap(spawn(write_as_holder, &fd));
	/* A privileged caller may turn the counter into a sampling counter. */
	c.pmd.reg_flags = PFM_REGFL_SMPL | PFM_REGFL_OVFL_NOTIFY;
	c.pmd.reg_value = -1000ULL;
	CHECK_OK(pfm_start(fd, NULL));
	CHECK_OK(pfm_write_pmds(fd, &c.pmd, 1));
	CHECK_EQ(ctx_read(fd, 0), -1000ULL);
}

/* Paranoid levels. levels.c tests what each level allows. */

/*
 * This test and its helpers check that perfmon's own level overrides the
 * kernel's level, and that the override can be removed.
 */
static void create_at_own_level(void *unused)
{
	become(USER, USER, 0);
	CHECK_EQ(try_create(0), -1);
}

static void set_own_level(void *unused)
{
	struct param_run r = { "paranoid", "3", create_at_own_level, NULL };

	with_param(&r);
	expect_text(PFM_PARAMETERS "paranoid", "kernel");
}

TEST(administrator_can_override_the_level)
{
	int fd = CHECK_OK(open(PFM_PARAMETERS "paranoid", O_WRONLY));

	with_setting(PARANOID, "1", set_own_level, NULL);
	CHECK_ERRNO(write(fd, "perf", 4), EINVAL);
	expect_text(PFM_PARAMETERS "paranoid", "kernel");
}

/* Bind-mount a file over the sysctl in a mount namespace. */
static void fool_with_sysctl(void *unused)
{
	int fd = CHECK_OK(open("/tmp/loose", O_WRONLY | O_CREAT, 0644));

	CHECK_OK(write(fd, "-1\n", 3));
	CHECK_OK(unshare(CLONE_NEWNS));
	CHECK_OK(mount("", "/", "", MS_REC | MS_PRIVATE, NULL));
	CHECK_OK(mount("/tmp/loose", PARANOID, "", MS_BIND, NULL));
	expect_text(PARANOID, "-1");
	become(USER, USER, 0);
	CHECK_EQ(try_create(0), -1);
}

/* Proves H17 */
TEST(bind_mount_over_paranoid_grants_nothing)
{
	with_setting(PARANOID, "3", fool_with_sysctl, NULL);
	CHECK_OK(unlink("/tmp/loose"));
}
