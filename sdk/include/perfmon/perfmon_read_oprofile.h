/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/**
 * DOC: Reader of the OProfile bridge's stream (Eranian 2006, 5.4)
 *
 * perfmon_read.h explains how to use a reader. This reader reads a stream: call
 * begin for each part of the stream in turn, as read() returns it. Parts may
 * end after any word. Words before the first escape, and after an unknown
 * escape, have no meaning and are skipped.
 */
#ifndef PERFMON_READ_OPROFILE_H
#define PERFMON_READ_OPROFILE_H

#include <perfmon/perfmon_oprofile_smpl.h>
#include <perfmon/perfmon_read.h>

/* Value of the thread, process or CPU until an escape sets it. */
#define PFM_READ_NOBODY		(~0U)

/* Meaning of the next word of the stream. */
enum pfm_read_word {
	PFM_READ_LOST,		/* unknown, unless it begins an escape */
	PFM_READ_OFFSET,	/* offset of a sample, or start of an escape */
	PFM_READ_EVENT,
	PFM_READ_LOST_CODE,	/* code, if the last word began an escape */
	PFM_READ_CODE,
	PFM_READ_ARGUMENT
};

/* Meaning of the next pair of words, an offset and an event. */
enum pfm_read_pair {
	PFM_READ_SAMPLE,
	PFM_READ_TRACED,	/* a sample, whose callers follow */
	PFM_READ_CALLER
};

/* Item that a word has completed. */
enum pfm_read_took {
	PFM_READ_NOTHING,
	PFM_READ_PAIR,
	PFM_READ_ESCAPE,
	PFM_READ_UNKNOWN_ESCAPE
};

/**
 * struct pfm_read_oprofile - a reader of the stream
 * @problem:    reason for the last -1
 * @offset:     offset of the current sample or caller in the file of @cookie;
 *              its address if it is in the kernel or has no cookie
 * @event:      reg_smpl_eventid of the counter; 0 for a caller
 * @is_caller:  whether the current item is the caller of the previous item
 * @cpu:        CPU, or PFM_READ_NOBODY
 * @tid:        thread, or PFM_READ_NOBODY
 * @tgid:       process, or PFM_READ_NOBODY
 * @is_kernel:  the sample is in the kernel
 * @app_cookie: cookie of the program; all bits of a word set if not yet known
 * @cookie:     cookie of the file; all bits of a word set if not yet known
 * @code:       code of the last escape
 * @esc:        private: PFM_OPROFILE_ESC as a word of the stream
 * @word_size:  private: size in bytes of a word
 * @arguments:  private: arguments of the escape
 * @wanted:     private: number of arguments of the escape
 * @have:       private: number of arguments read so far
 * @word:       private: meaning of the next word
 * @pair:       private: meaning of the next pair
 * @bytes:      private: the current part of the stream
 * @size:       private: size in bytes of @bytes
 * @cur:        private: offset in bytes of the next word in @bytes
 * @escape:     private: offset in bytes of the last escape in @bytes; 0 if the
 *              escape began in an earlier part
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
 * pfm_read_oprofile_init() - set up a reader for a stream
 * @r:         the reader
 * @word_size: size in bytes of the kernel's unsigned long, 8 or 4; 8 for a
 *             64-bit kernel, even in a 32-bit program
 *
 * Context: any.
 * Return: 0; -1 if @word_size is not 8 or 4; see @problem of the reader.
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
 * pfm_read_oprofile_begin() - start to read the next part of the stream
 * @r:     the reader
 * @bytes: the part, with any alignment
 * @size:  size of the part in bytes, a multiple of the word size
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

/* Return: number of arguments of an escape; -1 if the code is unknown. */
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

/* Apply a complete escape. */
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

/* Process the second word of an escape. */
static inline enum pfm_read_took
pfm_read_oprofile_code(struct pfm_read_oprofile *r, __u64 code)
{
	int arguments = pfm_read_oprofile_arguments(code);
	int was_lost = r->word == PFM_READ_LOST_CODE;

	if (arguments < 0) {
		/* The word may itself be the first word of an escape. */
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

/* Process the second word of a pair. */
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
 * pfm_read_oprofile_take() - process the next word of the stream
 * @r:    the reader
 * @word: the word
 *
 * This is for tools that need escapes, too. Other tools call
 * pfm_read_oprofile_next().
 *
 * Context: as pfm_read_oprofile_begin().
 * Return: the item that @word has completed: a sample or caller, an escape (its
 * code is in @r->code), or nothing; PFM_READ_UNKNOWN_ESCAPE if @word is the
 * code of an unknown escape.
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

/* Return: the word at cur. */
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

/* At the end of a part, fail if a word is incomplete. */
static inline int pfm_read_oprofile_end(struct pfm_read_oprofile *r)
{
	__u64 end = r->cur;

	if (end >= r->size)
		return 0;
	r->cur = r->size;
	return pfm_read_fail(&r->problem, PFM_READ_TRUNCATED, end, "a word");
}

/**
 * pfm_read_oprofile_next() - read the next sample or caller
 * @r: the reader
 *
 * Context: as pfm_read_oprofile_begin().
 * Return: 1, with the sample or caller in the reader; 0 at the end of the part;
 * -1 if an escape is unknown or a word is incomplete, see @problem of the
 * reader.
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
