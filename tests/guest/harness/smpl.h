/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * smpl.h - sampling buffers of any format, and entries of the default format
 *
 * These functions fail the test on any error.
 */
#ifndef GUEST_SMPL_H
#define GUEST_SMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <perfmon/perfmon.h>
#include <perfmon/perfmon_default_smpl.h>

struct counter;

/* A context and its mapped buffer, which may be of any format */
struct mapped {
	int		fd;
	size_t		size;
	const void	*buf;
};

struct mapped mapped_new(const pfm_uuid_t uuid, __u32 ctx_flags,
			 const void *arg, size_t arg_size);
/*
 * Create a context with the n-way format. Each region has room for @entries
 * records with @pmds values each.
 */
struct mapped nway_new(__u32 ctx_flags, unsigned int regions,
		       unsigned int entries, unsigned int pmds,
		       __u32 buf_flags);

/* Check that this mmap() fails. */
void expect_no_map(int fd, size_t size, int prot, int flags, off_t offset);

/* Copy a few bytes. Return: false if they are not readable. */
bool copy_mapped(void *to, const void *from, size_t size);
/* Return whether the byte at this address is readable. */
bool can_read(const void *address);

/* Sampling buffers of the default format */

struct smpl {
	int				fd;
	size_t				size;
	const pfm_default_smpl_hdr_t	*hdr;
};

/*
 * Create a context with a buffer of the default format. Return: the result of
 * pfm_create_context().
 */
int smpl_create(pfarg_ctx_t *ctx, __u32 ctx_flags, __u64 buf_size,
		__u32 buf_flags);
/* Create a context with a buffer of the default format, and map the buffer. */
struct smpl smpl_new(__u32 ctx_flags, __u64 buf_size, __u32 buf_flags);
/* Return the number of PMDs of the PMU. */
unsigned int count_pmds(void);
/*
 * Return the size of a buffer that is full after @n entries. @entry_size is the
 * size of an entry including its header, and @hdr_size the size of this header.
 */
__u64 smpl_size_for(unsigned int n, size_t entry_size, size_t hdr_size);
/*
 * Create a context with a buffer that is full after @n entries. Each entry has
 * the complete header, pfm_default_smpl_entry_t, and @pmds values.
 */
struct smpl smpl_new_for(__u32 ctx_flags, unsigned int n, unsigned int pmds);
/* Return entry @i of a buffer whose entries all have @pmds values. */
const pfm_default_smpl_entry_t *smpl_entry(const struct smpl *s, unsigned int i,
					   unsigned int pmds);
/* Return the PMD values of an entry. */
const __u64 *smpl_values(const pfm_default_smpl_entry_t *entry);
/* Write a counter and start the context on this thread. Return: @s. */
struct smpl smpl_start(struct counter *c, struct smpl s);
/*
 * Check that the buffer has @n entries without PMD values, one for each @period
 * page faults that process @pid caused in touch_pages().
 */
void smpl_expect_entries(const struct smpl *s, unsigned int n, pid_t pid,
			 __u64 period);

#endif /* GUEST_SMPL_H */
