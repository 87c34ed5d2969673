/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/**
 * DOC: Common part of the readers of sampling buffers
 *
 * Each format has a reader, perfmon_read_<name>.h, that returns the records of
 * a buffer one by one::
 *
 *	struct pfm_read_nway r;
 *	int got;
 *
 *	pfm_read_nway_init(&r, kinds, num_kinds);
 *	if (pfm_read_nway_begin(&r, buf, size, PFM_READ_LIVE))
 *		return complain(&r.problem);
 *	while ((got = pfm_read_nway_next(&r)))
 *		if (got > 0)
 *			use(&r.entry, r.pmds, r.num_pmds);
 *		else
 *			complain(&r.problem);
 *
 * In this example, kinds is the array of num_kinds struct pfm_read_kind that
 * the readers of the default and n-way formats need (perfmon_read_default.h).
 *
 * Call init once for a context. Call begin for each of its buffers; for a
 * mapping, call begin again whenever there may be new records. Then call next
 * until it returns 0. Results stay in the reader until the next call. If a
 * function returns -1, the member problem gives the reason. After -1 from begin
 * there is nothing to read; after -1 from next there may be more records.
 *
 * A reader does not trust the buffer. Whatever the bytes are, and even if they
 * change during a call, it never reads outside the buffer (@size bytes from
 * @buf), and it always terminates. It allocates nothing and calls only memcpy()
 * and memset(). It works in C and C++. Several threads can read at the same
 * time, each with its own reader.
 *
 * A buffer that no longer changes, as in a file, is checked as a whole: it is a
 * problem if the records do not end where the header says. If the kernel may be
 * writing to the buffer, and the reader's begin has a parameter @flags, pass
 * PFM_READ_LIVE. The reader then skips records that are being written or
 * overwritten, and tolerates an incomplete update.
 */
#ifndef PERFMON_READ_H
#define PERFMON_READ_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <perfmon/perfmon.h>

/* Flag of begin: the buffer is a mapping into which the kernel may write. */
#define PFM_READ_LIVE		0x1

/* pfm_read_problem.region of a problem that does not concern a region. */
#define PFM_READ_NO_REGION	(~0U)

/**
 * enum pfm_read_error - kinds of problems
 * @PFM_READ_OK:        no problem
 * @PFM_READ_TRUNCATED: the buffer is truncated, but correct up to its end
 * @PFM_READ_FIELD:     a field of a header has an invalid value
 * @PFM_READ_COUNT:     the records do not end where a header says
 * @PFM_READ_UNKNOWN:   the next item is unknown: for example, an entry of a PMD
 *                      that does not sample, or an escape with an unknown code
 * @PFM_READ_ROOM:      a record is too long to be copied out of a live buffer
 * @PFM_READ_USE:       an argument is invalid, such as a buffer not aligned to
 *                      8 bytes, or more PMDs than exist
 * @PFM_READ_BUSY:      a record of a table is being changed: begin again later
 */
enum pfm_read_error {
	PFM_READ_OK,
	PFM_READ_TRUNCATED,
	PFM_READ_FIELD,
	PFM_READ_COUNT,
	PFM_READ_UNKNOWN,
	PFM_READ_ROOM,
	PFM_READ_USE,
	PFM_READ_BUSY
};

/**
 * struct pfm_read_problem - the reason why records could not be read
 * @error:  kind of problem
 * @region: region that could not be read completely, or PFM_READ_NO_REGION
 * @offset: offset of the byte that was being read, from the start of the buffer
 * @what:   name of the field or item; never NULL
 */
struct pfm_read_problem {
	enum pfm_read_error error;
	__u32 region;
	__u64 offset;
	const char *what;
};

/**
 * pfm_read_text() - describe a problem in words
 * @problem: the problem
 *
 * Context: any.
 * Return: text to print after @problem->what, such as "has an invalid value"
 * after "hdr_version".
 */
static inline const char *pfm_read_text(const struct pfm_read_problem *problem)
{
	switch (problem->error) {
	case PFM_READ_TRUNCATED:
		return "extends beyond the end of the buffer";
	case PFM_READ_FIELD:
		return "has an invalid value";
	case PFM_READ_COUNT:
		return "does not match the end of the records";
	case PFM_READ_UNKNOWN:
		return "is unknown";
	case PFM_READ_ROOM:
		return "is too long for the reader";
	case PFM_READ_USE:
		return "is invalid";
	case PFM_READ_BUSY:
		return "is being changed";
	default:
		return "is correct";
	}
}

/* The rest is internal to the readers. */

/* Record a problem. Return: -1, which the caller must return. */
static inline int pfm_read_fail(struct pfm_read_problem *problem,
				enum pfm_read_error error, __u64 offset,
				const char *what)
{
	problem->error = error;
	problem->region = PFM_READ_NO_REGION;
	problem->offset = offset;
	problem->what = what;
	return -1;
}

/* Record an invalid field of the structure whose first byte is at @base. */
#define PFM_READ_BAD(problem, base, type, field) \
	pfm_read_fail(problem, PFM_READ_FIELD, (base) + offsetof(type, field), \
		      #field)

/*
 * An aligned 64-bit word. All 64-bit words that the kernel may write during a
 * read are aligned.
 */
typedef __u64 __attribute__((aligned(8))) pfm_read_u64;

/*
 * Load each field of a buffer only once, with one of these functions, so that
 * the checked value is the one that is used. Acquire pairs with the kernel's
 * smp_store_release().
 */
static inline __u32 pfm_read_once32(const void *field)
{
	return __atomic_load_n((const __u32 *)field, __ATOMIC_RELAXED);
}

static inline __u64 pfm_read_once64(const void *field)
{
	return __atomic_load_n((const pfm_read_u64 *)field, __ATOMIC_RELAXED);
}

static inline __u32 pfm_read_acquire32(const void *field)
{
	return __atomic_load_n((const __u32 *)field, __ATOMIC_ACQUIRE);
}

static inline __u64 pfm_read_acquire64(const void *field)
{
	return __atomic_load_n((const pfm_read_u64 *)field, __ATOMIC_ACQUIRE);
}

/* Copy, and keep the compiler from reading @from again. */
static inline void pfm_read_copy(void *to, const void *from, size_t size)
{
	memcpy(to, from, size);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* Check that a buffer is aligned and large enough for its header. */
static inline int pfm_read_check(struct pfm_read_problem *problem,
				 const void *buf, size_t size, size_t header)
{
	problem->error = PFM_READ_OK;
	if ((uintptr_t)buf % sizeof(__u64))
		return pfm_read_fail(problem, PFM_READ_USE, 0,
				     "a buffer not aligned to 8 bytes");
	if (size < header)
		return pfm_read_fail(problem, PFM_READ_TRUNCATED, size,
				     "the buffer's header");
	return 0;
}

#endif /* PERFMON_READ_H */
