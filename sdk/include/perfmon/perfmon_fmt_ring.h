/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: A ring that passes samples from one CPU's handlers to a consumer
 *
 * All slots have the same size. A handler reserves a slot and then publishes
 * it. Handlers can interrupt each other at any point, so slots can be published
 * in a different order than they were reserved. The single consumer, on any
 * CPU, takes slots in the order of reservation. It stops at the first slot that
 * is not yet published.
 */
#ifndef PERFMON_PERFMON_FMT_RING_H
#define PERFMON_PERFMON_FMT_RING_H

#include <linux/atomic.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/types.h>

/**
 * struct pfm_ring_slot - header of a slot
 * @published: position + 1, set when the slot is complete
 */
struct pfm_ring_slot {
	unsigned long	published;
};

/**
 * struct pfm_ring - the samples of one CPU
 * @slots:  the slots
 * @stride: size in bytes of a slot
 * @mask:   number of slots, a power of two, minus 1
 * @head:   position to reserve next; changed only on the ring's CPU
 * @tail:   position to consume next
 */
struct pfm_ring {
	void		*slots;
	size_t		stride;
	unsigned long	mask;
	unsigned long	head;
	unsigned long	tail;
};

/**
 * pfm_ring_init() - set up an empty ring
 * @r:      the ring
 * @number: number of slots, rounded up to a power of two
 * @stride: size in bytes of a slot, including struct pfm_ring_slot
 * @node:   NUMA node of its memory, NUMA_NO_NODE for any
 *
 * Context: process, may sleep.
 * Return: 0; -ENOMEM.
 */
static inline int pfm_ring_init(struct pfm_ring *r, unsigned int number,
				size_t stride, int node)
{
	unsigned long slots = roundup_pow_of_two(number);

	*r = (struct pfm_ring) {
		.slots = kvzalloc_node(array_size(slots, stride),
				       GFP_KERNEL_ACCOUNT, node),
		.stride = stride,
		.mask = slots - 1,
	};
	return r->slots ? 0 : -ENOMEM;
}

/**
 * pfm_ring_free() - free the slots of a ring
 * @r: the ring; may be all zero
 *
 * Context: process.
 */
static inline void pfm_ring_free(struct pfm_ring *r)
{
	kvfree(r->slots);
}

/**
 * pfm_ring_at() - get the slot at a position
 * @r:   the ring
 * @pos: the position
 *
 * Context: any.
 * Return: the slot.
 */
static __always_inline void *pfm_ring_at(const struct pfm_ring *r,
					 unsigned long pos)
{
	return r->slots + (pos & r->mask) * r->stride;
}

/**
 * pfm_ring_pending() - count the slots in use up to a position
 * @r:   the ring
 * @pos: a reserved position
 *
 * Context: any.
 * Return: the number, including the slot at @pos.
 */
static __always_inline unsigned long
pfm_ring_pending(const struct pfm_ring *r, unsigned long pos)
{
	return pos + 1 - READ_ONCE(r->tail);
}

/**
 * pfm_ring_reserve() - reserve a slot for a sample
 * @r:   the ring
 * @pos: out: position of the slot
 *
 * The caller must soon call pfm_ring_publish().
 *
 * Context: any, on the ring's CPU with preemption disabled.
 * Return: the slot; NULL if all are in use.
 */
static __always_inline void *pfm_ring_reserve(struct pfm_ring *r,
					      unsigned long *pos)
{
	unsigned long tail;

	do {
		/* Pairs with the release in pfm_ring_consume(). */
		tail = smp_load_acquire(&r->tail);
		*pos = READ_ONCE(r->head);
		if (unlikely(*pos - tail > r->mask))
			return NULL;
	} while (cmpxchg_local(&r->head, *pos, *pos + 1) != *pos);
	return pfm_ring_at(r, *pos);
}

/**
 * pfm_ring_publish() - publish a complete slot
 * @slot: the slot
 * @pos:  its position
 *
 * Context: as pfm_ring_reserve().
 */
static __always_inline void pfm_ring_publish(struct pfm_ring_slot *slot,
					     unsigned long pos)
{
	/* Pairs with the acquire in pfm_ring_next(). */
	smp_store_release(&slot->published, pos + 1);
}

/**
 * pfm_ring_next() - get the next sample to consume
 * @r: the ring
 *
 * Context: the consumer; others may only compare the result with NULL.
 * Return: its slot; NULL if it is not yet published.
 */
static inline const void *pfm_ring_next(const struct pfm_ring *r)
{
	unsigned long tail = READ_ONCE(r->tail);
	const struct pfm_ring_slot *slot = pfm_ring_at(r, tail);

	/* Pairs with the release in pfm_ring_publish(). */
	return smp_load_acquire(&slot->published) == tail + 1 ? slot : NULL;
}

/**
 * pfm_ring_consume() - release the slot of pfm_ring_next()
 * @r: the ring
 *
 * Context: the consumer.
 */
static inline void pfm_ring_consume(struct pfm_ring *r)
{
	/* Pairs with the acquire in pfm_ring_reserve(). */
	smp_store_release(&r->tail, r->tail + 1);
}

#endif /* PERFMON_PERFMON_FMT_RING_H */
