// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * session_printer - print a session's configuration
 *
 * usage: session_printer [pfmon's options] [COMMAND]
 *
 * Prints the text of the capture's SESS chunk.
 */
#include <stdio.h>
#include <stdlib.h>

#include "capture/capture_json.h"
#include "options/options.h"
#include "session/context.h"

int main(int argc, char **argv)
{
	struct options options;
	struct plan plan;
	char *text;

	if (!options_parse(&options, argc, argv))
		return 2;
	if (!plan_init(&plan, &options))
		return 1;
	text = session_json(&plan, NULL, 0);
	puts(text);
	free(text);
	plan_free(&plan);
	options_free(&options);
	return 0;
}
