/* SPDX-License-Identifier: GPL-2.0 */
/*
 * reader.h - the state that exists while the device is open
 *
 * An overflow adds a sample to its CPU's buffer. A work item, the sync,
 * converts the samples of all CPUs into the stream that the device returns.
 * While the device is not open, samples are lost.
 */
#ifndef PFM_OP_READER_H
#define PFM_OP_READER_H

#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <perfmon/perfmon_fmt_ring.h>
#include "cookies.h"
#include "stream.h"

#define PFM_OP_MAX_DEPTH	64

struct mm_struct;
struct pfm_ovfl_data;

/**
 * struct pfm_op_sizes - the sizes of a new reader
 * @samples: number of samples in each CPU's buffer
 * @words:   number of words in the event buffer
 * @depth:   maximum number of user-space callers to record; 0: no traces
 */
struct pfm_op_sizes {
	unsigned int	samples;
	unsigned int	words;
	unsigned int	depth;
};

/**
 * struct pfm_op_sample - a sample on its way from the handler to the sync
 * @slot:        slot in the CPU's ring
 * @mm:          the thread's address space, with a reference; NULL if the
 *               thread has none, or if the overflow was deferred, and handled
 *               while another thread ran
 * @ip:          sampled address
 * @event:       reg_smpl_eventid
 * @tid:         thread ID
 * @tgid:        process ID
 * @user:        the sample is in user space
 * @num_callers: number of valid entries in @callers
 * @callers:     return addresses, innermost first
 */
struct pfm_op_sample {
	struct pfm_ring_slot	slot;
	struct mm_struct	*mm;
	unsigned long		ip;
	unsigned long		event;
	u32			tid;
	u32			tgid;
	bool			user;
	u16			num_callers;
	u64			callers[];
};

/**
 * struct pfm_op_reader - the open device
 * @cpus:      rings of samples that are not yet synced
 * @depth:     see struct pfm_op_sizes
 * @sync_lock: held during a sync; protects the tails of @cpus, the writer's
 *             side of @stream, and @callers
 * @patience:  number of times that a sync may still wait for an mmap_lock;
 *             protected by @sync_lock
 * @read_lock: protects the reader's side of @stream
 * @stream:    the event buffer
 * @cookies:   files that occur in @stream
 * @callers:   callers of the sample that is being synced
 * @wait:      threads that wait for words in @stream
 * @irq_work:  starts a sync when a CPU's buffer is half full
 * @work:      the sync
 */
struct pfm_op_reader {
	struct pfm_ring __percpu *cpus;
	unsigned int			depth;
	struct mutex			sync_lock;
	unsigned int			patience;
	struct mutex			read_lock;
	struct pfm_op_stream		stream;
	struct pfm_op_cookies		cookies;
	struct pfm_op_point		*callers;
	wait_queue_head_t		wait;
	struct irq_work			irq_work;
	struct delayed_work		work;
};

/*
 * Create and destroy the reader; there is at most one. Context: process, may
 * sleep. Return: the reader; ERR_PTR of -EBUSY if one exists, or of -ENOMEM.
 */
struct pfm_op_reader *pfm_op_reader_open(const struct pfm_op_sizes *sizes);
void pfm_op_reader_close(struct pfm_op_reader *rd);

/* Add all published samples to the stream. Context: process, may sleep. */
void pfm_op_sync(struct pfm_op_reader *rd);

/*
 * Record an overflow. Does not allocate memory or take a lock. Context: any,
 * NMI included, with preemption off.
 */
void pfm_op_add_sample(const struct pfm_ovfl_data *data, u64 event);

/*
 * Call-backs fmt_init and fmt_exit: while contexts exist, samples are synced
 * periodically.
 */
int pfm_op_begin(u32 ctx_flags, void *arg, void *buf);
int pfm_op_end(void *buf);

/* device.c: the device node */
int pfm_op_device_add(void);
void pfm_op_device_del(void);

#endif /* PFM_OP_READER_H */
