/* SPDX-License-Identifier: GPL-2.0 */
/*
 * share.h - the buffers of a family that samples: one for each CPU
 */
#ifndef PFM_CORE_SHARE_H
#define PFM_CORE_SHARE_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/kref.h>
#include <linux/seqlock.h>
#include <perfmon/perfmon_fmt.h>
#include <perfmon/perfmon_irq_work.h>
#include <perfmon/perfmon_time.h>
#include "context.h"

struct pfm_buffer;

/**
 * struct pfm_part - the buffer of one CPU, with its state
 * @busy:    a handler or a command owns the part
 * @full:    the format has asked to mask: overflows are lost until PFM_RESTART
 * @untold:  the format has also asked to notify, or a limit was exceeded, but
 *           no message was sent because the PMD lacks PFM_REGFL_OVFL_NOTIFY
 * @limited: a limit on overflows was exceeded: from then on, each thread that
 *           overflows on this CPU is masked until PFM_RESTART (rate.c)
 * @credit:  as pfm_context.credit, for all threads on this CPU
 * @rate:    the window of these threads
 * @buf:     first byte of @buffer
 * @buffer:  the buffer
 * @lost:    overflows that were not recorded
 * @dropped: messages dropped because pfm_share.depth were unread
 * @odd:     invalid results of the format's handler
 * @seq:     protects readers of @msg
 * @msg:     the last message
 * @told:    number of messages so far
 * @read:    number of messages that were read; changed without @busy
 * @done:    number of read messages for which the part was restarted
 */
struct pfm_part {
	u32			busy;
	bool			full;
	bool			untold;
	bool			limited;
	u32			credit;
	struct pfm_rate		rate;
	void			*buf;
	struct pfm_buffer	*buffer;
	atomic64_t		lost;
	u64			dropped;
	struct pfm_odd_answers	odd;
	seqcount_t		seq;
	pfm_ovfl_msg_t		msg;
	u32			told;
	u32			read;
	u32			done;
} ____cacheline_aligned_in_smp;

/**
 * struct pfm_share - the buffers of a family
 * @ref:      one reference for the root, and one for each of its families
 * @root:     the context that has created the buffers; valid while a thread of
 *            the family overflows
 * @fmt:      the format; the root has a reference to it
 * @depth:    number of unread messages that each part may have
 * @buf_size: size in bytes of the mapping of each part
 * @tell:     wakes the readers of the root. The root's own irq_work cannot: a
 *            command on the root waits for it to end, while members would
 *            queue it again and again
 * @rcu:      frees the structure, for the reason given at pfm_context.rcu
 * @raw:      as pfm_fmt_front.raw of the first part
 * @masked:   a limit on overflows has masked a thread since the last
 *            PFM_RESTART
 * @last:     CPU of the last message read; the next read starts after it
 * @lost:     overflows on CPUs without a part
 * @parts:    buffers by CPU; NULL for a CPU that was not online
 */
struct pfm_share {
	struct kref		ref;
	struct pfm_context	*root;
	const pfm_buffer_fmt_t	*fmt;
	u32			depth;
	size_t			buf_size;
	struct pfm_irq_work	tell;
	struct rcu_head		rcu;
	pfm_time_conv_t		raw;
	bool			masked;
	unsigned int		last;
	atomic64_t		lost;
	struct pfm_part		*parts[];
};

/*
 * Create the buffers of a family whose root has a format. @arg: valid argument
 * for the format. @tell: function for pfm_share.tell. Context: process, may
 * sleep. Return: the buffers, which the caller must pass to pfm_share_end(); or
 * an ERR_PTR: -ENOMEM; -EOPNOTSUPP if the format has no buffer, or has
 * PFM_FMTFL_DS; an error of the format.
 */
struct pfm_share *pfm_share_create(struct pfm_context *root, void *arg,
				   void (*tell)(struct irq_work *work));

/* Wait for pfm_share.tell. Context: process; no member is left. */
static inline void pfm_share_wait(struct pfm_share *share)
{
	pfm_irq_work_wait(&share->tell);
}

/*
 * End all buffers and drop the caller's reference. Context: process; the root
 * has no members.
 */
void pfm_share_end(struct pfm_share *share);

/* Take or drop a reference; @share may be NULL. Context: process. */
struct pfm_share *pfm_share_get(struct pfm_share *share);
void pfm_share_put(struct pfm_share *share);

/*
 * Mark all messages as read and all buffers as not full. Context: process, no
 * thread of the family is attached.
 */
void pfm_share_reset(struct pfm_share *share);

/* Get the buffer at a mapping offset in pages, or NULL. Context: any. */
struct pfm_part *pfm_share_at(const struct pfm_share *share,
			      unsigned long pgoff);

/*
 * Handle an overflow of the root or a member: call the format's fmt_handler for
 * the buffer of the running CPU. Request PFM_OVFL_CTRL_RESET or nothing. @buf:
 * the struct pfm_share. Context: an overflow. Return: 0.
 */
int pfm_share_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
		      struct pfm_ovfl_data *data);

/*
 * Send a message for the buffer of the running CPU, after a limit on overflows
 * has masked a thread. Do nothing if a message was already sent, or the buffer
 * is owned. Context: an overflow.
 */
void pfm_share_tell(struct pfm_share *share, const pfm_ovfl_msg_t *msg);

/* Is there an unread message? Context: process. */
bool pfm_share_has_msg(const struct pfm_share *share);

/**
 * struct pfm_share_pos - the position of a message that was copied
 * @part: the buffer
 * @read: the message's number
 */
struct pfm_share_pos {
	struct pfm_part	*part;
	u32		read;
};

/*
 * Copy an unread message and its position. The copy is valid only if
 * pfm_share_take() succeeds. Context: process. Return: false if all messages
 * were read.
 */
bool pfm_share_peek(struct pfm_share *share, pfm_ovfl_msg_t *msg,
		    struct pfm_share_pos *pos);
/*
 * Mark the message at @pos as read. Context: process. Return: false if another
 * reader has read it, or all were reset meanwhile.
 */
bool pfm_share_take(const struct pfm_share_pos *pos);

/*
 * Restart buffers for PFM_RESTART: those with messages that were read since
 * their last restart, and full ones without unread messages. If the family is
 * @stopped and no message was read since the last restart of any buffer,
 * restart all buffers without unread messages.
 * Context: process, mutex of the root held, may sleep. Return: 0, or the first
 * error of the format; a buffer that fails is not changed.
 */
int pfm_share_restart(struct pfm_share *share, bool stopped);

/* Call fmt_set_arg for all buffers. Context: as pfm_share_restart(). */
void pfm_share_set_arg(struct pfm_share *share, const void *arg);

/**
 * struct pfm_share_counts - losses and errors of all buffers together
 * @lost:    overflows that were not recorded
 * @dropped: messages that were dropped
 * @odd:     invalid results of the format's handler
 */
struct pfm_share_counts {
	u64			lost;
	u64			dropped;
	struct pfm_odd_answers	odd;
};

/* Sum the counts of all buffers. Context: any. */
struct pfm_share_counts pfm_share_count(const struct pfm_share *share);

#endif /* PFM_CORE_SHARE_H */
