// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * unwind_fuzzer - compile the unwind tables of damaged copies of a file
 *
 * usage: unwind_fuzzer FILE COUNT SEED
 *
 * Prints for how many copies a table was compiled. The test builds this program
 * with sanitizers.
 */
#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/compile.h"

#define LARGEST_FILE	(4U << 20)

struct range {
	size_t start, size;
};

static uint64_t state;

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static size_t below(size_t limit)
{
	return next_random() % limit;
}

/*
 * Choose a range of bytes where damage matters: headers, or the unwind
 * information.
 */
static struct range some_range(const uint8_t *file, size_t size)
{
	const Elf64_Ehdr *header = (const void *)file;
	const Elf64_Shdr *sections = (const void *)(file + header->e_shoff);
	const char *names = (const char *)file +
			    sections[header->e_shstrndx].sh_offset;

	switch (below(8)) {
	case 0:
		return (struct range){ 0, sizeof(*header) };
	case 1:
		return (struct range){ header->e_phoff,
			header->e_phnum * sizeof(Elf64_Phdr) };
	case 2:
		return (struct range){ header->e_shoff,
			header->e_shnum * sizeof(Elf64_Shdr) };
	}
	for (int i = 0; i < header->e_shnum; i++) {
		const char *name = names + sections[i].sh_name;

		if (sections[i].sh_size && (!strcmp(name, ".eh_frame") ||
					    !strcmp(name, ".gopclntab")))
			return (struct range){ sections[i].sh_offset,
				sections[i].sh_size };
	}
	return (struct range){ 0, size };
}

static void damage(uint8_t *copy, const uint8_t *file, size_t size)
{
	static const uint8_t special[] = { 0, 1, 0x7f, 0x80, 0xff };
	unsigned int times = 1 + (unsigned int)below(16);

	while (times--) {
		struct range range = some_range(file, size);
		uint8_t *byte = copy + range.start + below(range.size);

		switch (below(3)) {
		case 0:
			*byte ^= (uint8_t)(1 << below(8));
			break;
		case 1:
			*byte = (uint8_t)next_random();
			break;
		default:
			*byte = special[below(sizeof(special))];
		}
	}
}

/*
 * Compile the table of a damaged copy. Each copy is allocated separately, so
 * that the sanitizer knows where it ends.
 */
static bool try_damaged(const uint8_t *file, size_t size)
{
	size_t used = below(8) ? size : 1 + below(size);
	struct pfm_unwind_head *table;
	uint8_t *copy = malloc(size);
	const char *why = NULL;

	if (!copy)
		exit(1);
	memcpy(copy, file, size);
	damage(copy, file, size);
	copy = realloc(copy, used);
	table = unwind_compile_image(copy, used, &why);
	if (!table && !why)
		abort();
	free(copy);
	free(table);
	return table;
}

int main(int argc, char **argv)
{
	static _Alignas(8) uint8_t file[LARGEST_FILE];
	unsigned long count, compiled = 0;
	size_t size;
	FILE *in;

	if (argc != 4)
		return 2;
	in = fopen(argv[1], "r");
	if (!in)
		return 1;
	size = fread(file, 1, sizeof(file), in);
	fclose(in);
	state = strtoul(argv[3], NULL, 0) | 1;
	for (count = strtoul(argv[2], NULL, 0); count; count--)
		compiled += try_damaged(file, size);
	printf("%lu\n", compiled);
	return 0;
}
