// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * smpl.c - sampling buffers of any format, and entries of the default format
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <perfmon/perfmon_nway_smpl.h>

#include "check.h"
#include "ctx.h"
#include "faults.h"
#include "smpl.h"

static size_t entry_size(unsigned int pmds)
{
	return sizeof(pfm_default_smpl_entry_t) + pmds * sizeof(__u64);
}

struct mapped mapped_new(const pfm_uuid_t uuid, __u32 ctx_flags,
			 const void *arg, size_t arg_size)
{
	pfarg_ctx_t ctx = { .ctx_flags = ctx_flags };
	struct mapped m;

	memcpy(ctx.ctx_smpl_buf_id, uuid, sizeof(pfm_uuid_t));
	m.fd = CHECK_OK(pfm_create_context(&ctx, (void *)arg, arg_size));
	m.size = ctx.ctx_smpl_buf_size;
	m.buf = mmap(NULL, m.size, PROT_READ, MAP_SHARED, m.fd, 0);
	CHECK(m.buf != MAP_FAILED);
	return m;
}

/*
 * A region is full when the largest possible entry, with the values of all
 * PMDs, no longer fits. So make the room for the last entry as large as the
 * largest possible entry.
 */
struct mapped nway_new(__u32 ctx_flags, unsigned int regions,
		       unsigned int entries, unsigned int pmds,
		       __u32 buf_flags)
{
	static const pfm_uuid_t uuid = PFM_NWAY_SMPL_UUID;
	size_t region = entries * entry_size(pmds) +
			sizeof(__u64) * (count_pmds() - pmds);
	pfm_nway_smpl_arg_t arg = {
		.buf_size = PFM_NWAY_REGION_OFFS(regions) + regions * region,
		.num_regions = regions,
		.buf_flags = buf_flags,
	};

	return mapped_new(uuid, ctx_flags, &arg, sizeof(arg));
}

void expect_no_map(int fd, size_t size, int prot, int flags, off_t offset)
{
	if (mmap(NULL, size, prot, flags, fd, offset) != MAP_FAILED)
		check_failed(__FILE__, __LINE__,
			     "mmap() succeeded but should have failed: size %zu, prot %#x, flags %#x, offset %lld",
			     size, prot, flags, (long long)offset);
}

bool copy_mapped(void *to, const void *from, size_t size)
{
	ssize_t done;
	int pipes[2];

	CHECK_OK(pipe(pipes));
	done = write(pipes[1], from, size);
	CHECK(done == (ssize_t)size || errno == EFAULT);
	if (done > 0)
		CHECK_EQ(read(pipes[0], to, size), size);
	CHECK_OK(close(pipes[0]));
	CHECK_OK(close(pipes[1]));
	return done > 0;
}

bool can_read(const void *address)
{
	char byte;

	return copy_mapped(&byte, address, 1);
}

int smpl_create(pfarg_ctx_t *ctx, __u32 ctx_flags, __u64 buf_size,
		__u32 buf_flags)
{
	pfm_default_smpl_arg_t arg = { .buf_size = buf_size,
				       .buf_flags = buf_flags };

	*ctx = (pfarg_ctx_t){ .ctx_smpl_buf_id = PFM_DFL_SMPL_UUID,
			      .ctx_flags = ctx_flags };
	return pfm_create_context(ctx, &arg, sizeof(arg));
}

struct smpl smpl_new(__u32 ctx_flags, __u64 buf_size, __u32 buf_flags)
{
	struct smpl s;
	pfarg_ctx_t ctx;

	s.fd = CHECK_OK(smpl_create(&ctx, ctx_flags, buf_size, buf_flags));
	s.size = ctx.ctx_smpl_buf_size;
	s.hdr = mmap(NULL, s.size, PROT_READ, MAP_SHARED, s.fd, 0);
	CHECK(s.hdr != MAP_FAILED);
	return s;
}

unsigned int count_pmds(void)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < PFM_MAX_PMDS; i++) {
		pfarg_pmdinfo_t info = { .reg_num = i };

		n += !pfm_getinfo_pmds(&info, 1);
	}
	return n;
}

/*
 * A buffer is full when the largest possible entry, with the values of all
 * PMDs, no longer fits. So make the room for the last entry as large as the
 * largest possible entry.
 */
__u64 smpl_size_for(unsigned int n, size_t entry_size, size_t hdr_size)
{
	return sizeof(pfm_default_smpl_hdr_t) + (n - 1) * entry_size +
	       hdr_size + sizeof(__u64) * count_pmds();
}

struct smpl smpl_new_for(__u32 ctx_flags, unsigned int n, unsigned int pmds)
{
	return smpl_new(ctx_flags,
			smpl_size_for(n, entry_size(pmds),
				      sizeof(pfm_default_smpl_entry_t)), 0);
}

const pfm_default_smpl_entry_t *smpl_entry(const struct smpl *s, unsigned int i,
					   unsigned int pmds)
{
	const char *first = (const char *)(s->hdr + 1);

	return (const void *)(first + i * entry_size(pmds));
}

const __u64 *smpl_values(const pfm_default_smpl_entry_t *entry)
{
	return (const __u64 *)(entry + 1);
}

struct smpl smpl_start(struct counter *c, struct smpl s)
{
	counter_write(s.fd, c);
	ctx_start_here(s.fd);
	return s;
}

void smpl_expect_entries(const struct smpl *s, unsigned int n, pid_t pid,
			 __u64 period)
{
	__u64 tstamp = 1;

	CHECK_EQ(s->hdr->hdr_count, n);
	for (unsigned int i = 0; i < n; i++) {
		const pfm_default_smpl_entry_t *e = smpl_entry(s, i, 0);

		CHECK_EQ(e->pid, pid);
		CHECK_EQ(e->tgid, pid);
		CHECK_EQ(e->ovfl_pmd, 0);
		CHECK_EQ(e->reserved, 0);
		CHECK_EQ(e->set, 0);
		CHECK_EQ(e->last_reset_val, -period);
		CHECK(e->tstamp > tstamp);
		CHECK(in_touch_pages(e->ip));
		tstamp = e->tstamp;
	}
}
