// SPDX-License-Identifier: MIT OR GPL-2.0
/* memory.c - check the memory limits against the default sampling buffer */
#define _GNU_SOURCE
#include <inttypes.h>
#include <linux/capability.h>
#include <perfmon/perfmon_default_smpl.h>

#include "base/settings.h"
#include "base/util.h"
#include "doctor/checks.h"
#include "formats/entries.h"

#define SIZE_MAX_FILE	PFM_SYSFS "/smpl_buf_size_max"
#define SIZE_MAX_DEFAULT	(256L << 20)
/* The usual RLIMIT_MEMLOCK of current systems. */
#define USUAL_LIMIT	(8ULL << 20)

/* The size of pfmon's default buffer. */
static uint64_t needed(void)
{
	const size_t entry = sizeof(pfm_default_smpl_entry_t);

	return sizeof(pfm_default_smpl_hdr_t) +
	       entries_room(entry, entry, DEFAULT_ENTRIES);
}

/* Raises the limit of the user's shell; only root can raise a hard limit. */
static char *limit_remedy(const struct machine *machine)
{
	uint64_t limit = machine->memlock_max;

	if (limit > USUAL_LIMIT)
		limit = USUAL_LIMIT;
	if (limit >= needed())
		return checked_printf("ulimit -S -l %" PRIu64, limit >> 10);
	return as_root(machine, "prlimit --memlock=%llu --pid $$", USUAL_LIMIT);
}

void check_memory(const struct machine *machine, struct finding *finding)
{
	long all = SIZE_MAX_DEFAULT;

	machine_number(machine, SIZE_MAX_FILE, &all);
	if ((uint64_t)all < needed())
		finding_problem(finding,
				as_root(machine, "sh -c 'echo %ld >%s'",
					SIZE_MAX_DEFAULT, SIZE_MAX_FILE),
				"pfmon's default sampling buffer needs %" PRIu64
				" bytes, but the limit for all buffers is %ld",
				needed(), all);
	else if (machine->memlock < needed() &&
		 !machine_can(machine, CAP_IPC_LOCK))
		finding_problem(finding, limit_remedy(machine),
				"pfmon's default sampling buffer needs %" PRIu64
				" bytes, but the locked-memory limit (RLIMIT_MEMLOCK) is %"
				PRIu64, needed(), machine->memlock);
	else
		finding_ok(finding,
			   "the locked-memory limit suffices for a sampling buffer");
}
