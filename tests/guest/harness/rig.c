// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * rig.c - send NMIs, and count them with the pfm_nmi PMU
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "ctx.h"
#include "faults.h"
#include "files.h"
#include "params.h"
#include "rig.h"

#define TYPE	"/sys/bus/event_source/devices/pfm_nmi/type"
#define DIR	"/sys/kernel/debug/pfm_nmi/"

#ifdef MAP_32BIT
#define LOWER_4GIB	MAP_32BIT
#else
#define LOWER_4GIB	0
#endif

void rig_need(void)
{
	if (!exists(TYPE))
		check_skip("needs the module pfm_nmi");
	/*
	 * Turn off perfmon's limits on overflows: the NMIs may take any share
	 * of the CPU time, and perfmon must not mask counters because of that.
	 */
	write_text(PFM_PARAMETERS "ovfl_cpu_max", "0");
	write_text(PFM_PARAMETERS "ovfl_rate_max", "0");
}

unsigned int rig_rounds(void)
{
	const char *text = getenv("NMI_ROUNDS");

	return text ? strtoul(text, NULL, 0) : 50;
}

__u64 rig_event(unsigned int step)
{
	return PFM_PERF_EVENT(read_number(TYPE), step - 1);
}

struct counter rig_counter(unsigned int n, __u32 flags, __u64 period)
{
	struct counter c = counter(n, flags, period);

	c.pmc.reg_value = rig_event(1);
	return c;
}

void rig_add_counter(int fd, unsigned int n, __u32 flags, __u64 period)
{
	struct counter c = rig_counter(n, flags, period);

	counter_write(fd, &c);
}

static void fire(int cpu, unsigned int n)
{
	char line[64];

	snprintf(line, sizeof(line), "%d %u", cpu, n);
	write_text(RIG_FIRE, line);
}

void rig_fire(unsigned int n)
{
	fire(-1, n);
}

void rig_fire_at_cpu(int cpu, unsigned int n)
{
	fire(cpu, n);
}

struct volley {
	int		cpu;
	unsigned int	n;
	bool		done;
};

static void fire_from_elsewhere(void *arg)
{
	struct volley *v = arg;

	ctx_pin(!v->cpu);
	fire(v->cpu, v->n);
	__atomic_store_n(&v->done, true, __ATOMIC_RELEASE);
}

void rig_fire_while(unsigned int n, void (*spin)(const bool *done))
{
	static struct volley *v;
	pid_t pid;

	if (!v)
		v = mmap(NULL, sizeof(*v), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS | LOWER_4GIB, -1, 0);
	CHECK(v != MAP_FAILED);
	*v = (struct volley){ .cpu = CHECK_OK(sched_getcpu()), .n = n };
	pid = spawn(fire_from_elsewhere, v);
	spin(&v->done);
	reap(pid);
}

static void just_spin(const bool *done)
{
	while (!__atomic_load_n(done, __ATOMIC_ACQUIRE))
		;
}

void rig_fire_at_user(unsigned int n)
{
	rig_fire_while(n, just_spin);
}

void rig_rate(unsigned long rate)
{
	rig_set("rate", rate);
}

void rig_set(const char *name, __u64 value)
{
	char path[64], text[32];
	int fd;

	snprintf(path, sizeof(path), DIR "%s", name);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	fd = CHECK_OK(open(path, O_WRONLY | O_CLOEXEC));
	CHECK_OK(write(fd, text, strlen(text)));
	/* Some settings last only while the file is open: do not close it. */
}

void rig_begin(void)
{
	if (!faults_are_nmis())
		return;
	rig_need();
	rig_rate(RIG_FASTEST);
}

void rig_end(void)
{
	struct rig_stats s;

	if (!faults_are_nmis())
		return;
	rig_rate(0);
	s = rig_stats();
	rig_print(&s);
	CHECK_EQ(s.sent, s.received);
}

static const char *const stat_names[] = {
	"sent", "received", "irqs_off", "kernel", "idle", "wrapped",
	"reported", "throttled",
};

_Static_assert(sizeof(struct rig_stats) == sizeof(__u64) *
					   ARRAY_SIZE(stat_names));

static __u64 find_stat(const char *text, const char *name)
{
	unsigned long long value;
	char line[64];
	const char *at;

	snprintf(line, sizeof(line), "%s: ", name);
	at = strstr(text, line);
	CHECK(at && sscanf(at + strlen(line), "%llu", &value) == 1);
	return value;
}

struct rig_stats rig_stats(void)
{
	__u64 values[ARRAY_SIZE(stat_names)];
	struct rig_stats s;
	char text[512];

	read_text(DIR "stats", text, sizeof(text));
	for (unsigned int i = 0; i < ARRAY_SIZE(values); i++)
		values[i] = find_stat(text, stat_names[i]);
	memcpy(&s, values, sizeof(s));
	return s;
}

struct rig_stats rig_since(struct rig_stats then)
{
	struct rig_stats s = rig_stats();
	__u64 *value = (__u64 *)&s, *old = (__u64 *)&then;

	for (unsigned int i = 0; i < ARRAY_SIZE(stat_names); i++)
		value[i] -= old[i];
	return s;
}

void rig_print(const struct rig_stats *s)
{
	const __u64 *value = (const __u64 *)s;

	printf("#");
	for (unsigned int i = 0; i < ARRAY_SIZE(stat_names); i++)
		printf(" %s %llu", stat_names[i], (unsigned long long)value[i]);
	printf("\n");
}
