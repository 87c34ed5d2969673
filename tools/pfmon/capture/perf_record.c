// SPDX-License-Identifier: MIT OR GPL-2.0
/* perf_record.c - parse perf's records about processes and kernel code */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>

#include "capture/perf_record.h"

/*
 * The fixed parts of records. In the ring, each is followed by a text, except
 * in a fork record, and by the time.
 */
struct comm_record {
	struct perf_event_header header;
	uint32_t pid, tid;
};

struct task_record {
	struct perf_event_header header;
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;
};

struct mmap2_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t start, length, offset;
	union {
		struct {
			uint32_t major, minor;
			uint64_t inode, generation;
		};
		struct {
			uint8_t build_id_size, reserved[3];
			uint8_t build_id[PERF_BUILD_ID_SIZE];
		};
	};
	uint32_t prot, flags;
};

struct ksymbol_record {
	struct perf_event_header header;
	uint64_t address;
	uint32_t length;
	uint16_t type, flags;
};

_Static_assert(sizeof(struct comm_record) == 16, "perf_event_open(2)");
_Static_assert(sizeof(struct task_record) == 32, "perf_event_open(2)");
_Static_assert(sizeof(struct mmap2_record) == 72, "perf_event_open(2)");
_Static_assert(sizeof(struct ksymbol_record) == 24, "perf_event_open(2)");
_Static_assert(RECORD_GONE == PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER, "same bit");

/* The bytes of a record between its fixed part and the time. */
struct rest {
	const char *text;
	size_t size;
};

static uint64_t time_of(const void *bytes, size_t size)
{
	uint64_t time;

	memcpy(&time, (const char *)bytes + size - sizeof(time), sizeof(time));
	return time;
}

bool perf_record_time(const void *bytes, size_t size, uint64_t *time)
{
	struct perf_event_header header;

	if (size < sizeof(header) + sizeof(*time))
		return false;
	memcpy(&header, bytes, sizeof(header));
	*time = time_of(bytes, size);
	return header.type == PERF_RECORD_COMM ||
	       header.type == PERF_RECORD_FORK ||
	       header.type == PERF_RECORD_MMAP2 ||
	       header.type == PERF_RECORD_KSYMBOL;
}

/* Copies the fixed part and the time; false if the record is too short. */
static bool take(void *fixed, size_t fixed_size, const void *bytes, size_t size,
		 uint64_t *time, struct rest *rest)
{
	if (size < fixed_size + sizeof(*time))
		return false;
	memcpy(fixed, bytes, fixed_size);
	*time = time_of(bytes, size);
	rest->text = (const char *)bytes + fixed_size;
	rest->size = size - fixed_size - sizeof(*time);
	return true;
}

static bool take_text(struct perf_record *record, const struct rest *rest)
{
	record->text = rest->text;
	return memchr(rest->text, '\0', rest->size);
}

static bool parse_comm(struct perf_record *record, const void *bytes,
		       size_t size)
{
	struct comm_record comm;
	struct rest rest;

	if (!take(&comm, sizeof(comm), bytes, size, &record->time, &rest))
		return false;
	record->kind = comm.header.misc & PERF_RECORD_MISC_COMM_EXEC ?
		       RECORD_EXEC : RECORD_NAME;
	record->tgid = (pid_t)comm.pid;
	record->tid = (pid_t)comm.tid;
	return take_text(record, &rest);
}

static bool parse_fork(struct perf_record *record, const void *bytes,
		       size_t size)
{
	struct task_record task;
	struct rest rest;

	if (!take(&task, sizeof(task), bytes, size, &record->time, &rest))
		return false;
	record->kind = RECORD_FORK;
	record->tgid = (pid_t)task.pid;
	record->tid = (pid_t)task.tid;
	record->ppid = (pid_t)task.ppid;
	record->ptid = (pid_t)task.ptid;
	return true;
}

static bool take_range(struct perf_record *record, uint64_t start,
		       uint64_t length)
{
	record->start = start;
	record->end = start + length;
	return record->end > start;
}

static bool take_file(struct perf_record *record,
		      const struct mmap2_record *mapping)
{
	if (!(mapping->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID)) {
		record->major = mapping->major;
		record->minor = mapping->minor;
		record->inode = mapping->inode;
		return true;
	}
	if (mapping->build_id_size > sizeof(record->build_id))
		return false;
	record->build_id_size = mapping->build_id_size;
	memcpy(record->build_id, mapping->build_id, mapping->build_id_size);
	return true;
}

static bool parse_map(struct perf_record *record, const void *bytes,
		      size_t size)
{
	struct mmap2_record mapping;
	struct rest rest;

	if (!take(&mapping, sizeof(mapping), bytes, size, &record->time,
		  &rest) ||
	    !take_range(record, mapping.start, mapping.length))
		return false;
	record->kind = RECORD_MAP;
	record->tgid = (pid_t)mapping.pid;
	record->tid = (pid_t)mapping.tid;
	record->offset = mapping.offset;
	record->prot = mapping.prot & (PROT_READ | PROT_WRITE | PROT_EXEC);
	if (mapping.flags & MAP_SHARED)
		record->prot |= RECORD_SHARED;
	return take_file(record, &mapping) && take_text(record, &rest);
}

static bool parse_ksymbol(struct perf_record *record, const void *bytes,
			  size_t size)
{
	struct ksymbol_record symbol;
	struct rest rest;

	if (!take(&symbol, sizeof(symbol), bytes, size, &record->time, &rest))
		return false;
	record->kind = RECORD_CODE;
	record->code_type = symbol.type;
	record->code_flags = symbol.flags & RECORD_GONE;
	return take_range(record, symbol.address, symbol.length) &&
	       take_text(record, &rest);
}

bool perf_record_parse(struct perf_record *record, const void *bytes,
		       size_t size)
{
	struct perf_event_header header;

	memset(record, 0, sizeof(*record));
	if (size < sizeof(header))
		return false;
	memcpy(&header, bytes, sizeof(header));
	switch (header.type) {
	case PERF_RECORD_COMM:
		return parse_comm(record, bytes, size);
	case PERF_RECORD_FORK:
		return parse_fork(record, bytes, size);
	case PERF_RECORD_MMAP2:
		return parse_map(record, bytes, size);
	case PERF_RECORD_KSYMBOL:
		return parse_ksymbol(record, bytes, size);
	}
	return false;
}
