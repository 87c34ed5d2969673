/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * perfmon_read_oprofile.h - reads the stream of the OProfile bridge (paper 5.4)
 *
 * perfmon_read.h says how a reader is used, but a stream is no buffer: begin is
 * called with one part after the other, as read() has returned them, cut
 * wherever they may be. Until the first escape, and behind one that is unknown,
 * words mean nothing and are left out.
 */
#ifndef PERFMON_READ_OPROFILE_H
#define PERFMON_READ_OPROFILE_H

#include <perfmon/perfmon_oprofile_smpl.h>
#include <perfmon/perfmon_read.h>

/* Thread, process or CPU before an escape has named one. */
#define PFM_READ_NOBODY		(~0U)

/* What the next word of the stream is. */
enum pfm_read_word {
	PFM_READ_LOST,		/* unknown, unless it begins an escape */
	PFM_READ_OFFSET,	/* of a sample, or the beginning of an escape */
	PFM_READ_EVENT,
	PFM_READ_LOST_CODE,	/* perhaps: what was before it is unknown */
	PFM_READ_CODE,
	PFM_READ_ARGUMENT
};

/* What the next pair is. */
enum pfm_read_pair {
	PFM_READ_SAMPLE,
	PFM_READ_TRACED,	/* a sample, whose callers follow */
	PFM_READ_CALLER
};

/* What a word has completed. */
enum pfm_read_took {
	PFM_READ_NOTHING,
	PFM_READ_PAIR,
	PFM_READ_ESCAPE,
	PFM_READ_UNKNOWN_ESCAPE
};

/**
 * struct pfm_read_oprofile - a reader of the stream
 * @problem:    what the last -1 was about
 * @offset:     of the sample or caller that next has found, in the file of
 *              @cookie; an address in the kernel, and without a cookie
 * @event:      reg_smpl_eventid of the counter; 0 for a caller
 * @is_caller:  it is a caller of the last sample, or of the last caller
 * @cpu:        CPU; PFM_READ_NOBODY
 * @tid:        thread; PFM_READ_NOBODY
 * @tgid:       process; PFM_READ_NOBODY
 * @is_kernel:  it is in the kernel
 * @app_cookie: of the program; all bits of a word before one is known
 * @cookie:     of the file; the same
 * @code:       of the last escape
 * @esc:        for the reader: PFM_OPROFILE_ESC as a word of the stream
 * @word_size:  for the reader: bytes of a word
 * @arguments:  for the reader: of the escape
 * @wanted:     for the reader: how many these are
 * @have:       for the reader: how many of them there are
 * @word:       for the reader: what the next word is
 * @pair:       for the reader: what the next pair is
 * @bytes:      for the reader: the part that is being read
 * @size:       for the reader: bytes of it
 * @cur:        for the reader: offset in bytes of the next word in it
 * @escape:     for the reader: offset in bytes of the last escape in it; 0 if
 *              that began in a part before
 */
struct pfm_read_oprofile {
	struct pfm_read_problem problem;
	__u64 offset;
	__u64 event;
	int is_caller;
	__u32 cpu;
	__u32 tid;
	__u32 tgid;
	int is_kernel;
	__u64 app_cookie;
	__u64 cookie;
	__u64 code;
	__u64 esc;
	__u32 word_size;
	__u64 arguments[2];
	__u32 wanted;
	__u32 have;
	enum pfm_read_word word;
	enum pfm_read_pair pair;
	const unsigned char *bytes;
	__u64 size;
	__u64 cur;
	__u64 escape;
};

/**
 * pfm_read_oprofile_init() - a reader for a stream
 * @r:         the reader
 * @word_size: bytes of the kernel's unsigned long, 8 or 4: 8 for a 64-bit
 *             kernel, also in a 32-bit program
 *
 * Context: any.
 * Return: 0; -1 for another size: @problem of the reader.
 */
static inline int pfm_read_oprofile_init(struct pfm_read_oprofile *r,
					 __u32 word_size)
{
	memset(r, 0, sizeof(*r));
	if (word_size != sizeof(__u64) && word_size != sizeof(__u32))
		return pfm_read_fail(&r->problem, PFM_READ_USE, 0, "word_size");
	r->word_size = word_size;
	r->esc = word_size == sizeof(__u64) ? PFM_OPROFILE_ESC :
		 (__u32)PFM_OPROFILE_ESC;
	r->cpu = PFM_READ_NOBODY;
	r->tid = PFM_READ_NOBODY;
	r->tgid = PFM_READ_NOBODY;
	r->app_cookie = r->esc;
	r->cookie = r->esc;
	return 0;
}

/**
 * pfm_read_oprofile_begin() - read the next part of the stream
 * @r:     the reader
 * @bytes: of the part, aligned anyhow
 * @size:  how many these are, whole words
 *
 * Context: any; one thread at a time for a reader.
 */
static inline void pfm_read_oprofile_begin(struct pfm_read_oprofile *r,
					   const void *bytes, size_t size)
{
	r->problem.error = PFM_READ_OK;
	r->bytes = (const unsigned char *)bytes;
	r->size = r->word_size ? size : 0;
	r->cur = 0;
	r->escape = 0;
}

/* Return: how many arguments an escape has; -1 if it is unknown. */
static inline int pfm_read_oprofile_arguments(__u64 code)
{
	switch (code) {
	case PFM_OPROFILE_CTX_SWITCH:
		return 2;
	case PFM_OPROFILE_CPU_SWITCH:
	case PFM_OPROFILE_COOKIE_SWITCH:
	case PFM_OPROFILE_CTX_TGID:
		return 1;
	case PFM_OPROFILE_KERNEL_ENTER:
	case PFM_OPROFILE_KERNEL_EXIT:
	case PFM_OPROFILE_TRACE_BEGIN:
	case PFM_OPROFILE_TRACE_END:
		return 0;
	default:
		return -1;
	}
}

/* An escape is complete. */
static inline enum pfm_read_took
pfm_read_oprofile_apply(struct pfm_read_oprofile *r)
{
	r->word = PFM_READ_OFFSET;
	switch (r->code) {
	case PFM_OPROFILE_CTX_SWITCH:
		r->tid = (__u32)r->arguments[0];
		r->app_cookie = r->arguments[1];
		break;
	case PFM_OPROFILE_CPU_SWITCH:
		r->cpu = (__u32)r->arguments[0];
		break;
	case PFM_OPROFILE_COOKIE_SWITCH:
		r->cookie = r->arguments[0];
		break;
	case PFM_OPROFILE_CTX_TGID:
		r->tgid = (__u32)r->arguments[0];
		break;
	case PFM_OPROFILE_KERNEL_ENTER:
		r->is_kernel = 1;
		break;
	case PFM_OPROFILE_KERNEL_EXIT:
		r->is_kernel = 0;
		break;
	case PFM_OPROFILE_TRACE_BEGIN:
		r->pair = PFM_READ_TRACED;
		break;
	case PFM_OPROFILE_TRACE_END:
		r->pair = PFM_READ_SAMPLE;
		break;
	}
	return PFM_READ_ESCAPE;
}

/* The second word of an escape. */
static inline enum pfm_read_took
pfm_read_oprofile_code(struct pfm_read_oprofile *r, __u64 code)
{
	int arguments = pfm_read_oprofile_arguments(code);
	int was_lost = r->word == PFM_READ_LOST_CODE;

	if (arguments < 0) {
		/* It can be the first word of an escape itself. */
		r->word = code == r->esc ? PFM_READ_LOST_CODE : PFM_READ_LOST;
		return was_lost ? PFM_READ_NOTHING : PFM_READ_UNKNOWN_ESCAPE;
	}
	r->code = code;
	r->wanted = (__u32)arguments;
	r->have = 0;
	if (!arguments)
		return pfm_read_oprofile_apply(r);
	r->word = PFM_READ_ARGUMENT;
	return PFM_READ_NOTHING;
}

/* The second word of a pair. */
static inline enum pfm_read_took
pfm_read_oprofile_event(struct pfm_read_oprofile *r, __u64 event)
{
	r->word = PFM_READ_OFFSET;
	r->event = event;
	r->is_caller = r->pair == PFM_READ_CALLER;
	if (r->pair == PFM_READ_TRACED)
		r->pair = PFM_READ_CALLER;
	return PFM_READ_PAIR;
}

/**
 * pfm_read_oprofile_take() - the next word of the stream
 * @r:    the reader
 * @word: the word
 *
 * For tools that look at escapes, too; others call pfm_read_oprofile_next().
 *
 * Context: as pfm_read_oprofile_begin().
 * Return: what it has completed: a sample or caller, an escape, @code, or
 * nothing; or that @word is the code of an escape that is unknown.
 */
static inline enum pfm_read_took
pfm_read_oprofile_take(struct pfm_read_oprofile *r, __u64 word)
{
	switch (r->word) {
	case PFM_READ_LOST:
		if (word == r->esc)
			r->word = PFM_READ_LOST_CODE;
		return PFM_READ_NOTHING;
	case PFM_READ_OFFSET:
		r->offset = word;
		r->word = word == r->esc ? PFM_READ_CODE : PFM_READ_EVENT;
		return PFM_READ_NOTHING;
	case PFM_READ_EVENT:
		return pfm_read_oprofile_event(r, word);
	case PFM_READ_LOST_CODE:
	case PFM_READ_CODE:
		return pfm_read_oprofile_code(r, word);
	case PFM_READ_ARGUMENT:
		r->arguments[r->have++ & 1] = word;
		return r->have < r->wanted ? PFM_READ_NOTHING :
		       pfm_read_oprofile_apply(r);
	}
	return PFM_READ_NOTHING;
}

/* The word at cur. */
static inline __u64 pfm_read_oprofile_word(const struct pfm_read_oprofile *r)
{
	__u32 narrow;
	__u64 wide;

	if (r->word_size == sizeof(narrow)) {
		memcpy(&narrow, r->bytes + r->cur, sizeof(narrow));
		return narrow;
	}
	memcpy(&wide, r->bytes + r->cur, sizeof(wide));
	return wide;
}

/* At the end of a part. */
static inline int pfm_read_oprofile_end(struct pfm_read_oprofile *r)
{
	__u64 end = r->cur;

	if (end >= r->size)
		return 0;
	r->cur = r->size;
	return pfm_read_fail(&r->problem, PFM_READ_TRUNCATED, end, "a word");
}

/**
 * pfm_read_oprofile_next() - the next sample or caller
 * @r: the reader
 *
 * Context: as pfm_read_oprofile_begin().
 * Return: 1, with what the reader says of it; 0 at the end of the part; -1 if
 * an escape is unknown, or a word is not whole: @problem of the reader.
 */
static inline int pfm_read_oprofile_next(struct pfm_read_oprofile *r)
{
	while (r->cur <= r->size && r->size - r->cur >= r->word_size &&
	       r->word_size) {
		if (r->word == PFM_READ_OFFSET)
			r->escape = r->cur;
		switch (pfm_read_oprofile_take(r, pfm_read_oprofile_word(r))) {
		case PFM_READ_PAIR:
			r->cur += r->word_size;
			return 1;
		case PFM_READ_UNKNOWN_ESCAPE:
			r->cur += r->word_size;
			return pfm_read_fail(&r->problem, PFM_READ_UNKNOWN,
					     r->escape, "an escape");
		default:
			r->cur += r->word_size;
		}
	}
	return pfm_read_oprofile_end(r);
}

#endif /* PERFMON_READ_OPROFILE_H */
