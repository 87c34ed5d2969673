// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * users.c - change users, capabilities and perf_event_paranoid
 */
#define _GNU_SOURCE
#include <grp.h>
#include <linux/perf_event.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <perfmon/perfmon.h>

#include "check.h"
#include "files.h"
#include "params.h"
#include "users.h"

void keep_caps(__u64 caps)
{
	struct __user_cap_header_struct hdr = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2] = {
		{ caps, caps, caps },
		{ caps >> 32, caps >> 32, caps >> 32 },
	};

	CHECK_OK(syscall(SYS_capset, &hdr, data));
}

static void become_in(uid_t uid, gid_t gid, __u64 caps, size_t n,
		      const gid_t *groups)
{
	CHECK_OK(setgroups(n, groups));
	CHECK_OK(prctl(PR_SET_KEEPCAPS, 1));
	CHECK_OK(setresgid(gid, gid, gid));
	CHECK_OK(setresuid(uid, uid, uid));
	keep_caps(caps);
	CHECK_OK(prctl(PR_SET_DUMPABLE, 1));
}

void become(uid_t uid, gid_t gid, __u64 caps)
{
	become_in(uid, gid, caps, 0, NULL);
}

void become_member(uid_t uid, __u64 caps)
{
	become_in(uid, uid, caps, 1, (gid_t[]){ GROUP });
}

static void run_with_param(void *r)
{
	with_param(r);
}

void with_paranoid(const char *value, void (*run)(void *), void *arg)
{
	struct param_run r = { "paranoid", value, run, arg };

	with_setting(PARANOID, value, run_with_param, &r);
}

void with_node_for_group(void (*run)(void *arg), void *arg)
{
	int status;

	CHECK_OK(chown(PFM_DEVICE, 0, GROUP));
	CHECK_OK(chmod(PFM_DEVICE, 0660));
	status = wait_for(spawn(run, arg));
	CHECK_OK(chown(PFM_DEVICE, 0, 0));
	CHECK_OK(chmod(PFM_DEVICE, 0666));
	CHECK_EQ(status, 0);
}

int perf_open(pid_t pid, int cpu, bool exclude_kernel)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.disabled = 1,
		.exclude_kernel = exclude_kernel,
		.exclude_hv = exclude_kernel,
	};

	return syscall(SYS_perf_event_open, &attr, pid, cpu, -1, 0);
}

int try_create(__u32 flags)
{
	pfarg_ctx_t ctx = { .ctx_flags = flags };
	int fd = pfm_create_context(&ctx, NULL, 0);

	CHECK(fd >= 0 || errno == EPERM);
	return fd;
}
