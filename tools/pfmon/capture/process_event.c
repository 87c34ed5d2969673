// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * process_event.c - write events of processes in the form of PROC chunks
 *
 * There can be thousands of events a second, so these chunks are binary, unlike
 * other chunks about processes.
 */
#define _GNU_SOURCE
#include <endian.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "access/cgroup.h"
#include "base/util.h"
#include "capture/maps.h"
#include "capture/process_event.h"
#include "process/buildid.h"
#include "process/mapping.h"

/* perf's name for memory without a file; /proc/PID/maps has no name for it. */
#define ANONYMOUS	"//anon"
#define EVENT_ALIGN	8

/* See docs/capture.md. */
enum event_kind {
	EVENT_FORK = 1,
	EVENT_EXEC,
	EVENT_NAME,
	EVENT_MAP,
	EVENT_CODE,
};

struct event_header {
	uint32_t size;
	uint32_t kind;
	uint64_t time_ns;
	uint32_t tgid, tid;
};

struct fork_part {
	uint32_t ppid, ptid;
};

struct map_part {
	uint64_t start, end, offset;
	uint32_t prot;
	uint32_t id_size;
	uint64_t file_size, mtime_ns;
};

struct code_part {
	uint64_t start, end;
	uint32_t type, flags;
};

_Static_assert(sizeof(struct event_header) == 24, "docs/capture.md");
_Static_assert(sizeof(struct fork_part) == 8, "docs/capture.md");
_Static_assert(sizeof(struct map_part) == 48, "docs/capture.md");
_Static_assert(sizeof(struct code_part) == 24, "docs/capture.md");

static void append(struct perf_bytes *to, const void *bytes, size_t size)
{
	memcpy(perf_bytes_extend(to, size), bytes, size);
}

static void append_text(struct perf_bytes *to, const char *text)
{
	append(to, text, strlen(text) + 1);
}

static void append_cgroup(struct perf_bytes *to, pid_t tgid, bool proc)
{
	char *path = proc ? cgroup_of(tgid) : NULL;

	append_text(to, path ? path : "");
	free(path);
}

static void append_fork(struct perf_bytes *to, const struct perf_record *record,
			struct maps *maps)
{
	struct fork_part part = {
		.ppid = htole32((uint32_t)record->ppid),
		.ptid = htole32((uint32_t)record->ptid),
	};

	append(to, &part, sizeof(part));
	if (record->tid == record->tgid)
		maps_forked(maps, record->ppid, record->tgid);
}

/* Returns the identity of the record's file; @maps owns it. */
static const struct file_identity *identify(const struct perf_record *record,
					    const char *path,
					    struct maps *maps)
{
	char *file = *path == '/' ?
		     checked_printf("%02x:%02x %" PRIu64, record->major,
				    record->minor, record->inode) : NULL;
	struct mapping mapping = {
		.start = record->start,
		.end = record->end,
		.offset = record->offset,
		.device_inode = file,
		.inode = record->inode,
		.path = path,
		.prot = { record->prot & PROT_READ ? 'r' : '-',
			  record->prot & PROT_WRITE ? 'w' : '-',
			  record->prot & PROT_EXEC ? 'x' : '-' },
	};
	const struct file_identity *identity;

	identity = maps_identify(maps, record->tgid, path, &mapping);
	free(file);
	return identity;
}

static unsigned int value_of(char digit)
{
	return (unsigned int)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}

/* Converts hexadecimal digits, and returns the number of bytes. */
static uint32_t to_bytes(uint8_t bytes[LARGEST_BUILD_ID], const char *digits)
{
	uint32_t size = 0;

	for (; size < LARGEST_BUILD_ID && *digits; digits += 2)
		bytes[size++] = (uint8_t)(value_of(digits[0]) << 4 |
					  value_of(digits[1]));
	return size;
}

static void append_map(struct perf_bytes *to, const struct perf_record *record,
		       struct maps *maps)
{
	const char *path = strcmp(record->text, ANONYMOUS) ? record->text : "";
	static const struct file_identity none;
	const struct file_identity *known = &none;
	uint8_t build_id[LARGEST_BUILD_ID];
	struct map_part part = {
		.start = htole64(record->start),
		.end = htole64(record->end),
		.offset = htole64(record->offset),
		.prot = htole32(record->prot),
	};
	uint32_t id_size = record->build_id_size;

	memcpy(build_id, record->build_id, id_size);
	if (id_size)
		maps_add_code(maps, record);
	else
		known = identify(record, path, maps);
	if (known->build_id)
		id_size = to_bytes(build_id, known->build_id);
	part.id_size = htole32(id_size);
	part.file_size = htole64(known->size);
	part.mtime_ns = htole64(known->mtime_ns);
	append(to, &part, sizeof(part));
	append(to, build_id, id_size);
	append(to, path, maps_path_length(record->tgid, path, record->inode));
	append_text(to, "");
	append_text(to, known->go_build_id ? known->go_build_id : "");
}

static void append_code(struct perf_bytes *to, const struct perf_record *record)
{
	const struct code_part part = {
		.start = htole64(record->start),
		.end = htole64(record->end),
		.type = htole32(record->code_type),
		.flags = htole32(record->code_flags),
	};

	append(to, &part, sizeof(part));
	append_text(to, record->text);
}

static void append_rest(struct perf_bytes *to, const struct perf_record *record,
			struct maps *maps, bool proc)
{
	switch (record->kind) {
	case RECORD_FORK:
		append_fork(to, record, maps);
		break;
	case RECORD_EXEC:
		append_text(to, record->text);
		append_cgroup(to, record->tgid, proc);
		maps_executed(maps, record->tgid);
		break;
	case RECORD_NAME:
		append_text(to, record->text);
		break;
	case RECORD_MAP:
		append_map(to, record, maps);
		break;
	case RECORD_CODE:
		append_code(to, record);
		break;
	}
}

void process_event_write(struct perf_bytes *to,
			 const struct perf_record *record, struct maps *maps,
			 bool proc)
{
	static const uint32_t kinds[] = {
		[RECORD_FORK] = EVENT_FORK, [RECORD_EXEC] = EVENT_EXEC,
		[RECORD_NAME] = EVENT_NAME, [RECORD_MAP] = EVENT_MAP,
		[RECORD_CODE] = EVENT_CODE,
	};
	struct event_header header = {
		.kind = htole32(kinds[record->kind]),
		.time_ns = htole64(record->time),
		.tgid = htole32((uint32_t)record->tgid),
		.tid = htole32((uint32_t)record->tid),
	};
	size_t begin = to->size, padding;

	if (record->kind != RECORD_NAME && record->kind != RECORD_CODE)
		maps_note_change(maps, record->tgid);
	append(to, &header, sizeof(header));
	append_rest(to, record, maps, proc);
	padding = -to->size % EVENT_ALIGN;
	memset(perf_bytes_extend(to, padding), 0, padding);
	header.size = htole32((uint32_t)(to->size - begin));
	memcpy(to->bytes + begin + offsetof(struct event_header, size),
	       &header.size, sizeof(header.size));
}
