// SPDX-License-Identifier: GPL-2.0
/*
 * cpu_buffer.c - memory of the per-CPU buffers
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include "cpu_buffer.h"

int pfm_op_cpu_buffer_init(struct pfm_op_cpu_buffer *b, unsigned int samples,
			   unsigned int depth, int node)
{
	unsigned long slots = roundup_pow_of_two(samples);

	b->stride = struct_size_t(struct pfm_op_sample, callers, depth);
	b->mask = slots - 1;
	b->head = 0;
	b->tail = 0;
	b->slots = kvzalloc_node(array_size(slots, b->stride), GFP_KERNEL, node);
	return b->slots ? 0 : -ENOMEM;
}

void pfm_op_cpu_buffer_free(struct pfm_op_cpu_buffer *b)
{
	kvfree(b->slots);
}
