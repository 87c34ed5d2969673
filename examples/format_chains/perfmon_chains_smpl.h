/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * perfmon_chains_smpl.h - the records of an example format that counts user
 *			   stacks
 */
#ifndef PERFMON_CHAINS_SMPL_H
#define PERFMON_CHAINS_SMPL_H

#include <perfmon/perfmon_sink.h>

#define PFM_CHAINS_SMPL_UUID_STR \
	"ef2932b6-b526-4dd0-b40c-e7d071a0d11a"
#define PFM_CHAINS_SMPL_UUID PFM_UUID(PFM_CHAINS_SMPL_UUID_STR)

#define PFM_CHAINS_SMPL_VERSION ((1U << 16) | 0U)	/* major.minor */

/* Largest number of addresses in a stack. */
#define PFM_CHAINS_DEPTH	32

/* Refuse padding, so that the layout is the same on all machines. */
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wpadded"

/**
 * struct pfm_chains_record_t - a record of the table
 * @event:     eventid of the event that overflowed
 * @tgid:      process
 * @num_chain: number of addresses in @chain, at least 1
 * @chain:     the thread's instruction pointer in user space, then return
 *             addresses, innermost first; only the sample's instruction
 *             pointer if the thread has no user stack. Unused elements are 0
 * @count:     number of samples
 *
 * The members before @count are the key: the table has one record for each
 * combination of their values.
 */
typedef struct {
	__u64	event;
	__u32	tgid;
	__u32	num_chain;
	__u64	chain[PFM_CHAINS_DEPTH];
	__u64	count;
} pfm_chains_record_t;

#pragma GCC diagnostic pop

#endif /* PERFMON_CHAINS_SMPL_H */
