// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * calls.c - make valid and mutated perfmon commands, and check their errors
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <perfmon/perfmon.h>

#include "fuzz.h"

/**
 * struct command - a command and its permitted results
 * @name:   name in the specification
 * @weight: relative frequency
 * @writes: number of bytes that the command writes to each element
 * @vector: whether the argument is an array of narg elements
 * @errors: permitted errors (docs/interface.md, "Commands"; perfmonctl(2)),
 *          terminated by 0
 */
struct command {
	const char	*name;
	unsigned int	weight;
	size_t		writes;
	bool		vector;
	int		errors[12];
};

/* Writing a register may need a new event, which perf may refuse. */
#define WRITE_ERRORS \
	{ EINVAL, EBADF, EFAULT, EBUSY, ENOMEM, ENODEV, EPERM, ESRCH }

static const struct command commands[] = {
	[PFM_WRITE_PMCS] = {
		"PFM_WRITE_PMCS", 12, sizeof(pfarg_pmc_t), true,
		WRITE_ERRORS
	},
	[PFM_WRITE_PMDS] = {
		"PFM_WRITE_PMDS", 12, sizeof(pfarg_pmd_t), true,
		WRITE_ERRORS
	},
	[PFM_READ_PMDS] = {
		"PFM_READ_PMDS", 8, sizeof(pfarg_pmd_t), true,
		{ EINVAL, EBADF, EFAULT, EBUSY, ENOMEM, ENODEV }
	},
	[PFM_STOP] = {
		"PFM_STOP", 5, 0, false,
		{ EBADF, EBUSY, ENODEV }
	},
	[PFM_START] = {
		"PFM_START", 10, 0, false,
		{ EINVAL, EBADF, EFAULT, EBUSY, ENODEV }
	},
	[PFM_CREATE_CONTEXT] = {
		"PFM_CREATE_CONTEXT", 16, sizeof(pfarg_ctx_t), false,
		{ EINVAL, E2BIG, EBADF, EFAULT, EOPNOTSUPP, ENOMEM, ENODEV,
		  EPERM, EMFILE }
	},
	[PFM_RESTART] = {
		"PFM_RESTART", 8, 0, false,
		{ EBADF, EBUSY, ENODEV }
	},
	[PFM_LOAD_CONTEXT] = {
		"PFM_LOAD_CONTEXT", 16, 0, false,
		{ EINVAL, EBADF, EFAULT, EBUSY, EPERM, ESRCH, ENODEV, ENOMEM }
	},
	[PFM_UNLOAD_CONTEXT] = {
		"PFM_UNLOAD_CONTEXT", 8, 0, false,
		{ EBADF, EBUSY }
	},
	[PFM_CREATE_EVTSETS] = {
		"PFM_CREATE_EVTSETS", 4, sizeof(pfarg_setdesc_t), true,
		{ EINVAL, EBADF, EFAULT, EBUSY, ENOMEM, EOPNOTSUPP }
	},
	[PFM_DELETE_EVTSETS] = {
		"PFM_DELETE_EVTSETS", 1, sizeof(pfarg_setdesc_t), true,
		{ EINVAL, EBADF, EFAULT, EBUSY, ENOMEM }
	},
	[PFM_GETINFO_EVTSETS] = {
		"PFM_GETINFO_EVTSETS", 3, sizeof(pfarg_setinfo_t), true,
		{ EINVAL, EBADF, EFAULT, EBUSY, ENOMEM }
	},
	[PFM_GETINFO_PMCS] = {
		"PFM_GETINFO_PMCS", 1, sizeof(pfarg_pmcinfo_t), true,
		{ EINVAL, EFAULT, ENOMEM, ENODEV, EPERM }
	},
	[PFM_GETINFO_PMDS] = {
		"PFM_GETINFO_PMDS", 1, sizeof(pfarg_pmdinfo_t), true,
		{ EINVAL, EFAULT, ENOMEM, ENODEV, EPERM }
	},
	[PFM_SET_CONFIG] = {
		"PFM_SET_CONFIG", 1, 0, false,
		{ EINVAL, EFAULT, EPERM }
	},
	[PFM_GET_CONFIG] = {
		"PFM_GET_CONFIG", 1, sizeof(pfarg_config_t), false,
		{ EFAULT, EPERM }
	},
	[PFM_SET_FMT_ARG] = {
		"PFM_SET_FMT_ARG", 8, 0, true,
		{ EINVAL, E2BIG, EBADF, EFAULT, EOPNOTSUPP, ENOMEM }
	},
};

static const struct command unknown = { "an unknown command", 0, 0, false,
					{ EINVAL } };

static const struct command *command_of(int cmd)
{
	if (cmd < 0 || cmd >= (int)ARRAY_SIZE(commands) || !commands[cmd].name)
		return &unknown;
	return &commands[cmd];
}

static int any_command(struct fuzz *f)
{
	unsigned int all = 0, n;
	size_t cmd;

	for (cmd = 0; cmd < ARRAY_SIZE(commands); cmd++)
		all += commands[cmd].weight;
	n = fuzz_below(f, all);
	for (cmd = 0; n >= commands[cmd].weight; cmd++)
		n -= commands[cmd].weight;
	return cmd;
}

static bool is_listed(const int *errors, int error)
{
	for (; *errors; errors++)
		if (*errors == error)
			return true;
	return false;
}

/**
 * struct call - a call to be made
 * @cmd:     number of the command
 * @fd:      the context's descriptor
 * @arg:     bytes of the argument, element after element
 * @narg:    number of elements passed to the call
 * @address: address passed to the call
 * @place:   index at which to keep the descriptor of a new context
 */
struct call {
	int		cmd;
	int		fd;
	struct fuzz_arg	arg;
	int		narg;
	void		*address;
	unsigned int	place;
};

static size_t arg_bytes(const struct call *c)
{
	return c->arg.size * c->arg.narg;
}

/* Overwrite 1 to 8 bytes at a random offset. */
static void mutate_bytes(struct fuzz *f, struct call *c)
{
	size_t width = 1UL << fuzz_below(f, 4), bytes = arg_bytes(c);
	size_t offset = fuzz_below(f, bytes ?: 1) & -width;
	uint64_t value = fuzz_edge(f);

	if (offset + width <= bytes)
		memcpy(c->arg.bytes + offset, &value, width);
}

static void flip_bit(struct fuzz *f, struct call *c)
{
	unsigned int bit = fuzz_below(f, arg_bytes(c) * 8 ?: 1);

	c->arg.bytes[bit / 8] ^= 1 << bit % 8;
}

static void mutate_all(struct fuzz *f, struct call *c)
{
	for (size_t i = 0; i < arg_bytes(c); i++)
		c->arg.bytes[i] = fuzz_u64(f);
}

static void mutate_narg(struct fuzz *f, struct call *c)
{
	c->narg = fuzz_one_in(f, 2) ? (int)fuzz_below(f, 64) :
				      (int)fuzz_edge(f);
}

static void mutate_fd(struct fuzz *f, struct call *c)
{
	c->fd = fuzz_one_in(f, 4) ? (int)fuzz_edge(f) : (int)fuzz_below(f, 40);
}

static void mutate_cmd(struct fuzz *f, struct call *c)
{
	c->cmd = fuzz_one_in(f, 4) ? (int)fuzz_edge(f) :
				     (int)fuzz_below(f, 0x20);
}

static void mutate(struct fuzz *f, struct call *c)
{
	switch (fuzz_below(f, 12)) {
	case 0:
		mutate_all(f, c);
		break;
	case 1:
		mutate_narg(f, c);
		break;
	case 2:
		mutate_fd(f, c);
		break;
	case 3:
		mutate_cmd(f, c);
		break;
	case 4:
	case 5:
	case 6:
		flip_bit(f, c);
		break;
	default:
		mutate_bytes(f, c);
	}
}

/*
 * Return whether a thread of another fuzzing process has this ID. Contexts must
 * not be attached to these threads, because the fuzzing processes could then
 * block each other.
 */
static bool is_our_own(const struct fuzz *f, pid_t pid)
{
	if (!syscall(SYS_tgkill, getpid(), pid, 0))
		return false;
	for (unsigned int i = 0; i < FUZZ_MAX_THREADS; i++)
		if (f->seats[i].tid == pid)
			return true;
	return false;
}

static void spare_our_own(const struct fuzz *f, struct call *c)
{
	pfarg_load_t *load = (void *)c->arg.bytes;

	if (c->cmd == PFM_LOAD_CONTEXT && is_our_own(f, load->load_pid))
		load->load_pid = 0;
}

/*
 * Prepare a call that could succeed. The caller then places the argument in the
 * arena.
 */
static struct call make_call(struct fuzz *f, int cmd)
{
	struct call c = { .cmd = cmd };

	fuzz_make_arg(f, c.cmd, &c.arg);
	c.fd = fuzz_any_fd(f);
	c.place = fuzz_any_place(f);
	c.narg = c.arg.narg;
	return c;
}

static void place_arg(struct fuzz *f, struct call *c)
{
	/* Some commands have no argument, and PFM_START may have none. */
	if (c->narg)
		c->address = fuzz_place(f, c->arg.bytes, arg_bytes(c));
	else
		fuzz_place(f, NULL, 0);
}

/*
 * Prepare a random call. Half of the calls are mutated, and one call in 16 has
 * its argument at a bad address. The others could succeed.
 */
static struct call make_any_call(struct fuzz *f)
{
	struct call c = make_call(f, any_command(f));

	for (unsigned int n = fuzz_below(f, 4); n > 1; n--)
		mutate(f, &c);
	spare_our_own(f, &c);
	if (fuzz_one_in(f, 16))
		c.address = fuzz_place_badly(f, c.arg.bytes, arg_bytes(&c));
	else
		place_arg(f, &c);
	return c;
}

/*
 * Check that the call has changed nothing in the arena except the command's
 * output.
 */
static void check_memory(struct fuzz *f, const struct call *c, int result)
{
	const struct command *command = command_of(c->cmd);
	size_t size = 0;

	if (command->vector && c->narg > 0)
		size = (size_t)c->narg * command->writes;
	else if (!command->vector && (c->cmd != PFM_CREATE_CONTEXT || !result))
		size = command->writes;
	fuzz_check_arena(f, c->address, size);
}

static void judge(struct fuzz *f, const struct call *c, int result, int error)
{
	const struct command *command = command_of(c->cmd);

	if (result && result != -1)
		fuzz_fail(f, "%s returned %d", command->name, result);
	if (result && !is_listed(command->errors, error))
		fuzz_fail(f, "%s failed with errno %d, %s, which is not permitted",
			  command->name, error, strerror(error));
}

/* Keep the descriptor of a new context. */
static void keep_context(struct fuzz *f, const struct call *c,
			 const void *address)
{
	pfarg_ctx_t ctx;

	memcpy(&ctx, address, sizeof(ctx));
	fuzz_keep_fd(f, c->place, ctx.ctx_fd, ctx.ctx_smpl_buf_size);
}

static void call(struct fuzz *f, const struct call *c)
{
	int result, error;

	fuzz_tell(f, command_of(c->cmd)->name,
		  " (%#x), descriptor %d, %d elements at %+td", c->cmd, c->fd,
		  c->narg, (char *)c->address - f->arena);
	result = perfmonctl(c->fd, c->cmd, c->address, c->narg);
	error = errno;
	if (f->verbose)
		printf("#   %d, errno %d\n", result, result ? error : 0);
	if (c->cmd == PFM_CREATE_CONTEXT && !result)
		keep_context(f, c, c->address);
	check_memory(f, c, result);
	judge(f, c, result, error);
}

void fuzz_command(struct fuzz *f)
{
	struct call c = make_any_call(f);

	call(f, &c);
}

/*
 * On one context, issue all the commands that are needed to measure. A random
 * series of commands rarely includes all of them.
 */
void fuzz_session(struct fuzz *f)
{
	static const int steps[] = {
		PFM_CREATE_EVTSETS, PFM_WRITE_PMCS, PFM_WRITE_PMDS,
		PFM_LOAD_CONTEXT, PFM_START,
	};
	int fd = fuzz_any_fd(f);

	for (unsigned int i = 0; i < ARRAY_SIZE(steps); i++) {
		struct call c = make_call(f, steps[i]);

		c.fd = fd;
		place_arg(f, &c);
		call(f, &c);
	}
}

/*
 * Call ioctl() directly instead of perfmonctl(), with any perfmon request on
 * any descriptor. Half of the requests also pass the address of a format's
 * argument. Check neither the error codes nor which memory the kernel has
 * written.
 */
void fuzz_ioctl(struct fuzz *f)
{
	struct call c = make_any_call(f);
	struct pfm_ioc ioc = {
		.arg = (uintptr_t)c.address,
		.narg = c.narg,
		.fmt_arg_size = fuzz_one_in(f, 2) ? 0 : fuzz_below(f, 80),
	};
	unsigned int request = PFM_IOC(c.cmd & 0xff);

	if (ioc.fmt_arg_size)
		ioc.fmt_arg = ioc.arg + sizeof(pfarg_ctx_t);
	if (fuzz_one_in(f, 4))
		((uint64_t *)&ioc)[fuzz_below(f, sizeof(ioc) / 8)] =
			fuzz_edge(f);
	if (fuzz_one_in(f, 8))
		request ^= 1U << fuzz_below(f, 32);
	fuzz_tell(f, "ioctl", " %#x of descriptor %d", request, c.fd);
	/*
	 * Do not issue requests that other drivers define, because they could
	 * do harm.
	 */
	if (_IOC_TYPE(request) != PFM_IOC_MAGIC)
		return;
	if (ioctl(c.fd, request, fuzz_one_in(f, 16) ? NULL : &ioc))
		return;
	if (request == PFM_IOC(PFM_CREATE_CONTEXT))
		keep_context(f, &c, (const void *)(uintptr_t)ioc.arg);
}
