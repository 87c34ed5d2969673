/* SPDX-License-Identifier: GPL-2.0 */
/*
 * msgq.h - the message queue of a context
 */
#ifndef PFM_CORE_MSGQ_H
#define PFM_CORE_MSGQ_H

#include <linux/types.h>
#include <linux/wait.h>
#include <perfmon/perfmon.h>

/**
 * struct pfm_msgq - queue of messages
 * @ring: array of @size messages; one slot is reserved for PFM_MSG_END
 * @size: number of slots, a power of two
 * @depth: maximum number of overflow messages
 * @head: next slot to write; changed by the overflow path, or while overflows
 *        are paused
 * @tail: next message to read
 * @dropped: number of overflow messages dropped because the queue was full
 * @wait: readers that wait for a message
 * @fasync: receivers of signals
 * @few: space for @ring, unless the format requests a longer queue
 */
struct pfm_msgq {
	pfm_msg_t		*ring;
	u32			size;
	u32			depth;
	unsigned long		head;
	unsigned long		tail;
	u64			dropped;
	wait_queue_head_t	wait;
	struct fasync_struct	*fasync;
	pfm_msg_t		few[2];
};

/* Create an empty queue. Context: process. Return: 0 or -ENOMEM. */
int pfm_msgq_init(struct pfm_msgq *q, size_t depth);
void pfm_msgq_destroy(struct pfm_msgq *q);

/* Drop all messages (3.3.5). Context: process, no overflow runs. */
void pfm_msgq_reset(struct pfm_msgq *q);

/* Is the queue empty? Context: any. */
bool pfm_msgq_empty(const struct pfm_msgq *q);

/*
 * Queue an overflow message. Context: any, but only one caller at a time (see
 * msgq.c). Return: false if the message was dropped.
 */
bool pfm_msgq_put_ovfl(struct pfm_msgq *q, const pfm_ovfl_msg_t *msg);

/*
 * Queue PFM_MSG_END, once per attachment. Context: process, no overflow runs.
 */
void pfm_msgq_put_end(struct pfm_msgq *q);

/*
 * Copy the next message, which stays in the queue, and its position. The copy
 * is valid only if pfm_msgq_take() succeeds. Context: process. Return: false if
 * the queue is empty.
 */
bool pfm_msgq_peek(struct pfm_msgq *q, pfm_msg_t *msg, unsigned long *pos);

/*
 * Remove the message at @pos. Context: process. Return: false if another reader
 * has removed it, or all were dropped meanwhile.
 */
bool pfm_msgq_take(struct pfm_msgq *q, unsigned long pos);

/* Wake readers and send signals. Context: any but NMI. */
void pfm_msgq_tell_readers(struct pfm_msgq *q);

#endif /* PFM_CORE_MSGQ_H */
