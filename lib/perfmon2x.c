// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * perfmon2x.c - the calls of perfmon 2.x over the kernel's interface
 *
 * The translation keeps no state, and leaves checks of arguments to the kernel.
 * If 2.x forbids an argument that the kernel would accept, the argument is
 * passed in a form that the kernel rejects. pfm_create_context() differs
 * between 2.2 and 2.3: it is in create22.c and create2x.c.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <perfmon/perfmon.h>
#include <perfmon/perfmon2x.h>

#include "ioctl.h"

/*
 * perfmon.h declares these symbols with other arguments, so use aliases. The
 * library is built with hidden visibility.
 */
#pragma GCC visibility push(default)
int pfm2x_write_pmcs(int fd, struct pfm2x_pmc *pmcs, int n)
	__asm__("pfm_write_pmcs");
int pfm2x_write_pmds(int fd, struct pfm2x_pmd *pmds, int n)
	__asm__("pfm_write_pmds");
int pfm2x_read_pmds(int fd, struct pfm2x_pmd *pmds, int n)
	__asm__("pfm_read_pmds");
int pfm2x_load_context(int fd, struct pfm2x_load *load)
	__asm__("pfm_load_context");
int pfm2x_start(int fd, struct pfm2x_start *start) __asm__("pfm_start");
int pfm2x_stop(int fd) __asm__("pfm_stop");
int pfm2x_restart(int fd) __asm__("pfm_restart");
int pfm2x_unload_context(int fd) __asm__("pfm_unload_context");
int pfm2x_create_evtsets(int fd, struct pfm2x_setdesc *sets, int n)
	__asm__("pfm_create_evtsets");
int pfm2x_delete_evtsets(int fd, struct pfm2x_setdesc *sets, int n)
	__asm__("pfm_delete_evtsets");
int pfm2x_getinfo_evtsets(int fd, struct pfm2x_setinfo *sets, int n)
	__asm__("pfm_getinfo_evtsets");
#pragma GCC visibility pop

/* These structures are passed to and from the kernel unchanged. */
PFM_STATIC_ASSERT(sizeof(struct pfm2x_start) == sizeof(pfarg_start_t));
PFM_STATIC_ASSERT(sizeof(struct pfm2x_load) == sizeof(pfarg_load_t));
PFM_STATIC_ASSERT(sizeof(struct pfm2x_ovfl_msg) == sizeof(pfm_ovfl_msg_t));
PFM_STATIC_ASSERT(PFM2X_BITVECTOR == PFM_MAX_PMD_BITVECTOR);

/* Flags that 2.x defines for a PMD, and for an event set */
#define PMD_FLAGS	(PFM_REGFL_OVFL_NOTIFY | PFM_REGFL_RANDOM)
#define SET_FLAGS	(PFM_SETFL_OVFL_SWITCH | PFM_SETFL_TIME_SWITCH)

/* Vectors, passed to the kernel in parts */

/*
 * A part with this many elements fits into a page. The kernel's limit for
 * vectors can be configured, but not below the size of a page.
 */
#define PART	16

union part {
	pfarg_pmc_t	pmcs[PART];
	pfarg_pmd_t	pmds[PART];
	pfarg_setdesc_t	setdescs[PART];
	pfarg_setinfo_t	setinfos[PART];
};

/**
 * struct vector_call - translation of a call with a vector
 * @cmd:  the command
 * @size: size of a 2.x element
 * @in:   fills in element i of a part from a 2.x element
 * @out:  copies the kernel's results back to a 2.x element
 */
struct vector_call {
	int	cmd;
	size_t	size;
	void	(*in)(union part *part, int i, const void *elem);
	void	(*out)(const union part *part, int i, void *elem);
};

static int do_part(int fd, const struct vector_call *call, char *elems, int n)
{
	union part part;
	struct pfm_ioc ioc = { .arg = address(&part), .narg = n };
	int ret, error;

	memset(&part, 0, sizeof(part));
	for (int i = 0; i < n; i++)
		call->in(&part, i, elems + i * call->size);
	ret = pfm_context_command(fd, call->cmd, &ioc);
	error = errno;
	for (int i = 0; i < n; i++)
		call->out(&part, i, elems + i * call->size);
	errno = error;
	return ret;
}

/*
 * Pass even an empty vector to the kernel, which checks the descriptor before
 * it rejects the vector.
 */
static int do_vector(int fd, const struct vector_call *call, void *elems, int n)
{
	char *next = elems;
	int ret, count;

	if (n < 0)
		return fail(EINVAL);
	if (n && !elems)
		return fail(EFAULT);
	do {
		count = n < PART ? n : PART;
		ret = do_part(fd, call, next, count);
		next += count * call->size;
		n -= count;
	} while (!ret && n);
	return ret;
}

/* Registers */

/* Combine the caller's flags with the kernel's error flags for an element. */
static __u32 returned_flags(__u32 given, __u32 kernel)
{
	return (given & ~PFM_REG_RETFL_MASK) | (kernel & PFM_REG_RETFL_MASK);
}

static void pmc_in(union part *part, int i, const void *elem)
{
	const struct pfm2x_pmc *from = elem;
	pfarg_pmc_t *to = &part->pmcs[i];

	to->reg_num = from->reg_num;
	to->reg_set = from->reg_set;
	to->reg_flags = PFM_REGFL_VALUE_ONLY |
			(from->reg_flags & PFM_REG_RETFL_MASK);
	to->reg_value = from->reg_value;
	memcpy(to->reserved, from->reserved, sizeof(to->reserved));
	/*
	 * 2.x defines no flags here: pass any flags in a word that the kernel
	 * rejects unless it is 0.
	 */
	to->reserved[0] |= from->reg_flags & ~PFM_REG_RETFL_MASK;
}

static void pmc_out(const union part *part, int i, void *elem)
{
	struct pfm2x_pmc *to = elem;

	to->reg_flags = returned_flags(to->reg_flags,
				       part->pmcs[i].reg_flags);
}

static __u64 any_of(const __u64 *words, int n)
{
	__u64 any = 0;

	while (n--)
		any |= words[n];
	return any;
}

/*
 * Does the element configure overflows? An element for a counter always does.
 * Other PMDs cannot overflow. So an element for such a PMD only does if a field
 * for overflows is set, and the kernel then rejects it.
 */
static bool concerns_overflow(const struct pfm2x_pmd *pmd)
{
	return pmd->reg_num < PFM_MAX_HW_REGS || pmd->reg_flags & PMD_FLAGS ||
	       pmd->reg_smpl_eventid ||
	       any_of(pmd->reg_smpl_pmds, PFM2X_BITVECTOR) ||
	       any_of(pmd->reg_reset_pmds, PFM2X_BITVECTOR);
}

static void pmd_in(union part *part, int i, const void *elem)
{
	const struct pfm2x_pmd *from = elem;
	pfarg_pmd_t *to = &part->pmds[i];

	PFM_STATIC_ASSERT(sizeof(*from) == sizeof(*to));
	memcpy(to, from, sizeof(*to));
	to->reg_flags &= PMD_FLAGS | PFM_REG_RETFL_MASK;
	if (concerns_overflow(from))
		to->reg_flags |= PFM_REGFL_SMPL;
	/*
	 * Pass unknown flags in a word that the kernel rejects unless it is 0.
	 */
	to->reserved[0] |= from->reg_flags & ~(PMD_FLAGS | PFM_REG_RETFL_MASK);
}

static void pmd_out(const union part *part, int i, void *elem)
{
	struct pfm2x_pmd *to = elem;

	to->reg_flags = returned_flags(to->reg_flags,
				       part->pmds[i].reg_flags);
}

/*
 * Do not pass the caller's flags: programs read PMDs with the vector that they
 * have passed to pfm_write_pmds(), and the kernel would reject its flags.
 */
static void read_in(union part *part, int i, const void *elem)
{
	const struct pfm2x_pmd *from = elem;
	pfarg_pmd_t *to = &part->pmds[i];

	to->reg_num = from->reg_num;
	to->reg_set = from->reg_set;
	to->reg_flags = from->reg_flags & PFM_REG_RETFL_MASK;
	to->reg_value = from->reg_value;
	to->reg_last_reset_val = from->reg_last_reset_val;
}

static void read_out(const union part *part, int i, void *elem)
{
	const pfarg_pmd_t *from = &part->pmds[i];
	struct pfm2x_pmd *to = elem;

	pmd_out(part, i, elem);
	to->reg_value = from->reg_value;
	to->reg_last_reset_val = from->reg_last_reset_val;
}

int pfm2x_write_pmcs(int fd, struct pfm2x_pmc *pmcs, int n)
{
	static const struct vector_call call = {
		PFM_WRITE_PMCS, sizeof(*pmcs), pmc_in, pmc_out
	};

	return do_vector(fd, &call, pmcs, n);
}

int pfm2x_write_pmds(int fd, struct pfm2x_pmd *pmds, int n)
{
	static const struct vector_call call = {
		PFM_WRITE_PMDS, sizeof(*pmds), pmd_in, pmd_out
	};

	return do_vector(fd, &call, pmds, n);
}

int pfm2x_read_pmds(int fd, struct pfm2x_pmd *pmds, int n)
{
	static const struct vector_call call = {
		PFM_READ_PMDS, sizeof(*pmds), read_in, read_out
	};

	return do_vector(fd, &call, pmds, n);
}

/* Loading, starting, stopping */

static int load(int fd, const void *arg)
{
	struct pfm_ioc ioc = { .arg = address(arg), .narg = 1 };

	return pfm_context_command(fd, PFM_LOAD_CONTEXT, &ioc);
}

/*
 * Probe with thread 0, which does not exist. For a per-thread context, the
 * kernel returns ESRCH. For a system-wide context, it returns EBUSY if the
 * context is loaded, else EINVAL, because the thread is not the caller.
 */
static bool is_system_wide(int fd)
{
	pfarg_load_t nobody = { .load_pid = 0 };

	return load(fd, &nobody) && (errno == EINVAL || errno == EBUSY);
}

/*
 * Load a system-wide context. In 2.x load_pid is a CPU. The kernel uses the
 * current CPU instead, and expects the caller's thread ID.
 */
static int load_on_cpu(int fd, const struct pfm2x_load *arg)
{
	struct pfm2x_load self = *arg;

	if (sched_getcpu() != (int)arg->load_pid)
		return fail(EINVAL);
	self.load_pid = syscall(SYS_gettid);
	return load(fd, &self);
}

int pfm2x_load_context(int fd, struct pfm2x_load *arg)
{
	if (arg && is_system_wide(fd))
		return load_on_cpu(fd, arg);
	return load(fd, arg);
}

int pfm2x_start(int fd, struct pfm2x_start *start)
{
	struct pfm_ioc ioc = { .arg = address(start), .narg = start ? 1 : 0 };

	return pfm_context_command(fd, PFM_START, &ioc);
}

static int plain_command(int fd, int cmd)
{
	struct pfm_ioc ioc = { .narg = 0 };

	return pfm_context_command(fd, cmd, &ioc);
}

int pfm2x_stop(int fd)
{
	return plain_command(fd, PFM_STOP);
}

int pfm2x_restart(int fd)
{
	return plain_command(fd, PFM_RESTART);
}

int pfm2x_unload_context(int fd)
{
	return plain_command(fd, PFM_UNLOAD_CONTEXT);
}

/*
 * Event sets. In 2.x, times are in nanoseconds, and a set cannot name the next
 * set.
 */

#define NSEC_PER_SEC	1000000000ULL
/*
 * Get the number of reserved words of a 2.x element. The kernel's element has a
 * different number, so all words are combined into one.
 */
#define RESERVED(elem)	(sizeof((elem)->reserved) / sizeof((elem)->reserved[0]))

static struct __kernel_timespec timespec_of(__u64 ns)
{
	return (struct __kernel_timespec){ ns / NSEC_PER_SEC,
					   ns % NSEC_PER_SEC };
}

static __u64 ns_of(struct __kernel_timespec ts)
{
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

static void setdesc_in(union part *part, int i, const void *elem)
{
	const struct pfm2x_setdesc *from = elem;
	pfarg_setdesc_t *to = &part->setdescs[i];

	to->set_id = from->set_id;
	to->set_flags = from->set_flags & (SET_FLAGS | PFM_SET_RETFL_MASK);
	to->set_timeout = timespec_of(from->set_timeout);
	to->reserved[0] =
		from->reserved1 | any_of(from->reserved, RESERVED(from));
	/*
	 * Pass unknown flags in a word that the kernel rejects unless it is 0.
	 */
	to->reserved[0] |= from->set_flags & ~(SET_FLAGS | PFM_SET_RETFL_MASK);
}

static void setdesc_out(const union part *part, int i, void *elem)
{
	const pfarg_setdesc_t *from = &part->setdescs[i];
	struct pfm2x_setdesc *to = elem;

	to->set_flags = (to->set_flags & ~PFM_SET_RETFL_MASK) |
			(from->set_flags & PFM_SET_RETFL_MASK);
	to->set_timeout = ns_of(from->set_timeout);
}

/*
 * Do not pass the caller's flags: programs pass the flags used at creation, and
 * the kernel would reject them.
 */
static void setdel_in(union part *part, int i, const void *elem)
{
	setdesc_in(part, i, elem);
	part->setdescs[i].set_flags &= PFM_SET_RETFL_MASK;
}

static void setdel_out(const union part *part, int i, void *elem)
{
	struct pfm2x_setdesc *to = elem;

	to->set_flags = (to->set_flags & ~PFM_SET_RETFL_MASK) |
			(part->setdescs[i].set_flags & PFM_SET_RETFL_MASK);
}

/*
 * Do not pass the caller's flags: programs repeat the call with the flags that
 * it returned, and the kernel would reject them.
 */
static void setinfo_in(union part *part, int i, const void *elem)
{
	const struct pfm2x_setinfo *from = elem;
	pfarg_setinfo_t *to = &part->setinfos[i];

	to->set_id = from->set_id;
	to->set_flags = from->set_flags & PFM_SET_RETFL_MASK;
	to->reserved[0] =
		from->reserved1 | any_of(from->reserved, RESERVED(from));
}

static void setinfo_out(const union part *part, int i, void *elem)
{
	const pfarg_setinfo_t *from = &part->setinfos[i];
	struct pfm2x_setinfo *to = elem;

	to->set_flags = from->set_flags;
	memcpy(to->set_ovfl_pmds, from->set_switch_pmds,
	       sizeof(to->set_ovfl_pmds));
	to->set_runs = from->set_runs;
	to->set_timeout = ns_of(from->set_timeout);
	to->set_act_duration = ns_of(from->set_act_duration);
}

int pfm2x_create_evtsets(int fd, struct pfm2x_setdesc *sets, int n)
{
	static const struct vector_call call = {
		PFM_CREATE_EVTSETS, sizeof(*sets), setdesc_in, setdesc_out
	};

	return do_vector(fd, &call, sets, n);
}

int pfm2x_delete_evtsets(int fd, struct pfm2x_setdesc *sets, int n)
{
	static const struct vector_call call = {
		PFM_DELETE_EVTSETS, sizeof(*sets), setdel_in, setdel_out
	};

	return do_vector(fd, &call, sets, n);
}

/* Read the PMCn:... and PMDn:... lines of the PMU description. */
static int read_available(struct pfm2x_setinfo *info)
{
	FILE *file = fopen(PFM_SYSFS "/pmu_desc/mappings", "re");
	char line[256];
	unsigned int num;

	if (!file)
		return fail(errno == ENOENT ? ENODEV : errno);
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "PMC%u:", &num) == 1 && num < PFM_MAX_PMCS)
			pfm_bv_set(info->set_avail_pmcs, num);
		else if (sscanf(line, "PMD%u:", &num) == 1 &&
			 num < PFM_MAX_PMDS)
			pfm_bv_set(info->set_avail_pmds, num);
	}
	fclose(file);
	return 0;
}

int pfm2x_getinfo_evtsets(int fd, struct pfm2x_setinfo *sets, int n)
{
	static const struct vector_call call = {
		PFM_GETINFO_EVTSETS, sizeof(*sets), setinfo_in, setinfo_out
	};
	struct pfm2x_setinfo info = { .set_id = 0 };

	if (do_vector(fd, &call, sets, n) || read_available(&info))
		return -1;
	for (int i = 0; i < n; i++) {
		memcpy(sets[i].set_avail_pmcs, info.set_avail_pmcs,
		       sizeof(info.set_avail_pmcs));
		memcpy(sets[i].set_avail_pmds, info.set_avail_pmds,
		       sizeof(info.set_avail_pmds));
	}
	return 0;
}
