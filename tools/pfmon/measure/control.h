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
	char text[CONTROL_LINE];	/* lines read, but not executed yet */
	size_t length;
	bool too_long;			/* the start of the line was dropped */
	char line[CONTROL_LINE];	/* the last command */
};

/*
 * Opens the FIFOs; fifo is NULL without --control, and ack may be NULL. Returns
 * false, with a message, on failure.
 */
bool control_open(struct control *control, const char *fifo, const char *ack);
void control_close(struct control *control);

/*
 * Reads from the FIFO. Calls read() only once: if a sender never paused,
 * reading until the FIFO is empty would take forever.
 */
void control_read(struct control *control);

/* Executes a command. Returns false to stop executing further commands. */
typedef bool control_obey(enum control_command command, const char *argument,
			  void *data);

/*
 * Executes the commands that control_read() has read. If obey() returns false,
 * stops and returns false. Reports and ignores unknown commands. Acknowledges
 * each line, even an invalid one.
 */
bool control_serve(struct control *control, control_obey *obey, void *data);

#endif /* PFMON_MEASURE_CONTROL_H */
