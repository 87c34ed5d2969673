// SPDX-License-Identifier: MIT OR GPL-2.0
/* compile.c - compile a file's unwind information to a table for the kernel */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/cfa_program.h"
#include "unwind/compile.h"
#include "unwind/elf_file.h"
#include "unwind/frames.h"
#include "unwind/frames_arm64.h"
#include "unwind/frames_go.h"
#include "unwind/frames_x86_64.h"
#include "unwind/padding.h"
#include "unwind/table.h"
#include "unwind/veneers.h"

/*
 * Maximum size in bytes of code without unwind information at an entry point.
 * The dynamic linker has such code.
 */
#define LARGEST_ENTRY	256

/* The sources of unwind information, the best one first. */
enum { EH_FRAME, GO, DEBUG_FRAME, KNOWN_CODE, NR_SOURCES };

/* FDEs that do not overlap. */
struct merged {
	struct fde *fdes;	/* in the order of their addresses */
	size_t count;
};

static int read_sources(struct frames *sources, const struct elf_file *file)
{
	int error = frames_read_eh(&sources[EH_FRAME], file);

	if (!error)
		error = frames_read_go(&sources[GO], file);
	if (!error)
		error = frames_read_debug(&sources[DEBUG_FRAME], file);
	if (error)
		return error;
	if (file->machine->links)
		return frames_read_arm64(&sources[KNOWN_CODE], file);
	frames_correct_x86_64(&sources[EH_FRAME], file);
	return frames_read_x86_64(&sources[KNOWN_CODE], file);
}

static uint64_t end_of(const struct fde *fde)
{
	return fde->start + fde->size;
}

/*
 * Merges the FDEs of @old and @from. Omits those in @from that overlap an FDE
 * in @old or an earlier one in @from.
 */
static void merge(struct merged *into, const struct merged *old,
		  const struct frames *from)
{
	size_t next = 0;

	into->count = 0;
	for (size_t i = 0; i < from->nr_fdes; i++) {
		const struct fde *fde = &from->fdes[i];

		while (next < old->count && end_of(&old->fdes[next]) <=
		       fde->start)
			into->fdes[into->count++] = old->fdes[next++];
		if ((next < old->count &&
		     old->fdes[next].start < end_of(fde)) ||
		    (into->count &&
		     end_of(&into->fdes[into->count - 1]) > fde->start))
			continue;
		into->fdes[into->count++] = *fde;
	}
	while (next < old->count)
		into->fdes[into->count++] = old->fdes[next++];
}

static int merge_sources(struct merged *merged, const struct frames *sources)
{
	struct merged next;

	for (int i = 0; i < NR_SOURCES; i++) {
		if (!sources[i].nr_fdes)
			continue;
		next.fdes = reallocarray(NULL, merged->count +
					 sources[i].nr_fdes,
					 sizeof(*next.fdes));
		if (!next.fdes)
			return -ENOMEM;
		merge(&next, merged, &sources[i]);
		free(merged->fdes);
		*merged = next;
	}
	return 0;
}

static int add_end(struct table *table, const struct fde *before)
{
	static const struct pfm_unwind_rule none = { .kind = PFM_UNWIND_NONE };

	return table_add(table, end_of(before), &none);
}

static int add_gap(struct table *table, const struct elf_file *file,
		   const struct fde *before, const struct fde *after)
{
	int error = add_end(table, before);

	if (error || !file->machine->links)
		return error;
	return veneers_add(table, file, end_of(before), after->start);
}

/*
 * If the code at the entry point has no unwind information, adds a row that
 * marks it as the outermost frame.
 */
static int add_entry(struct table *table, const struct fde *before,
		     const struct fde *after, uint64_t entry)
{
	static const struct pfm_unwind_rule end = { .kind = PFM_UNWIND_END };

	if (!before || entry < end_of(before) || entry >= after->start ||
	    after->start - entry > LARGEST_ENTRY)
		return 0;
	return table_add(table, entry, &end);
}

static int add_rows(struct table *table, const struct fde *fde,
		    const struct unwind_machine *machine)
{
	return fde->go ? frames_go_rows(fde, machine, table) :
			 cfa_program_rows(fde, machine, table);
}

static int fill(struct table *table, const struct merged *merged,
		const struct elf_file *file)
{
	const struct fde *fde, *before = NULL;
	uint64_t entry;
	int error = 0;

	if (!file->entry || !elf_file_offset(file, file->entry, 1, &entry))
		entry = 0;

	for (size_t i = 0; i < merged->count && !error; i++, before = fde) {
		fde = &merged->fdes[i];
		/* Without rows for padding, tables are a fifth smaller. */
		if (before && !is_padding(file, end_of(before), fde->start))
			error = add_gap(table, file, before, fde);
		if (!error)
			error = add_entry(table, before, fde, entry);
		if (!error)
			error = add_rows(table, fde, file->machine);
	}
	if (before && !error)
		error = add_end(table, before);
	return error;
}

static int merge_and_fill(struct table *table, struct frames *sources,
			  const struct elf_file *file)
{
	struct merged merged = { .count = 0 };
	int error;

	for (int i = 0; i < NR_SOURCES; i++) {
		for (size_t j = 0; j < sources[i].nr_cies; j++)
			cfa_program_init(&sources[i].cies[j], file->machine);
	}
	error = merge_sources(&merged, sources);
	if (!error)
		error = fill(table, &merged, file);
	free(merged.fdes);
	return error;
}

static int read_and_fill(struct table *table, const struct elf_file *file)
{
	struct frames sources[NR_SOURCES] = { };
	int error = read_sources(sources, file);

	if (!error)
		error = merge_and_fill(table, sources, file);
	for (int i = 0; i < NR_SOURCES; i++)
		frames_free(&sources[i]);
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

/*
 * Compiles the table, and stores it in *bytes. Returns 0 or a negative errno.
 */
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

/* Compiles the file and closes it. @error is the result of opening it. */
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
