/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * perfmon_read.h - what the readers of sampling buffers have in common
 *
 * Each format has a reader, perfmon_read_<name>.h, that gives the records of a
 * buffer one by one:
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
 * init is called once for a context, begin for each of its buffers, or for the
 * same mapping again and again, and next until it returns 0. What was read is
 * in the reader, until the next call. A -1 is told in its member problem; after
 * that of a begin there is nothing to be read, after that of a next there may
 * be more.
 *
 * A reader believes nothing: whatever the bytes are, and even if they change
 * meanwhile, it stays within the size bytes from buf on, and comes to an end.
 * It allocates nothing, calls nothing but memcpy() and memset(), and may be
 * used in C and C++, by any number of threads with a reader each.
 *
 * A buffer that lies still, as in a file, is checked as a whole: where the
 * records end in another place than it says is a problem. With PFM_READ_LIVE
 * the kernel may be writing: no record is given that was being written or
 * overwritten, and what is between two writes is no problem.
 */
#ifndef PERFMON_READ_H
#define PERFMON_READ_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <perfmon/perfmon.h>

/* Flag of begin: it is a mapping into which the kernel may be writing. */
#define PFM_READ_LIVE		0x1

/* The region of a problem that is of none. */
#define PFM_READ_NO_REGION	(~0U)

/**
 * enum pfm_read_error - what can be wrong
 * @PFM_READ_OK:        nothing
 * @PFM_READ_TRUNCATED: the buffer ends too early, and is not wrong up to there
 * @PFM_READ_FIELD:     a field of a header cannot have this value
 * @PFM_READ_COUNT:     the records end in another place than a header says
 * @PFM_READ_UNKNOWN:   what comes next is not known: a PMD that does not
 *                      sample, an escape
 * @PFM_READ_ROOM:      a record is too long to be copied out of a live buffer
 * @PFM_READ_USE:       an argument is wrong: a buffer that is not aligned to 8
 *                      bytes, more PMDs than there are
 */
enum pfm_read_error {
	PFM_READ_OK,
	PFM_READ_TRUNCATED,
	PFM_READ_FIELD,
	PFM_READ_COUNT,
	PFM_READ_UNKNOWN,
	PFM_READ_ROOM,
	PFM_READ_USE
};

/**
 * struct pfm_read_problem - why records could not be read
 * @error:  what is wrong
 * @region: number of the region whose records end with it; PFM_READ_NO_REGION
 * @offset: the byte, from the first of the buffer, that was being read
 * @what:   name of the field, or what it is about; never NULL
 */
struct pfm_read_problem {
	enum pfm_read_error error;
	__u32 region;
	__u64 offset;
	const char *what;
};

/**
 * pfm_read_text() - a problem in words
 * @problem: the problem
 *
 * Context: any.
 * Return: what is wrong, which "what" of the problem precedes: "hdr_version",
 * "has a value that it cannot have".
 */
static inline const char *pfm_read_text(const struct pfm_read_problem *problem)
{
	switch (problem->error) {
	case PFM_READ_TRUNCATED:
		return "goes on behind the end of the buffer";
	case PFM_READ_FIELD:
		return "has a value that it cannot have";
	case PFM_READ_COUNT:
		return "ends in another place than the header says";
	case PFM_READ_UNKNOWN:
		return "is unknown";
	case PFM_READ_ROOM:
		return "is too long for the reader";
	case PFM_READ_USE:
		return "cannot be used";
	default:
		return "is right";
	}
}

/* The rest is for the readers. */

/* Return: -1, for the caller to return. */
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

/* The same of a field; the first byte of its structure is at @base. */
#define PFM_READ_BAD(problem, base, type, field) \
	pfm_read_fail(problem, PFM_READ_FIELD, (base) + offsetof(type, field), \
		      #field)

/* All 64-bit words that the kernel writes while others read are aligned. */
typedef __u64 __attribute__((aligned(8))) pfm_read_u64;

/*
 * Fields of a buffer are loaded by these, once each, so that what was checked
 * is what is used. Acquire pairs with the kernel's smp_store_release().
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

/* Copy what is not loaded again: the compiler may not go back to @from. */
static inline void pfm_read_copy(void *to, const void *from, size_t size)
{
	memcpy(to, from, size);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* Does a buffer begin where words can be loaded, and with this header? */
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
