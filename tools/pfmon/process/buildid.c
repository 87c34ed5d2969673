// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * buildid.c - identify an ELF file by its build IDs, size and modification time
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/util.h"
#include "process/buildid.h"

#define LARGEST_GO_BUILD_ID	256
#define NT_GO_BUILD_ID		4

static char *to_hex(const unsigned char *bytes, size_t length)
{
	char *text = checked_calloc(length + 1, 2);

	for (size_t i = 0; i < length; i++)
		sprintf(text + 2 * i, "%02x", bytes[i]);
	return text;
}

/* Returns the contents of a note, and their length; NULL if not found. */
static const unsigned char *find_note(Elf_Data *notes, const char *owner,
				      size_t owner_size, uint32_t type,
				      size_t *length)
{
	size_t offset = 0, next, name, content;
	GElf_Nhdr note;

	while ((next = gelf_getnote(notes, offset, &note, &name,
				    &content)) > 0) {
		if (note.n_type == type && note.n_namesz == owner_size &&
		    !memcmp((char *)notes->d_buf + name, owner, owner_size) &&
		    note.n_descsz > 0) {
			*length = note.n_descsz;
			return (unsigned char *)notes->d_buf + content;
		}
		offset = next;
	}
	return NULL;
}

static void take_notes(struct file_identity *identity, Elf_Data *notes)
{
	static const char go[4] = "Go";
	const unsigned char *found;
	size_t length;

	found = find_note(notes, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU),
			  NT_GNU_BUILD_ID, &length);
	if (found && !identity->build_id && length <= LARGEST_BUILD_ID)
		identity->build_id = to_hex(found, length);
	found = find_note(notes, go, sizeof(go), NT_GO_BUILD_ID, &length);
	if (found && !identity->go_build_id && length <= LARGEST_GO_BUILD_ID)
		identity->go_build_id = checked_printf("%.*s", (int)length,
						       (const char *)found);
}

static void read_elf(struct file_identity *identity, Elf *elf)
{
	size_t segments;
	Elf_Data *notes;
	GElf_Phdr phdr;

	if (elf_kind(elf) != ELF_K_ELF || elf_getphdrnum(elf, &segments))
		return;
	for (size_t i = 0; i < segments; i++) {
		if (!gelf_getphdr(elf, (int)i, &phdr) || phdr.p_type != PT_NOTE)
			continue;
		notes = elf_getdata_rawchunk(elf, (int64_t)phdr.p_offset,
					     phdr.p_filesz, phdr.p_align == 8 ?
					     ELF_T_NHDR8 : ELF_T_NHDR);
		if (notes)
			take_notes(identity, notes);
	}
}

int file_open(const char *path)
{
	struct stat info;

	/*
	 * Check before opening: opening a device can have side effects. A pipe
	 * must not be read.
	 */
	if (stat(path, &info) || !S_ISREG(info.st_mode))
		return -1;
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

void file_identify(struct file_identity *identity, int fd)
{
	struct stat info;
	Elf *elf;

	*identity = (struct file_identity){ .size = 0 };
	if (fstat(fd, &info))
		return;
	identity->size = (uint64_t)info.st_size;
	identity->mtime_ns = (uint64_t)info.st_mtim.tv_sec * 1000000000 +
			     (uint64_t)info.st_mtim.tv_nsec;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf) {
		read_elf(identity, elf);
		elf_end(elf);
	}
}

char *buildid_of_image(void *bytes, size_t size)
{
	struct file_identity identity = { .size = size };
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_memory(bytes, size);
	if (elf) {
		read_elf(&identity, elf);
		elf_end(elf);
	}
	free(identity.go_build_id);
	return identity.build_id;
}

void file_identity_free(struct file_identity *identity)
{
	free(identity->build_id);
	free(identity->go_build_id);
}

void file_identity_add(struct json_object *object,
		       const struct file_identity *identity)
{
	json_add_text(object, "build_id", identity->build_id);
	if (identity->build_id || !identity->size)
		return;
	json_add_u64(object, "size", identity->size);
	json_add_u64(object, "mtime_ns", identity->mtime_ns);
	if (identity->go_build_id)
		json_add_text(object, "go_build_id", identity->go_build_id);
}
