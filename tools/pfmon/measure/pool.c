// SPDX-License-Identifier: MIT OR GPL-2.0
/* pool.c - contexts created in advance, to start new threads quickly */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "measure/pool.h"
#include "session/lifetime.h"

/*
 * Maximum number of unused contexts, each of which has a descriptor and locked
 * memory.
 */
#define MOST_READY	64

/*
 * Creates a context. On failure, returns NULL, but prints nothing: the message
 * is printed when a thread needs a context.
 */
static struct context *make(struct pool *pool)
{
	struct context *context = checked_calloc(1, sizeof(*context));
	bool ok;

	free(pool->reason);
	pool->reason = NULL;
	message_keep(&pool->reason);
	ok = context_open(context, pool->plan, 0, NO_CPU);
	message_keep(NULL);
	pool->exhausted = !ok;
	if (ok)
		return context;
	free(context);
	return NULL;
}

void pool_init(struct pool *pool, const struct plan *plan, unsigned int wanted)
{
	memset(pool, 0, sizeof(*pool));
	pool->plan = plan;
	pool->wanted = wanted;
	pool->filling = wanted;
	pool->ready = checked_calloc(MOST_READY, sizeof(struct context *));
	while (pool_is_low(pool))
		pool_refill(pool);
}

void pool_free(struct pool *pool)
{
	while (pool->count)
		pool_close(pool, pool->ready[--pool->count]);
	free(pool->ready);
	free(pool->reason);
	memset(pool, 0, sizeof(*pool));
}

static void add(struct pool *pool, struct context *context)
{
	pool->ready[pool->count++] = context;
	pool->filling &= pool->count < pool->wanted;
}

bool pool_is_low(const struct pool *pool)
{
	return pool->filling && !pool->exhausted;
}

void pool_refill(struct pool *pool)
{
	struct context *context = make(pool);

	if (context)
		add(pool, context);
}

struct context *pool_take(struct pool *pool)
{
	struct context *context;

	if (pool->count) {
		context = pool->ready[--pool->count];
	} else {
		context = make(pool);
		if (pool->wanted && 2 * pool->wanted <= MOST_READY)
			pool->wanted *= 2;
	}
	pool->filling |= 2 * pool->count < pool->wanted;
	if (context)
		context->id = pool->next_id++;
	return context;
}

void pool_give_back(struct pool *pool, struct context *context)
{
	if (pool->count < pool->wanted && context_renew(context))
		add(pool, context);
	else
		pool_close(pool, context);
}

/*
 * Closes a context. The released memory or descriptor may allow pfmon to create
 * another one.
 */
void pool_close(struct pool *pool, struct context *context)
{
	context_close(context);
	free(context);
	pool->exhausted = false;
}
