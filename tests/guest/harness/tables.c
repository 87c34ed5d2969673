// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * tables.c - unwind tables of the test program itself, and contexts that use
 *	      them
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "check.h"
#include "modules.h"
#include "smpl.h"
#include "tables.h"
#include "unwind/compile.h"

int set_new(void)
{
	module_load("pfm_unwind");
	return CHECK_OK(open(PFM_UNWIND_DEVICE, O_RDWR | O_CLOEXEC));
}

int set_add(int set, int fd, const struct pfm_unwind_head *table, __u32 size)
{
	struct pfm_unwind_add add = { fd, size, (uintptr_t)table };

	return ioctl(set, PFM_UNWIND_ADD, &add);
}

int own_file(void)
{
	return CHECK_OK(open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
}

struct pfm_unwind_head *own_table(void)
{
	const char *why = "";
	int fd = own_file();
	struct pfm_unwind_head *table = unwind_compile(fd, &why);

	CHECK(table);
	close(fd);
	return table;
}

int own_set(void)
{
	struct pfm_unwind_head *table = own_table();
	int set = set_new(), fd = own_file();

	CHECK_OK(set_add(set, fd, table, table->size));
	close(fd);
	free(table);
	return set;
}

struct mapped callstack_new(int set)
{
	static const pfm_uuid_t uuid = PFM_CALLSTACK_SMPL_UUID;
	pfm_callstack_smpl_arg_t arg = {
		.sink.buf_size = 1 << 16,
		.max_depth = PFM_CALLSTACK_MAX_DEPTH,
		.unwind_fd = set,
	};

	return mapped_new(uuid, 0, &arg, sizeof(arg));
}

static const __u64 *end_of(const pfm_callstack_record_t *record)
{
	return (const __u64 *)(record + 1) + record->num_pmds +
	       record->num_kernel + record->num_user;
}

const pfm_callstack_record_t *next_record(const struct mapped *m,
					  const pfm_callstack_record_t *record,
					  const __u64 **user)
{
	const pfm_sink_hdr_t *hdr = m->buf;
	const pfm_sink_rgn_t *rgn = (const pfm_sink_rgn_t *)(hdr + 1);
	const void *first = m->buf + hdr->hdr_region_offs;
	const void *next = record ? end_of(record) : first;

	if (next == first + rgn->rgn_used)
		return NULL;
	record = next;
	*user = end_of(record) - record->num_user;
	return record;
}

const pfm_callstack_record_t *last_record(const struct mapped *m,
					  const __u64 **user)
{
	const pfm_callstack_record_t *record, *last = NULL;
	const __u64 *chain;

	for (record = next_record(m, NULL, &chain); record;
	     record = next_record(m, record, &chain)) {
		last = record;
		*user = chain;
	}
	CHECK(last);
	return last;
}

bool ends_in_start(const pfm_callstack_record_t *record, const __u64 *user)
{
	extern const char _start[];
	__u64 last = user[record->num_user - 1];

	return last > (uintptr_t)_start && last < (uintptr_t)_start + 64;
}
