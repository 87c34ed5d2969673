// SPDX-License-Identifier: GPL-2.0
/*
 * stream.c - the event buffer: samples as OProfile's stream of words
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <perfmon/perfmon_oprofile_smpl.h>
#include "stream.h"

int pfm_op_stream_init(struct pfm_op_stream *s, unsigned int words)
{
	unsigned long size = roundup_pow_of_two(words);

	*s = (struct pfm_op_stream){ .mask = size - 1 };
	s->words = kvcalloc(size, sizeof(*s->words), GFP_KERNEL);
	return s->words ? 0 : -ENOMEM;
}

void pfm_op_stream_free(struct pfm_op_stream *s)
{
	kvfree(s->words);
}

static void stream_put(struct pfm_op_stream *s, unsigned long word)
{
	/* Pairs with the release in pfm_op_stream_read(). */
	if (s->pos - smp_load_acquire(&s->tail) > s->mask)
		s->full = true;
	else
		s->words[s->pos++ & s->mask] = word;
}

static void stream_put_pair(struct pfm_op_stream *s, unsigned long offset,
			    unsigned long event)
{
	stream_put(s, offset);
	stream_put(s, event);
}

static void stream_escape(struct pfm_op_stream *s, unsigned long code)
{
	stream_put_pair(s, PFM_OPROFILE_ESC, code);
}

static void stream_put_cpu(struct pfm_op_stream *s,
			   const struct pfm_op_record *r)
{
	stream_escape(s, PFM_OPROFILE_CPU_SWITCH);
	stream_put(s, r->cpu);
	s->cookie = PFM_OPROFILE_INVALID_COOKIE;
}

static void stream_put_thread(struct pfm_op_stream *s,
			      const struct pfm_op_record *r)
{
	stream_escape(s, PFM_OPROFILE_CTX_SWITCH);
	stream_put_pair(s, r->tid, r->app);
	stream_escape(s, PFM_OPROFILE_CTX_TGID);
	stream_put(s, r->tgid);
}

static bool is_same_thread(const struct pfm_op_record *a,
			   const struct pfm_op_record *b)
{
	return a->tid == b->tid && a->tgid == b->tgid && a->app == b->app;
}

/*
 * Add to the stream what has changed of the state (CPU, thread, user or kernel
 * mode) since the last sample. Add all of it if the CPU has changed or the last
 * sample was not added.
 */
static void stream_put_state(struct pfm_op_stream *s,
			     const struct pfm_op_record *r)
{
	const struct pfm_op_record *known = &s->known;
	bool anew = !s->in_step || known->cpu != r->cpu;

	if (anew)
		stream_put_cpu(s, r);
	if (anew || !is_same_thread(known, r))
		stream_put_thread(s, r);
	if (anew || known->user != r->user)
		stream_escape(s, r->user ? PFM_OPROFILE_KERNEL_EXIT :
					   PFM_OPROFILE_KERNEL_ENTER);
}

static void stream_put_cookie(struct pfm_op_stream *s, unsigned long cookie)
{
	if (s->cookie == cookie)
		return;
	stream_escape(s, PFM_OPROFILE_COOKIE_SWITCH);
	stream_put(s, cookie);
	s->cookie = cookie;
}

static void stream_put_callers(struct pfm_op_stream *s,
			       const struct pfm_op_record *r)
{
	unsigned int i;

	for (i = 0; i < r->num_callers; i++) {
		stream_put_cookie(s, r->callers[i].cookie);
		stream_put_pair(s, r->callers[i].offset, 0);
	}
}

bool pfm_op_stream_add(struct pfm_op_stream *s, const struct pfm_op_record *r)
{
	s->pos = s->head;
	s->full = false;
	stream_put_state(s, r);
	if (r->user)
		stream_put_cookie(s, r->at.cookie);
	if (r->num_callers)
		stream_escape(s, PFM_OPROFILE_TRACE_BEGIN);
	stream_put_pair(s, r->at.offset, r->event);
	stream_put_callers(s, r);
	if (r->num_callers)
		stream_escape(s, PFM_OPROFILE_TRACE_END);
	s->in_step = !s->full;
	if (s->full)
		return false;
	s->known = *r;
	/* Pairs with the acquire in pfm_op_stream_read(). */
	smp_store_release(&s->head, s->pos);
	return true;
}

bool pfm_op_stream_has_words(const struct pfm_op_stream *s)
{
	return READ_ONCE(s->head) != READ_ONCE(s->tail);
}

/* Copy a range that does not wrap. Return: number of whole words copied. */
static size_t stream_copy(const struct pfm_op_stream *s, char __user *buf,
			  unsigned long first, size_t words)
{
	size_t bytes = words * sizeof(*s->words);

	bytes -= copy_to_user(buf, &s->words[first], bytes);
	return bytes / sizeof(*s->words);
}

ssize_t pfm_op_stream_read(struct pfm_op_stream *s, char __user *buf,
			   size_t count)
{
	/* Pairs with the release in pfm_op_stream_add(). */
	size_t avail = smp_load_acquire(&s->head) - s->tail;
	size_t words = min(count / sizeof(*s->words), avail);
	unsigned long first = s->tail & s->mask;
	size_t part = min(words, s->mask + 1 - first);
	size_t done = stream_copy(s, buf, first, part);

	if (done == part)
		done += stream_copy(s, buf + part * sizeof(*s->words), 0,
				    words - part);
	/* Pairs with the acquire in stream_put(). */
	smp_store_release(&s->tail, s->tail + done);
	return words && !done ? -EFAULT : done * sizeof(*s->words);
}
