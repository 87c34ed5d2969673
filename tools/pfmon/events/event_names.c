// SPDX-License-Identifier: MIT OR GPL-2.0
/* event_names.c - perf's names of the kernel's generic events */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/util.h"
#include "events/event_names.h"

#define NAME_LENGTH	64

struct named_event {
	const char *name;
	struct {
		uint32_t type;
		uint64_t id;
		unsigned int levels;
	} event;
	const char *meaning;
};

#define BOTH		(LEVEL_USER | LEVEL_KERNEL)
#define HARDWARE(id)	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id, 0 }
#define SOFTWARE(id)	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id, 0 }
/*
 * Events that perf attributes to the kernel even if user code causes them. They
 * are counted at both levels by default, because counts of user space alone
 * could be 0.
 */
#define IN_KERNEL(id)	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id, BOTH }

static const struct named_event named_events[] = {
	{ "cycles",			HARDWARE(CPU_CYCLES),
	  "CPU cycles" },
	{ "cpu-cycles",			HARDWARE(CPU_CYCLES),
	  "CPU cycles" },
	{ "instructions",		HARDWARE(INSTRUCTIONS),
	  "retired instructions" },
	{ "cache-references",		HARDWARE(CACHE_REFERENCES),
	  "cache accesses, usually of the last-level cache" },
	{ "cache-misses",		HARDWARE(CACHE_MISSES),
	  "cache misses, usually of the last-level cache" },
	{ "branches",			HARDWARE(BRANCH_INSTRUCTIONS),
	  "retired branch instructions" },
	{ "branch-instructions",	HARDWARE(BRANCH_INSTRUCTIONS),
	  "retired branch instructions" },
	{ "branch-misses",		HARDWARE(BRANCH_MISSES),
	  "mispredicted branch instructions" },
	{ "bus-cycles",			HARDWARE(BUS_CYCLES),
	  "bus cycles" },
	{ "stalled-cycles-frontend",	HARDWARE(STALLED_CYCLES_FRONTEND),
	  "cycles stalled because no instruction is ready to issue" },
	{ "stalled-cycles-backend",	HARDWARE(STALLED_CYCLES_BACKEND),
	  "cycles stalled for an execution unit or a result" },
	{ "ref-cycles",			HARDWARE(REF_CPU_CYCLES),
	  "cycles of a reference clock, whatever the CPU's frequency" },
	{ "cpu-clock",			SOFTWARE(CPU_CLOCK),
	  "CPU time in ns, by the CPU's clock" },
	{ "task-clock",			SOFTWARE(TASK_CLOCK),
	  "time for which the thread ran, in ns" },
	{ "page-faults",		SOFTWARE(PAGE_FAULTS),
	  "page faults" },
	{ "faults",			SOFTWARE(PAGE_FAULTS),
	  "page faults" },
	{ "minor-faults",		SOFTWARE(PAGE_FAULTS_MIN),
	  "page faults without I/O" },
	{ "major-faults",		SOFTWARE(PAGE_FAULTS_MAJ),
	  "page faults that waited for I/O" },
	{ "context-switches",		IN_KERNEL(CONTEXT_SWITCHES),
	  "switches to another thread" },
	{ "cs",				IN_KERNEL(CONTEXT_SWITCHES),
	  "switches to another thread" },
	{ "cpu-migrations",		IN_KERNEL(CPU_MIGRATIONS),
	  "moves of a thread to another CPU" },
	{ "migrations",			IN_KERNEL(CPU_MIGRATIONS),
	  "moves of a thread to another CPU" },
	{ "alignment-faults",		SOFTWARE(ALIGNMENT_FAULTS),
	  "unaligned accesses that the kernel fixed up" },
	{ "emulation-faults",		SOFTWARE(EMULATION_FAULTS),
	  "instructions that the kernel emulated" },
};

static const char * const caches[] = {
	[PERF_COUNT_HW_CACHE_L1D]	= "L1-dcache",
	[PERF_COUNT_HW_CACHE_L1I]	= "L1-icache",
	[PERF_COUNT_HW_CACHE_LL]	= "LLC",
	[PERF_COUNT_HW_CACHE_DTLB]	= "dTLB",
	[PERF_COUNT_HW_CACHE_ITLB]	= "iTLB",
	[PERF_COUNT_HW_CACHE_BPU]	= "branch",
	[PERF_COUNT_HW_CACHE_NODE]	= "node",
};

/*
 * For each cache operation, the name of its accesses and the name of its
 * misses.
 */
static const char * const cache_operations[][2] = {
	[PERF_COUNT_HW_CACHE_OP_READ] = { "loads", "load-misses" },
	[PERF_COUNT_HW_CACHE_OP_WRITE] = { "stores", "store-misses" },
	[PERF_COUNT_HW_CACHE_OP_PREFETCH] = { "prefetches", "prefetch-misses" },
};

#define CACHE_EVENTS	(ARRAY_SIZE(caches) * ARRAY_SIZE(cache_operations) * 2)

static uint64_t cache_event(size_t number, char name[NAME_LENGTH])
{
	size_t miss = number % 2;
	size_t operation = number / 2 % ARRAY_SIZE(cache_operations);
	size_t cache = number / 2 / ARRAY_SIZE(cache_operations);

	snprintf(name, NAME_LENGTH, "%s-%s", caches[cache],
		 cache_operations[operation][miss]);
	return cache | operation << 8 | miss << 16;
}

static void set_code(struct event_code *code, uint32_t type, uint64_t id,
		     unsigned int levels)
{
	code->type = type;
	code->config[0] = id;
	code->levels = levels;
	code->per_thread = true;
}

bool generic_event_find(const char *name, struct event_code *code)
{
	char cache_name[NAME_LENGTH];
	uint64_t id;

	for (size_t i = 0; i < ARRAY_SIZE(named_events); i++) {
		if (!strcasecmp(name, named_events[i].name)) {
			set_code(code, named_events[i].event.type,
				 named_events[i].event.id,
				 named_events[i].event.levels);
			return true;
		}
	}
	for (size_t i = 0; i < CACHE_EVENTS; i++) {
		id = cache_event(i, cache_name);
		if (!strcasecmp(name, cache_name)) {
			set_code(code, PERF_TYPE_HW_CACHE, id, 0);
			return true;
		}
	}
	return false;
}

char *generic_event_meaning(const char *name)
{
	char cache_name[NAME_LENGTH];

	for (size_t i = 0; i < ARRAY_SIZE(named_events); i++) {
		if (!strcasecmp(name, named_events[i].name))
			return checked_strdup(named_events[i].meaning);
	}
	for (size_t i = 0; i < CACHE_EVENTS; i++) {
		cache_event(i, cache_name);
		if (!strcasecmp(name, cache_name))
			return checked_printf("%s, a generic cache event",
					      cache_name);
	}
	return NULL;
}

void generic_event_each(void (*visit)(const char *name, void *data),
			void *data)
{
	char cache_name[NAME_LENGTH];

	for (size_t i = 0; i < ARRAY_SIZE(named_events); i++)
		visit(named_events[i].name, data);
	for (size_t i = 0; i < CACHE_EVENTS; i++) {
		cache_event(i, cache_name);
		visit(cache_name, data);
	}
}
