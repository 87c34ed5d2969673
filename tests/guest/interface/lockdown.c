// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * lockdown.c - refuse to disclose registers on a kernel that is locked down
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include <perfmon/perfmon_pebs64_smpl.h>

#include "check.h"
#include "ctx.h"
#include "smpl.h"

#define SECURITY	"/sys/kernel/security"

static void lock_down(void)
{
	static const char level[] = "confidentiality";
	int fd;

	if (mount("securityfs", SECURITY, "securityfs", 0, NULL))
		CHECK_EQ(errno, EBUSY);
	fd = open(SECURITY "/lockdown", O_WRONLY);
	if (fd < 0)
		check_skip("needs a kernel with lockdown: %s", strerror(errno));
	CHECK_EQ(write(fd, level, strlen(level)), strlen(level));
	close(fd);
}

/* perf_event_open() refuses PERF_SAMPLE_REGS_INTR in the same way. */
/* Proves H16 */
TEST(records_with_registers_are_refused)
{
	pfm_pebs64_smpl_arg_t arg = {
		.buf_size = 1 << 16,
		.intr_thres = 1,
		.flags = PFM_PEBS64_SMPL_IMPRECISE,
	};
	static const pfm_uuid_t uuid = PFM_PEBS64_SMPL_UUID;
	pfarg_load_t load = { .load_pid = thread_id() };
	struct mapped m;

#if !defined(__x86_64__)
	check_skip("needs an x86 CPU: the records contain x86 registers");
#endif
	m = mapped_new(uuid, 0, &arg, sizeof(arg));
	ctx_add_counter(m.fd, 0, 0, 4);
	CHECK_OK(pfm_load_context(m.fd, &load));
	CHECK_OK(pfm_unload_context(m.fd));
	lock_down();
	CHECK_ERRNO(pfm_load_context(m.fd, &load), EPERM);
	/* Counting is allowed, because it discloses no registers. */
	ctx_load_self(ctx_counting());
}
