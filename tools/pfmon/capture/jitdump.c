// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * jitdump.c - read the functions in a jitdump file
 *
 * The format is described in tools/perf/Documentation/jitdump-specification.txt
 * of Linux. pfmon stores only times, addresses and names. It skips the machine
 * code, debug information and unwind information.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/util.h"
#include "capture/jitdump.h"
#include "capture/perf_ring.h"

#define MAGIC			0x4a695444
#define VERSION			1
#define FLAG_ARCH_TIMESTAMP	1	/* times of an unknown clock */
#define ROOM			4096	/* the rest of a long name is cut off */
#define WINDOW			(4 * ROOM)	/* bytes to read at once */

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

struct record_header {
	uint32_t id, size;
	uint64_t time;
};

/* A function's name and its machine code follow. */
struct load_record {
	struct record_header header;
	uint32_t pid, tid;
	uint64_t vma, address, size, index;
};

struct move_record {
	struct record_header header;
	uint32_t pid, tid;
	uint64_t vma, old_address, address, size, index;
};

_Static_assert(sizeof(struct dump_header) == 40, "jitdump-specification.txt");
_Static_assert(sizeof(struct load_record) == 56, "jitdump-specification.txt");
_Static_assert(sizeof(struct move_record) == 64, "jitdump-specification.txt");

/* The first bytes of a record; zeros follow. */
union record {
	struct record_header header;
	struct load_record load;
	struct move_record move;
	char bytes[ROOM + sizeof(struct move_record)];
};

/* A part of the file. */
struct window {
	int fd;
	uint64_t offset;
	size_t size;
	char bytes[WINDOW];
};

bool jitdump_has_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && !fnmatch("jit-*.dump", slash + 1, 0);
}

static void read_window(struct window *window, uint64_t offset)
{
	ssize_t got;

	do
		got = pread(window->fd, window->bytes, WINDOW, (off_t)offset);
	while (got < 0 && errno == EINTR);
	window->offset = offset;
	window->size = got < 0 ? 0 : (size_t)got;
}

/* Returns false if the file ends before. */
static bool read_at(struct window *window, uint64_t offset, void *to,
		    size_t size)
{
	uint64_t end = window->offset + window->size;

	if (offset < window->offset || offset > end || size > end - offset)
		read_window(window, offset);
	end = window->offset + window->size;
	if (size > end - offset)
		return false;
	memcpy(to, window->bytes + (offset - window->offset), size);
	return true;
}

static const char *check(const struct dump_header *header)
{
	if (header->magic == __builtin_bswap32(MAGIC))
		return "has the byte order of another machine";
	if (header->magic != MAGIC || header->size < sizeof(*header))
		return "is not a jitdump file";
	if (header->version != VERSION)
		return "has an unknown version";
	return NULL;
}

/*
 * Reads the first bytes of the record at @offset. Returns false unless the
 * whole record is before @end.
 */
static bool read_record(struct window *window, uint64_t offset, uint64_t end,
			union record *record)
{
	const struct record_header *header = &record->header;
	const size_t begin = sizeof(*header);
	size_t size;

	if (!read_at(window, offset, record, begin) || header->size < begin ||
	    header->size > end - offset)
		return false;
	if (header->id > RECORD_MOVE)
		return true;
	size = header->size < ROOM ? header->size : ROOM;
	memset(record->bytes + size, 0, sizeof(record->move));
	return read_at(window, offset + begin, record->bytes + begin,
		       size - begin);
}

/* Appends a line; the name is "" if a function was moved. */
static void add_line(struct perf_bytes *lines, uint64_t time, uint64_t address,
		     uint64_t size, uint64_t index, const char *name)
{
	char *line = checked_printf("%" PRIx64 " %" PRIx64 " %" PRIx64
				    " %" PRIx64 "%s%s", time, address, size,
				    index, *name ? " " : "", name);
	size_t length = strlen(line);

	for (char *at = line; (at = strchr(at, '\n'));)
		*at = ' ';
	line[length] = '\n';
	memcpy(perf_bytes_extend(lines, length + 1), line, length + 1);
	free(line);
}

static void add_record(struct perf_bytes *lines, const union record *record,
		       bool timed)
{
	uint64_t time = timed ? record->header.time : 0;
	const struct load_record *load = &record->load;
	const struct move_record *move = &record->move;
	const char *name = record->bytes + sizeof(*load);

	if (load->header.id == RECORD_LOAD && *name)
		add_line(lines, time, load->address, load->size, load->index,
			 name);
	else if (move->header.id == RECORD_MOVE)
		add_line(lines, time, move->address, move->size, move->index,
			 "");
}

const char *jitdump_read(int fd, size_t most, unsigned int *records,
			 struct perf_bytes *lines, bool *cut)
{
	struct window window = { .fd = fd };
	struct dump_header header;
	union record record;
	bool timed;
	uint64_t offset, end;
	const char *problem;
	struct stat info;

	if (!read_at(&window, 0, &header, sizeof(header)))
		return "has no complete header";
	problem = check(&header);
	if (problem)
		return problem;
	timed = !(header.flags & FLAG_ARCH_TIMESTAMP);
	/* The process may still be writing: ignore what it adds from now on. */
	end = fstat(fd, &info) ? 0 : (uint64_t)info.st_size;
	for (offset = header.size;
	     offset < end && lines->size < most && *records &&
	     read_record(&window, offset, end, &record);
	     offset += record.header.size, --*records)
		add_record(lines, &record, timed);
	*cut = offset != end;
	return NULL;
}
