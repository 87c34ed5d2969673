// SPDX-License-Identifier: MIT OR GPL-2.0
/* buildid.c - the GNU build-id of an ELF file */
#define _GNU_SOURCE
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/util.h"
#include "process/buildid.h"

#define LARGEST_BUILD_ID	64

static char *to_hex(const unsigned char *bytes, size_t length)
{
	char *text = checked_calloc(length + 1, 2);

	for (size_t i = 0; i < length; i++)
		sprintf(text + 2 * i, "%02x", bytes[i]);
	return text;
}

static char *find_in_notes(Elf_Data *notes)
{
	size_t offset = 0, next, name, content;
	GElf_Nhdr note;

	while ((next = gelf_getnote(notes, offset, &note, &name,
				    &content)) > 0) {
		if (note.n_type == NT_GNU_BUILD_ID &&
		    note.n_namesz == sizeof(ELF_NOTE_GNU) &&
		    !memcmp((char *)notes->d_buf + name, ELF_NOTE_GNU,
			    sizeof(ELF_NOTE_GNU)) &&
		    note.n_descsz > 0 && note.n_descsz <= LARGEST_BUILD_ID)
			return to_hex((unsigned char *)notes->d_buf + content,
				      note.n_descsz);
		offset = next;
	}
	return NULL;
}

static char *find_in_elf(Elf *elf)
{
	size_t segments;
	Elf_Data *notes;
	GElf_Phdr phdr;
	char *id;

	if (elf_kind(elf) != ELF_K_ELF || elf_getphdrnum(elf, &segments))
		return NULL;
	for (size_t i = 0; i < segments; i++) {
		if (!gelf_getphdr(elf, (int)i, &phdr) || phdr.p_type != PT_NOTE)
			continue;
		notes = elf_getdata_rawchunk(elf, (int64_t)phdr.p_offset,
					     phdr.p_filesz, phdr.p_align == 8 ?
					     ELF_T_NHDR8 : ELF_T_NHDR);
		id = notes ? find_in_notes(notes) : NULL;
		if (id)
			return id;
	}
	return NULL;
}

char *buildid_of(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat info;
	char *id = NULL;
	Elf *elf;

	if (fd < 0)
		return NULL;
	elf_version(EV_CURRENT);
	/*
	 * Pipes and devices can be opened without harm, but must not be read.
	 */
	if (!fstat(fd, &info) && S_ISREG(info.st_mode)) {
		elf = elf_begin(fd, ELF_C_READ, NULL);
		if (elf) {
			id = find_in_elf(elf);
			elf_end(elf);
		}
	}
	close(fd);
	return id;
}
