// SPDX-License-Identifier: MIT OR GPL-2.0
/* memory.c - check the memory limits against the default sampling buffers */
#define _GNU_SOURCE
#include <inttypes.h>
#include <linux/capability.h>
#include <perfmon/perfmon_default_smpl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cpu_list.h"
#include "base/settings.h"
#include "base/util.h"
#include "doctor/checks.h"
#include "formats/entries.h"

#define SIZE_MAX_FILE	PFM_SYSFS "/smpl_buf_size_max"
#define SIZE_MAX_DEFAULT	(256L << 20)
/* The usual RLIMIT_MEMLOCK of current systems. */
#define USUAL_LIMIT	(8ULL << 20)

static unsigned int online_cpus(const struct machine *machine)
{
	char *line = machine_line(machine, "/sys/devices/system/cpu/online");
	unsigned int count;
	int *cpus;

	if (!line || !cpus_parse(line, &cpus, &count))
		count = 1;
	else
		free(cpus);
	free(line);
	return count;
}

/*
 * Returns the total size of pfmon's default buffers, one per CPU, each rounded
 * up to whole pages.
 */
static uint64_t needed(const struct machine *machine)
{
	const size_t entry = sizeof(pfm_default_smpl_entry_t);
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t size = sizeof(pfm_default_smpl_hdr_t) +
			entries_room(entry, entry, DEFAULT_ENTRIES);

	return (size + page - 1) / page * page * online_cpus(machine);
}

static uint64_t larger(uint64_t one, uint64_t other)
{
	return one > other ? one : other;
}

/*
 * Returns a command that raises the limit of the user's shell. It needs root if
 * the hard limit is too low, because only root can raise a hard limit.
 */
static char *limit_remedy(const struct machine *machine)
{
	uint64_t limit = larger(USUAL_LIMIT, needed(machine));

	if (machine->memlock_max < limit)
		limit = machine->memlock_max;
	if (limit >= needed(machine))
		return checked_printf("ulimit -S -l %" PRIu64, limit >> 10);
	return as_root(machine, "prlimit --memlock=%" PRIu64 " --pid $$",
		       larger(USUAL_LIMIT, needed(machine)));
}

void check_memory(const struct machine *machine, struct finding *finding)
{
	uint64_t need = needed(machine);
	long all = SIZE_MAX_DEFAULT;

	machine_number(machine, SIZE_MAX_FILE, &all);
	if ((uint64_t)all < need)
		finding_problem(finding,
				as_root(machine, "sh -c 'echo %" PRIu64 " >%s'",
					larger(SIZE_MAX_DEFAULT, need),
					SIZE_MAX_FILE),
				"pfmon's default sampling buffers, one for each CPU, need %"
				PRIu64 " bytes, but the limit for all buffers is %ld",
				need, all);
	else if (machine->memlock < need &&
		 !machine_can(machine, CAP_IPC_LOCK))
		finding_problem(finding, limit_remedy(machine),
				"pfmon's default sampling buffers, one for each CPU, need %"
				PRIu64 " bytes, but the locked-memory limit (RLIMIT_MEMLOCK) is %"
				PRIu64, need, machine->memlock);
	else
		finding_ok(finding,
			   "the locked-memory limit suffices for a sampling buffer for each CPU");
}
