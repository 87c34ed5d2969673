// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * perfmonctl.c - the calls of the perfmon2 interface over /dev/perfmon
 *
 * The specification's system call becomes one ioctl per command: on the device
 * for commands without a context, on the context's descriptor for all other
 * commands. The kernel checks the arguments; this file checks only what the
 * kernel cannot see.
 */
#include <errno.h>
#include <stddef.h>

#include "ioctl.h"

/* Target of a command, and kind of its argument */
#define TO_DEVICE	0x1	/* no context: the descriptor is ignored */
#define VECTOR		0x2	/* takes a vector of narg elements */
#define KNOWN		0x4

static const unsigned char commands[] = {
	[PFM_WRITE_PMCS]	= KNOWN | VECTOR,
	[PFM_WRITE_PMDS]	= KNOWN | VECTOR,
	[PFM_READ_PMDS]		= KNOWN | VECTOR,
	[PFM_STOP]		= KNOWN,
	[PFM_START]		= KNOWN,
	[PFM_CREATE_CONTEXT]	= KNOWN | TO_DEVICE,
	[PFM_RESTART]		= KNOWN,
	[PFM_LOAD_CONTEXT]	= KNOWN,
	[PFM_UNLOAD_CONTEXT]	= KNOWN,
	[PFM_GETINFO_PMCS]	= KNOWN | TO_DEVICE | VECTOR,
	[PFM_GETINFO_PMDS]	= KNOWN | TO_DEVICE | VECTOR,
	[PFM_CREATE_EVTSETS]	= KNOWN | VECTOR,
	[PFM_DELETE_EVTSETS]	= KNOWN | VECTOR,
	[PFM_GETINFO_EVTSETS]	= KNOWN | VECTOR,
	[PFM_SET_CONFIG]	= KNOWN | TO_DEVICE,
	[PFM_GET_CONFIG]	= KNOWN | TO_DEVICE,
	[PFM_SET_FMT_ARG]	= KNOWN | VECTOR,
};

/* The format's argument follows the structure immediately (3.5.3). */
static int create_with_trailing_arg(pfarg_ctx_t *ctx, int narg)
{
	struct pfm_ioc ioc = {
		.arg = address(ctx),
		.fmt_arg = ctx ? address(ctx + 1) : 0,
		.fmt_arg_size = PFM_FMT_ARG_IMPLICIT,
		.narg = 1,
	};

	if (narg != 1)
		return fail(EINVAL);
	return pfm_device_command(PFM_CREATE_CONTEXT, &ioc);
}

int perfmonctl(int fd, int cmd, void *arg, int narg)
{
	struct pfm_ioc ioc = { .arg = address(arg), .narg = (__u32)narg };

	if (cmd < 0 || (size_t)cmd >= sizeof(commands) || !commands[cmd])
		return fail(EINVAL);
	if (cmd == PFM_CREATE_CONTEXT)
		return create_with_trailing_arg(arg, narg);
	/*
	 * The kernel would take a negative number for a large one and return a
	 * different error.
	 */
	if ((commands[cmd] & VECTOR) && narg < 0)
		return fail(EINVAL);
	if (commands[cmd] & TO_DEVICE)
		return pfm_device_command(cmd, &ioc);
	return pfm_context_command(fd, cmd, &ioc);
}

int pfm_create_context(pfarg_ctx_t *ctx, void *fmt_arg, size_t fmt_arg_size)
{
	if (pfm_create_command(ctx, fmt_arg, fmt_arg_size))
		return -1;
	return ctx->ctx_fd;
}

int pfm_write_pmcs(int fd, pfarg_pmc_t *pmcs, int n)
{
	return perfmonctl(fd, PFM_WRITE_PMCS, pmcs, n);
}

int pfm_write_pmds(int fd, pfarg_pmd_t *pmds, int n)
{
	return perfmonctl(fd, PFM_WRITE_PMDS, pmds, n);
}

int pfm_read_pmds(int fd, pfarg_pmd_t *pmds, int n)
{
	return perfmonctl(fd, PFM_READ_PMDS, pmds, n);
}

int pfm_load_context(int fd, pfarg_load_t *load)
{
	return perfmonctl(fd, PFM_LOAD_CONTEXT, load, 1);
}

int pfm_start(int fd, pfarg_start_t *start)
{
	return perfmonctl(fd, PFM_START, start, start ? 1 : 0);
}

int pfm_stop(int fd)
{
	return perfmonctl(fd, PFM_STOP, NULL, 0);
}

int pfm_restart(int fd)
{
	return perfmonctl(fd, PFM_RESTART, NULL, 0);
}

int pfm_unload_context(int fd)
{
	return perfmonctl(fd, PFM_UNLOAD_CONTEXT, NULL, 0);
}

int pfm_create_evtsets(int fd, pfarg_setdesc_t *sets, int n)
{
	return perfmonctl(fd, PFM_CREATE_EVTSETS, sets, n);
}

int pfm_delete_evtsets(int fd, pfarg_setdesc_t *sets, int n)
{
	return perfmonctl(fd, PFM_DELETE_EVTSETS, sets, n);
}

int pfm_getinfo_evtsets(int fd, pfarg_setinfo_t *info, int n)
{
	return perfmonctl(fd, PFM_GETINFO_EVTSETS, info, n);
}

int pfm_getinfo_pmcs(pfarg_pmcinfo_t *pmcs, int n)
{
	return perfmonctl(0, PFM_GETINFO_PMCS, pmcs, n);
}

int pfm_getinfo_pmds(pfarg_pmdinfo_t *pmds, int n)
{
	return perfmonctl(0, PFM_GETINFO_PMDS, pmds, n);
}

int pfm_set_config(pfarg_config_t *cfg)
{
	return perfmonctl(0, PFM_SET_CONFIG, cfg, 1);
}

int pfm_get_config(pfarg_config_t *cfg)
{
	return perfmonctl(0, PFM_GET_CONFIG, cfg, 1);
}

int pfm_set_fmt_arg(int fd, const void *fmt_arg, size_t size)
{
	struct pfm_ioc ioc = { .arg = address(fmt_arg), .narg = size };

	if (ioc.narg != size)
		return fail(E2BIG);
	return pfm_context_command(fd, PFM_SET_FMT_ARG, &ioc);
}
