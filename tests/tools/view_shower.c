// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * view_shower - show a capture as pfmon does
 *
 * usage: view_shower [pfmon's options] COMMAND
 *
 * --outfile names the capture. The exit status is 3 if the viewer, pfmparse, is
 * not found, 4 if the sampling format has no view, and 1 if the viewer failed.
 */
#include <stdlib.h>

#include "capture/view.h"
#include "options/options.h"

int main(int argc, char **argv)
{
	struct options options;
	char *program;
	int status = 4;

	if (!options_parse(&options, argc, argv))
		return 2;
	if (!view_find_program(&options, &program))
		return 3;
	if (program)
		status = !view_show(program, options.outfile);
	free(program);
	options_free(&options);
	return status;
}
