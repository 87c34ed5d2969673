// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * ctxfile.c - the descriptor of a context: messages, waiting, signals, sharing,
 *	       close (specification 3.1.1, 3.1.15, 3.3)
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "ctx.h"
#include "faults.h"
#include "files.h"
#include "worker.h"

#define PERIOD		4
#define MAX_MSGS	4

/* Messages */

/* Proves 3.1.2-08, 3.3.2-02, 3.4.3-04, 3.4.3-06, P5.2-02 */
TEST(overflow_message_has_pmds_address_and_thread)
{
	int fd = ctx_new(0);
	pfm_msg_t msg;

	ctx_pin(0);
	ctx_add_counter(fd, 0, PFM_REGFL_OVFL_NOTIFY, 0);
	ctx_add_counter(fd, 5, PFM_REGFL_OVFL_NOTIFY, PERIOD);
	ctx_start_self(fd);
	touch_pages(PERIOD, NULL);
	msg = ctx_next_message(fd);
	CHECK_EQ(msg.msg_type, PFM_MSG_OVFL);
	CHECK_EQ(msg.ovfl.msg_ovfl_pid, getpid());
	CHECK_EQ(msg.ovfl.msg_ovfl_tid, thread_id());
	CHECK_EQ(msg.ovfl.msg_active_set, 0);
	CHECK_EQ(msg.ovfl.msg_ovfl_cpu, 0);
	CHECK(in_touch_pages(msg.ovfl.msg_ovfl_ip));
	CHECK_EQ(msg.ovfl.msg_ovfl_pmds[0], 1 << 5);
	for (int i = 1; i < PFM_MAX_PMD_BITVECTOR; i++)
		CHECK_EQ(msg.ovfl.msg_ovfl_pmds[i], 0);
}

/*
 * Create a context that notifies after every PERIOD page faults, and start it
 * on this thread.
 */
static int self_notifying(__u32 flags)
{
	int fd = ctx_notifying(flags, PERIOD);

	ctx_start_self(fd);
	return fd;
}

/* Proves 3.1.1-08, 3.1.9-04, 3.3.3-01, 3.4-02, 3.4.3-08 */
TEST(each_restart_allows_one_more_message)
{
	int fd = self_notifying(0);

	for (int i = 0; i < 5; i++) {
		touch_pages(PERIOD - 1, NULL);
		CHECK(!is_readable(fd));
		touch_pages(1, NULL);
		ctx_expect_message(fd, PFM_MSG_OVFL);
		/*
		 * While the context is masked, it neither counts nor notifies.
		 */
		touch_pages(3 * PERIOD, NULL);
		ctx_expect_no_message(fd);
		CHECK_OK(pfm_restart(fd));
	}
}

/* Proves 2.3.7-01 */
TEST(reserved_fields_of_a_command_must_be_0)
{
	const struct pfm_ioc good = {};
	const struct pfm_ioc bad[] = {
		{ .reserved = 1 },
		{ .reserved = 1U << 31 },
		{ .fmt_arg = 1 },
		{ .fmt_arg = 1ULL << 63 },
		{ .fmt_arg_size = 1 },
		{ .fmt_arg_size = PFM_FMT_ARG_IMPLICIT },
	};
	int fd = ctx_counting();

	ctx_load_self(fd);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		CHECK_ERRNO(ioctl(fd, PFM_IOC(PFM_START), &bad[i]), EINVAL);
	ctx_expect_state(fd, "stopped");
	CHECK_OK(ioctl(fd, PFM_IOC(PFM_START), &good));
	ctx_expect_state(fd, "started");
}

/* Proves 3.3.3-03, 3.3.3-07, P5.2-01 */
TEST(read_takes_whole_messages_only)
{
	static const size_t sizes[] = { 1, 4, sizeof(pfm_msg_t) - 1,
					sizeof(pfm_msg_t) + 1,
					2 * sizeof(pfm_msg_t) - 1 };
	char bytes[2 * sizeof(pfm_msg_t)];
	int fd = self_notifying(0);

	touch_pages(PERIOD, NULL);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		CHECK_ERRNO(read(fd, bytes, sizes[i]), EINVAL);
	CHECK_EQ(read(fd, bytes, 0), 0);
	ctx_expect_message(fd, PFM_MSG_OVFL);
}

/* Proves 3.3.3-07 */
TEST(zero_byte_read_does_not_block)
{
	CHECK_EQ(read(ctx_new(0), NULL, 0), 0);
}

/* Proves 3.3.1-02, 3.3.2-01, 3.3.3-04 */
TEST(read_returns_available_messages)
{
	pfm_msg_t msgs[MAX_MSGS];
	struct worker w;
	int fd;

	worker_start(&w);
	fd = ctx_notifying_on(&w, PERIOD);
	worker_do(&w, WORK_TOUCH, PERIOD);
	worker_quit(&w);
	ctx_wait_state(fd, "unloaded");
	CHECK_EQ(read(fd, msgs, sizeof(msgs)), 2 * sizeof(*msgs));
	CHECK_EQ(msgs[0].msg_type, PFM_MSG_OVFL);
	CHECK_EQ(msgs[1].msg_type, PFM_MSG_END);
}

/* Proves 3.3.3-08 */
TEST(read_refuses_bad_address)
{
	int fd = self_notifying(0);
	void *unmapped = mmap(NULL, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
			      -1, 0);

	touch_pages(PERIOD, NULL);
	CHECK_ERRNO(read(fd, unmapped, sizeof(pfm_msg_t)), EFAULT);
	ctx_expect_message(fd, PFM_MSG_OVFL);
}

/* A reader whose buffer is in a missing page */

struct slow_reader {
	int		fd;
	void		*page;
	ssize_t		ret;
	pfm_msg_t	msg;
};

static void *read_slowly(void *arg)
{
	struct slow_reader *r = arg;

	r->ret = read(r->fd, r->page, sizeof(pfm_msg_t));
	memcpy(&r->msg, r->page, sizeof(r->msg));
	return NULL;
}

/*
 * Map a page that stays missing until fill_page() is called. Return: the
 * userfaultfd.
 */
static int missing_page(void **page)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	int faults = syscall(SYS_userfaultfd, O_CLOEXEC);

	if (faults < 0 && errno == ENOSYS)
		check_skip("this kernel has no userfaultfd");
	CHECK_OK(faults);
	CHECK_OK(ioctl(faults, UFFDIO_API, &api));
	reg.range.len = sysconf(_SC_PAGESIZE);
	*page = mmap(NULL, reg.range.len, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(*page != MAP_FAILED);
	reg.range.start = (uintptr_t)*page;
	CHECK_OK(ioctl(faults, UFFDIO_REGISTER, &reg));
	return faults;
}

static void wait_missed(int faults)
{
	struct uffd_msg msg;

	CHECK_EQ(read(faults, &msg, sizeof(msg)), sizeof(msg));
	CHECK_EQ(msg.event, UFFD_EVENT_PAGEFAULT);
}

static void fill_page(int faults, void *page)
{
	struct uffdio_zeropage zero = {
		.range = { (uintptr_t)page, sysconf(_SC_PAGESIZE) },
	};

	CHECK_OK(ioctl(faults, UFFDIO_ZEROPAGE, &zero));
}

/* Proves 3.3.3-01, H23 */
TEST(faulting_reader_does_not_block_others)
{
	struct slow_reader slow = { .fd = self_notifying(0) };
	pthread_t thread;
	int faults;

	/*
	 * Overflow first. This masks the context, so that the page faults of
	 * the following preparations are not counted.
	 */
	touch_pages(PERIOD, NULL);
	faults = missing_page(&slow.page);
	CHECK(!pthread_create(&thread, NULL, read_slowly, &slow));
	wait_missed(faults);
	/* The message is still in the queue, so another reader can read it. */
	ctx_expect_message(slow.fd, PFM_MSG_OVFL);
	ctx_expect_no_message(slow.fd);
	CHECK_OK(pfm_restart(slow.fd));
	touch_pages(PERIOD, NULL);
	CHECK(is_readable(slow.fd));
	/* The slow reader gets the next message, and only that one. */
	fill_page(faults, slow.page);
	CHECK(!pthread_join(thread, NULL));
	CHECK_EQ(slow.ret, sizeof(pfm_msg_t));
	CHECK_EQ(slow.msg.msg_type, PFM_MSG_OVFL);
	ctx_expect_no_message(slow.fd);
}

/* Proves 3.3.3-06 */
TEST(nonblocking_read_fails_without_message)
{
	int fd = self_notifying(0);

	ctx_expect_no_message(fd);
	touch_pages(PERIOD, NULL);
	ctx_expect_message(fd, PFM_MSG_OVFL);
	ctx_expect_no_message(fd);
}

/* Proves 3.3.3-02 */
TEST(descriptor_refuses_seek_and_write)
{
	int fd = ctx_new(0);

	CHECK_ERRNO(write(fd, "", 1), EINVAL);
	CHECK_ERRNO(lseek(fd, 64, SEEK_SET), ESPIPE);
	CHECK_ERRNO(pread(fd, NULL, 0, 64), ESPIPE);
}

/* Proves 3.1.7-09, 3.3.5-01 */
TEST(load_empties_the_queue)
{
	int fd = self_notifying(0);

	touch_pages(PERIOD, NULL);
	CHECK_OK(pfm_unload_context(fd));
	CHECK(is_readable(fd));
	ctx_load_self(fd);
	ctx_expect_no_message(fd);
}

/* Proves 3.1.8-05 */
TEST(unload_keeps_messages)
{
	int fd = self_notifying(0);

	touch_pages(PERIOD, NULL);
	CHECK_OK(pfm_unload_context(fd));
	ctx_expect_message(fd, PFM_MSG_OVFL);
}

/* Proves 3.3.1-04, 3.4.3-09, H23 */
TEST(full_queue_drops_overflow_messages)
{
	int fd = self_notifying(0);

	for (int i = 0; i < 3; i++) {
		touch_pages(PERIOD, NULL);
		CHECK_OK(pfm_restart(fd));
	}
	ctx_expect_message(fd, PFM_MSG_OVFL);
	ctx_expect_no_message(fd);
	/* Now that it is empty, the queue accepts messages again. */
	touch_pages(PERIOD, NULL);
	ctx_expect_message(fd, PFM_MSG_OVFL);
}

/* Waiting for messages */

static void read_overflow(void *fd)
{
	ctx_expect_message(*(int *)fd, PFM_MSG_OVFL);
}

/* Check that a message wakes a child that waits for it. */
static void expect_woken(void (*waiter)(void *fd))
{
	struct worker w;
	pid_t child;
	int fd;

	worker_start(&w);
	fd = ctx_notifying_on(&w, PERIOD);
	child = spawn(waiter, &fd);
	wait_asleep(child);
	worker_do(&w, WORK_TOUCH, PERIOD);
	reap(child);
	worker_quit(&w);
}

/* Proves 3.1.1-16, 3.3.3-05, P5.2-04, P5.2-05 */
TEST(message_wakes_blocked_read)
{
	expect_woken(read_overflow);
}

static void poll_overflow(void *fd)
{
	struct pollfd p = { .fd = *(int *)fd, .events = POLLIN };

	CHECK_EQ(poll(&p, 1, -1), 1);
	CHECK_EQ(p.revents, POLLIN);
}

/* Proves 3.1.1-16, 3.3.8-01, P5.2-04 */
TEST(message_wakes_poll)
{
	expect_woken(poll_overflow);
}

static void select_overflow(void *fd)
{
	fd_set set;
	int n = *(int *)fd;

	FD_ZERO(&set);
	FD_SET(n, &set);
	CHECK_EQ(select(n + 1, &set, NULL, NULL, NULL), 1);
	CHECK(FD_ISSET(n, &set));
}

/* Proves 3.1.1-16, 3.3.8-02, P5.2-04 */
TEST(message_wakes_select)
{
	expect_woken(select_overflow);
}

/* Proves 3.3.3-05 */
TEST(signal_ends_blocked_read)
{
	int fd = ctx_new(0);
	pid_t child = spawn(read_overflow, &fd);

	wait_asleep(child);
	CHECK_OK(kill(child, SIGTERM));
	CHECK_EQ(WTERMSIG(wait_for(child)), SIGTERM);
}

/* Proves 3.1.1-06, 3.3.1-01, 3.3.8-01 */
TEST(poll_distinguishes_contexts)
{
	struct worker w[2];
	struct pollfd p[2];

	for (int i = 0; i < 2; i++) {
		worker_start(&w[i]);
		p[i] = (struct pollfd){ ctx_notifying_on(&w[i], PERIOD),
					POLLIN, 0 };
	}
	CHECK_EQ(poll(p, 2, 0), 0);
	worker_do(&w[1], WORK_TOUCH, PERIOD);
	CHECK_EQ(poll(p, 2, -1), 1);
	CHECK_EQ(p[0].revents, 0);
	CHECK_EQ(p[1].revents, POLLIN);
	worker_do(&w[0], WORK_TOUCH, PERIOD);
	CHECK_EQ(poll(p, 2, -1), 2);
	for (int i = 0; i < 2; i++)
		worker_quit(&w[i]);
}

/* Proves 3.3.8-02 */
TEST(select_distinguishes_contexts)
{
	int fds[2], most = 0;
	struct worker w[2];
	fd_set set;

	FD_ZERO(&set);
	for (int i = 0; i < 2; i++) {
		worker_start(&w[i]);
		fds[i] = ctx_notifying_on(&w[i], PERIOD);
		FD_SET(fds[i], &set);
		most = fds[i] > most ? fds[i] : most;
	}
	worker_do(&w[1], WORK_TOUCH, PERIOD);
	CHECK_EQ(select(most + 1, &set, NULL, NULL, NULL), 1);
	CHECK(!FD_ISSET(fds[0], &set));
	CHECK(FD_ISSET(fds[1], &set));
	for (int i = 0; i < 2; i++)
		worker_quit(&w[i]);
}

/* Signals */

static void block_signal(int number)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, number);
	CHECK_OK(sigprocmask(SIG_BLOCK, &set, NULL));
}

static siginfo_t wait_signal(int number)
{
	siginfo_t info;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, number);
	CHECK_EQ(CHECK_OK(sigwaitinfo(&set, &info)), number);
	return info;
}

static void ask_for_signal(int fd)
{
	CHECK_OK(fcntl(fd, F_SETOWN, getpid()));
	CHECK_OK(fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK));
}

/* Proves 3.3.7-01, P5.2-04, H23 */
TEST(notification_sends_sigio)
{
	int fd = self_notifying(0);

	block_signal(SIGIO);
	ask_for_signal(fd);
	touch_pages(PERIOD, NULL);
	wait_signal(SIGIO);
	ctx_expect_message(fd, PFM_MSG_OVFL);
}

/* Proves 3.1.1-16, 3.3.7-02 */
TEST(chosen_signal_carries_the_descriptor)
{
	int fd = self_notifying(0);
	siginfo_t info;

	block_signal(SIGRTMIN + 3);
	CHECK_OK(fcntl(fd, F_SETSIG, SIGRTMIN + 3));
	ask_for_signal(fd);
	touch_pages(PERIOD, NULL);
	info = wait_signal(SIGRTMIN + 3);
	CHECK_EQ(info.si_fd, fd);
	CHECK_EQ(info.si_code, POLL_IN);
	ctx_expect_message(fd, PFM_MSG_OVFL);
}

/* Proves 3.1.1-07, 3.3.7-04, 3.3.7-05, 3.4.3-10 */
TEST(ovfl_no_msg_still_sends_signals)
{
	int fd = self_notifying(PFM_FL_OVFL_NO_MSG);

	block_signal(SIGIO);
	ask_for_signal(fd);
	for (int i = 0; i < 3; i++) {
		touch_pages(PERIOD, NULL);
		wait_signal(SIGIO);
		ctx_expect_no_message(fd);
		ctx_expect_state(fd, "masked");
		CHECK_OK(pfm_restart(fd));
	}
}

/* Proves 3.3.7-01 */
TEST(end_of_thread_sends_a_signal)
{
	struct worker w;
	int fd;

	worker_start(&w);
	fd = ctx_notifying_on(&w, PERIOD);
	block_signal(SIGIO);
	ask_for_signal(fd);
	worker_quit(&w);
	wait_signal(SIGIO);
	ctx_expect_message(fd, PFM_MSG_END);
}

/* Sharing of descriptors */

static void *control_from_a_thread(void *arg)
{
	int fd = *(int *)arg;

	CHECK_OK(pfm_start(fd, NULL));
	touch_pages(3, NULL);
	CHECK_OK(pfm_stop(fd));
	CHECK_EQ(ctx_read(fd, 0), 0);
	CHECK_OK(pfm_unload_context(fd));
	ctx_load_self(fd);
	CHECK_OK(pfm_unload_context(fd));
	return NULL;
}

/* Proves 3.1.1-19 */
TEST(every_thread_can_control_the_context)
{
	int fd = ctx_counting();
	pthread_t thread;
	struct worker w;

	worker_start(&w);
	faults_prepare();
	ctx_load(fd, w.pid);
	CHECK(!pthread_create(&thread, NULL, control_from_a_thread, &fd));
	CHECK(!pthread_join(thread, NULL));
	ctx_expect_state(fd, "unloaded");
	worker_quit(&w);
}

static void *create_in_a_thread(void *arg)
{
	*(int *)arg = ctx_new(0);
	return NULL;
}

/* Proves 3.1.1-19, 4.3.1-01, H05 */
TEST(descriptor_outlives_the_thread_that_created_it)
{
	pthread_t thread;
	struct worker w;
	int fd = -1;

	CHECK(!pthread_create(&thread, NULL, create_in_a_thread, &fd));
	CHECK(!pthread_join(thread, NULL));
	ctx_add_counter(fd, 0, PFM_REGFL_OVFL_NOTIFY, PERIOD);
	worker_start(&w);
	ctx_start_on(fd, w.pid);
	worker_do(&w, WORK_TOUCH, PERIOD);
	ctx_expect_message(fd, PFM_MSG_OVFL);
	CHECK_EQ(ctx_read(fd, 0), 0);
	CHECK_OK(pfm_restart(fd));
	worker_do(&w, WORK_TOUCH, PERIOD - 1);
	ctx_stop(fd);
	CHECK_OK(pfm_unload_context(fd));
	CHECK_EQ(ctx_read(fd, 0), -1ULL);
	CHECK_OK(close(fd));
	ctx_expect_free(w.pid);
	worker_quit(&w);
}

struct control {
	const struct worker	*w;
	int			fd;
	int			go;
};

static void control_worker(void *arg)
{
	const struct control *c = arg;

	wait_go(c->go);
	CHECK_OK(pfm_start(c->fd, NULL));
	worker_do(c->w, WORK_TOUCH, 10);
	ctx_stop(c->fd);
	CHECK_EQ(ctx_read(c->fd, 0), 10);
}

/* Proves 3.1.1-20, 3.1.1-21, 3.1.15-04, 3.1.15-05, 4.3.1-01, H05 */
TEST(child_can_use_context_closed_by_parent)
{
	struct worker w;
	struct control c = { .w = &w, .fd = ctx_counting() };
	int pipes[2];
	pid_t child;

	worker_start(&w);
	ctx_load(c.fd, w.pid);
	CHECK_OK(pipe(pipes));
	c.go = pipes[0];
	child = spawn(control_worker, &c);
	CHECK_OK(close(c.fd));
	CHECK_ERRNO(pfm_stop(c.fd), EBADF);
	CHECK_ERRNO(pfm_start(c.fd, NULL), EBADF);
	CHECK_OK(write(pipes[1], "", 1));
	reap(child);
	/* The child's exit has closed the last descriptor. */
	ctx_expect_free(w.pid);
	worker_quit(&w);
}

static void control_what_is_sent(void *arg)
{
	struct control *c = arg;

	c->fd = receive_descriptor(c->go);
	CHECK_OK(pfm_start(c->fd, NULL));
	worker_do(c->w, WORK_TOUCH, 10);
	CHECK_EQ(ctx_read(c->fd, 0), 10);
}

/* Proves 4.3.1-03, H05 */
TEST(descriptor_can_be_sent_to_another_process)
{
	struct worker w;
	struct control c = { .w = &w };
	int ends[2], fd;
	pid_t child;

	worker_start(&w);
	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
	c.go = ends[0];
	/*
	 * Start the child before the context exists, so that it does not
	 * inherit the descriptor.
	 */
	child = spawn(control_what_is_sent, &c);
	fd = ctx_counting();
	ctx_load(fd, w.pid);
	send_descriptor(ends[1], fd);
	CHECK_OK(close(fd));
	reap(child);
	ctx_expect_free(w.pid);
	worker_quit(&w);
}

static void monitor_self_and_close(void *fd)
{
	int n = *(int *)fd;

	ctx_start_self(n);
	touch_pages(10, NULL);
	CHECK_OK(close(n));
	ctx_expect_free(thread_id());
}

/* Proves 3.1.15-06, H05 */
TEST(close_by_monitored_process_unloads_context)
{
	int fd = ctx_counting();

	reap(spawn(monitor_self_and_close, &fd));
	ctx_expect_state(fd, "unloaded");
	CHECK_EQ(ctx_read(fd, 0), 10);
	ctx_load_self(fd);
}

/* Proves 3.1.15-02 */
TEST(duplicate_descriptor_keeps_context_loaded)
{
	int fd = ctx_counting();
	int copy = CHECK_OK(dup(fd));

	ctx_start_self(fd);
	CHECK_OK(close(fd));
	ctx_expect_state(copy, "started");
	touch_pages(10, NULL);
	CHECK_EQ(ctx_read(copy, 0), 10);
	CHECK_OK(close(copy));
	ctx_expect_free(thread_id());
}

/* Proves 3.1.15-02, 3.1.15-07, P4.1-16, H07 */
TEST(close_detaches_from_another_thread)
{
	struct worker w;
	int fd = ctx_counting();

	worker_start(&w);
	ctx_start_on(fd, w.pid);
	worker_ask(&w, WORK_TOUCH, 20000);
	CHECK_OK(close(fd));
	ctx_expect_free(w.pid);
	worker_wait(&w);
	worker_quit(&w);
}

/*
 * Monitor a worker that holds the context's only descriptor, and let it call
 * exec.
 */
static void exec_with_descriptor(int fd, struct worker *w)
{
	worker_start_holding(w, fd);
	ctx_start_on(fd, w->pid);
	CHECK_OK(close(fd));
	CHECK_ERRNO(ctx_try_load(ctx_new(0), w->pid), EBUSY);
	worker_do(w, WORK_EXEC, 0);
}

/* Proves 3.1.1-22, 4.3.1-02 */
TEST(descriptor_is_inherited_across_exec)
{
	struct worker w;

	exec_with_descriptor(ctx_counting(), &w);
	CHECK_ERRNO(ctx_try_load(ctx_new(0), w.pid), EBUSY);
	worker_quit(&w);
}

/* Proves 3.1.1-22 */
TEST(close_on_exec_destroys_the_context)
{
	int fd = ctx_counting();
	struct worker w;

	CHECK_OK(fcntl(fd, F_SETFD, FD_CLOEXEC));
	exec_with_descriptor(fd, &w);
	ctx_expect_free(w.pid);
	worker_quit(&w);
}
