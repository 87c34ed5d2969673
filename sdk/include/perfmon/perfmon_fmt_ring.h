/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfmon_fmt_ring.h - samples on their way from the handlers of one CPU to
 *			whoever takes them
 *
 * A ring of slots of one size. Handlers on the CPU reserve a slot and publish
 * it; one may interrupt another anywhere, so that slots may be published in
 * another order than they were reserved. The one consumer, on any CPU, takes
 * them in the order of reservation and stops at one that is not published yet.
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
 * struct pfm_ring_slot - what each slot begins with
 * @published: 1 + position, once all else is there
 */
struct pfm_ring_slot {
	unsigned long	published;
};

/**
 * struct pfm_ring - the samples of one CPU
 * @slots:  the ring
 * @stride: bytes of a slot
 * @mask:   number of slots, a power of two, less 1
 * @head:   position that is reserved next; changed on its CPU only
 * @tail:   position that is consumed next
 */
struct pfm_ring {
	void		*slots;
	size_t		stride;
	unsigned long	mask;
	unsigned long	head;
	unsigned long	tail;
};

/**
 * pfm_ring_init() - make an empty ring
 * @r:      the ring
 * @number: of slots, rounded up to a power of two
 * @stride: bytes of a slot, the struct pfm_ring_slot included
 * @node:   where its memory is to be, NUMA_NO_NODE for anywhere
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
 * pfm_ring_free() - free what pfm_ring_init() has allocated
 * @r: the ring; also one of zero bytes
 *
 * Context: process.
 */
static inline void pfm_ring_free(struct pfm_ring *r)
{
	kvfree(r->slots);
}

/**
 * pfm_ring_at() - the slot of a position
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
 * pfm_ring_pending() - slots that are in use
 * @r:   the ring
 * @pos: a position that is reserved
 *
 * Context: any.
 * Return: their number, the one at @pos being the last.
 */
static __always_inline unsigned long
pfm_ring_pending(const struct pfm_ring *r, unsigned long pos)
{
	return pos + 1 - READ_ONCE(r->tail);
}

/**
 * pfm_ring_reserve() - a slot for one sample, to be published soon
 * @r:   the ring
 * @pos: out: its position
 *
 * Context: any on the ring's CPU, preemption disabled.
 * Return: the slot; NULL if all are in use.
 */
static __always_inline void *pfm_ring_reserve(struct pfm_ring *r,
					      unsigned long *pos)
{
	unsigned long tail;

	do {
		/* Pairs with the release in pfm_ring_consume(): it was read. */
		tail = smp_load_acquire(&r->tail);
		*pos = READ_ONCE(r->head);
		if (unlikely(*pos - tail > r->mask))
			return NULL;
	} while (cmpxchg_local(&r->head, *pos, *pos + 1) != *pos);
	return pfm_ring_at(r, *pos);
}

/**
 * pfm_ring_publish() - all of a slot is written
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
 * pfm_ring_next() - the sample that is consumed next
 * @r: the ring
 *
 * Context: the consumer; anybody may ask whether there is one.
 * Return: its slot; NULL if there is none yet.
 */
static inline const void *pfm_ring_next(const struct pfm_ring *r)
{
	unsigned long tail = READ_ONCE(r->tail);
	const struct pfm_ring_slot *slot = pfm_ring_at(r, tail);

	/* Pairs with the release in pfm_ring_publish(). */
	return smp_load_acquire(&slot->published) == tail + 1 ? slot : NULL;
}

/**
 * pfm_ring_consume() - the sample that pfm_ring_next() gave was read
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
