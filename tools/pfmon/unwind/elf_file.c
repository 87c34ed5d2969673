// SPDX-License-Identifier: MIT OR GPL-2.0
/* elf_file.c - sections and segments of an ELF file */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unwind/elf_file.h"

/*
 * A larger part means a damaged or hostile file; Chromium's .eh_frame has 10
 * MB.
 */
#define LARGEST_PART	(64U << 20)

/*
 * Limits the time, because all segments are searched for each function.
 * Programs have about 15 segments.
 */
#define MOST_SEGMENTS	256

bool elf_file_read(const struct elf_file *file, uint64_t offset, void *bytes,
		   size_t size)
{
	ssize_t got;

	if (offset > file->size || size > file->size - offset)
		return false;
	if (file->image) {
		memcpy(bytes, file->image + offset, size);
		return true;
	}
	while (size) {
		got = pread(file->fd, bytes, size, (off_t)offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		bytes = (char *)bytes + got;
		offset += (uint64_t)got;
		size -= (size_t)got;
	}
	return true;
}

/*
 * Reads bytes of the file into allocated memory; returns NULL with errno set on
 * failure.
 */
static void *read_part(const struct elf_file *file, uint64_t offset,
		       uint64_t size)
{
	void *bytes;

	if (size > LARGEST_PART) {
		errno = EFBIG;
		return NULL;
	}
	bytes = malloc(size ?: 1);
	if (!bytes)
		return NULL;
	if (!elf_file_read(file, offset, bytes, size)) {
		free(bytes);
		errno = EBADMSG;
		return NULL;
	}
	return bytes;
}

static const struct unwind_machine *find_machine(uint16_t elf_machine)
{
	size_t count = sizeof(UNWIND_MACHINES) / sizeof(UNWIND_MACHINES[0]);

	for (size_t i = 0; i < count; i++) {
		if (UNWIND_MACHINES[i].elf_machine == elf_machine)
			return &UNWIND_MACHINES[i];
	}
	return NULL;
}

static const char *check_header(struct elf_file *file, const Elf64_Ehdr *header)
{
	if (memcmp(header->e_ident, ELFMAG, SELFMAG))
		return "is not an ELF file";
	if (header->e_ident[EI_CLASS] != ELFCLASS64)
		return "is not a 64-bit ELF file";
	if (header->e_ident[EI_DATA] != ELFDATA2LSB)
		return "is big-endian";
	file->machine = find_machine(header->e_machine);
	if (!file->machine)
		return "is neither for x86_64 nor for arm64";
	if (header->e_type != ET_EXEC && header->e_type != ET_DYN)
		return "is neither a program nor a shared library";
	if (header->e_phentsize != sizeof(Elf64_Phdr) || !header->e_phnum)
		return "has no program headers";
	if (header->e_phnum > MOST_SEGMENTS)
		return "has too many program headers";
	return NULL;
}

/*
 * Reads the sections. Errors are ignored, because many files work without
 * section headers.
 */
static void read_sections(struct elf_file *file, const Elf64_Ehdr *header)
{
	const Elf64_Shdr *names;

	if (header->e_shentsize != sizeof(Elf64_Shdr) ||
	    header->e_shstrndx >= header->e_shnum)
		return;
	file->sections = read_part(file, header->e_shoff,
				   header->e_shnum * sizeof(Elf64_Shdr));
	if (!file->sections)
		return;
	names = &file->sections[header->e_shstrndx];
	file->section_names = read_part(file, names->sh_offset, names->sh_size);
	if (!file->section_names)
		return;
	file->names_size = names->sh_size;
	file->nr_sections = header->e_shnum;
}

/*
 * Returns the entry point @entry; 0 if it is the start of a section, because
 * that is how linkers set e_entry in files without an entry point.
 */
static uint64_t entry_of(const struct elf_file *file, uint64_t entry)
{
	for (size_t i = 0; i < file->nr_sections; i++) {
		if (file->sections[i].sh_addr == entry)
			return 0;
	}
	return entry;
}

static int read_headers(struct elf_file *file, const char **why)
{
	Elf64_Ehdr header;

	*why = "is not an ELF file";
	if (!elf_file_read(file, 0, &header, sizeof(header)))
		return -ENOEXEC;
	*why = check_header(file, &header);
	if (*why)
		return -ENOEXEC;
	file->segments = read_part(file, header.e_phoff,
				   header.e_phnum * sizeof(Elf64_Phdr));
	if (!file->segments) {
		*why = "has damaged program headers";
		return -errno;
	}
	file->nr_segments = header.e_phnum;
	read_sections(file, &header);
	file->entry = entry_of(file, header.e_entry);
	return 0;
}

int elf_file_open(struct elf_file *file, int fd, const char **why)
{
	struct stat info;

	*file = (struct elf_file){ .fd = fd };
	*why = "cannot be read";
	if (fstat(fd, &info))
		return -errno;
	*why = "is not a regular file";
	if (!S_ISREG(info.st_mode))
		return -EINVAL;
	file->size = (uint64_t)info.st_size;
	return read_headers(file, why);
}

int elf_file_open_image(struct elf_file *file, const void *image, size_t size,
			const char **why)
{
	*file = (struct elf_file){ .fd = -1, .image = image, .size = size };
	return read_headers(file, why);
}

void elf_file_close(struct elf_file *file)
{
	free(file->segments);
	free(file->sections);
	free(file->section_names);
}

static int copy_part(const struct elf_file *file, uint64_t offset,
		     uint64_t size, uint64_t address, struct elf_part *part)
{
	part->bytes = read_part(file, offset, size);
	if (!part->bytes)
		return -errno;
	part->size = size;
	part->address = address;
	return 1;
}

static bool is_named(const struct elf_file *file, const Elf64_Shdr *section,
		     const char *name)
{
	size_t size = strlen(name) + 1;

	return section->sh_name < file->names_size &&
	       file->names_size - section->sh_name >= size &&
	       !memcmp(file->section_names + section->sh_name, name, size);
}

int elf_file_section(const struct elf_file *file, const char *name,
		     struct elf_part *part)
{
	for (size_t i = 0; i < file->nr_sections; i++) {
		const Elf64_Shdr *section = &file->sections[i];

		if (section->sh_type != SHT_NOBITS && section->sh_size &&
		    !(section->sh_flags & SHF_COMPRESSED) &&
		    is_named(file, section, name))
			return copy_part(file, section->sh_offset,
					 section->sh_size, section->sh_addr,
					 part);
	}
	return 0;
}

const Elf64_Phdr *elf_file_segment(const struct elf_file *file, uint32_t type)
{
	for (size_t i = 0; i < file->nr_segments; i++) {
		if (file->segments[i].p_type == type)
			return &file->segments[i];
	}
	return NULL;
}

/*
 * Returns the loaded segment that contains an address, and the offset of the
 * address in the segment.
 */
static const Elf64_Phdr *find_loaded(const struct elf_file *file,
				     uint64_t address, uint32_t flags,
				     uint64_t *inside)
{
	for (size_t i = 0; i < file->nr_segments; i++) {
		const Elf64_Phdr *segment = &file->segments[i];

		*inside = address - segment->p_vaddr;
		if (segment->p_type == PT_LOAD &&
		    (segment->p_flags & flags) == flags &&
		    *inside < segment->p_filesz)
			return segment;
	}
	return NULL;
}

int elf_file_rest(const struct elf_file *file, uint64_t address,
		  struct elf_part *part)
{
	const Elf64_Phdr *segment;
	uint64_t inside;

	segment = find_loaded(file, address, 0, &inside);
	if (!segment)
		return 0;
	return copy_part(file, segment->p_offset + inside,
			 segment->p_filesz - inside, address, part);
}

bool elf_file_offset(const struct elf_file *file, uint64_t address,
		     uint64_t size, uint64_t *offset)
{
	const Elf64_Phdr *segment;
	uint64_t inside;

	segment = find_loaded(file, address, PF_X, &inside);
	if (!segment || size > segment->p_filesz - inside ||
	    segment->p_offset > file->size ||
	    segment->p_filesz > file->size - segment->p_offset)
		return false;
	*offset = segment->p_offset + inside;
	return true;
}
