// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * ctx.c - common helpers for contexts, counters, event sets and messages
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "ctx.h"
#include "faults.h"
#include "files.h"
#include "rig.h"
#include "worker.h"

pid_t thread_id(void)
{
	return syscall(SYS_gettid);
}

__u64 clock_ns(clockid_t id)
{
	struct timespec t;

	CHECK_OK(clock_gettime(id, &t));
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

void need_exact_clock(void)
{
	if (sysconf(_SC_NPROCESSORS_CONF) > 1)
		check_skip("compares times: needs a guest with --icount");
}

int thread_clock(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_TASK_CLOCK,
	};

	return CHECK_OK(syscall(SYS_perf_event_open, &attr, 0, -1, -1,
				PERF_FLAG_FD_CLOEXEC));
}

__u64 thread_clock_ns(int clock)
{
	__u64 ns;

	CHECK_EQ(read(clock, &ns, sizeof(ns)), sizeof(ns));
	return ns;
}

__u64 nanoseconds(const struct __kernel_timespec *t)
{
	return t->tv_sec * 1000000000ULL + t->tv_nsec;
}

void ctx_pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	CHECK_OK(sched_setaffinity(0, sizeof(set), &set));
}

int ctx_new(__u32 flags)
{
	pfarg_ctx_t ctx = { .ctx_flags = flags };

	return CHECK_OK(pfm_create_context(&ctx, NULL, 0));
}

int ctx_try_load(int fd, pid_t tid)
{
	pfarg_load_t load = { .load_pid = tid };

	return pfm_load_context(fd, &load);
}

void ctx_load(int fd, pid_t tid)
{
	CHECK_OK(ctx_try_load(fd, tid));
}

void ctx_expect_free(pid_t tid)
{
	int fd = ctx_new(0);

	ctx_load(fd, tid);
	close(fd);
}

void ctx_load_self(int fd)
{
	ctx_load(fd, thread_id());
}

void ctx_start_on(int fd, pid_t tid)
{
	ctx_load(fd, tid);
	CHECK_OK(pfm_start(fd, NULL));
}

void ctx_start_self(int fd)
{
	faults_prepare();
	ctx_start_on(fd, thread_id());
}

void ctx_start_here(int fd)
{
	ctx_pin(0);
	ctx_start_self(fd);
}

void ctx_stop(int fd)
{
	CHECK_OK(pfm_stop(fd));
}

static pfarg_pmd_t read_pmd(int fd, unsigned int set, unsigned int n)
{
	pfarg_pmd_t pmd = { .reg_num = n, .reg_set = set };

	CHECK_OK(pfm_read_pmds(fd, &pmd, 1));
	return pmd;
}

__u64 ctx_read(int fd, unsigned int pmd)
{
	return read_pmd(fd, 0, pmd).reg_value;
}

__u64 ctx_last_reset(int fd, unsigned int pmd)
{
	return read_pmd(fd, 0, pmd).reg_last_reset_val;
}

void ctx_create_set(int fd, unsigned int id, __u32 flags)
{
	pfarg_setdesc_t desc = { .set_id = id, .set_flags = flags };

	CHECK_OK(pfm_create_evtsets(fd, &desc, 1));
}

int ctx_try_set(int fd, unsigned int id)
{
	pfarg_setdesc_t desc = { .set_id = id };

	return pfm_create_evtsets(fd, &desc, 1);
}

void ctx_delete_set(int fd, unsigned int id)
{
	pfarg_setdesc_t desc = { .set_id = id };

	CHECK_OK(pfm_delete_evtsets(fd, &desc, 1));
}

pfarg_setinfo_t ctx_set_info(int fd, unsigned int id)
{
	pfarg_setinfo_t info = { .set_id = id };

	CHECK_OK(pfm_getinfo_evtsets(fd, &info, 1));
	return info;
}

__u64 ctx_active_ns(int fd)
{
	pfarg_setinfo_t info = ctx_set_info(fd, 0);

	return info.set_act_duration.tv_sec * 1000000000ULL +
	       info.set_act_duration.tv_nsec;
}

void ctx_add_set_counter(int fd, unsigned int set, unsigned int n, __u32 flags,
			 __u64 period, __u64 thres)
{
	struct counter c = counter(n, flags, period);

	c.pmc.reg_set = set;
	c.pmd.reg_set = set;
	c.pmd.reg_ovflsw_thres = thres;
	counter_write(fd, &c);
}

__u64 ctx_read_set(int fd, unsigned int set, unsigned int pmd)
{
	return read_pmd(fd, set, pmd).reg_value;
}

bool ctx_says(int fd, const char *line)
{
	char path[64], text[1024], want[64];

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	snprintf(want, sizeof(want), "\n%s\n", line);
	read_text(path, text, sizeof(text));
	return strstr(text, want);
}

static bool is_in_state(int fd, const char *state)
{
	char line[64];

	snprintf(line, sizeof(line), "pfm_state:\t%s", state);
	return ctx_says(fd, line);
}

void ctx_wait_state(int fd, const char *state)
{
	while (!is_in_state(fd, state))
		sched_yield();
}

void ctx_expect_state(int fd, const char *state)
{
	if (!is_in_state(fd, state))
		check_failed(__FILE__, __LINE__, "context is not %s", state);
}

__u64 ctx_page_faults(void)
{
	return faults_are_nmis() ? rig_event(1) :
		PFM_PERF_EVENT(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
}

struct counter counter(unsigned int n, __u32 flags, __u64 period)
{
	struct counter c = {
		.pmc = { .reg_num = n, .reg_flags = flags,
			 .reg_value = PAGE_FAULTS },
		.pmd = { .reg_num = n, .reg_value = -period,
			 .reg_long_reset = -period,
			 .reg_short_reset = -period },
	};

	return c;
}

void counter_write(int fd, struct counter *c)
{
	CHECK_OK(pfm_write_pmcs(fd, &c->pmc, 1));
	CHECK_OK(pfm_write_pmds(fd, &c->pmd, 1));
}

void ctx_add_counter(int fd, unsigned int n, __u32 flags, __u64 period)
{
	struct counter c = counter(n, flags, period);

	counter_write(fd, &c);
}

int ctx_counting(void)
{
	int fd = ctx_new(0);

	ctx_add_counter(fd, 0, 0, 0);
	return fd;
}

int ctx_notifying(__u32 ctx_flags, __u64 period)
{
	int fd = ctx_new(ctx_flags);

	ctx_add_counter(fd, 0, PFM_REGFL_OVFL_NOTIFY, period);
	return fd;
}

int ctx_notifying_on(const struct worker *w, __u64 period)
{
	int fd = ctx_notifying(0, period);

	ctx_start_on(fd, w->pid);
	return fd;
}

int ctx_counting_user(void)
{
	struct counter c = counter(0, 0, 0);
	int fd = ctx_new(0);

	c.pmc.reg_value |= PFM_PERF_EXCL_KERNEL;
	counter_write(fd, &c);
	return fd;
}

pfm_msg_t ctx_next_message(int fd)
{
	pfm_msg_t msg;

	CHECK_EQ(read(fd, &msg, sizeof(msg)), sizeof(msg));
	return msg;
}

void ctx_expect_message(int fd, __u32 type)
{
	CHECK_EQ(ctx_next_message(fd).msg_type, type);
}

void ctx_expect_no_message(int fd)
{
	pfm_msg_t msg;

	CHECK_OK(fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK));
	CHECK_ERRNO(read(fd, &msg, sizeof(msg)), EAGAIN);
}

__u64 ctx_number(int fd, const char *name)
{
	char path[64], line[128], found[64];
	unsigned long long value = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	file = fopen(path, "r");
	CHECK(file);
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "%63[^:]: %llu", found, &value) == 2 &&
		    !strcmp(found, name))
			break;
	CHECK(!feof(file));
	fclose(file);
	return value;
}
