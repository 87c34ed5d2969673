/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/**
 * DOC: Buffer of the callstack format: samples with call chains
 *
 * The buffer is a sink (perfmon_sink.h).
 */
#ifndef PERFMON_CALLSTACK_SMPL_H
#define PERFMON_CALLSTACK_SMPL_H

#include <perfmon/perfmon_sink.h>
#include <perfmon/perfmon_unwind.h>

#define PFM_CALLSTACK_SMPL_NAME	"callstack"
/* The contents of a sample, in one line for users. */
#define PFM_CALLSTACK_SMPL_SUMMARY \
	"call chains in the kernel and user space, thread, time, PMDs"
#define PFM_CALLSTACK_SMPL_UUID_STR "bad42f83-abb5-4fb1-bc94-36de0415f7ca"
#define PFM_CALLSTACK_SMPL_UUID	PFM_UUID(PFM_CALLSTACK_SMPL_UUID_STR)

#define PFM_CALLSTACK_SMPL_VERSION ((1U << 16) | 1U)	/* major.minor */

#define PFM_CALLSTACK_MAX_DEPTH	128

/**
 * struct pfm_callstack_smpl_arg_t - argument of the format
 * @sink:      layout of the buffer
 * @max_depth: maximum number of addresses in each of the two call chains,
 *             kernel and user; 1 to PFM_CALLSTACK_MAX_DEPTH
 * @unwind_fd: descriptor of a set of unwind tables (perfmon_unwind.h) for user
 *             chains; 0 for none, so descriptor 0 cannot be used
 */
typedef struct {
	pfm_sink_arg_t	sink;
	__u32		max_depth;
	__s32		unwind_fd;
} pfm_callstack_smpl_arg_t;

PFM_STATIC_ASSERT(sizeof(pfm_callstack_smpl_arg_t) == 24);
PFM_ASSERT_FIELD(pfm_callstack_smpl_arg_t, sink, 0, 16);
PFM_ASSERT_FIELD(pfm_callstack_smpl_arg_t, max_depth, 16, 4);
PFM_ASSERT_FIELD(pfm_callstack_smpl_arg_t, unwind_fd, 20, 4);

/* Fields of the argument, as tools see them; see PFM_FMT_ARG(). */
#define PFM_CALLSTACK_SMPL_ARG_LAYOUT {					\
	PFM_ARG(pfm_sink_arg_t, buf_size, 65536, "bytes"),		\
	PFM_ARG(pfm_sink_arg_t, num_regions, 1, "regions"),		\
	PFM_ARG(pfm_sink_arg_t, flags, 0, "flags"),			\
	PFM_ARG(pfm_callstack_smpl_arg_t, max_depth, 32, "addresses") }

/**
 * struct pfm_callstack_record_t - a record; 64-bit words follow
 * @tstamp:     time in ns, on the clock that all formats use
 * @ip:         instruction pointer
 * @tid:        thread
 * @tgid:       its process
 * @ovfl_pmd:   PMD that overflowed
 * @cpu:        CPU
 * @set:        event set that was active
 * @num_pmds:   number of PMD values, which follow the record
 * @num_kernel: number of kernel addresses, which follow the PMD values: the
 *              interrupted address, then its callers, innermost first; 0 if the
 *              kernel was not interrupted
 * @num_user:   number of user addresses, which follow the kernel addresses: the
 *              thread's address in user space (if the kernel was interrupted,
 *              the address at which the thread had entered the kernel), then
 *              its callers, innermost first
 * @user_end:   reason why the user chain ends after these addresses, an enum
 *              pfm_unwind_why; meaningful only with a set of unwind tables
 * @user_guessed: with unwind tables: number of user addresses that were found
 *              by frame pointer, because no table describes the callee's code
 */
typedef struct {
	__u64	tstamp;
	__u64	ip;
	__u32	tid;
	__u32	tgid;
	__u16	ovfl_pmd;
	__u16	cpu;
	__u16	set;
	__u16	num_pmds;
	__u16	num_kernel;
	__u16	num_user;
	__u16	user_end;
	__u16	user_guessed;
} pfm_callstack_record_t;

PFM_STATIC_ASSERT(sizeof(pfm_callstack_record_t) == 40);
PFM_ASSERT_FIELD(pfm_callstack_record_t, tstamp, 0, 8);
PFM_ASSERT_FIELD(pfm_callstack_record_t, ip, 8, 8);
PFM_ASSERT_FIELD(pfm_callstack_record_t, tid, 16, 4);
PFM_ASSERT_FIELD(pfm_callstack_record_t, tgid, 20, 4);
PFM_ASSERT_FIELD(pfm_callstack_record_t, ovfl_pmd, 24, 2);
PFM_ASSERT_FIELD(pfm_callstack_record_t, cpu, 26, 2);
PFM_ASSERT_FIELD(pfm_callstack_record_t, set, 28, 2);
PFM_ASSERT_FIELD(pfm_callstack_record_t, num_pmds, 30, 2);
PFM_ASSERT_FIELD(pfm_callstack_record_t, num_kernel, 32, 2);
PFM_ASSERT_FIELD(pfm_callstack_record_t, num_user, 34, 2);
PFM_ASSERT_FIELD(pfm_callstack_record_t, user_end, 36, 2);
PFM_ASSERT_FIELD(pfm_callstack_record_t, user_guessed, 38, 2);

#endif /* PERFMON_CALLSTACK_SMPL_H */
