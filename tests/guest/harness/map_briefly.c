// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * map_briefly - run code in mappings that exist only briefly
 *
 * usage: map_briefly [ROUNDS]
 *
 * Each round maps a part of this program's file again, as dlopen() maps a
 * library, runs a function in the new mapping and unmaps it.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE	4096UL
#define LOOPS	20000

/* This function can run at any address, and fits in two pages. */
static __attribute__((noinline)) void loop(void)
{
	for (volatile int i = 0; i < LOOPS; i++)
		;
}

/* Set *data to loop()'s offset within the program's file. */
static int find_loop(struct dl_phdr_info *info, size_t size, void *data)
{
	uintptr_t at = (uintptr_t)loop - info->dlpi_addr;
	size_t *offset = data;

	for (unsigned int i = 0; i < info->dlpi_phnum; i++) {
		ElfW(Phdr) part = info->dlpi_phdr[i];

		if (part.p_type == PT_LOAD && at - part.p_vaddr < part.p_filesz)
			*offset = at - part.p_vaddr + part.p_offset;
	}
	return 1;
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 1;
	int file = open("/proc/self/exe", O_RDONLY);
	size_t offset = 0;
	char *code;

	dl_iterate_phdr(find_loop, &offset);
	for (long i = 0; i < rounds; i++) {
		code = mmap(NULL, 2 * PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE,
			    file, (off_t)(offset & -PAGE));
		if (code == MAP_FAILED)
			return 1;
		((void (*)(void))(code + offset % PAGE))();
		munmap(code, 2 * PAGE);
	}
	return 0;
}
