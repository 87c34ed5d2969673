/* SPDX-License-Identifier: GPL-2.0 */
/*
 * messages.h - taking messages out of a queue, for the suites
 */
#ifndef PFM_KUNIT_MESSAGES_H
#define PFM_KUNIT_MESSAGES_H

#include "msgq.h"

/* The next message, which is gone from the queue then; false if there is none. */
static inline bool take_msg(struct pfm_msgq *q, pfm_msg_t *msg)
{
	bool found;
	u32 pos;

	mutex_lock(&q->lock);
	found = pfm_msgq_peek(q, msg, &pos);
	if (found)
		pfm_msgq_consume(q, pos);
	mutex_unlock(&q->lock);
	return found;
}

#endif /* PFM_KUNIT_MESSAGES_H */
