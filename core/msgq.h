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
 * @ring: messages, @size of them; one place is kept for PFM_MSG_END
 * @size: number of messages, a power of two
 * @depth: overflow messages that it takes
 * @head: next message to write; written by the overflow path, or with it paused
 * @tail: next message to read
 * @dropped: overflow messages that found the queue full
 * @wait: readers who wait for a message
 * @fasync: receivers of signals
 * @few: @ring, unless the format wants more
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

/* Context: process. Return: 0 or -ENOMEM. */
int pfm_msgq_init(struct pfm_msgq *q, size_t depth);
void pfm_msgq_destroy(struct pfm_msgq *q);

/* All messages are lost (3.3.5). Context: process, the overflow path is out. */
void pfm_msgq_reset(struct pfm_msgq *q);

/* Context: any. */
bool pfm_msgq_empty(const struct pfm_msgq *q);

/* Context: any, the writer only. Return: false if the message was dropped. */
bool pfm_msgq_put_ovfl(struct pfm_msgq *q, const pfm_ovfl_msg_t *msg);

/* Context: process, the overflow path is out; once per attachment. */
void pfm_msgq_put_end(struct pfm_msgq *q);

/*
 * The next message, which stays in the queue, and its position. It is whole
 * only if pfm_msgq_take() succeeds.
 * Context: process. Return: false if there is none.
 */
bool pfm_msgq_peek(struct pfm_msgq *q, pfm_msg_t *msg, unsigned long *pos);

/*
 * Take the message at @pos out.
 * Context: process. Return: false if another reader has taken it, or all were
 * lost meanwhile.
 */
bool pfm_msgq_take(struct pfm_msgq *q, unsigned long pos);

/* Wake readers and send signals. Context: any but NMI. */
void pfm_msgq_tell_readers(struct pfm_msgq *q);

#endif /* PFM_CORE_MSGQ_H */
