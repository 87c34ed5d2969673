// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * cpu_lister - print the CPUs of a list
 *
 * usage: cpu_lister LIST
 *
 * Prints the sorted list, then one CPU per line. The exit status is 1 if LIST
 * is invalid.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/cpu_list.h"

int main(int argc, char **argv)
{
	unsigned int count;
	char *text;
	int *cpus;

	if (argc != 2)
		return 2;
	if (!cpus_parse(argv[1], &cpus, &count))
		return 1;
	text = cpus_text(cpus, count);
	puts(text);
	free(text);
	for (unsigned int i = 0; i < count; i++)
		printf("%d\n", cpus[i]);
	free(cpus);
	return 0;
}
