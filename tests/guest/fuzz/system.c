// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * system.c - operations that need no context: configuration, devices, modules
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <perfmon/perfmon.h>
#include <perfmon/perfmon_oprofile_smpl.h>

#include "fuzz.h"

#define PARAMETERS	"/sys/module/perfmon/parameters/"

/*
 * Files, with their contents after boot and during the test. The low
 * ovfl_rate_max soon masks contexts with the shortest periods, so that they
 * leave CPU time for calls.
 */
static const struct {
	const char *path;
	const char *boot;
	const char *fuzzed;
} files[] = {
	{ PFM_SYSFS "/arg_size_max", "4096", "4096" },
	{ PFM_SYSFS "/smpl_buf_size_max", "268435456", "4194304" },
	{ PFM_SYSFS "/sys_group", "any", "any" },
	{ PFM_SYSFS "/task_group", "any", "any" },
	{ PARAMETERS "paranoid", "kernel", "0" },
	{ PARAMETERS "ovfl_rate_max", "500000", "2000" },
	{ PARAMETERS "arg_size_max", "4096", "4096" },
	{ PARAMETERS "smpl_buf_size_max", "268435456", "4194304" },
};

/* Write a text to a file. Return: 0, or the errno. */
static int put_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), error = 0;

	if (fd < 0)
		return errno;
	if (write(fd, text, strlen(text)) < 0)
		error = errno;
	close(fd);
	return error;
}

#define SAMPLE_RATE	"/proc/sys/kernel/perf_event_max_sample_rate"
#define CPU_LIMIT	"/proc/sys/kernel/perf_cpu_time_max_percent"

static void get_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, text, size - 1);

	text[length < 0 ? 0 : length] = '\0';
	if (fd >= 0)
		close(fd);
}

/*
 * Set perf's maximum sample rate. perf refuses this while
 * perf_cpu_time_max_percent is 0 or 100.
 */
static void limit_sampling(const char *per_second)
{
	char percent[32];

	get_text(CPU_LIMIT, percent, sizeof(percent));
	put_text(CPU_LIMIT, "25");
	put_text(SAMPLE_RATE, per_second);
	put_text(CPU_LIMIT, percent);
}

static char former_rate[32];

static void put_all(bool boot)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(files); i++)
		put_text(files[i].path, boot ? files[i].boot : files[i].fuzzed);
}

void fuzz_configure(void)
{
	put_all(false);
}

/*
 * Limit perf's sample rate, because scripts/vm/init has lifted perf's limits.
 * Without a limit, a hardware counter with a short period leaves no time for
 * anything else.
 */
void fuzz_begin(void)
{
	get_text(SAMPLE_RATE, former_rate, sizeof(former_rate));
	limit_sampling("100000");
	fuzz_configure();
}

void fuzz_end(void)
{
	put_all(true);
	limit_sampling(former_rate);
}

static void make_text(struct fuzz *f, char *text, size_t size)
{
	size_t n = 1 + fuzz_below(f, size - 1);

	switch (fuzz_below(f, 4)) {
	case 0:
		snprintf(text, size, "%llu", (unsigned long long)fuzz_edge(f));
		break;
	case 1:
		snprintf(text, size, "0x%llx",
			 (unsigned long long)fuzz_edge(f));
		break;
	case 2:
		snprintf(text, size, "%lld\n", (long long)fuzz_edge(f));
		break;
	default:
		for (size_t i = 0; i < n; i++)
			text[i] = 1 + fuzz_below(f, 255);
		text[n] = '\0';
	}
}

/*
 * Write a random text to a file. Usually restore the test's settings
 * immediately, because few other calls succeed with random settings.
 */
void fuzz_config_file(struct fuzz *f)
{
	unsigned int i = fuzz_below(f, ARRAY_SIZE(files));
	bool leave = fuzz_one_in(f, 8);
	char text[200];
	int error;

	make_text(f, text, sizeof(text));
	fuzz_tell(f, "config", " %s", files[i].path);
	error = put_text(files[i].path, text);
	if (error && error != EINVAL && error != ERANGE && error != EACCES)
		fuzz_fail(f, "writing %s failed with errno %d", files[i].path,
			  error);
	if (!leave)
		put_all(false);
}

/* Modules */

/* pfm_unwind is last, because formats use it and must be unloaded before. */
static const char *const modules[] = {
	"pfm_fmt_default", "pfm_fmt_nway", "pfm_fmt_pebs32", "pfm_fmt_pebs64",
	"pfm_fmt_oprofile", "pfm_fmt_histogram", "pfm_fmt_callstack",
	"pfm_fmt_flight", "pfm_fmt_stacks", "pfm_fmt_cgroup_counts",
	"pfm_fmt_callers", "pfm_fmt_count", "pfm_fmt_threshold", "pfm_unwind",
};

static bool unload(const char *module)
{
	return !syscall(SYS_delete_module, module, O_NONBLOCK) ||
	       errno == ENOENT;
}

void fuzz_unload(struct fuzz *f)
{
	const char *module = modules[fuzz_below(f, ARRAY_SIZE(modules))];

	fuzz_tell(f, "unload", " %s", module);
	/*
	 * These errors are allowed: the module is in use or is being loaded or
	 * unloaded, the caller is not root, or a signal interrupts the call.
	 */
	if (!unload(module) && errno != EAGAIN && errno != EBUSY &&
	    errno != EPERM && errno != EINTR)
		fuzz_fail(f, "unloading %s failed with errno %d", module,
			  errno);
}

/*
 * Unload a module. Retry for some seconds, because contexts that were just
 * closed may not have dropped their references yet.
 */
static bool unload_now(const char *module)
{
	for (unsigned int tries = 0; tries < 1000; tries++) {
		if (unload(module))
			return true;
		/* Sleep because no event tells when a reference is dropped. */
		usleep(10000);
	}
	printf("# %s is still in use after all contexts were closed\n", module);
	return false;
}

bool fuzz_unload_all(void)
{
	bool ok = true;

	for (unsigned int i = 0; i < ARRAY_SIZE(modules); i++)
		ok = unload_now(modules[i]) && ok;
	ok = unload_now("pfm_pmu_perf") && ok;
	ok = unload_now("perfmon") && ok;
	return !system("modprobe -a pfm_pmu_perf pfm_fmt_default") && ok;
}

/*
 * Read the OProfile bridge's device and look up a cookie. Only one reader at a
 * time can open the device.
 */
void fuzz_device(struct fuzz *f)
{
	struct pfm_oprofile_cookie cookie = { .cookie = fuzz_edge(f) };
	char text[256];
	int fd;

	cookie.path = fuzz_one_in(f, 2) ? (uintptr_t)text : fuzz_edge(f);
	cookie.size = fuzz_one_in(f, 2) ? sizeof(text) : fuzz_below(f, 256);
	fuzz_tell(f, "device", " of the OProfile bridge");
	fd = open("/dev/" PFM_OPROFILE_DEVICE, O_RDONLY | O_NONBLOCK |
		  O_CLOEXEC);
	if (fd < 0)
		return;
	if (read(fd, text, sizeof(text)) < 0 && errno != EAGAIN &&
	    errno != EINTR)
		fuzz_fail(f, "reading the bridge's device failed with errno %d",
			  errno);
	ioctl(fd, PFM_OPROFILE_IOC_COOKIE, &cookie);
	close(fd);
}
