// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * delay.c - commands that wait for user memory must not delay other processes
 *
 * The page with the command's argument is registered with userfaultfd and never
 * supplied, so the command never ends. The monitored process must nevertheless
 * be able to exec and exit.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "ctx.h"
#include "files.h"
#include "worker.h"

#define PMUS	"/sys/bus/event_source/devices/"
#define NS_PER_S	1000000000ULL

/*
 * A page that is never supplied, and the userfaultfd that reports accesses to
 * it.
 */
struct missing {
	void	*page;
	int	faults;
};

static struct missing missing_page(void)
{
	size_t size = sysconf(_SC_PAGESIZE);
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct missing m;

	m.faults = CHECK_OK(syscall(SYS_userfaultfd, O_CLOEXEC));
	CHECK_OK(ioctl(m.faults, UFFDIO_API, &api));
	m.page = mmap(NULL, size, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(m.page != MAP_FAILED);
	range.range.start = (uintptr_t)m.page;
	range.range.len = size;
	CHECK_OK(ioctl(m.faults, UFFDIO_REGISTER, &range));
	return m;
}

/* A command that accesses the missing page in a thread of its own. */
struct command {
	void		(*run)(const struct command *c);
	unsigned int	nr;	/* PFM_* */
	int		fd;
	struct missing	missing;
	int		told;	/* the pipe to the test */
};

static void tell(const struct command *c)
{
	CHECK_EQ(write(c->told, "", 1), 1);
}

static void *run_command(void *arg)
{
	const struct command *c = arg;

	c->run(c);
	tell(c);
	return NULL;
}

/* Run the command, and notify the test when the command waits for the page. */
static void run_tool(void *arg)
{
	struct command *c = arg;
	struct uffd_msg msg;
	pthread_t thread;

	c->missing = missing_page();
	CHECK(!pthread_create(&thread, NULL, run_command, c));
	CHECK_EQ(read(c->missing.faults, &msg, sizeof(msg)), sizeof(msg));
	tell(c);
	pause();
}

static void end_tool(pid_t pid)
{
	CHECK_OK(kill(pid, SIGKILL));
	CHECK(WIFSIGNALED(wait_for(pid)));
}

static void expect_end(int fd)
{
	while (ctx_next_message(fd).msg_type != PFM_MSG_END)
		;
}

/*
 * Kill the worker, which must be reaped within 0.1 s, or later on kernels whose
 * tests have longer timeouts.
 */
static void kill_at_once(const struct worker *w)
{
	__u64 limit = check_timeout() * NS_PER_S / 1200;
	__u64 start = clock_ns(CLOCK_MONOTONIC);

	worker_kill(w);
	CHECK(clock_ns(CLOCK_MONOTONIC) - start < limit);
}

/*
 * Start the command on a context that monitors a worker. Then let the worker
 * call exec, and kill it. The exec and the exit must not wait for the command.
 */
static void expect_no_delay(struct command c)
{
	struct worker w;
	int told[2];
	pid_t pid;

	worker_start(&w);
	ctx_start_on(c.fd, w.pid);
	worker_do(&w, WORK_TOUCH, 1);
	CHECK_OK(pipe(told));
	c.told = told[1];
	pid = spawn(run_tool, &c);
	wait_go(told[0]);
	worker_do(&w, WORK_EXEC, 0);
	kill_at_once(&w);
	expect_end(c.fd);
	end_tool(pid);
}

static void run_ioctl(const struct command *c)
{
	struct pfm_ioc ioc = {
		.arg = (uintptr_t)c->missing.page,
		.narg = 1,
	};

	ioctl(c->fd, PFM_IOC(c->nr), &ioc);
	CHECK(!"the command has ended");
}

TEST(command_waiting_for_argument_delays_no_exit)
{
	static const unsigned int nrs[] = {
		PFM_WRITE_PMCS, PFM_WRITE_PMDS, PFM_READ_PMDS,
		PFM_CREATE_EVTSETS, PFM_DELETE_EVTSETS, PFM_GETINFO_EVTSETS,
		PFM_LOAD_CONTEXT, PFM_START,
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(nrs); i++)
		expect_no_delay((struct command){
			.run = run_ioctl, .nr = nrs[i], .fd = ctx_counting() });
}

static void run_bare_ioctl(const struct command *c)
{
	ioctl(c->fd, PFM_IOC(PFM_STOP), c->missing.page);
	CHECK(!"the command has ended");
}

TEST(command_waiting_for_its_structure_delays_no_exit)
{
	expect_no_delay((struct command){ .run = run_bare_ioctl,
					  .fd = ctx_counting() });
}

static void run_read(const struct command *c)
{
	CHECK(read(c->fd, c->missing.page, sizeof(pfm_msg_t)) < 0);
	CHECK(!"the message was read");
}

TEST(reading_into_a_missing_page_delays_no_exit)
{
	expect_no_delay((struct command){ .run = run_read,
					  .fd = ctx_notifying(0, 1) });
}

/*
 * Write the address of the missing page to PMC64, perf's config1. If perfmon
 * did not refuse the event, perf would read the name of a function or file from
 * there.
 */
static void run_probe(const struct command *c, const char *type)
{
	pfarg_pmc_t pmcs[] = {
		{ .reg_num = 64, .reg_value = (uintptr_t)c->missing.page },
		{ .reg_num = 0,
		  .reg_value = PFM_PERF_EVENT(read_number(type), 0) },
	};

	CHECK_ERRNO(pfm_write_pmcs(c->fd, pmcs, 2), EINVAL);
	CHECK(!PFM_REG_HAS_ERROR(pmcs[0].reg_flags));
	CHECK(PFM_REG_HAS_ERROR(pmcs[1].reg_flags));
}

static void run_kprobe(const struct command *c)
{
	run_probe(c, PMUS "kprobe/type");
}

static void run_uprobe(const struct command *c)
{
	run_probe(c, PMUS "uprobe/type");
}

TEST(probe_pmus_with_pointers_are_refused)
{
	if (!exists(PMUS "kprobe/type") || !exists(PMUS "uprobe/type"))
		check_skip("this kernel has no perf PMUs for probes");
	expect_no_delay((struct command){ .run = run_kprobe,
					  .fd = ctx_new(0) });
	expect_no_delay((struct command){ .run = run_uprobe,
					  .fd = ctx_new(0) });
}
