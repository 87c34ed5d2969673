// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * buffer_saver - save sampling buffers that the tests have generated
 *
 * usage: buffer_saver [pfmon's options] [COMMAND]
 *
 * Reads commands from standard input, and answers each except "family" with a
 * line:
 *
 *	load FILE	use the file as the buffer; print its size
 *	notified	handle a notification; print the result and the number
 *			of restarts so far
 *	detached	as "notified", but the thread has ended
 *	exec		as "notified", but handle an exec
 *	family		give a copy of the buffer to each of CPUs 0 and 1
 *	overflow	handle a notification from CPU 0 of a family
 *	stopped		as "overflow", but while monitoring is stopped
 *	rest		end the measurement; print the result
 *	intact FILE	print whether the saved image is intact if the buffer
 *			now has the contents of FILE
 *	totals		print the numbers of saved and of lost samples
 *	set FIELDS	change fields of the format's argument as --control
 *			does; print whether the argument has these fields
 *	skipped		print how many samples the format has skipped, and how
 *			many states of threads it has evicted
 *
 * Saved buffers are written to the capture.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/util.h"
#include "capture/recording.h"
#include "capture/recording_totals.h"
#include "formats/described.h"
#include "options/options.h"
#include "session/context.h"
#include "session/lifetime.h"
#include "session/saving.h"

static int restart_error;
static int restarts;

/* The linker replaces pfm_restart() with __wrap_pfm_restart(). */
int __wrap_pfm_restart(int fd);

int __wrap_pfm_restart(int fd)
{
	(void)fd;
	errno = restart_error;
	if (restart_error)
		return -1;
	restarts++;
	return 0;
}

static void *load(const char *path, size_t *size)
{
	void *content = read_file(path, size);

	if (!content) {
		perror(path);
		exit(1);
	}
	return content;
}

static void load_buffer(struct buffers *buffers, const char *path)
{
	free(buffers->list->bytes);
	buffers->list->bytes = load(path, &buffers->size);
	buffers_find_layout(buffers);
	printf("%zu\n", buffers->size);
}

static void record(struct recording *recording, struct context *context,
		   int saved)
{
	if (saved > 0 && !recording_buffer(recording, context))
		exit(1);
}

static void notify(struct recording *recording, struct context *context,
		   enum smpl_moment moment, int error)
{
	int saved;

	restart_error = error;
	saved = context_save_and_restart(context, moment);
	record(recording, context, saved);
	printf("%d %d\n", saved, restarts);
}

/* Make the family's CPUs use the loaded buffer and a copy of it. */
static void make_family(struct buffers *buffers)
{
	struct smpl_buffer *list = buffers->list;

	list[0].cpu = 0;
	list[1] = (struct smpl_buffer){
		.cpu = 1, .bytes = checked_calloc(1, buffers->size),
	};
	memcpy(list[1].bytes, list[0].bytes, buffers->size);
	buffers->count = 2;
}

static void overflow(struct recording *recording, struct context *context,
		     unsigned int pauses)
{
	int saved;

	context->notifier = 0;
	context->pauses = pauses;
	saved = context_handle_overflow(context);
	record(recording, context, saved);
	printf("%d %d\n", saved, restarts);
}

static void check_intact(const struct buffers *buffers, const char *path)
{
	size_t size;
	void *now = load(path, &size);

	printf("%d\n", buffers->layout->intact(now, &buffers->list->image));
	free(now);
}

static void change_argument(const struct plan *plan, const char *fields)
{
	unsigned char *arg = described_changed(&plan->format, fields);

	printf("%d\n", arg != NULL);
	free(arg);
}

static void perform(struct recording *recording, struct context *context,
		    char *line)
{
	char *argument = line;
	const char *command = strsep(&argument, " ");

	if (!strcmp(command, "load")) {
		load_buffer(&context->buffers, argument);
	} else if (!strcmp(command, "notified")) {
		notify(recording, context, SMPL_NOTIFIED, 0);
	} else if (!strcmp(command, "detached")) {
		notify(recording, context, SMPL_NOTIFIED, EBUSY);
	} else if (!strcmp(command, "exec")) {
		notify(recording, context, SMPL_EXEC, 0);
	} else if (!strcmp(command, "family")) {
		make_family(&context->buffers);
	} else if (!strcmp(command, "overflow")) {
		overflow(recording, context, 0);
	} else if (!strcmp(command, "stopped")) {
		overflow(recording, context, 1);
	} else if (!strcmp(command, "rest")) {
		int saved = context_save_rest(context);

		record(recording, context, saved);
		printf("%d\n", saved);
	} else if (!strcmp(command, "intact")) {
		check_intact(&context->buffers, argument);
	} else if (!strcmp(command, "totals")) {
		printf("%" PRIu64 " %" PRIu64 "\n",
		       recording_totals(recording).samples,
		       buffers_lost(&context->buffers));
	} else if (!strcmp(command, "set")) {
		change_argument(context->plan, argument);
	} else if (!strcmp(command, "skipped")) {
		printf("%" PRIu64 " %" PRIu64 "\n",
		       buffers_skipped(&context->buffers),
		       buffers_evicted(&context->buffers));
	} else {
		exit(2);
	}
}

int main(int argc, char **argv)
{
	struct recording *recording;
	struct smpl_buffer list[2] = { { .cpu = ANY_CPU } };
	struct context context = { .cpu = NO_CPU };
	struct plan plan;
	struct options options;
	char *line = NULL;
	size_t room = 0;

	if (!options_parse(&options, argc, argv))
		return 2;
	if (!plan_init(&plan, &options))
		return 1;
	recording = recording_open(&plan, getpid(), false);
	if (!recording)
		return 1;
	context.plan = &plan;
	context.fd = eventfd(0, EFD_NONBLOCK);
	context.buffers = (struct buffers){
		.format = &plan.format, .list = list, .count = 1,
	};
	while (getline(&line, &room, stdin) > 0) {
		line[strcspn(line, "\n")] = '\0';
		perform(recording, &context, line);
	}
	free(line);
	if (!recording_close(recording))
		return 1;
	for (unsigned int i = 0; i < context.buffers.count; i++) {
		free(list[i].bytes);
		free(list[i].image.bytes);
	}
	context.buffers = (struct buffers){ .count = 0 };
	context_close(&context);
	plan_free(&plan);
	options_free(&options);
	return 0;
}
