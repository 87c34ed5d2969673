// SPDX-License-Identifier: GPL-2.0
/*
 * msgq.c - the message queue of a context (3.3)
 *
 * There is one writer at a time: the overflow path, or a command that keeps
 * overflows out. Readers do not wait for each other. Each copies the next
 * message to its destination, which may take long, and then removes the message
 * if it is still the next one. The positions of messages (@head and @tail) are
 * wide enough not to wrap around to the same value in that time. If the
 * queue is full, overflow messages are dropped and counted; one slot is
 * reserved for PFM_MSG_END.
 */
#include <linux/log2.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <perfmon/perfmon_pmu.h>
#include "msgq.h"

int pfm_msgq_init(struct pfm_msgq *q, size_t depth)
{
	q->depth = max_t(size_t, depth, 1);
	q->size = roundup_pow_of_two(q->depth + 1);
	init_waitqueue_head(&q->wait);
	q->ring = q->few;
	if (q->size > ARRAY_SIZE(q->few))
		q->ring = kcalloc(q->size, sizeof(*q->ring),
				  PFM_GFP);
	return q->ring ? 0 : -ENOMEM;
}

void pfm_msgq_destroy(struct pfm_msgq *q)
{
	if (q->ring != q->few)
		kfree(q->ring);
}

void pfm_msgq_reset(struct pfm_msgq *q)
{
	/* Readers advance the tail by cmpxchg(), so no reader moves it back. */
	xchg(&q->tail, q->head);
}

bool pfm_msgq_empty(const struct pfm_msgq *q)
{
	/* Pairs with the release in pfm_msgq_publish(). */
	return smp_load_acquire(&q->head) == READ_ONCE(q->tail);
}

static void pfm_msgq_publish(struct pfm_msgq *q)
{
	/* Pairs with the acquire of head in pfm_msgq_empty(). */
	smp_store_release(&q->head, q->head + 1);
}

bool pfm_msgq_put_ovfl(struct pfm_msgq *q, const pfm_ovfl_msg_t *msg)
{
	/* Pairs with the release in pfm_msgq_take(): the slot is free. */
	if (q->head - smp_load_acquire(&q->tail) >= q->depth) {
		q->dropped++;
		return false;
	}
	q->ring[q->head & (q->size - 1)].ovfl = *msg;
	pfm_msgq_publish(q);
	return true;
}

void pfm_msgq_put_end(struct pfm_msgq *q)
{
	pfm_msg_t *slot = &q->ring[q->head & (q->size - 1)];

	memset(slot, 0, sizeof(*slot));
	slot->msg_type = PFM_MSG_END;
	pfm_msgq_publish(q);
}

bool pfm_msgq_peek(struct pfm_msgq *q, pfm_msg_t *msg, unsigned long *pos)
{
	/*
	 * Pairs with the release in pfm_msgq_take(): the head read below is at
	 * least as new as the tail.
	 */
	*pos = smp_load_acquire(&q->tail);
	/* Pairs with the release in pfm_msgq_publish(). */
	if (smp_load_acquire(&q->head) == *pos)
		return false;
	/* The writer may overwrite a message that another reader has taken. */
	data_race(*msg = q->ring[*pos & (q->size - 1)]);
	return true;
}

bool pfm_msgq_take(struct pfm_msgq *q, unsigned long pos)
{
	/* Pairs with the acquire in pfm_msgq_put_ovfl(). */
	return cmpxchg_release(&q->tail, pos, pos + 1) == pos;
}

void pfm_msgq_tell_readers(struct pfm_msgq *q)
{
	wake_up_interruptible_poll(&q->wait, EPOLLIN | EPOLLRDNORM);
	kill_fasync(&q->fasync, SIGIO, POLL_IN);
}
