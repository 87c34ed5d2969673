// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * args.c - make valid arguments for commands
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <perfmon/perfmon.h>
#include <perfmon/perfmon_callstack_smpl.h>
#include <perfmon/perfmon_cgroup_counts_smpl.h>
#include <perfmon/perfmon_default_smpl.h>
#include <perfmon/perfmon_flight_smpl.h>
#include <perfmon/perfmon_histogram_smpl.h>
#include <perfmon/perfmon_nway_smpl.h>
#include <perfmon/perfmon_oprofile_smpl.h>
#include <perfmon/perfmon_pebs32_smpl.h>
#include <perfmon/perfmon_pebs64_smpl.h>
#include <perfmon/perfmon_stacks_smpl.h>

#include <linux/perf_event.h>

#include "fuzz.h"
#include "../../../examples/format_count/perfmon_count_smpl.h"
#include "../../../examples/format_threshold/perfmon_threshold_smpl.h"

#define SOFTWARE(id) \
	PFM_PERF_EVENT(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id)
#define HARDWARE(id) \
	PFM_PERF_EVENT(PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id)

static const __u64 events[] = {
	SOFTWARE(PAGE_FAULTS), SOFTWARE(PAGE_FAULTS), SOFTWARE(PAGE_FAULTS),
	SOFTWARE(CPU_CLOCK), SOFTWARE(CPU_CLOCK), SOFTWARE(TASK_CLOCK),
	SOFTWARE(CONTEXT_SWITCHES), SOFTWARE(CPU_MIGRATIONS),
	SOFTWARE(PAGE_FAULTS_MIN), PFM_PERF_NONE,
};

static __u64 event(struct fuzz *f)
{
	__u64 value = events[fuzz_below(f, ARRAY_SIZE(events))];

	/* Sometimes use an event that some machines do not support. */
	if (fuzz_one_in(f, 32))
		value = HARDWARE(CPU_CYCLES);
	if (fuzz_one_in(f, 3))
		value |= fuzz_one_in(f, 2) ? PFM_PERF_EXCL_KERNEL :
					     PFM_PERF_EXCL_USER;
	return value;
}

/* Breakpoints watch this array, which is written now and then. */
static volatile __u64 watched[4];

/*
 * Return the PMC value of a breakpoint of any type, including types that are
 * invalid or never hit.
 */
static __u64 breakpoint(struct fuzz *f)
{
	watched[fuzz_below(f, ARRAY_SIZE(watched))]++;
	return PFM_PERF_EVENT(PERF_TYPE_BREAKPOINT, fuzz_below(f, 8)) |
	       PFM_PERF_EXCL_KERNEL;
}

/* Return a configuration word for a breakpoint, or a random word. */
static __u64 config(struct fuzz *f)
{
	switch (fuzz_below(f, 4)) {
	case 0:
		return (uintptr_t)&watched[fuzz_below(f, ARRAY_SIZE(watched))];
	case 1:
		return 1 << fuzz_below(f, 4);
	case 2:
		return 0;
	default:
		return fuzz_u64(f);
	}
}

/* Return the ID of a set; mostly set0, which always exists. */
static __u16 set_id(struct fuzz *f)
{
	return fuzz_one_in(f, 4) ? fuzz_below(f, 4) : 0;
}

static __u16 reg_num(struct fuzz *f)
{
	return fuzz_one_in(f, 8) ? PFM_PMD_ELAPSED : fuzz_below(f, 6);
}

static void some_pmds(struct fuzz *f, __u64 *bv)
{
	bv[0] = fuzz_one_in(f, 2) ? fuzz_u64(f) & fuzz_u64(f) & 0x3f : 0;
	if (fuzz_one_in(f, 4))
		bv[PFM_PMD_ELAPSED / 64] = fuzz_u64(f) & 0xf;
}

static __u32 smpl_flags(struct fuzz *f)
{
	return fuzz_u64(f) & (PFM_REGFL_OVFL_NOTIFY | PFM_REGFL_RANDOM |
			      PFM_REGFL_AT_EXIT);
}

static void make_pmc(struct fuzz *f, void *elem)
{
	pfarg_pmc_t *pmc = elem;

	pmc->reg_num = fuzz_below(f, 6);
	pmc->reg_set = set_id(f);
	pmc->reg_flags = smpl_flags(f);
	if (fuzz_one_in(f, 6))
		pmc->reg_flags |= PFM_REGFL_VALUE_ONLY;
	pmc->reg_value = fuzz_one_in(f, 16) ? breakpoint(f) : event(f);
	if (fuzz_one_in(f, 4)) {
		pmc->reg_num += 64 * (1 + fuzz_below(f, 2));
		pmc->reg_value = config(f);
	}
	some_pmds(f, pmc->reg_reset_pmds);
	some_pmds(f, pmc->reg_smpl_pmds);
	pmc->reg_smpl_eventid = fuzz_below(f, 4);
}

/* Return a PMD value that overflows after one to about a million events. */
static __u64 period(struct fuzz *f)
{
	return -(1 + (fuzz_u64(f) >> (44 + fuzz_below(f, 20))));
}

static void make_pmd(struct fuzz *f, void *elem)
{
	pfarg_pmd_t *pmd = elem;

	pmd->reg_num = reg_num(f);
	pmd->reg_set = set_id(f);
	pmd->reg_value = period(f);
	pmd->reg_ovflsw_thres = fuzz_below(f, 3);
	pmd->reg_long_reset = period(f);
	pmd->reg_short_reset = period(f);
	pmd->reg_random_mask = fuzz_u64(f) & 0xfff;
	pmd->reg_random_seed = fuzz_u64(f);
	if (!fuzz_one_in(f, 4) || pmd->reg_num == PFM_PMD_ELAPSED)
		return;
	pmd->reg_flags = PFM_REGFL_SMPL | smpl_flags(f);
	some_pmds(f, pmd->reg_reset_pmds);
	some_pmds(f, pmd->reg_smpl_pmds);
}

static void make_pmd_to_read(struct fuzz *f, void *elem)
{
	pfarg_pmd_t *pmd = elem;

	pmd->reg_num = fuzz_one_in(f, 4) ? PFM_PMD_ELAPSED + fuzz_below(f, 4) :
					   fuzz_below(f, 6);
	pmd->reg_set = set_id(f);
}

static void make_info(struct fuzz *f, void *elem)
{
	pfarg_pmcinfo_t *info = elem;

	info->reg_num = reg_num(f);
}

/* Attach to this thread, another thread, or a victim process. */
static void make_load(struct fuzz *f, void *elem)
{
	pfarg_load_t *load = elem;

	if (!fuzz_one_in(f, 3))
		load->load_pid = syscall(SYS_gettid);
	else
		load->load_pid = f->process->victims[fuzz_below(f,
								FUZZ_VICTIMS)];
	load->load_set = fuzz_one_in(f, 4) ? set_id(f) : 0;
	if (fuzz_one_in(f, 8)) {
		load->load_flags = PFM_LOADFL_CGROUP;
		load->load_cgroup = f->process->group;
	}
}

static void make_start(struct fuzz *f, void *elem)
{
	pfarg_start_t *start = elem;

	start->start_set = set_id(f);
	start->start_flags = fuzz_one_in(f, 4) ? PFM_STARTFL_EXEC : 0;
}

static void make_setdesc(struct fuzz *f, void *elem)
{
	static const __u32 flags[] = {
		0, PFM_SETFL_OVFL_SWITCH, PFM_SETFL_TIME_SWITCH,
	};
	pfarg_setdesc_t *set = elem;

	set->set_id = fuzz_below(f, 4);
	set->set_flags = flags[fuzz_below(f, ARRAY_SIZE(flags))];
	if (fuzz_one_in(f, 4)) {
		set->set_flags |= PFM_SETFL_EXPL_NEXT;
		set->set_id_next = fuzz_below(f, 4);
	}
	set->set_timeout.tv_nsec = fuzz_below(f, 20000000);
}

static void make_set_to_delete(struct fuzz *f, void *elem)
{
	pfarg_setdesc_t *set = elem;

	set->set_id = 1 + fuzz_below(f, 3);
}

static void make_setinfo(struct fuzz *f, void *elem)
{
	pfarg_setinfo_t *set = elem;

	set->set_id = set_id(f);
}

static void make_config(struct fuzz *f, void *elem)
{
	pfarg_config_t *cfg = elem;

	cfg->cf_sys_gid = fuzz_one_in(f, 8) ? 1 : PFM_GROUP_ANY;
	cfg->cf_thread_gid = fuzz_one_in(f, 8) ? 0 : PFM_GROUP_ANY;
	cfg->cf_arg_size_max = 4096 << fuzz_below(f, 4);
	cfg->cf_smpl_buf_size_max = 65536 << fuzz_below(f, 6);
}

static size_t no_fmt(struct fuzz *f, void *arg)
{
	return 0;
}

static size_t dfl_arg(struct fuzz *f, void *arg)
{
	*(pfm_default_smpl_arg_t *)arg = (pfm_default_smpl_arg_t){
		.buf_size = 1024 << fuzz_below(f, 7),
		.buf_flags = fuzz_below(f, 3),
	};
	return sizeof(pfm_default_smpl_arg_t);
}

static size_t nway_arg(struct fuzz *f, void *arg)
{
	*(pfm_nway_smpl_arg_t *)arg = (pfm_nway_smpl_arg_t){
		.buf_size = 4096 << fuzz_below(f, 5),
		.buf_flags = fuzz_below(f, 2),
		.num_regions = 2 + fuzz_below(f, 6),
	};
	return sizeof(pfm_nway_smpl_arg_t);
}

static size_t pebs32_arg(struct fuzz *f, void *arg)
{
	*(pfm_pebs32_smpl_arg_t *)arg = (pfm_pebs32_smpl_arg_t){
		.buf_size = 4096 << fuzz_below(f, 4),
		.intr_thres = 1 + fuzz_below(f, 40),
		.flags = PFM_PEBS32_SMPL_IMPRECISE,
		.cnt_reset = period(f),
	};
	return sizeof(pfm_pebs32_smpl_arg_t);
}

static size_t pebs64_arg(struct fuzz *f, void *arg)
{
	*(pfm_pebs64_smpl_arg_t *)arg = (pfm_pebs64_smpl_arg_t){
		.buf_size = 4096 << fuzz_below(f, 4),
		.intr_thres = 1 + fuzz_below(f, 20),
		.flags = PFM_PEBS64_SMPL_IMPRECISE |
			 fuzz_below(f, 4) << PFM_PEBS64_SMPL_RECORD_SHIFT,
		.cnt_reset = period(f),
	};
	return sizeof(pfm_pebs64_smpl_arg_t);
}

static size_t count_arg(struct fuzz *f, void *arg)
{
	*(pfm_count_smpl_arg_t *)arg = (pfm_count_smpl_arg_t){
		.num_events = 1 + fuzz_below(f, 300),
	};
	return sizeof(pfm_count_smpl_arg_t);
}

/*
 * PFM_SET_FMT_ARG can change only the threshold, and refuses an argument that
 * describes another buffer. Use only two different buffers, so that many
 * arguments are accepted.
 */
static size_t threshold_arg(struct fuzz *f, void *arg)
{
	*(pfm_threshold_smpl_arg_t *)arg = (pfm_threshold_smpl_arg_t){
		.sink = { .buf_size = 65536,
			  .num_regions = 1 + fuzz_below(f, 2) },
		.min = fuzz_below(f, 4),
	};
	return sizeof(pfm_threshold_smpl_arg_t);
}

static size_t histogram_arg(struct fuzz *f, void *arg)
{
	*(pfm_sink_arg_t *)arg = (pfm_sink_arg_t){
		.buf_size = 4096 << fuzz_below(f, 5),
	};
	return sizeof(pfm_sink_arg_t);
}

static __u16 pmd_or_none(struct fuzz *f)
{
	return fuzz_one_in(f, 2) ? PFM_FLIGHT_SMPL_NO_PMD : fuzz_below(f, 6);
}

static size_t flight_arg(struct fuzz *f, void *arg)
{
	*(pfm_flight_smpl_arg_t *)arg = (pfm_flight_smpl_arg_t){
		.sink.buf_size = 16384 << fuzz_below(f, 4),
		.sink.num_regions = 2 + fuzz_below(f, 6),
		.sink.flags = PFM_SINK_OVERWRITE,
		.after = fuzz_below(f, 3),
		.pmd = pmd_or_none(f),
		.minus = pmd_or_none(f),
		.marker = pmd_or_none(f),
	};
	return sizeof(pfm_flight_smpl_arg_t);
}

/*
 * Return 0, which means no set of unwind tables, or any descriptor, which may
 * be that of a set.
 */
static __s32 unwind_fd(struct fuzz *f)
{
	return fuzz_one_in(f, 2) ? 0 : fuzz_any_fd(f);
}

static size_t callstack_arg(struct fuzz *f, void *arg)
{
	*(pfm_callstack_smpl_arg_t *)arg = (pfm_callstack_smpl_arg_t){
		.sink.buf_size = 16384 << fuzz_below(f, 4),
		.sink.num_regions = fuzz_below(f, 4),
		.max_depth = 1 + fuzz_below(f, PFM_CALLSTACK_MAX_DEPTH),
		.unwind_fd = unwind_fd(f),
	};
	return sizeof(pfm_callstack_smpl_arg_t);
}

static size_t stacks_arg(struct fuzz *f, void *arg)
{
	*(pfm_stacks_smpl_arg_t *)arg = (pfm_stacks_smpl_arg_t){
		.sink.buf_size = 4096 << fuzz_below(f, 6),
		.max_depth = 1 + fuzz_below(f, PFM_STACKS_MAX_DEPTH),
		.unwind_fd = unwind_fd(f),
		.per_thread = fuzz_below(f, 2),
		.clock_pmd = fuzz_below(f, 2),
	};
	return sizeof(pfm_stacks_smpl_arg_t);
}

static size_t cgroup_counts_arg(struct fuzz *f, void *arg)
{
	*(pfm_cgroup_counts_smpl_arg_t *)arg = (pfm_cgroup_counts_smpl_arg_t){
		.sink.buf_size = 4096 << fuzz_below(f, 6),
		.num_groups = fuzz_below(f, 3),
		.groups = { fuzz_any_fd(f), fuzz_any_fd(f) },
	};
	return sizeof(pfm_cgroup_counts_smpl_arg_t);
}

static const struct {
	pfm_uuid_t	uuid;
	size_t		(*make)(struct fuzz *f, void *arg);
} formats[] = {
	{ {}, no_fmt },
	{ {}, no_fmt },
	{ PFM_DFL_SMPL_UUID, dfl_arg },
	{ PFM_DFL_SMPL_UUID, dfl_arg },
	{ PFM_NWAY_SMPL_UUID, nway_arg },
	{ PFM_OPROFILE_SMPL_UUID, no_fmt },
	{ PFM_PEBS32_SMPL_UUID, pebs32_arg },
	{ PFM_PEBS64_SMPL_UUID, pebs64_arg },
	{ PFM_COUNT_SMPL_UUID, count_arg },
	{ PFM_THRESHOLD_SMPL_UUID, threshold_arg },
	{ PFM_HISTOGRAM_SMPL_UUID, histogram_arg },
	{ PFM_FLIGHT_SMPL_UUID, flight_arg },
	{ PFM_CALLSTACK_SMPL_UUID, callstack_arg },
	{ PFM_CALLSTACK_SMPL_UUID, callstack_arg },
	{ PFM_STACKS_SMPL_UUID, stacks_arg },
	{ PFM_STACKS_SMPL_UUID, stacks_arg },
	{ PFM_CGROUP_COUNTS_SMPL_UUID, cgroup_counts_arg },
};

size_t fuzz_make_fmt_arg(struct fuzz *f, unsigned char *uuid, void *arg)
{
	unsigned int n = fuzz_below(f, ARRAY_SIZE(formats));

	memcpy(uuid, formats[n].uuid, sizeof(pfm_uuid_t));
	return formats[n].make(f, arg);
}

/* Make the structure, and place the format's argument after it. */
static void make_ctx(struct fuzz *f, void *elem)
{
	static const __u32 flags[] = {
		0, 0, PFM_FL_SYSTEM_WIDE, PFM_FL_NOTIFY_BLOCK,
		PFM_FL_OVFL_NO_MSG, PFM_FL_SYSTEM_WIDE | PFM_FL_OVFL_NO_MSG,
		PFM_FL_INHERIT,
	};
	pfarg_ctx_t *ctx = elem;

	ctx->ctx_flags = flags[fuzz_below(f, ARRAY_SIZE(flags))];
	fuzz_make_fmt_arg(f, ctx->ctx_smpl_buf_id, ctx + 1);
}

/*
 * For each command: the function that makes an element of its argument, the
 * size of an element, and the maximum number of elements.
 */
static const struct {
	void		(*make)(struct fuzz *f, void *elem);
	size_t		size;
	unsigned int	max;
} makers[] = {
	[PFM_WRITE_PMCS]	= { make_pmc, sizeof(pfarg_pmc_t), 4 },
	[PFM_WRITE_PMDS]	= { make_pmd, sizeof(pfarg_pmd_t), 4 },
	[PFM_READ_PMDS]		= { make_pmd_to_read, sizeof(pfarg_pmd_t), 6 },
	[PFM_START]		= { make_start, sizeof(pfarg_start_t), 1 },
	[PFM_CREATE_CONTEXT]	= { make_ctx, sizeof(pfarg_ctx_t) + 64, 1 },
	[PFM_LOAD_CONTEXT]	= { make_load, sizeof(pfarg_load_t), 1 },
	[PFM_GETINFO_PMCS]	= { make_info, sizeof(pfarg_pmcinfo_t), 6 },
	[PFM_GETINFO_PMDS]	= { make_info, sizeof(pfarg_pmdinfo_t), 6 },
	[PFM_CREATE_EVTSETS]	= { make_setdesc, sizeof(pfarg_setdesc_t), 4 },
	[PFM_DELETE_EVTSETS]	= { make_set_to_delete,
				    sizeof(pfarg_setdesc_t), 2 },
	[PFM_GETINFO_EVTSETS]	= { make_setinfo, sizeof(pfarg_setinfo_t), 4 },
	[PFM_SET_CONFIG]	= { make_config, sizeof(pfarg_config_t), 1 },
	[PFM_GET_CONFIG]	= { make_config, sizeof(pfarg_config_t), 1 },
};

/* Make the argument of PFM_SET_FMT_ARG, for which narg is a size in bytes. */
static void make_fmt_arg(struct fuzz *f, struct fuzz_arg *arg)
{
	arg->size = 1;
	arg->narg = threshold_arg(f, arg->bytes);
}

void fuzz_make_arg(struct fuzz *f, int cmd, struct fuzz_arg *arg)
{
	memset(arg, 0, sizeof(*arg));
	if (cmd == PFM_SET_FMT_ARG)
		make_fmt_arg(f, arg);
	if (cmd < 0 || cmd >= (int)ARRAY_SIZE(makers) || !makers[cmd].make)
		return;
	/* The argument of PFM_START is optional. */
	if (cmd == PFM_START && fuzz_one_in(f, 2))
		return;
	arg->size = makers[cmd].size;
	arg->narg = 1 + fuzz_below(f, makers[cmd].max);
	for (int i = 0; i < arg->narg; i++)
		makers[cmd].make(f, arg->bytes + i * arg->size);
}
