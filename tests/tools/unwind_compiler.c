// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * unwind_compiler - compile unwind tables for the tests and the benchmark
 *
 * usage: unwind_compiler FILE|--vdso
 *
 * Writes the table of the file, or of this process's vDSO, to standard output.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "unwind/compile.h"

/* The vDSO ends with its section headers, which gives its size. */
static struct pfm_unwind_head *compile_vdso(const char **why)
{
	const Elf64_Ehdr *image = (void *)getauxval(AT_SYSINFO_EHDR);

	*why = "does not exist";
	if (!image)
		return NULL;
	return unwind_compile_image(image, image->e_shoff + image->e_shnum *
				    sizeof(Elf64_Shdr), why);
}

static struct pfm_unwind_head *compile_file(const char *path, const char **why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct pfm_unwind_head *table;

	if (fd < 0) {
		perror(path);
		exit(1);
	}
	table = unwind_compile(fd, why);
	close(fd);
	return table;
}

int main(int argc, char **argv)
{
	struct pfm_unwind_head *table;
	const char *why;

	if (argc != 2)
		return 2;
	if (strcmp(argv[1], "--vdso"))
		table = compile_file(argv[1], &why);
	else
		table = compile_vdso(&why);
	if (!table) {
		fprintf(stderr, "%s %s: %m\n", argv[1], why);
		return 1;
	}
	fwrite(table, table->size, 1, stdout);
	free(table);
	return fflush(stdout) ? 1 : 0;
}
