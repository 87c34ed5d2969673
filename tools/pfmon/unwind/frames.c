// SPDX-License-Identifier: MIT OR GPL-2.0
/* frames.c - read entries (CIEs and FDEs) of .eh_frame or .debug_frame */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/dwarf.h"
#include "unwind/frames.h"
#include "unwind/growing.h"

/* Linkers merge equal CIEs, so a larger number means a damaged file. */
#define MOST_CIES	(1U << 18)

/* A CIE or FDE. */
struct entry {
	size_t position;	/* in the section */
	size_t cie;		/* of an FDE: its CIE's position */
	bool is_cie;
	struct cursor body;	/* after the id */
};

uint64_t frames_pointer(const struct elf_part *part, struct cursor *cursor,
			uint8_t encoding)
{
	uint64_t here = part->address + (uint64_t)(cursor->at - part->bytes);
	uint64_t value;

	switch (encoding & DW_EH_PE_format) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		value = cursor_number(cursor, 8);
		break;
	case DW_EH_PE_udata4:
		value = cursor_number(cursor, 4);
		break;
	case DW_EH_PE_sdata4:
		value = (uint64_t)cursor_signed(cursor, 4);
		break;
	case DW_EH_PE_udata2:
		value = cursor_number(cursor, 2);
		break;
	case DW_EH_PE_sdata2:
		value = (uint64_t)cursor_signed(cursor, 2);
		break;
	case DW_EH_PE_uleb128:
		value = cursor_uleb(cursor);
		break;
	case DW_EH_PE_sleb128:
		value = (uint64_t)cursor_sleb(cursor);
		break;
	default:
		return cursor_fail(cursor);
	}
	switch (encoding & ~DW_EH_PE_format) {
	case DW_EH_PE_absptr:
		return value;
	case DW_EH_PE_pcrel:
		return here + value;
	default:
		return cursor_fail(cursor);
	}
}

/* Skips the address of a personality routine; the encoding may be indirect. */
static void skip_pointer(const struct elf_part *part, struct cursor *cursor,
			 uint8_t encoding)
{
	if (encoding == DW_EH_PE_omit)
		return;
	if (encoding == DW_EH_PE_aligned) {
		cursor_skip(cursor, -(uint64_t)(cursor->at - part->bytes) % 8);
		encoding = DW_EH_PE_absptr;
	}
	frames_pointer(part, cursor, encoding & DW_EH_PE_format);
}

/* Reads the next entry; returns false at the end or if it is damaged. */
static bool next_entry(const struct frames *frames, struct cursor *cursor,
		       struct entry *entry)
{
	size_t position, id_position;
	unsigned int id_size = 4;
	uint64_t size, id;

	do {
		position = (size_t)(cursor->at - frames->part.bytes);
		if (cursor->at == cursor->end)
			return false;
		size = cursor_number(cursor, 4);
	} while (!size && !frames->zero_ends);
	if (!size)
		return false;
	if (size == UINT32_MAX) {
		size = cursor_number(cursor, 8);
		if (frames->is_debug)
			id_size = 8;
	}
	entry->position = position;
	entry->body = cursor_split(cursor, size);
	id_position = (size_t)(entry->body.at - frames->part.bytes);
	id = cursor_number(&entry->body, id_size);
	if (entry->body.failed)
		return false;
	if (frames->is_debug) {
		entry->is_cie = id == (id_size == 8 ? UINT64_MAX : UINT32_MAX);
		entry->cie = id;
	} else {
		entry->is_cie = !id;
		entry->cie = id_position - id;
	}
	return true;
}

/*
 * Reads the augmentation data, which the letters of the augmentation string
 * describe.
 */
static void read_augmentation(const struct elf_part *part, struct cie *cie,
			      const char *letters, struct cursor *data)
{
	for (; *letters; letters++) {
		switch (*letters) {
		case 'R':
			cie->encoding = cursor_u8(data);
			break;
		case 'P':
			skip_pointer(part, data, cursor_u8(data));
			break;
		case 'L':
			cursor_skip(data, 1);
			break;
		case 'S':
			cie->signal = true;
			break;
		case 'B':	/* arm64: return addresses signed with key B */
		case 'G':	/* arm64: tagged stack */
			break;
		default:
			cie->usable = false;
		}
	}
	if (data->failed)
		cie->usable = false;
}

static struct cie read_cie(const struct frames *frames,
			   const struct unwind_machine *machine,
			   const struct entry *entry)
{
	struct cie cie = { .position = entry->position,
			   .part = &frames->part, .usable = true };
	struct cursor body = entry->body, data;
	uint8_t version = cursor_u8(&body);
	const char *letters = cursor_text(&body);

	if (version != 1 && version != 3 && version != 4)
		cie.usable = false;
	if (version == 4 && (cursor_u8(&body) != 8 || cursor_u8(&body) != 0))
		cie.usable = false;
	cie.code_align = cursor_uleb(&body);
	cie.data_align = cursor_sleb(&body);
	cie.ra = version == 1 ? cursor_u8(&body) : cursor_uleb(&body);
	cie.sized = *letters == 'z';
	if (cie.sized) {
		data = cursor_split(&body, cursor_uleb(&body));
		read_augmentation(&frames->part, &cie, letters + 1, &data);
	} else if (*letters) {
		cie.usable = false;
	}
	cie.program = body;
	/* In glibc for arm64, some code keeps the return address in x15. */
	if (body.failed || cie.ra > machine->ra ||
	    (cie.ra != machine->ra && !machine->links))
		cie.usable = false;
	return cie;
}

static const struct cie *find_cie(const struct frames *frames, size_t position)
{
	size_t low = 0, high = frames->nr_cies;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (frames->cies[middle].position == position)
			return &frames->cies[middle];
		if (frames->cies[middle].position < position)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* Reads an FDE. Returns whether it describes code of the file. */
static bool read_fde(const struct frames *frames, const struct elf_file *file,
		     const struct entry *entry, struct fde *fde)
{
	const struct cie *cie = find_cie(frames, entry->cie);
	struct cursor body = entry->body;

	if (!cie || !cie->usable)
		return false;
	*fde = (struct fde){ .cie = cie };
	fde->address = frames_pointer(&frames->part, &body, cie->encoding);
	fde->size = frames_pointer(&frames->part, &body,
				   cie->encoding & DW_EH_PE_format);
	if (cie->sized)
		cursor_skip(&body, cursor_uleb(&body));
	fde->program = body;
	return !body.failed && fde->size &&
	       elf_file_offset(file, fde->address, fde->size, &fde->start);
}

static int read_cies(struct frames *frames,
		     const struct unwind_machine *machine)
{
	struct cursor cursor = cursor_of(frames->part.bytes, frames->part.size);
	struct entry entry;
	size_t room = 0;

	while (next_entry(frames, &cursor, &entry)) {
		if (!entry.is_cie)
			continue;
		if (frames->nr_cies == MOST_CIES)
			return -EFBIG;
		if (!GROWN(frames->cies, frames->nr_cies, room))
			return -ENOMEM;
		frames->cies[frames->nr_cies++] = read_cie(frames, machine,
							  &entry);
	}
	return 0;
}

static int compare_starts(const void *one, const void *other)
{
	const struct fde *a = one, *b = other;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->program.at > b->program.at) -
	       (a->program.at < b->program.at);
}

void frames_sort(struct frames *frames)
{
	if (frames->nr_fdes)
		qsort(frames->fdes, frames->nr_fdes, sizeof(*frames->fdes),
		      compare_starts);
}

int frames_init(struct frames *frames, const struct cie *cies, size_t nr_cies)
{
	*frames = (struct frames){ .nr_cies = nr_cies };
	frames->cies = calloc(nr_cies, sizeof(*cies));
	if (!frames->cies)
		return -ENOMEM;
	memcpy(frames->cies, cies, nr_cies * sizeof(*cies));
	return 0;
}

int frames_add(struct frames *frames, const struct elf_file *file, size_t *room,
	       uint64_t address, uint64_t size, const struct cie *cie,
	       struct cursor program)
{
	struct fde fde = { .address = address, .size = size, .cie = cie,
			   .program = program };

	if (!size || !elf_file_offset(file, address, size, &fde.start))
		return 0;
	if (!GROWN(frames->fdes, frames->nr_fdes, *room))
		return -ENOMEM;
	frames->fdes[frames->nr_fdes++] = fde;
	return 0;
}

static int read_fdes(struct frames *frames, const struct elf_file *file)
{
	struct cursor cursor = cursor_of(frames->part.bytes, frames->part.size);
	struct entry entry;
	size_t room = 0;

	while (next_entry(frames, &cursor, &entry)) {
		if (entry.is_cie)
			continue;
		if (!GROWN(frames->fdes, frames->nr_fdes, room))
			return -ENOMEM;
		if (read_fde(frames, file, &entry,
			     &frames->fdes[frames->nr_fdes]))
			frames->nr_fdes++;
	}
	frames_sort(frames);
	return 0;
}

static int read_entries(struct frames *frames, const struct elf_file *file)
{
	int error = read_cies(frames, file->machine);

	return error ?: read_fdes(frames, file);
}

/*
 * Finds .eh_frame without section headers: .eh_frame_hdr contains its address.
 * Returns what elf_file_section() returns.
 */
static int find_eh_frame(const struct elf_file *file, struct elf_part *part)
{
	const Elf64_Phdr *segment = elf_file_segment(file, PT_GNU_EH_FRAME);
	uint8_t header[2 + 2 + 8];	/* version, 3 encodings, address */
	struct elf_part place = { .bytes = header };
	struct cursor cursor = cursor_of(header, sizeof(header));
	uint64_t address;

	if (!segment || !elf_file_read(file, segment->p_offset, header,
				       sizeof(header)))
		return 0;
	place.address = segment->p_vaddr;
	cursor_skip(&cursor, 4);
	address = frames_pointer(&place, &cursor, header[1]);
	return cursor.failed ? 0 : elf_file_rest(file, address, part);
}

int frames_read_eh(struct frames *frames, const struct elf_file *file)
{
	int found;

	*frames = (struct frames){ .is_debug = false };
	found = elf_file_section(file, ".eh_frame", &frames->part);
	if (!found) {
		frames->zero_ends = true;
		found = find_eh_frame(file, &frames->part);
	}
	return found > 0 ? read_entries(frames, file) : found;
}

int frames_read_debug(struct frames *frames, const struct elf_file *file)
{
	int found;

	*frames = (struct frames){ .is_debug = true };
	found = elf_file_section(file, ".debug_frame", &frames->part);
	return found > 0 ? read_entries(frames, file) : found;
}

void frames_free(struct frames *frames)
{
	free(frames->part.bytes);
	free(frames->cies);
	free(frames->fdes);
}
