// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * member.c - at paranoid level 2, members of the device's group learn no kernel
 * addresses and cannot take resources from others
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <perfmon/perfmon_nway_smpl.h>
#include <perfmon/perfmon_pebs32_smpl.h>
#include <perfmon/perfmon_pebs64_smpl.h>

#include "bridge.h"
#include "check.h"
#include "ctx.h"
#include "faults.h"
#include "files.h"
#include "modules.h"
#include "oprofile_stream.h"
#include "smpl.h"
#include "users.h"

#define FAULTS		100
#define ROUNDS		5
#define PERIOD		4
/*
 * The minimum number of samples from user space, and also from the kernel: one
 * for each PERIOD page faults, minus some tolerance.
 */
#define SAMPLES		(ROUNDS * FAULTS / PERIOD - 10)
#define BUFFER		(1 << 20)
#define RECORDS		1024
#define EXCL_KERNEL	PFM_PERF_EXCL_KERNEL
#define CPU_CLOCK \
	PFM_PERF_EVENT(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK)

/* Kernel addresses */

/*
 * Cause page faults in user space, and the same number in the kernel by copying
 * to user pages.
 */
static void fault_in_user_and_kernel(void)
{
	size_t size = FAULTS * sysconf(_SC_PAGESIZE);
	char *pages = mmap(NULL, size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int pipes[2];

	CHECK(pages != MAP_FAILED);
	CHECK_OK(pipe(pipes));
	for (size_t i = 0; i < size; i += size / FAULTS) {
		CHECK_OK(write(pipes[1], "", 1));
		CHECK_EQ(read(pipes[0], pages + i, 1), 1);
	}
	touch_pages(FAULTS, NULL);
	CHECK_OK(munmap(pages, size));
	close(pipes[0]);
	close(pipes[1]);
}

static void count_faults(int fd, __u64 exclude)
{
	struct counter faults = counter(0, PFM_REGFL_OVFL_NOTIFY, PERIOD);

	faults.pmc.reg_value |= exclude;
	counter_write(fd, &faults);
}

static void sample_in_user_and_kernel(int fd)
{
	ctx_start_self(fd);
	for (int i = 0; i < ROUNDS; i++)
		fault_in_user_and_kernel();
	ctx_stop(fd);
}

/*
 * Return whether this is a kernel address. The highest addresses do not count,
 * because negative periods look like them.
 */
static bool is_of_kernel(__u64 word)
{
	return word >= 0xffff800000000000ULL && word < 0xffffffffff000000ULL;
}

/* Return the number of words in a buffer that are kernel addresses. */
static unsigned int kernel_words(const struct mapped *m)
{
	const __u64 *word = m->buf;
	unsigned int n = 0;

	for (size_t i = 0; i < m->size / sizeof(*word); i++)
		n += is_of_kernel(word[i]);
	return n;
}

/*
 * Return the number of non-zero bytes in the records. There must not be any:
 * the format drops records with a register that does not fit in 32 bits, and
 * the stack pointer of a 64-bit process never fits.
 */
static unsigned int records32(const struct mapped *m)
{
	unsigned int n = 0;

	for (size_t at = PFM_PEBS32_SMPL_ALIGN; at < m->size; at++)
		n += ((const char *)m->buf)[at] != 0;
	return n;
}

static struct mapped new_default(void)
{
	static const pfm_uuid_t uuid = PFM_DFL_SMPL_UUID;
	pfm_default_smpl_arg_t arg = { .buf_size = BUFFER };

	return mapped_new(uuid, 0, &arg, sizeof(arg));
}

static struct mapped new_nway(void)
{
	static const pfm_uuid_t uuid = PFM_NWAY_SMPL_UUID;
	pfm_nway_smpl_arg_t arg = { .buf_size = BUFFER, .num_regions = 2 };

	return mapped_new(uuid, 0, &arg, sizeof(arg));
}

static struct mapped new_pebs32(void)
{
	static const pfm_uuid_t uuid = PFM_PEBS32_SMPL_UUID;
	pfm_pebs32_smpl_arg_t arg = {
		.buf_size = BUFFER,
		.intr_thres = RECORDS,
		.flags = PFM_PEBS32_SMPL_IMPRECISE,
		.cnt_reset = -(__u64)PERIOD,
	};

	return mapped_new(uuid, 0, &arg, sizeof(arg));
}

static struct mapped new_pebs64(void)
{
	static const pfm_uuid_t uuid = PFM_PEBS64_SMPL_UUID;
	pfm_pebs64_smpl_arg_t arg = {
		.buf_size = BUFFER,
		.intr_thres = RECORDS,
		.flags = PFM_PEBS64_SMPL_IMPRECISE,
		.cnt_reset = -(__u64)PERIOD,
	};

	return mapped_new(uuid, 0, &arg, sizeof(arg));
}

static const struct format {
	const char	*name;
	struct mapped	(*make)(void);
	bool		x86;		/* records contain x86 registers */
	unsigned int	(*look)(const struct mapped *m);
} formats[] = {
	{ "default", new_default, false, kernel_words },
	{ "nway", new_nway, false, kernel_words },
	{ "pebs32", new_pebs32, true, records32 },
	{ "pebs64", new_pebs64, true, kernel_words },
};

/* Sample with a format. Return: the result of its look(). */
static unsigned int learn_from(const struct format *f, __u64 exclude)
{
	struct mapped m = f->make();
	unsigned int n;

	count_faults(m.fd, exclude);
	if (!f->x86) {
		struct counter clock = counter(1, 0, 20000);

		clock.pmc.reg_value = CPU_CLOCK | exclude;
		counter_write(m.fd, &clock);
	}
	sample_in_user_and_kernel(m.fd);
	n = f->look(&m);
	CHECK_OK(munmap((void *)m.buf, m.size));
	CHECK_OK(close(m.fd));
	return n;
}

static bool is_here(const struct format *f)
{
#if defined(__x86_64__)
	return true;
#else
	return !f->x86;
#endif
}

static void lift_memory_limit(void)
{
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };

	CHECK_OK(setrlimit(RLIMIT_MEMLOCK, &limit));
}

static void learn_as_member(void *unused)
{
	lift_memory_limit();
	become_member(USER, 0);
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		unsigned int n = 0;

		if (is_here(&formats[i]))
			n = learn_from(&formats[i], EXCL_KERNEL);
		if (n)
			check_failed(__FILE__, __LINE__, "%s: the buffer contains %u kernel addresses",
				     formats[i].name, n);
	}
}

/* Proves H16, 4.1-01 */
TEST(no_format_leaks_kernel_addresses_to_users)
{
	/* Where the kernel is not excluded, kernel addresses must be found. */
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (is_here(&formats[i]) && formats[i].look == kernel_words)
			CHECK(learn_from(&formats[i], 0) >= SAMPLES);
	with_paranoid("2", learn_as_member, NULL);
}

/* Return the number of kernel samples in the bridge's stream. */
static unsigned int kernel_samples(int device)
{
	unsigned int n = 0;

	decode(drain(device, 0));
	CHECK(num_samples >= SAMPLES);
	for (unsigned int i = 0; i < num_samples; i++)
		n += !samples[i].user || is_of_kernel(samples[i].offset);
	return n;
}

static void feed_bridge(__u64 exclude)
{
	int fd = ctx_bridged(0);

	count_faults(fd, exclude);
	sample_in_user_and_kernel(fd);
	CHECK_OK(close(fd));
}

static void feed_bridge_as_member(void *unused)
{
	lift_memory_limit();
	become_member(USER, 0);
	CHECK_ERRNO(open(BRIDGE_DEVICE, O_RDONLY), EACCES);
	feed_bridge(EXCL_KERNEL);
}

static void read_what_a_member_feeds(void *unused)
{
	int device = open_device();

	reap(spawn(feed_bridge_as_member, NULL));
	CHECK_EQ(kernel_samples(device), 0);
}

/* Proves H16, 4.1-01 */
TEST(oprofile_bridge_leaks_no_kernel_addresses)
{
	int device;

	CHECK_OK(close(ctx_bridged(0)));
	device = open_device();
	feed_bridge(0);
	CHECK(kernel_samples(device) >= SAMPLES);
	CHECK_OK(close(device));
	with_paranoid("2", read_what_a_member_feeds, NULL);
}

/* Memory */

#define CGROUP		"/sys/fs/cgroup/member"
#define GROUP_MAX	(64U << 20)
#define SOME		(4U << 20)

/*
 * The number of bytes that the kernel may charge in advance: 64 pages on each
 * of two CPUs.
 */
#define AHEAD		(64 * 2 * 4096U)

/* Create a control group with this memory limit. */
static void make_group(const char *max)
{
	write_text("/sys/fs/cgroup/cgroup.subtree_control", "+memory");
	if (mkdir(CGROUP, 0755) || !exists(CGROUP "/memory.current"))
		check_skip("this kernel has no memory cgroup controller");
	write_text(CGROUP "/memory.max", max);
}

/* Run a function, which must join the group, in a child. */
static void run_in_group_with(void (*work)(void *arg), void *arg)
{
	int status = wait_for(spawn(work, arg));

	remove_cgroup(CGROUP);
	CHECK_EQ(status, 0);
}

static void run_in_group(void (*work)(void *arg))
{
	run_in_group_with(work, NULL);
}

static __u64 charged(void)
{
	return read_number(CGROUP "/memory.current");
}

static void fill_buffers(void *unused)
{
	__u64 before;

	write_text(CGROUP "/cgroup.procs", "0");
	lift_memory_limit();
	become_member(USER, 0);
	before = charged();
	for (int i = 0; i < 16; i++)
		new_default();
	CHECK(charged() + AHEAD - before >= 16 * BUFFER);
	for (int i = 0; i < 500; i++)
		CHECK_OK(ctx_new(0));
	CHECK(charged() - before >= 16 * BUFFER + 500 * 2048);
}

static void fill_at_level_2(void *unused)
{
	with_paranoid("2", fill_buffers, NULL);
}

/* Proves H15 */
TEST(buffers_and_contexts_are_charged_to_the_cgroup)
{
	make_group("max");
	run_in_group(fill_at_level_2);
}

/* Check that a context that needs all memory of the group cannot be created. */
static void expect_too_large(pfarg_ctx_t *ctx, void *arg, size_t size)
{
	write_text(CGROUP "/cgroup.procs", "0");
	CHECK_ERRNO(pfm_create_context(ctx, arg, size), ENOMEM);
	/*
	 * The failed call has freed its memory, so this process can allocate
	 * some.
	 */
	CHECK(mmap(NULL, SOME, PROT_READ | PROT_WRITE, MAP_PRIVATE |
		   MAP_ANONYMOUS | MAP_POPULATE, -1, 0) != MAP_FAILED);
}

static void outgrow_group(void *unused)
{
	pfarg_ctx_t ctx = { .ctx_smpl_buf_id = PFM_DFL_SMPL_UUID };
	pfm_default_smpl_arg_t arg = { .buf_size = GROUP_MAX };

	expect_too_large(&ctx, &arg, sizeof(arg));
}

static void outgrow_group_in_private(void *unused)
{
	pfarg_ctx_t ctx = { .ctx_smpl_buf_id = ODD_UUID };

	expect_too_large(&ctx, NULL, 0);
}

/*
 * A family (a thread and its descendants) that is not in the control group of
 * the process that created the context
 */
#define MEMBERS	600

struct payment {
	int	go[2];		/* a pipe: start the threads */
	int	done[2];	/* a pipe: all threads run */
	bool	scarce;		/* the group's memory is limited meanwhile */
};

static void *pause_for_ever(void *unused)
{
	for (;;)
		pause();
	return NULL;
}

/* The limit below lets births fail, but not before some have succeeded. */
#define FEW_BIRTHS	(AHEAD + 64 * 2048)

static void limit_group_to(__u64 bytes)
{
	char max[24];

	snprintf(max, sizeof(max), "%llu", bytes);
	write_text(CGROUP "/memory.max", max);
}

/*
 * Start threads when a byte arrives, and report when all of them run. In
 * between, the group has its limit on memory, if it is to have one.
 */
static void start_threads(void *arg)
{
	struct payment *pay = arg;
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 << 10);
	wait_go(pay->go[0]);
	if (pay->scarce)
		limit_group_to(charged() + FEW_BIRTHS);
	for (int i = 0; i < MEMBERS; i++)
		CHECK(!pthread_create(&thread, &attr, pause_for_ever, NULL));
	if (pay->scarce)
		write_text(CGROUP "/memory.max", "max");
	CHECK_EQ(write(pay->done[1], "", 1), 1);
	pause_for_ever(NULL);
}

static void pay_for_threads(void *arg)
{
	struct payment *pay = arg;
	pid_t pid = spawn(start_threads, pay);
	__u64 before, failed;
	int fd;

	write_text(CGROUP "/cgroup.procs", "0");
	fd = ctx_new(PFM_FL_INHERIT);
	ctx_add_counter(fd, 0, 0, 0);
	ctx_start_on(fd, pid);
	before = charged();
	CHECK_EQ(write(pay->go[1], "", 1), 1);
	wait_go(pay->done[0]);
	do
		failed = ctx_number(fd, "pfm_births_failed");
	while (ctx_number(fd, "pfm_births") + failed < MEMBERS);
	CHECK_EQ(failed > 0, pay->scarce);
	if (!pay->scarce)
		CHECK(charged() - before >= MEMBERS * 2048 - AHEAD);
	CHECK_OK(kill(pid, SIGKILL));
	wait_for(pid);
}

static void measure_from_group(struct payment *pay)
{
	pfarg_ctx_t ctx = { .ctx_flags = PFM_FL_INHERIT };

	if (pfm_create_context(&ctx, NULL, 0) < 0 && errno == EOPNOTSUPP)
		check_skip("perfmon does not support families on PREEMPT_RT");
	CHECK_OK(pipe(pay->go));
	CHECK_OK(pipe(pay->done));
	make_group("max");
	run_in_group_with(pay_for_threads, pay);
}

/* Proves H32 */
TEST(families_are_charged_to_the_cgroup_of_the_tool)
{
	struct payment pay = { .scarce = false };

	measure_from_group(&pay);
}

/* The OOM killer could only end the tool, which is alone in the group. */
TEST(births_beyond_cgroup_limit_fail_without_oom)
{
	struct payment pay = { .scarce = true };

	measure_from_group(&pay);
}

static void make_group_of_64_mib(void)
{
	char max[24];

	snprintf(max, sizeof(max), "%u", GROUP_MAX);
	make_group(max);
}

/* Proves H15 */
TEST(buffer_beyond_cgroup_limit_fails_without_oom)
{
	make_group_of_64_mib();
	run_in_group(outgrow_group);
}

/* Proves H15 */
TEST(private_area_beyond_cgroup_limit_is_refused)
{
	char parameters[64];

	make_group_of_64_mib();
	snprintf(parameters, sizeof(parameters), "buf_size=1 area_size=%u",
		 GROUP_MAX);
	CHECK_OK(module_insert_with(ODD, parameters));
	run_in_group(outgrow_group_in_private);
	CHECK_OK(module_unload(MODULE_ODD));
}

/* Time */

static void overflow_for_ever(void *unused)
{
	int fd;

	lift_memory_limit();
	become_member(USER, 0);
	ctx_pin(0);
	fd = ctx_new(0);
	for (unsigned int n = 0; n < 16; n++) {
		struct counter c = counter(n, 0, 1);

		c.pmc.reg_value |= EXCL_KERNEL;
		c.pmd.reg_flags = 0;
		counter_write(fd, &c);
	}
	ctx_start_self(fd);
	for (;;) {
		touch_pages(100, NULL);
		pfm_restart(fd);
	}
}

static void work_beside(void *unused)
{
	become(OTHER_USER, OTHER_USER, 0);
	ctx_pin(0);
	while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < 200000000)
		;
}

static void share_a_cpu(void *unused)
{
	pid_t member = spawn(overflow_for_ever, NULL);

	reap(spawn(work_beside, NULL));
	/* The process whose counters overflow must still be running. */
	CHECK_EQ(waitpid(member, NULL, WNOHANG), 0);
	CHECK_OK(kill(member, SIGKILL));
}

/* Proves H18 */
TEST(overflow_storm_leaves_cpu_time_to_others)
{
	with_paranoid("2", share_a_cpu, NULL);
}
