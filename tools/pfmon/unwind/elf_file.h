/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * elf_file.h - sections and segments of an ELF file
 *
 * Every size in the file is checked before it is used. The file is not mapped:
 * another process could truncate it meanwhile.
 */
#ifndef PFMON_UNWIND_ELF_FILE_H
#define PFMON_UNWIND_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/machine.h"

struct elf_file {
	int fd;				/* -1 if there is an image */
	const uint8_t *image;
	uint64_t size;
	const struct unwind_machine *machine;
	uint64_t entry;			/* address; 0: none */
	Elf64_Phdr *segments;
	size_t nr_segments;
	Elf64_Shdr *sections;
	size_t nr_sections;
	char *section_names;
	size_t names_size;
};

/* A copy of bytes of the file. */
struct elf_part {
	uint8_t *bytes;
	size_t size;
	uint64_t address;
};

/*
 * elf_file_open() opens a file; elf_file_open_image() uses a file's image in
 * memory. Both return 0, or a negative errno with the reason in *why. The
 * caller calls elf_file_close() in any case.
 */
int elf_file_open(struct elf_file *file, int fd, const char **why);
int elf_file_open_image(struct elf_file *file, const void *image, size_t size,
			const char **why);
void elf_file_close(struct elf_file *file);

/* Reads these bytes; returns false if the file does not have all of them. */
bool elf_file_read(const struct elf_file *file, uint64_t offset, void *bytes,
		   size_t size);

/*
 * elf_file_section() copies the section of that name, elf_file_rest() all bytes
 * from an address to the end of its segment. The caller frees the copy. Both
 * return 1; 0 if nothing was found; or a negative errno.
 */
int elf_file_section(const struct elf_file *file, const char *name,
		     struct elf_part *part);
int elf_file_rest(const struct elf_file *file, uint64_t address,
		  struct elf_part *part);

/* Returns the first segment of that type, or NULL. */
const Elf64_Phdr *elf_file_segment(const struct elf_file *file, uint32_t type);

/*
 * Converts an address of code to an offset in the file. Returns false if the
 * @size bytes of code are not in one executable segment.
 */
bool elf_file_offset(const struct elf_file *file, uint64_t address,
		     uint64_t size, uint64_t *offset);

#endif /* PFMON_UNWIND_ELF_FILE_H */
