// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * control_reader - print the commands that arrive through a FIFO
 *
 * usage: control_reader FIFO ACK
 *
 * Prints a line when the FIFOs are open. Then prints each command and its
 * argument on a line, until CONTROL_STOP, and finally the number of calls of
 * read().
 */
#include <poll.h>
#include <stdio.h>

#include "measure/control.h"

static bool print(enum control_command command, const char *argument,
		  void *unused)
{
	(void)unused;
	printf("%d %s\n", (int)command, argument ? argument : "-");
	return command != CONTROL_STOP;
}

int main(int argc, char **argv)
{
	struct control control;
	unsigned int reads = 0;

	if (argc != 3 || !control_open(&control, argv[1], argv[2]))
		return 1;
	setvbuf(stdout, NULL, _IOLBF, 0);
	puts("open");
	do {
		poll(&(struct pollfd){ control.fd, POLLIN, 0 }, 1, -1);
		control_read(&control);
		reads++;
	} while (control_serve(&control, print, NULL));
	printf("%u\n", reads);
	control_close(&control);
	return 0;
}
