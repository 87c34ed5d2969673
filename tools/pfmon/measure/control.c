// SPDX-License-Identifier: MIT OR GPL-2.0
/* control.c - commands that a running measurement gets from --control */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/util.h"
#include "measure/control.h"

static const struct {
	const char *word;
	enum control_command command;
	bool argument;
} commands[] = {
	{ "enable",	CONTROL_ENABLE,		false },
	{ "set",	CONTROL_SET,		true },
	{ "snapshot",	CONTROL_SNAPSHOT,	false },
	{ "stop",	CONTROL_STOP,		false },
};

/*
 * Opens the FIFO for reading and writing, so that opening does not wait for the
 * other end, and reading never returns an end of file.
 */
static int open_fifo(const char *path)
{
	int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	struct stat status;

	if (fd < 0) {
		message("--control: cannot open '%s': %s", path,
			strerror(errno));
		return -1;
	}
	if (!fstat(fd, &status) && S_ISFIFO(status.st_mode))
		return fd;
	message("--control: '%s' is not a FIFO: create one with mkfifo", path);
	close(fd);
	return -1;
}

bool control_open(struct control *control, const char *fifo, const char *ack)
{
	*control = (struct control){ .fd = -1, .ack_fd = -1 };
	if (!fifo)
		return true;
	control->fd = open_fifo(fifo);
	if (control->fd >= 0 && ack)
		control->ack_fd = open_fifo(ack);
	if (control->fd >= 0 && (!ack || control->ack_fd >= 0))
		return true;
	control_close(control);
	return false;
}

void control_close(struct control *control)
{
	if (control->fd >= 0)
		close(control->fd);
	if (control->ack_fd >= 0)
		close(control->ack_fd);
}

/*
 * Moves the first line of control->text to control->line; returns false if
 * control->text has no complete line.
 */
static bool take_line(struct control *control)
{
	char *end = memchr(control->text, '\n', control->length);
	size_t length;

	if (!end && control->length == sizeof(control->text)) {
		control->too_long = true;
		control->length = 0;
	}
	if (!end)
		return false;
	length = (size_t)(end - control->text);
	memcpy(control->line, control->text, length);
	control->line[length] = '\0';
	control->length -= length + 1;
	memmove(control->text, end + 1, control->length);
	return true;
}

void control_read(struct control *control)
{
	ssize_t got = read(control->fd, control->text + control->length,
			   sizeof(control->text) - control->length);

	if (got > 0)
		control->length += (size_t)got;
}

static void acknowledge(const struct control *control)
{
	static const char ack[] = "ack\n";

	/*
	 * If the FIFO is full, its reader has stopped reading: ignore the
	 * error.
	 */
	if (control->ack_fd >= 0 &&
	    write(control->ack_fd, ack, sizeof(ack) - 1) < 0)
		return;
}

static enum control_command parse(struct control *control,
				  const char **argument)
{
	char *line = control->line, *word = strsep(&line, " ");

	*argument = line;
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		if (!strcmp(word, commands[i].word) &&
		    commands[i].argument == !!line)
			return commands[i].command;
	}
	message("--control: unknown command '%s%s%s': use enable, snapshot, stop, or set NAME=VALUE,...",
		word, line ? " " : "", line ? line : "");
	return CONTROL_NONE;
}

/*
 * Executes control->line. If the start of the line was dropped because the line
 * was too long, prints a message instead.
 */
static bool obey_line(struct control *control, control_obey *obey, void *data)
{
	enum control_command command = CONTROL_NONE;
	const char *argument;
	bool go_on;

	if (control->too_long)
		message("--control: ignored a line of more than %zu bytes",
			sizeof(control->text));
	else
		command = parse(control, &argument);
	control->too_long = false;
	go_on = command == CONTROL_NONE || obey(command, argument, data);
	acknowledge(control);
	return go_on;
}

bool control_serve(struct control *control, control_obey *obey, void *data)
{
	bool go_on = true;

	while (go_on && take_line(control))
		go_on = obey_line(control, obey, data);
	return go_on;
}
