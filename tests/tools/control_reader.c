// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * control_reader - print the commands that come through a FIFO, for the tests
 *
 * usage: control_reader FIFO ACK
 *
 * Writes a line when the FIFOs are open, then a line for each command, with its
 * argument, until CONTROL_STOP, and the number of reads at the end.
 */
#include <poll.h>
#include <stdio.h>

#include "measure/control.h"

int main(int argc, char **argv)
{
	enum control_command command = CONTROL_NONE;
	struct control control;
	unsigned int reads = 0;
	const char *argument;

	if (argc != 3 || !control_open(&control, argv[1], argv[2]))
		return 1;
	setvbuf(stdout, NULL, _IOLBF, 0);
	puts("open");
	while (command != CONTROL_STOP) {
		poll(&(struct pollfd){ control.fd, POLLIN, 0 }, 1, -1);
		control_read(&control);
		reads++;
		while ((command = control_next(&control, &argument))) {
			printf("%d %s\n", (int)command,
			       argument ? argument : "-");
			control_acknowledge(&control);
			if (command == CONTROL_STOP)
				break;
		}
	}
	printf("%u\n", reads);
	control_close(&control);
	return 0;
}
