// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * clocks.c - read several clocks at the same time
 *
 * Only the kernel can read perf's clock. pfmon reads the other clocks before
 * and after that clock. It tries several times and uses the fastest attempt.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <perfmon/perfmon.h>

#include "base/json.h"
#include "base/util.h"
#include "capture/clocks.h"
#include "session/context.h"

#define TIMES	5

#if defined(__x86_64__) || defined(__i386__)

static bool read_tsc(uint64_t *tsc)
{
	int mode;

	/* rdtsc raises SIGSEGV if prctl() has disabled it. */
	if (prctl(PR_GET_TSC, &mode) || mode != PR_TSC_ENABLE)
		return false;
	*tsc = __builtin_ia32_rdtsc();
	return true;
}

#else

static bool read_tsc(uint64_t *tsc)
{
	(void)tsc;
	return false;
}

#endif

/* Returns 0 or an errno. */
static int read_once(int fd, struct moment *moment)
{
	pfarg_pmd_t pmd = { .reg_num = PFM_PMD_PERF_CLOCK };
	uint64_t before, after, tsc_before = 0, tsc_after = 0;

	moment->has_tsc = read_tsc(&tsc_before);
	before = clock_ns(CLOCK_MONOTONIC);
	if (pfm_read_pmds(fd, &pmd, 1))
		return errno;
	after = clock_ns(CLOCK_MONOTONIC);
	read_tsc(&tsc_after);
	moment->perf = pmd.reg_value;
	moment->uncertainty = after - before;
	moment->monotonic = before + (after - before) / 2;
	moment->realtime = moment->monotonic +
			   (clock_ns(CLOCK_REALTIME) - after);
	moment->boottime = moment->monotonic +
			   (clock_ns(CLOCK_BOOTTIME) - after);
	moment->tsc = tsc_before + (tsc_after - tsc_before) / 2;
	return 0;
}

static int read_several_times(int fd, struct moment *best)
{
	struct moment moment = { .error = 0 };

	for (int i = 0; i < TIMES; i++) {
		int error = read_once(fd, &moment);

		if (error)
			return error;
		if (!i || moment.uncertainty < best->uncertainty)
			*best = moment;
	}
	return 0;
}

struct moment clocks_read(int cpu)
{
	pfarg_ctx_t ctx = {
		.ctx_flags = cpu == NO_CPU ? 0 : PFM_FL_SYSTEM_WIDE,
	};
	pfarg_load_t load = { .load_pid = (__u32)gettid() };
	struct moment moment = { .error = 0 };
	int fd = pfm_create_context(&ctx, NULL, 0);

	if (fd < 0 || pfm_load_context(fd, &load))
		moment.error = errno;
	else
		moment.error = read_several_times(fd, &moment);
	if (fd >= 0)
		close(fd);
	return moment;
}

char *clocks_json(const struct moment *moment)
{
	struct json_object *object = json_new_object();

	json_add_u64(object, "perf_ns", moment->perf);
	json_add_u64(object, "realtime_ns", moment->realtime);
	json_add_u64(object, "monotonic_ns", moment->monotonic);
	json_add_u64(object, "boottime_ns", moment->boottime);
	json_add_u64(object, "uncertainty_ns", moment->uncertainty);
	json_add(object, "tsc", moment->has_tsc ? json_new_u64(moment->tsc) :
						  NULL);
	return json_finish(object);
}
