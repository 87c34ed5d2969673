/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* pool.h - contexts that are made ahead, so that a new thread waits for none */
#ifndef PFMON_POOL_H
#define PFMON_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "context.h"

/*
 * It grows when threads come faster than contexts are made. A context that is
 * given back is for another thread if it can be made as good as new.
 */
struct pool {
	const struct plan *plan;
	struct context **ready;
	unsigned int count;		/* of them */
	unsigned int wanted;		/* as many are to be there */
	bool filling;			/* from half as many on */
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
 * A context with a number of its own; NULL if none can be made, and
 * pool->reason says why. It is given back at last if it is not attached, and
 * nobody waits for its messages; otherwise it is closed.
 */
struct context *pool_take(struct pool *pool);
void pool_give_back(struct pool *pool, struct context *context);
void pool_close(struct pool *pool, struct context *context);

#endif /* PFMON_POOL_H */
