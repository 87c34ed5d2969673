// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * arg_maker - build a format's argument as pfmon does
 *
 * usage: arg_maker LAYOUT SIZE ASSIGNMENTS
 *
 * LAYOUT is the contents of the file arg_layout. ASSIGNMENTS is the argument of
 * --smpl-arg, or empty. Prints the format's argument in hexadecimal, and then
 * its fields. The exit status is 1 if an assignment is invalid.
 */
#include <stdio.h>
#include <stdlib.h>

#include "formats/arg_layout.h"

int main(int argc, char **argv)
{
	unsigned char arg[64] = { 0 };
	struct arg_layout layout;
	char *text;
	size_t size;

	if (argc != 4)
		return 2;
	size = strtoul(argv[2], NULL, 10);
	if (size > sizeof(arg))
		return 2;
	arg_layout_parse(&layout, argv[1], size);
	arg_layout_set_defaults(&layout, arg);
	if (*argv[3] && !arg_layout_set(&layout, "x", argv[3], arg))
		return 1;
	for (size_t i = 0; i < size; i++)
		printf("%02x", arg[i]);
	text = arg_layout_text(&layout, arg);
	printf("\n%s\n", text);
	free(text);
	arg_layout_free(&layout);
	return 0;
}
