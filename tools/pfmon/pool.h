/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* pool.h - contexts that are made ahead, so that a new thread waits for none */
#ifndef PFMON_POOL_H
#define PFMON_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "context.h"

/*
 * It grows when threads come faster than contexts are made. What a thread is
 * given is not used a second time: a buffer and what the kernel says of losses
 * is of one thread.
 */
struct pool {
	const struct plan *plan;
	struct context **ready;
	unsigned int count;		/* of them */
	unsigned int wanted;		/* as many are to be there */
	uint32_t next_id;		/* of a context in the capture */
	bool exhausted;			/* no more could be made */
	char *reason;			/* why not, the last time; or NULL */
};

/* Makes the first contexts, as far as that works, if any are wanted. */
void pool_init(struct pool *pool, const struct plan *plan, unsigned int wanted);
void pool_free(struct pool *pool);

/* Are some missing that might be made? */
bool pool_is_low(const struct pool *pool);

/* Makes one of them. */
void pool_refill(struct pool *pool);

/*
 * A context with a number of its own, to be given to pool_close() at last; NULL
 * if none can be made, and pool->reason says why.
 */
struct context *pool_take(struct pool *pool);
void pool_close(struct pool *pool, struct context *context);

#endif /* PFMON_POOL_H */
