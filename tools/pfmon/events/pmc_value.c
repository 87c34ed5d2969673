// SPDX-License-Identifier: MIT OR GPL-2.0
/* pmc_value.c - describe a PMC value */
#define _GNU_SOURCE
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdlib.h>

#include <perfmon/perfmon.h>

#include "base/util.h"
#include "events/pmc_value.h"

static const char * const type_names[] = {
	[PERF_TYPE_HARDWARE]	= "hardware",
	[PERF_TYPE_SOFTWARE]	= "software",
	[PERF_TYPE_TRACEPOINT]	= "tracepoint",
	[PERF_TYPE_HW_CACHE]	= "cache",
	[PERF_TYPE_RAW]		= "raw",
	[PERF_TYPE_BREAKPOINT]	= "breakpoint",
};

static char *kind_text(uint64_t value)
{
	uint64_t type = (value & PFM_PERF_TYPE_MASK) >> PFM_PERF_TYPE_SHIFT;
	uint64_t id = value & PFM_PERF_ID_MASK;

	if (value & PFM_PERF_RAW)
		return checked_printf("raw %#" PRIx64, id);
	if (type < ARRAY_SIZE(type_names))
		return checked_printf("%s event %#" PRIx64, type_names[type],
				      id);
	return checked_printf("event %#" PRIx64 " of PMU number %" PRIu64, id,
			      type);
}

static const char *levels_text(uint64_t value)
{
	switch (value & (PFM_PERF_EXCL_USER | PFM_PERF_EXCL_KERNEL)) {
	case 0:
		return "user space and kernel";
	case PFM_PERF_EXCL_USER:
		return "kernel";
	case PFM_PERF_EXCL_KERNEL:
		return "user space";
	default:
		return "no level";
	}
}

char *pmc_value_text(uint64_t value)
{
	unsigned int precise = (unsigned int)
		((value & PFM_PERF_PRECISE_MASK) >> PFM_PERF_PRECISE_SHIFT);
	char *kind, *text;

	if (value == PFM_PERF_NONE)
		return checked_strdup("nothing");
	kind = kind_text(value);
	text = checked_printf("%s, %s, precise level %u%s", kind,
			      levels_text(value), precise,
			      value & PFM_PERF_EXCL_IDLE ? ", not when idle" :
							   "");
	free(kind);
	return text;
}
