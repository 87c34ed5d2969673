/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stream.h - the event buffer: samples as OProfile's stream of words
 *
 * A ring of words with one writer and one reader, who exclude others of their
 * kind. A sample and the escapes that it needs are added as one or not at all.
 * Once one was dropped, the next one says everything anew.
 */
#ifndef PFM_OP_STREAM_H
#define PFM_OP_STREAM_H

#include <linux/types.h>

/**
 * struct pfm_op_point - a place in code
 * @cookie: of the mapped file, or PFM_OPROFILE_NO_COOKIE
 * @offset: in that file; without one, the address
 */
struct pfm_op_point {
	unsigned long	cookie;
	unsigned long	offset;
};

/**
 * struct pfm_op_record - a sample as it goes into the stream
 * @cpu:         CPU
 * @tid:         thread
 * @tgid:        its process
 * @user:        at user level; @at.cookie means nothing otherwise
 * @app:         cookie of its program
 * @event:       reg_smpl_eventid
 * @at:          where; its offset is not PFM_OPROFILE_ESC
 * @callers:     who called, all at user level
 * @num_callers: how many; none is a sample without a trace
 */
struct pfm_op_record {
	u32				cpu;
	u32				tid;
	u32				tgid;
	bool				user;
	unsigned long			app;
	unsigned long			event;
	struct pfm_op_point		at;
	const struct pfm_op_point	*callers;
	unsigned int			num_callers;
};

/**
 * struct pfm_op_stream - the ring
 * @words:  the ring
 * @mask:   number of words, a power of two, less 1
 * @head:   position behind the last whole sample
 * @tail:   position that is read next
 * @pos:    the writer's position in the sample that it adds
 * @full:   it did not fit
 * @known:  what the reader has been told; nothing if not @in_step
 * @in_step: see @known
 * @cookie: cookie that the reader has been told last
 */
struct pfm_op_stream {
	unsigned long		*words;
	unsigned long		mask;
	unsigned long		head;
	unsigned long		tail;
	unsigned long		pos;
	bool			full;
	bool			in_step;
	struct pfm_op_record	known;
	unsigned long		cookie;
};

/*
 * An empty ring of @words words, rounded up to a power of two.
 * Context: process. Return: 0 or -ENOMEM.
 */
int pfm_op_stream_init(struct pfm_op_stream *s, unsigned int words);
void pfm_op_stream_free(struct pfm_op_stream *s);

/*
 * The writer: add a sample.
 * Return: true, or false if there is no room; then nothing was added.
 */
bool pfm_op_stream_add(struct pfm_op_stream *s, const struct pfm_op_record *r);

/* Is there anything to read? Context: any. */
bool pfm_op_stream_has_words(const struct pfm_op_stream *s);

/*
 * The reader: take up to @count bytes, in whole words.
 * Return: bytes, 0 if there are none, or -EFAULT.
 */
ssize_t pfm_op_stream_read(struct pfm_op_stream *s, char __user *buf,
			   size_t count);

#endif /* PFM_OP_STREAM_H */
