// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * jit_writer - write the JITM chunks that pfmon would write
 *
 * usage: jit_writer CAPTURE PID...
 *
 * Opens the processes' perf-PID.map files, prints "looked", and writes the
 * capture when standard input ends.
 */
#include <stdio.h>
#include <stdlib.h>

#include "capture/capture.h"
#include "capture/jit.h"

int main(int argc, char **argv)
{
	struct capture capture;
	struct jit *jit;
	int ret;

	if (argc < 2 || capture_open(&capture, argv[1]))
		return 2;
	jit = jit_create();
	for (int i = 2; i < argc; i++)
		jit_look_at(jit, atoi(argv[i]));
	puts("looked");
	fflush(stdout);
	while (getchar() != EOF)
		;
	ret = jit_write(jit, &capture);
	jit_destroy(jit);
	return capture_close(&capture) || ret ? 1 : 0;
}
