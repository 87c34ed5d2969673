/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * callers_smpl.h - the sampling buffer of the callers format, for tests
 */
#ifndef GUEST_CALLERS_SMPL_H
#define GUEST_CALLERS_SMPL_H

#include <linux/types.h>

/* 0a0b6cf1-54f5-4b64-9a4c-3f0cc0a2f6c1 */
#define CALLERS_UUID {							\
	0x0a, 0x0b, 0x6c, 0xf1, 0x54, 0xf5, 0x4b, 0x64,			\
	0x9a, 0x4c, 0x3f, 0x0c, 0xc0, 0xa2, 0xf6, 0xc1 }

#define CALLERS_MAX	32
/* Must be a power of two. */
#define CALLERS_SAMPLES	256

/**
 * struct callers_smpl - a sample
 * @ip:         sampled instruction pointer, as passed by the core
 * @tid:        thread ID
 * @num_user:   number of entries in @user
 * @num_kernel: number of entries in @kernel
 * @user:       user call chain, filled in by pfm_user_callers()
 * @kernel:     kernel call chain, filled in by pfm_kernel_callers()
 */
struct callers_smpl {
	__u64	ip;
	__u32	tid;
	__u16	num_user;
	__u16	num_kernel;
	__u64	user[CALLERS_MAX];
	__u64	kernel[CALLERS_MAX];
};

/**
 * struct callers_hdr - the sampling buffer, which holds a ring of samples
 * @count:   number of samples ever recorded
 * @samples: the last samples; sample n is at n % CALLERS_SAMPLES
 */
struct callers_hdr {
	__u64			count;
	struct callers_smpl	samples[CALLERS_SAMPLES];
};

#endif /* GUEST_CALLERS_SMPL_H */
