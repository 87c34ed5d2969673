/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/**
 * DOC: Buffer of the stacks format: counts of equal call chains
 *
 * The format counts samples with the same event, process and call chains. The
 * buffer is a table, described in perfmon_sink.h, whose records differ in size;
 * num_regions is at most 1, and flags is 0.
 */
#ifndef PERFMON_STACKS_SMPL_H
#define PERFMON_STACKS_SMPL_H

#include <perfmon/perfmon_sink.h>
#include <perfmon/perfmon_unwind.h>

#define PFM_STACKS_SMPL_NAME	"stacks"
/* The contents of a sample, in one line for users. */
#define PFM_STACKS_SMPL_SUMMARY \
	"a count per process, event and call chain, kept in the kernel"
#define PFM_STACKS_SMPL_UUID_STR "d2f2aba2-e8d3-408b-af5f-54ed08df8b1c"
#define PFM_STACKS_SMPL_UUID	PFM_UUID(PFM_STACKS_SMPL_UUID_STR)

#define PFM_STACKS_SMPL_VERSION	((1U << 16) | 0U)	/* major.minor */

#define PFM_STACKS_MAX_DEPTH	128

/**
 * struct pfm_stacks_smpl_arg_t - argument of the format
 * @sink:       layout of the buffer
 * @max_depth:  maximum number of addresses in each of the two call chains,
 *              kernel and user; 1 to PFM_STACKS_MAX_DEPTH
 * @unwind_fd:  descriptor of a set of unwind tables (perfmon_unwind.h) for user
 *              chains; 0 for none, so descriptor 0 cannot be used
 * @per_thread: 1 to count the samples of each thread separately, else 0
 * @clock_pmd:  0, or the PMD with the thread's CPU time in ns, to sum the time
 *              off the CPU instead of the periods. This requires a per-thread
 *              context, with or without PFM_FL_INHERIT. The only sampling PMD
 *              must count context switches with a period of 1, and its
 *              reg_smpl_pmds must include clock_pmd and PFM_PMD_STATE
 */
typedef struct {
	pfm_sink_arg_t	sink;
	__u32		max_depth;
	__s32		unwind_fd;
	__u32		per_thread;
	__u32		clock_pmd;
} pfm_stacks_smpl_arg_t;

PFM_STATIC_ASSERT(sizeof(pfm_stacks_smpl_arg_t) == 32);
PFM_ASSERT_FIELD(pfm_stacks_smpl_arg_t, sink, 0, 16);
PFM_ASSERT_FIELD(pfm_stacks_smpl_arg_t, max_depth, 16, 4);
PFM_ASSERT_FIELD(pfm_stacks_smpl_arg_t, unwind_fd, 20, 4);
PFM_ASSERT_FIELD(pfm_stacks_smpl_arg_t, per_thread, 24, 4);
PFM_ASSERT_FIELD(pfm_stacks_smpl_arg_t, clock_pmd, 28, 4);

/* Fields of the argument, as tools see them; see PFM_FMT_ARG(). */
#define PFM_STACKS_SMPL_ARG_LAYOUT {					\
	PFM_ARG(pfm_sink_arg_t, buf_size, 262144, "bytes"),		\
	PFM_ARG(pfm_sink_arg_t, num_regions, 1, "regions"),		\
	PFM_ARG(pfm_sink_arg_t, flags, 0, "flags"),			\
	PFM_ARG(pfm_stacks_smpl_arg_t, max_depth, 127, "addresses"),	\
	PFM_ARG(pfm_stacks_smpl_arg_t, per_thread, 0, "boolean"),	\
	PFM_ARG(pfm_stacks_smpl_arg_t, clock_pmd, 0, "pmd") }

/**
 * struct pfm_stacks_record_t - a record; addresses follow
 * @count:      number of samples
 * @periods:    sum of the samples' periods; with clock_pmd: time in ns that the
 *              thread was off the CPU after these context switches
 * @ovfl_pmd:   PMD that overflowed
 * @set:        event set that was active; with clock_pmd: the value of
 *              PFM_PMD_STATE, the reason why the thread left the CPU
 * @tgid:       process
 * @tid:        thread; 0 if the samples of threads are counted together
 * @num_kernel: number of kernel addresses, which follow the record: the
 *              interrupted address, then its callers, innermost first; 0 if the
 *              kernel was not interrupted
 * @num_user:   number of user addresses, which follow the kernel addresses: the
 *              thread's address in user space (if the kernel was interrupted,
 *              the address at which the thread had entered the kernel), then
 *              its callers, innermost first
 * @user_end:   why the user chain ends, an enum pfm_unwind_why; used only with
 *              a set of unwind tables
 * @user_guessed: with unwind tables: number of user addresses that were found
 *              by frame pointer, because no table describes the callee's code
 *
 * The key consists of all fields from @ovfl_pmd on, and of the addresses.
 */
typedef struct {
	__u64	count;
	__u64	periods;
	__u16	ovfl_pmd;
	__u16	set;
	__u32	tgid;
	__u32	tid;
	__u8	num_kernel;
	__u8	num_user;
	__u8	user_end;
	__u8	user_guessed;
} pfm_stacks_record_t;

PFM_STATIC_ASSERT(sizeof(pfm_stacks_record_t) == 32);
PFM_ASSERT_FIELD(pfm_stacks_record_t, count, 0, 8);
PFM_ASSERT_FIELD(pfm_stacks_record_t, periods, 8, 8);
PFM_ASSERT_FIELD(pfm_stacks_record_t, ovfl_pmd, 16, 2);
PFM_ASSERT_FIELD(pfm_stacks_record_t, set, 18, 2);
PFM_ASSERT_FIELD(pfm_stacks_record_t, tgid, 20, 4);
PFM_ASSERT_FIELD(pfm_stacks_record_t, tid, 24, 4);
PFM_ASSERT_FIELD(pfm_stacks_record_t, num_kernel, 28, 1);
PFM_ASSERT_FIELD(pfm_stacks_record_t, num_user, 29, 1);
PFM_ASSERT_FIELD(pfm_stacks_record_t, user_end, 30, 1);
PFM_ASSERT_FIELD(pfm_stacks_record_t, user_guessed, 31, 1);

#endif /* PERFMON_STACKS_SMPL_H */
