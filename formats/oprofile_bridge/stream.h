/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stream.h - the event buffer: samples as OProfile's stream of words
 *
 * A ring of words. The callers ensure that there is one writer and one reader
 * at a time. A sample is added together with the escapes that it needs (see
 * perfmon_oprofile_smpl.h), or not at all. If a sample was dropped, the next
 * one repeats the whole state: CPU, thread, and user or kernel mode.
 */
#ifndef PFM_OP_STREAM_H
#define PFM_OP_STREAM_H

#include <linux/types.h>

/**
 * struct pfm_op_point - a position in code
 * @cookie: cookie of the mapped file, or PFM_OPROFILE_NO_COOKIE
 * @offset: offset in that file; without a file, the address
 */
struct pfm_op_point {
	unsigned long	cookie;
	unsigned long	offset;
};

/**
 * struct pfm_op_record - a sample to add to the stream
 * @cpu:         CPU
 * @tid:         thread ID
 * @tgid:        process ID
 * @user:        the sample is in user space; if not, @at.cookie is not used
 * @app:         cookie of the process's program
 * @event:       reg_smpl_eventid
 * @at:          position of the sample; its offset is not PFM_OPROFILE_ESC
 * @callers:     the callers, all in user space
 * @num_callers: number of @callers; 0 for a sample without a trace
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
 * struct pfm_op_stream - the event buffer
 * @words:  the ring
 * @mask:   number of words, a power of two, minus 1
 * @head:   position after the last whole sample
 * @tail:   position of the next word to read
 * @pos:    the writer's position in the sample being added
 * @full:   the sample being added did not fit
 * @known:  state that the reader knows, if @in_step
 * @in_step: the last sample was added, so @known is valid
 * @cookie: last cookie put into the stream
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
 * Allocate an empty ring of @words words, rounded up to a power of two.
 * Context: process. Return: 0 or -ENOMEM.
 */
int pfm_op_stream_init(struct pfm_op_stream *s, unsigned int words);
void pfm_op_stream_free(struct pfm_op_stream *s);

/*
 * The writer: add a sample. Return: true; or false if the sample does not fit,
 * so that nothing was added.
 */
bool pfm_op_stream_add(struct pfm_op_stream *s, const struct pfm_op_record *r);

/* Is there anything to read? Context: any. */
bool pfm_op_stream_has_words(const struct pfm_op_stream *s);

/*
 * The reader: copy up to @count bytes, in whole words, to user space. Return:
 * number of bytes, 0 if the ring is empty, or -EFAULT.
 */
ssize_t pfm_op_stream_read(struct pfm_op_stream *s, char __user *buf,
			   size_t count);

#endif /* PFM_OP_STREAM_H */
