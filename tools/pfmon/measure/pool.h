/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* pool.h - contexts created in advance, to start new threads quickly */
#ifndef PFMON_MEASURE_POOL_H
#define PFMON_MEASURE_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "session/context.h"

/*
 * The pool grows if threads are created faster than contexts. A returned
 * context is used for another thread if context_renew() can reset it.
 */
struct pool {
	const struct plan *plan;
	struct context **ready;
	unsigned int count;		/* of ready contexts */
	unsigned int wanted;		/* target for count */
	bool filling;			/* count fell below wanted / 2 */
	uint32_t next_id;		/* ID of the next context */
	bool exhausted;			/* the last creation failed */
	char *reason;			/* why the creation failed, or NULL */
};

/*
 * Creates up to @wanted contexts. On failure, prints nothing, but stores the
 * message in pool->reason.
 */
void pool_init(struct pool *pool, const struct plan *plan, unsigned int wanted);
void pool_free(struct pool *pool);

/* Returns whether contexts are missing and the last creation did not fail. */
bool pool_is_low(const struct pool *pool);

/* Adds a context to the pool. */
void pool_refill(struct pool *pool);

/*
 * Returns a context with a new ID; NULL, with pool->reason set, if none can be
 * created. To release the context, call pool_give_back() if it is detached and
 * its messages are no longer polled; otherwise call pool_close().
 */
struct context *pool_take(struct pool *pool);
void pool_give_back(struct pool *pool, struct context *context);
void pool_close(struct pool *pool, struct context *context);

#endif /* PFMON_MEASURE_POOL_H */
