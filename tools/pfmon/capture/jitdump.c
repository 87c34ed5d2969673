// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * jitdump.c - read the functions in a jitdump file
 *
 * The format is described in tools/perf/Documentation/jitdump-specification.txt
 * of Linux. pfmon stores only times, addresses and names. It skips the machine
 * code, debug information and unwind information.
 */
#define _GNU_SOURCE
#include <fnmatch.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/util.h"
#include "capture/jitdump.h"
#include "capture/perf_ring.h"

#define MAGIC			0x4a695444
#define VERSION			1
#define FLAG_ARCH_TIMESTAMP	1	/* times of an unknown clock */
#define ROOM			4096	/* the rest of a long name is cut off */
#define HEADER			16	/* bytes before the rest of a record */
#define ADDRESS			4
#define NAME			(8 * (ADDRESS + 3))

enum record_id {
	RECORD_LOAD,
	RECORD_MOVE,
};

struct dump_header {
	uint32_t magic, version;
	uint32_t size;		/* of the header */
	uint32_t machine, reserved, pid;
	uint64_t time, flags;
};

/*
 * The first bytes of a record; zeros follow. The words from ADDRESS on are a
 * function's address, size and number. If the function was moved, its old
 * address precedes them; otherwise its name follows.
 */
union record {
	struct {
		uint32_t id, size;
		uint64_t time;
	};
	uint64_t words[ADDRESS + 4];
	char bytes[ROOM + 1];
};

_Static_assert(sizeof(struct dump_header) == 40, "jitdump-specification.txt");

bool jitdump_has_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && (!fnmatch("jit-*.dump", slash + 1, 0) ||
			 !fnmatch("jit-*.dump (deleted)", slash + 1, 0));
}

static const char *check(const struct dump_header *header)
{
	if (header->magic == __builtin_bswap32(MAGIC))
		return "byte order of another machine";
	if (header->magic != MAGIC || header->size < sizeof(*header))
		return "not a jitdump file";
	if (header->version != VERSION)
		return "unknown version";
	return NULL;
}

/*
 * Reads the first bytes of the record at @offset. Returns false unless the
 * whole record is before @end.
 */
static bool read_record(FILE *file, uint64_t offset, uint64_t end,
			union record *record)
{
	size_t size;

	memset(record, 0, sizeof(*record));
	if (fseeko(file, (off_t)offset, SEEK_SET) ||
	    fread(record, HEADER, 1, file) != 1 || record->size < HEADER ||
	    record->size > end - offset)
		return false;
	if (record->id > RECORD_MOVE)
		return true;
	size = record->size < ROOM ? record->size : ROOM;
	return size == HEADER ||
	       fread(record->bytes + HEADER, size - HEADER, 1, file) == 1;
}

/* Appends a line for a function that was loaded or moved. */
static void add_line(struct perf_bytes *lines, const union record *record,
		     bool timed)
{
	const bool moved = record->id == RECORD_MOVE;
	const char *name = moved ? "" : record->bytes + NAME;
	const uint64_t *words = record->words + ADDRESS + moved;
	size_t length;
	char *line;

	if (record->id > RECORD_MOVE || !(moved || *name))
		return;
	line = checked_printf("%" PRIx64 " %" PRIx64 " %" PRIx64
			      " %" PRIx64 "%s%s", timed ? record->time : 0,
			      words[0], words[1], words[2], moved ? "" : " ",
			      name);
	length = strlen(line);
	for (char *at = line; (at = strchr(at, '\n'));)
		*at = ' ';
	line[length] = '\n';
	memcpy(perf_bytes_extend(lines, length + 1), line, length + 1);
	free(line);
}

const char *jitdump_read(FILE *file, size_t most, unsigned int *records,
			 struct perf_bytes *lines, bool *cut)
{
	struct dump_header header;
	union record record;
	bool timed;
	uint64_t offset, end;
	const char *problem;
	struct stat info;

	if (fread(&header, sizeof(header), 1, file) != 1)
		return "no complete header";
	problem = check(&header);
	if (problem)
		return problem;
	timed = !(header.flags & FLAG_ARCH_TIMESTAMP);
	/* The process may still be writing: ignore what it adds from now on. */
	end = fstat(fileno(file), &info) ? 0 : (uint64_t)info.st_size;
	for (offset = header.size;
	     offset < end && lines->size < most && *records &&
	     read_record(file, offset, end, &record);
	     offset += record.size, --*records)
		add_line(lines, &record, timed);
	*cut = offset != end;
	return NULL;
}
