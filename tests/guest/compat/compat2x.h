/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * compat2x.h - declarations shared by the tests of the 2.x interface
 */
#ifndef COMPAT2X_H
#define COMPAT2X_H

#include <linux/types.h>

#define BUFFER		(1 << 16)

struct smpl_arg {
	__u64	buf_size;
	__u32	buf_flags;
	__u32	reserved1;
	__u64	reserved2[6];
};

struct smpl_hdr {
	__u64	count;
	__u64	cur_offs;
	__u64	overflows;
	__u64	buf_size;
	__u64	min_buf_space;
	__u32	version;
	__u32	buf_flags;
	__u64	reserved[10];
};

struct smpl_entry {
	__u32	pid;
	__u16	ovfl_pmd;
	__u16	reserved;
	__u64	last_reset_val;
	__u64	ip;
	__u64	tstamp;
	__u16	cpu;
	__u16	set;
	__u32	tgid;
	__u64	values[];
};

/* Create a context without a format. */
int context(__u32 flags);
/* Create a context that samples into a default format buffer of this size. */
int context_sampling(__u64 size);

#endif /* COMPAT2X_H */
