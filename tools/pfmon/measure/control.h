/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* control.h - commands that a running measurement gets from --control */
#ifndef PFMON_MEASURE_CONTROL_H
#define PFMON_MEASURE_CONTROL_H

#include <stdbool.h>
#include <stddef.h>

#define CONTROL_LINE	4096

enum control_command {
	CONTROL_NONE,
	CONTROL_ENABLE,		/* start measuring, if it is delayed */
	CONTROL_SET,		/* change the format's argument */
	CONTROL_SNAPSHOT,
	CONTROL_STOP,		/* end the measurement, not the command */
};

struct control {
	int fd;				/* -1 without --control */
	int ack_fd;			/* or -1 */
	char text[CONTROL_LINE];	/* read, but not handled yet */
	size_t length;
	bool too_long;			/* the start of the line was dropped */
	char line[CONTROL_LINE];	/* the last command */
};

/*
 * Opens the FIFOs. If fifo is NULL there are no commands; ack may be NULL.
 * Returns false with a message on failure.
 */
bool control_open(struct control *control, const char *fifo, const char *ack);
void control_close(struct control *control);

/* Tells the sender that its line was handled, even if it was invalid. */
void control_acknowledge(const struct control *control);

/*
 * Reads once from the FIFO. It does not read until the FIFO is empty, because a
 * sender that never pauses would block pfmon.
 */
void control_read(struct control *control);

/*
 * Returns the next command that was read, or CONTROL_NONE. The argument is
 * valid until the next call. Unknown commands are reported and ignored.
 */
enum control_command control_next(struct control *control,
				  const char **argument);

#endif /* PFMON_MEASURE_CONTROL_H */
