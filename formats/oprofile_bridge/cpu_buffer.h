/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cpu_buffer.h - samples on their way from the handlers of one CPU to the sync
 *
 * A ring of slots of one size. Handlers on the CPU reserve a slot and publish
 * it; one may interrupt another anywhere, so that slots may be published in
 * another order than they were reserved. The one consumer, on any CPU, takes
 * them in the order of reservation and stops at one that is not published yet.
 */
#ifndef PFM_OP_CPU_BUFFER_H
#define PFM_OP_CPU_BUFFER_H

#include <linux/atomic.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/types.h>

/**
 * struct pfm_op_sample - a slot
 * @published:   1 + position, once all else is there
 * @mm:          the thread's address space, a reference; NULL if it has none
 * @ip:          where
 * @event:       reg_smpl_eventid
 * @tid:         thread
 * @tgid:        its process
 * @user:        at user level
 * @num_callers: valid ones in @callers
 * @callers:     return addresses, innermost first
 */
struct pfm_op_sample {
	unsigned long		published;
	struct mm_struct	*mm;
	unsigned long		ip;
	unsigned long		event;
	u32			tid;
	u32			tgid;
	bool			user;
	u16			num_callers;
	u64			callers[];
};

/**
 * struct pfm_op_cpu_buffer - the samples of one CPU
 * @slots:  the ring
 * @stride: bytes of a slot
 * @mask:   number of slots, a power of two, less 1
 * @head:   position that is reserved next; changed on its CPU only
 * @tail:   position that is consumed next
 */
struct pfm_op_cpu_buffer {
	void		*slots;
	size_t		stride;
	unsigned long	mask;
	unsigned long	head;
	unsigned long	tail;
};

/*
 * An empty ring of @samples slots, rounded up to a power of two, with room for
 * @depth callers each. Context: process. Return: 0 or -ENOMEM.
 */
static inline int pfm_op_cpu_buffer_init(struct pfm_op_cpu_buffer *b,
					 unsigned int samples,
					 unsigned int depth, int node)
{
	unsigned long slots = roundup_pow_of_two(samples);

	b->stride = struct_size_t(struct pfm_op_sample, callers, depth);
	b->mask = slots - 1;
	b->head = 0;
	b->tail = 0;
	b->slots =
		kvzalloc_node(array_size(slots, b->stride), GFP_KERNEL, node);
	return b->slots ? 0 : -ENOMEM;
}

static inline void pfm_op_cpu_buffer_free(struct pfm_op_cpu_buffer *b)
{
	kvfree(b->slots);
}

static __always_inline struct pfm_op_sample *
pfm_op_slot(const struct pfm_op_cpu_buffer *b, unsigned long pos)
{
	return b->slots + (pos & b->mask) * b->stride;
}

/* Slots that are in use, the one at @pos, which is reserved, being the last. */
static __always_inline unsigned long
pfm_op_pending(const struct pfm_op_cpu_buffer *b, unsigned long pos)
{
	return pos + 1 - READ_ONCE(b->tail);
}

/*
 * A slot for one sample, to be published soon. Context: any on the ring's CPU,
 * preemption disabled. Return: the slot and its position, or NULL: full.
 */
static __always_inline struct pfm_op_sample *
pfm_op_reserve(struct pfm_op_cpu_buffer *b, unsigned long *pos)
{
	unsigned long tail;

	do {
		/* Pairs with the release in pfm_op_consume(): it was read. */
		tail = smp_load_acquire(&b->tail);
		*pos = READ_ONCE(b->head);
		if (unlikely(*pos - tail > b->mask))
			return NULL;
	} while (cmpxchg_local(&b->head, *pos, *pos + 1) != *pos);
	return pfm_op_slot(b, *pos);
}

static __always_inline void pfm_op_publish(struct pfm_op_sample *sample,
					   unsigned long pos)
{
	/* Pairs with the acquire in pfm_op_next(). */
	smp_store_release(&sample->published, pos + 1);
}

/* The consumer: the next sample, or NULL. */
static inline const struct pfm_op_sample *
pfm_op_next(const struct pfm_op_cpu_buffer *b)
{
	const struct pfm_op_sample *sample = pfm_op_slot(b, b->tail);

	/* Pairs with the release in pfm_op_publish(). */
	return smp_load_acquire(&sample->published) == b->tail + 1 ? sample :
								     NULL;
}

/* The consumer has read the sample that pfm_op_next() gave. */
static inline void pfm_op_consume(struct pfm_op_cpu_buffer *b)
{
	/* Pairs with the acquire in pfm_op_reserve(). */
	smp_store_release(&b->tail, b->tail + 1);
}

#endif /* PFM_OP_CPU_BUFFER_H */
