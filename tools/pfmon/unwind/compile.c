// SPDX-License-Identifier: MIT OR GPL-2.0
/* compile.c - compile a file's unwind information to a table for the kernel */
#include <errno.h>
#include <string.h>

#include "unwind/cfa_program.h"
#include "unwind/compile.h"
#include "unwind/elf_file.h"
#include "unwind/frames.h"
#include "unwind/table.h"

/*
 * Bytes between functions that only align the next one. Nothing executes them,
 * so they get no row: without these, tables are a fifth smaller.
 */
#define MOST_PADDING	15

/* An FDE that begins inside another one is damage. */
static void skip_overlapping(struct frames *frames)
{
	uint64_t end = 0;

	for (size_t i = 0; i < frames->nr_fdes; i++) {
		struct fde *fde = &frames->fdes[i];

		fde->skipped = fde->start < end;
		if (!fde->skipped)
			end = fde->start + fde->size;
	}
}

/* .debug_frame says the same as .eh_frame, or describes other code. */
static void skip_described(struct frames *debug, const struct frames *eh)
{
	size_t next = 0;

	for (size_t i = 0; i < debug->nr_fdes; i++) {
		struct fde *fde = &debug->fdes[i];

		while (next < eh->nr_fdes &&
		       (eh->fdes[next].skipped ||
			eh->fdes[next].start + eh->fdes[next].size <=
			fde->start))
			next++;
		if (next < eh->nr_fdes &&
		    eh->fdes[next].start < fde->start + fde->size)
			fde->skipped = true;
	}
}

static const struct fde *next_fde(const struct frames *frames, size_t *next)
{
	while (*next < frames->nr_fdes && frames->fdes[*next].skipped)
		++*next;
	return *next < frames->nr_fdes ? &frames->fdes[*next] : NULL;
}

static int add_gap(struct table *table, uint64_t start)
{
	static const struct pfm_unwind_rule none = { .kind = PFM_UNWIND_NONE };

	return table_add(table, start, &none);
}

/* @end is that of the code before, and of this code afterwards. */
static int add_fde(struct table *table, const struct fde *fde,
		   const struct frames *frames,
		   const struct unwind_machine *machine, uint64_t *end)
{
	int error = 0;

	if (table->nr_rows && fde->start - *end > MOST_PADDING)
		error = add_gap(table, *end);
	*end = fde->start + fde->size;
	return error ?: cfa_program_rows(fde, &frames->part, machine, table);
}

static int fill(struct table *table, const struct frames *eh,
		const struct frames *debug,
		const struct unwind_machine *machine)
{
	size_t next_eh = 0, next_debug = 0;
	uint64_t end = 0;
	int error = 0;

	while (!error) {
		const struct fde *one = next_fde(eh, &next_eh);
		const struct fde *other = next_fde(debug, &next_debug);

		if (!one && !other)
			return end ? add_gap(table, end) : 0;
		if (one && (!other || one->start < other->start)) {
			error = add_fde(table, one, eh, machine, &end);
			next_eh++;
		} else {
			error = add_fde(table, other, debug, machine, &end);
			next_debug++;
		}
	}
	return error;
}

static void prepare(struct frames *frames, const struct unwind_machine *machine)
{
	for (size_t i = 0; i < frames->nr_cies; i++)
		cfa_program_init(&frames->cies[i], &frames->part, machine);
	skip_overlapping(frames);
}

static int read_and_fill(struct table *table, const struct elf_file *file)
{
	struct frames eh, debug = { .is_debug = true };
	int error = frames_read_eh(&eh, file);

	if (!error)
		error = frames_read_debug(&debug, file);
	if (!error) {
		prepare(&eh, file->machine);
		prepare(&debug, file->machine);
		skip_described(&debug, &eh);
		error = fill(table, &eh, &debug, file->machine);
	}
	frames_free(&eh);
	frames_free(&debug);
	return error;
}

static const char *reason(int error)
{
	switch (error) {
	case -ENODATA:
		return "has no unwind information";
	case -EFBIG:
		return "has too much unwind information";
	case -EBADMSG:
		return "is damaged: sections exceed the file";
	default:
		return strerror(-error);
	}
}

/* Returns 0, with the table in *bytes, or a negative errno. */
static int compile(const struct elf_file *file, struct pfm_unwind_head **bytes)
{
	struct table table;
	int error = table_init(&table);

	if (!error)
		error = read_and_fill(&table, file);
	if (!error && !table.nr_rows)
		error = -ENODATA;
	if (!error) {
		*bytes = table_bytes(&table, file->machine->elf_machine);
		if (!*bytes)
			error = -errno;
	}
	table_free(&table);
	return error;
}

/* Ends a compilation whose file was opened with this result. */
static struct pfm_unwind_head *finish(struct elf_file *file, int error,
				      const char **why)
{
	struct pfm_unwind_head *bytes = NULL;

	if (!error) {
		error = compile(file, &bytes);
		if (error)
			*why = reason(error);
	}
	elf_file_close(file);
	errno = -error;
	return bytes;
}

struct pfm_unwind_head *unwind_compile(int fd, const char **why)
{
	struct elf_file file;
	int error = elf_file_open(&file, fd, why);

	return finish(&file, error, why);
}

struct pfm_unwind_head *unwind_compile_image(const void *image, size_t size,
					     const char **why)
{
	struct elf_file file;
	int error = elf_file_open_image(&file, image, size, why);

	return finish(&file, error, why);
}
