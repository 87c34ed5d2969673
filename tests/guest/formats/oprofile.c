// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * oprofile.c - the OProfile bridge: its device, stream and cookies
 *
 * The first test that creates a context loads the module, which stays loaded.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <perfmon/perfmon_oprofile_smpl.h>

#include "bridge.h"
#include "check.h"
#include "ctx.h"
#include "faults.h"
#include "files.h"
#include "modules.h"
#include "oprofile_stream.h"
#include "worker.h"

/* The number of page faults per sample, and an event ID. */
#define PERIOD		5
#define EVENT		0xabcdef0123456789UL
#define CPU_CLOCK \
	PFM_PERF_EVENT(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK)

/* Contexts */

static void add_event(int fd, __u64 event, __u64 period)
{
	struct counter c = counter(0, 0, period);

	c.pmc.reg_value = event;
	c.pmc.reg_smpl_eventid = EVENT;
	counter_write(fd, &c);
}

/* Create a context that samples page faults. */
static int ctx_faults(__u32 flags)
{
	int fd = ctx_bridged(flags);

	add_event(fd, PAGE_FAULTS, PERIOD);
	return fd;
}

/*
 * Check that a sample was taken in touch_pages(), in the process @pid, which
 * runs this program.
 */
static void expect_touch_sample(int device, const struct sample *s, pid_t pid)
{
	CHECK(s->user);
	CHECK_EQ(s->tid, pid);
	CHECK_EQ(s->tgid, pid);
	CHECK_EQ(s->event, EVENT);
	CHECK(is_between(s->offset, __start_touch_pages_text,
			 __stop_touch_pages_text));
	expect_path(device, s->cookie, own_path());
	expect_path(device, s->app, own_path());
}

/* Loading */

TEST(context_loads_the_format_and_its_device)
{
	module_unload(BRIDGE_MODULE);
	CHECK(!exists(BRIDGE_DEVICE));
	close(ctx_bridged(0));
	CHECK(exists(BRIDGE_DEVICE));
	close(open_device());
}

TEST(bridge_in_use_cannot_be_unloaded)
{
	int fd = ctx_bridged(0), device = open_device();

	CHECK_ERRNO(module_unload(BRIDGE_MODULE), EAGAIN);
	close(fd);
	/* Now only the device is in use. */
	CHECK_ERRNO(module_unload(BRIDGE_MODULE), EAGAIN);
	fd = ctx_bridged(0);
	close(device);
	/* Now only the context is in use. */
	CHECK_ERRNO(module_unload(BRIDGE_MODULE), EAGAIN);
	close(fd);
	CHECK_OK(module_unload(BRIDGE_MODULE));
	CHECK(!exists(BRIDGE_DEVICE));
	CHECK(!exists(BRIDGE_STATS));
	close(ctx_bridged(0));
}

TEST(unloading_after_unread_samples_is_clean)
{
	int fd = ctx_faults(0), device = open_device();

	ctx_start_self(fd);
	touch_pages(20 * PERIOD, NULL);
	close(device);
	touch_pages(20 * PERIOD, NULL);
	close(fd);
	CHECK_OK(module_unload(BRIDGE_MODULE));
	close(ctx_bridged(0));
}

TEST(format_argument_is_refused)
{
	pfarg_ctx_t ctx = { .ctx_smpl_buf_id = PFM_OPROFILE_SMPL_UUID };
	__u64 arg = 0;

	CHECK_ERRNO(pfm_create_context(&ctx, &arg, sizeof(arg)), E2BIG);
}

/* Samples */

/* Proves 3.5-03, P5.4-07 */
TEST(samples_hold_thread_file_and_offset)
{
	int fd = ctx_faults(0), device = open_device();
	struct worker w;

	worker_start(&w);
	ctx_start_on(fd, w.pid);
	worker_do(&w, WORK_TOUCH, 100 * PERIOD);
	ctx_stop(fd);
	read_samples(device, 100);
	for (unsigned int i = 0; i < num_samples; i++)
		expect_touch_sample(device, &samples[i], w.pid);
	worker_quit(&w);
}

TEST(samples_of_exited_process_resolve)
{
	int fd = ctx_faults(0), device = open_device();
	struct worker w;

	worker_start(&w);
	ctx_start_on(fd, w.pid);
	worker_do(&w, WORK_TOUCH, 20 * PERIOD);
	worker_quit(&w);
	read_samples(device, 20);
	for (unsigned int i = 0; i < num_samples; i++)
		expect_touch_sample(device, &samples[i], w.pid);
}

TEST(exec_changes_the_program)
{
	int fd = ctx_faults(0), device = open_device();
	struct worker w;

	worker_start(&w);
	/* Samples from different CPUs would not be in order. */
	worker_do(&w, WORK_PIN, 0);
	ctx_start_on(fd, w.pid);
	worker_do(&w, WORK_TOUCH, 20 * PERIOD);
	worker_do(&w, WORK_EXEC, 0);
	worker_do(&w, WORK_TOUCH, 20 * PERIOD);
	ctx_stop(fd);
	decode(drain(device, 0));
	CHECK(num_samples >= 40);
	expect_touch_sample(device, &samples[0], w.pid);
	CHECK_EQ(samples[num_samples - 1].tid, w.pid);
	expect_path(device, samples[num_samples - 1].app,
		    program_path("worker"));
	expect_path(device, samples[num_samples - 1].cookie,
		    program_path("worker"));
}

static void *touch_in_thread(void *tid)
{
	*(pid_t *)tid = thread_id();
	touch_pages(40 * PERIOD, NULL);
	return NULL;
}

static unsigned int count_of(pid_t tid, pid_t tgid)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < num_samples; i++)
		n += samples[i].tid == (__u64)tid &&
		     samples[i].tgid == (__u64)tgid;
	return n;
}

TEST(system_wide_samples_name_threads_and_processes)
{
	int fd = ctx_faults(PFM_FL_SYSTEM_WIDE), device;
	pthread_t thread;
	struct worker w;
	pid_t tid;

	ctx_pin(0);
	worker_start(&w);
	faults_prepare();
	device = open_device();
	ctx_start_on(fd, thread_id());
	worker_do(&w, WORK_TOUCH, 40 * PERIOD);
	CHECK(!pthread_create(&thread, NULL, touch_in_thread, &tid));
	CHECK(!pthread_join(thread, NULL));
	ctx_stop(fd);
	decode(drain(device, 0));
	/*
	 * Page faults of other processes on this CPU are counted, too. One of
	 * them may complete a period, so one sample may be missing.
	 */
	CHECK(count_of(w.pid, w.pid) >= 39);
	CHECK(count_of(tid, getpid()) >= 39);
	for (unsigned int i = 0; i < num_samples; i++)
		CHECK_EQ(samples[i].cpu, 0);
	worker_quit(&w);
}

/* Work in user space and in the kernel until both have been sampled. */
static void sample_both_levels(int device)
{
	bool user = false, kernel = false;
	static char bytes[65536];
	int zero = CHECK_OK(open("/dev/zero", O_RDONLY | O_CLOEXEC));
	size_t n = 0;

	while (!user || !kernel) {
		for (volatile int i = 0; i < 1000000; i++)
			;
		for (int i = 0; i < 50; i++)
			CHECK_OK(read(zero, bytes, sizeof(bytes)));
		n = drain(device, n);
		decode(n);
		for (unsigned int i = 0; i < num_samples; i++) {
			const struct sample *s = &samples[i];

			/* Kernel addresses are in the upper half. */
			CHECK_EQ(s->user, (__s64)s->offset >= 0);
			CHECK_EQ(s->tid, thread_id());
			user |= s->user;
			kernel |= !s->user;
		}
	}
}

/* Proves 4.4.1-01 */
TEST(samples_distinguish_kernel_and_user_level)
{
	int fd = ctx_bridged(0), device = open_device();

	add_event(fd, CPU_CLOCK, 1000000);
	ctx_start_on(fd, thread_id());
	sample_both_levels(device);
}

/* Traces */

__attribute__((noipa)) __section("traced_inner_text")
static void inner(void **page)
{
	/*
	 * Reading the frame address makes the compiler give the function a
	 * stack frame.
	 */
	__atomic_store_n(page, __builtin_frame_address(0), __ATOMIC_RELAXED);
}

__attribute__((noipa)) __section("traced_outer_text")
static void outer(void **page)
{
	inner(page);
	/* Prevent a tail call. */
	__atomic_store_n(page, NULL, __ATOMIC_RELAXED);
}

extern const char __start_traced_inner_text[], __stop_traced_inner_text[];
extern const char __start_traced_outer_text[], __stop_traced_outer_text[];
extern const char __start_traced_root_text[], __stop_traced_root_text[];

/*
 * Set the module's trace depth, and cause one page fault in inner(). Return:
 * the only sample.
 */
__attribute__((noipa)) __section("traced_root_text")
static struct sample trace_of(const char *depth)
{
	size_t size = sysconf(_SC_PAGESIZE);
	void *page = mmap(NULL, size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = ctx_bridged(0), device;

	CHECK(page != MAP_FAILED);
	add_event(fd, PAGE_FAULTS, 1);
	bridge_set("trace_depth", depth, 0);
	device = open_device();
	bridge_set("trace_depth", "0", 0);
	faults_prepare();
	CHECK_OK(munlock(page, size));
	CHECK_OK(madvise(page, size, MADV_DONTNEED));
	ctx_start_on(fd, thread_id());
	outer(page);
	ctx_stop(fd);
	read_samples(device, 1);
	CHECK(is_between(samples[0].offset, __start_traced_inner_text,
			 __stop_traced_inner_text));
	close(device);
	close(fd);
	return samples[0];
}

TEST(trace_holds_the_callers)
{
	struct sample s = trace_of("2");

	CHECK_EQ(s.num_callers, 2);
	CHECK(is_between(s.callers[0].offset, __start_traced_outer_text,
			 __stop_traced_outer_text));
	CHECK_EQ(s.callers[0].cookie, s.cookie);
	CHECK(is_between(s.callers[1].offset, __start_traced_root_text,
			 __stop_traced_root_text));
}

/* Proves 3.5.3-01, H19 */
TEST(trace_depth_follows_the_parameter)
{
	CHECK_EQ(trace_of("1").num_callers, 1);
	CHECK_EQ(trace_of("0").num_callers, 0);
}

TEST(parameters_have_limits)
{
	close(ctx_bridged(0));
	bridge_set("trace_depth", "65", EINVAL);
	bridge_set("trace_depth", "-1", EINVAL);
	bridge_set("event_buffer_size", "63", EINVAL);
	bridge_set("event_buffer_size", "16777217", EINVAL);
	bridge_set("cpu_buffer_size", "0", EINVAL);
	bridge_set("cpu_buffer_size", "4294967296", ERANGE);
	CHECK_EQ(read_number(BRIDGE_PARAMETERS "trace_depth"), 0);
	CHECK_EQ(read_number(BRIDGE_PARAMETERS "event_buffer_size"), 131072);
	CHECK_EQ(read_number(BRIDGE_PARAMETERS "cpu_buffer_size"), 8192);
}

/* Loss */

TEST(samples_without_a_reader_are_lost)
{
	unsigned long received, overflow;
	int fd = ctx_faults(0);

	received = bridge_stat("sample_received");
	overflow = bridge_stat("sample_lost_overflow");
	ctx_start_self(fd);
	touch_pages(30 * PERIOD, NULL);
	ctx_stop(fd);
	CHECK_EQ(bridge_stat("sample_received"), received + 30);
	CHECK_EQ(bridge_stat("sample_lost_overflow"), overflow + 30);
	/* The device does not return the lost samples later. */
	read_samples(open_device(), 0);
}

/*
 * Five times, take 60 samples and read the device. The event buffer has 64
 * words, too few for 60 samples.
 */
static void overflow_small_buffer(int fd, int device)
{
	size_t n = 0;

	for (int i = 0; i < 5; i++) {
		touch_pages(60 * PERIOD, NULL);
		ctx_stop(fd);
		n = drain(device, n);
		CHECK_OK(pfm_start(fd, NULL));
	}
	decode(n);
}

TEST(full_event_buffer_keeps_the_stream_valid)
{
	unsigned long received, delivered, before, gone;
	int fd = ctx_faults(0), device;

	bridge_set("event_buffer_size", "64", 0);
	device = open_device();
	bridge_set("event_buffer_size", "131072", 0);
	received = bridge_stat("sample_received");
	delivered = bridge_stat("sample_delivered");
	before = bridge_lost();
	ctx_start_self(fd);
	overflow_small_buffer(fd, device);
	ctx_stop(fd);
	decode(drain(device, 0));
	received = bridge_stat("sample_received") - received;
	delivered = bridge_stat("sample_delivered") - delivered;
	gone = bridge_lost() - before;
	CHECK_EQ(received, 300);
	CHECK_EQ(received, delivered + gone);
	CHECK(gone > 0 && delivered > 0);
}

TEST(delivered_statistic_equals_samples_read)
{
	unsigned long delivered, before;
	int fd = ctx_faults(0), device = open_device();

	delivered = bridge_stat("sample_delivered");
	before = bridge_lost();
	ctx_start_self(fd);
	touch_pages(50 * PERIOD, NULL);
	ctx_stop(fd);
	read_samples(device, 50);
	CHECK_EQ(bridge_stat("sample_delivered"), delivered + 50);
	CHECK_EQ(bridge_lost(), before);
}

/* The device */

/* Record @n samples of this thread. Return: the open device. */
static int device_with(unsigned int n)
{
	int fd = ctx_faults(0), device = open_device();

	ctx_start_self(fd);
	touch_pages(n * PERIOD, NULL);
	close(fd);
	return device;
}

TEST(device_has_one_reader)
{
	int device;

	close(ctx_bridged(0));
	device = open_device();
	CHECK_ERRNO(open(BRIDGE_DEVICE, O_RDONLY), EBUSY);
	close(device);
	close(open_device());
}

static void open_as_nobody(void *arg)
{
	become_nobody();
	CHECK_ERRNO(open(BRIDGE_DEVICE, O_RDONLY), EACCES);
}

TEST(only_root_can_open_the_device)
{
	close(ctx_bridged(0));
	reap(spawn(open_as_nobody, NULL));
}

TEST(reads_return_whole_words)
{
	int device = device_with(10);
	size_t n;

	CHECK_ERRNO(read(device, words, 0), EINVAL);
	CHECK_ERRNO(read(device, words, WORD - 1), EINVAL);
	for (n = 0; n < 5; n++)
		CHECK_EQ(read(device, words + n, 2 * WORD - 1), WORD);
	decode(drain(device, n));
	CHECK_EQ(num_samples, 10);
}

TEST(bad_address_loses_nothing)
{
	int device = device_with(10);
	/* Hide the bad address from compiler warnings. */
	void *volatile address = BAD_ADDRESS;

	CHECK_ERRNO(read(device, address, sizeof(words)), EFAULT);
	read_samples(device, 10);
}

TEST(partly_bad_buffer_loses_nothing)
{
	int device = device_with(10);
	size_t page = sysconf(_SC_PAGESIZE);
	char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(pages != MAP_FAILED);
	CHECK_OK(munmap(pages + page, page));
	/* There is room for two and a half words. */
	CHECK_EQ(read(device, pages + page - 5 * WORD / 2, 4 * WORD),
		 2 * WORD);
	memcpy(words, pages + page - 5 * WORD / 2, 2 * WORD);
	decode(drain(device, 2));
	CHECK_EQ(num_samples, 10);
}

TEST(poll_reports_available_words)
{
	int device = device_with(0);

	CHECK(!is_readable(device));
	CHECK_ERRNO(read(device, words, sizeof(words)), EAGAIN);
	close(device);
	device = device_with(3);
	CHECK(is_readable(device));
	read_samples(device, 3);
	CHECK(!is_readable(device));
}

static void read_blocking(void *arg)
{
	int device = *(int *)arg;

	CHECK_OK(fcntl(device, F_SETFL, O_RDONLY));
	CHECK(read(device, words, sizeof(words)) > 0);
}

TEST(sleeping_reader_is_woken_by_one_sample)
{
	int fd = ctx_faults(0), device = open_device();
	pid_t reader;

	reader = spawn(read_blocking, &device);
	wait_asleep(reader);
	ctx_start_self(fd);
	touch_pages(PERIOD, NULL);
	reap(reader);
}

static void ignore(int signal)
{
}

static void read_until_signal(void *arg)
{
	const struct sigaction action = { .sa_handler = ignore };
	int device = *(int *)arg;

	CHECK_OK(sigaction(SIGUSR1, &action, NULL));
	CHECK_OK(fcntl(device, F_SETFL, O_RDONLY));
	CHECK_ERRNO(read(device, words, sizeof(words)), EINTR);
}

TEST(signal_interrupts_a_sleeping_reader)
{
	pid_t reader;
	int device;

	close(ctx_bridged(0));
	device = open_device();
	reader = spawn(read_until_signal, &device);
	wait_asleep(reader);
	CHECK_OK(kill(reader, SIGUSR1));
	reap(reader);
}

TEST(unsupported_file_operations_are_refused)
{
	int device = device_with(1);

	CHECK_ERRNO(write(device, words, WORD), EBADF);
	CHECK_ERRNO(lseek(device, 0, SEEK_SET), ESPIPE);
	CHECK_ERRNO(ioctl(device, PFM_OPROFILE_IOC_COOKIE + 1, words), ENOTTY);
	CHECK_ERRNO(ioctl(device, 0, words), ENOTTY);
	CHECK(mmap(NULL, 4096, PROT_READ, MAP_SHARED, device, 0) == MAP_FAILED);
}

/* Cookies */

static const __u64 no_cookies[] = {
	PFM_OPROFILE_NO_COOKIE, PFM_OPROFILE_INVALID_COOKIE, 1000, 65537,
	1ULL << 32, 1ULL << 63,
};

TEST(unknown_cookie_fails_with_enoent)
{
	int device = device_with(1);
	char path[PATH_MAX];

	read_samples(device, 1);
	for (unsigned int i = 0; i < sizeof(no_cookies) / sizeof(*no_cookies);
	     i++)
		CHECK_ERRNO(ask_path(device, no_cookies[i], path, sizeof(path)),
			    ENOENT);
}

TEST(short_path_buffer_returns_erange_and_length)
{
	struct pfm_oprofile_cookie req = {};
	int device = device_with(1);
	char path[PATH_MAX] = "untouched";

	read_samples(device, 1);
	req.cookie = samples[0].cookie;
	CHECK_ERRNO(ioctl(device, PFM_OPROFILE_IOC_COOKIE, &req), ERANGE);
	CHECK_EQ(req.length, strlen(own_path()) + 1);
	req.path = (uintptr_t)path;
	req.size = req.length - 1;
	CHECK_ERRNO(ioctl(device, PFM_OPROFILE_IOC_COOKIE, &req), ERANGE);
	CHECK(!strcmp(path, "untouched"));
	req.size = req.length;
	CHECK_OK(ioctl(device, PFM_OPROFILE_IOC_COOKIE, &req));
	CHECK(!strcmp(path, own_path()));
}

TEST(bad_cookie_addresses_fail_with_efault)
{
	struct pfm_oprofile_cookie req = { .size = PATH_MAX };
	int device = device_with(1);

	read_samples(device, 1);
	req.cookie = samples[0].cookie;
	CHECK_ERRNO(ioctl(device, PFM_OPROFILE_IOC_COOKIE, NULL), EFAULT);
	CHECK_ERRNO(ioctl(device, PFM_OPROFILE_IOC_COOKIE, BAD_ADDRESS),
		    EFAULT);
	CHECK_ERRNO(ioctl(device, PFM_OPROFILE_IOC_COOKIE, &req), EFAULT);
	req.path = 1ULL << 63;
	CHECK_ERRNO(ioctl(device, PFM_OPROFILE_IOC_COOKIE, &req), EFAULT);
}

TEST(cookies_expire_when_the_reader_closes)
{
	int device = device_with(1);
	char path[PATH_MAX];

	read_samples(device, 1);
	expect_path(device, samples[0].cookie, own_path());
	close(device);
	device = open_device();
	CHECK_ERRNO(ask_path(device, samples[0].cookie, path, sizeof(path)),
		    ENOENT);
}
