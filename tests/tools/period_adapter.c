// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * period_adapter - adapt sampling periods to simulated counts
 *
 * usage: period_adapter [pfmon's options] [COMMAND]
 *
 * Reads commands from standard input, in lines:
 *
 *	time SET NS		set the active time of an event set
 *	pmd SET NUM VALUE LAST	set a PMD's value and its last reset value
 *	load FILE		use the file as the buffer
 *	freed			simulate a restart that empties the buffer
 *	lost N			set the number of lost overflows
 *	family			let the command's children inherit the context
 *	look			call frequency_look()
 *
 * Prints "SET NUM PERIOD" for each changed period, then "looked".
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "options/options.h"
#include "session/context.h"
#include "session/fdinfo.h"
#include "session/frequency.h"
#include "session/lifetime.h"

#define SETS	2
#define PMDS	16

static struct pmd {
	uint64_t value;
	uint64_t last_reset;
} pmds[SETS][PMDS];
static uint64_t times[SETS];
static uint64_t lost;
static bool stopped;
/* Whether children inherit the context. Its period changes while it runs. */
static bool inherited;

/* The linker redirects calls of X() to __wrap_X(); __real_X() is X() itself. */
int __wrap_pfm_read_pmds(int fd, pfarg_pmd_t *args, int count);
int __wrap_pfm_write_pmds(int fd, pfarg_pmd_t *args, int count);
int __wrap_pfm_getinfo_evtsets(int fd, pfarg_setinfo_t *args, int count);
int __wrap_pfm_stop(int fd);
int __wrap_pfm_start(int fd, pfarg_start_t *arg);
struct context_stats __wrap_fdinfo_stats(const struct context *context);

struct context_stats __wrap_fdinfo_stats(const struct context *context)
{
	(void)context;
	return (struct context_stats){ .lost = lost };
}

int __wrap_pfm_read_pmds(int fd, pfarg_pmd_t *args, int count)
{
	(void)fd;
	for (int i = 0; i < count; i++) {
		const struct pmd *pmd =
			&pmds[args[i].reg_set][args[i].reg_num];

		args[i].reg_value = pmd->value;
		args[i].reg_last_reset_val = pmd->last_reset;
	}
	return 0;
}

int __wrap_pfm_write_pmds(int fd, pfarg_pmd_t *args, int count)
{
	(void)fd;
	for (int i = 0; i < count; i++) {
		struct pmd *pmd = &pmds[args[i].reg_set][args[i].reg_num];

		if (stopped == inherited ||
		    args[i].reg_long_reset != args[i].reg_value ||
		    args[i].reg_short_reset != args[i].reg_value)
			exit(3);
		pmd->value = args[i].reg_value;
		pmd->last_reset = args[i].reg_value;
		printf("%u %u %" PRIu64 "\n", args[i].reg_set, args[i].reg_num,
		       (uint64_t)-args[i].reg_value);
	}
	return 0;
}

int __wrap_pfm_getinfo_evtsets(int fd, pfarg_setinfo_t *args, int count)
{
	(void)fd;
	for (int i = 0; i < count; i++) {
		uint64_t ns = times[args[i].set_id];

		args[i].set_act_duration.tv_sec = (__s64)(ns / 1000000000);
		args[i].set_act_duration.tv_nsec = (__s64)(ns % 1000000000);
	}
	return 0;
}

int __wrap_pfm_stop(int fd)
{
	(void)fd;
	stopped = true;
	return 0;
}

int __wrap_pfm_start(int fd, pfarg_start_t *arg)
{
	(void)fd;
	(void)arg;
	stopped = false;
	return 0;
}

static void load_buffer(struct buffers *buffers, const char *path)
{
	free(buffers->list->bytes);
	buffers->list->bytes = read_file(path, &buffers->size);
	if (!buffers->list->bytes) {
		perror(path);
		exit(1);
	}
}

static void perform(struct context *context, char *line)
{
	unsigned int set, number;
	int64_t value, last;
	uint64_t ns;

	if (sscanf(line, "time %u %" SCNu64, &set, &ns) == 2) {
		times[set] = ns;
	} else if (sscanf(line, "pmd %u %u %" SCNd64 " %" SCNd64, &set, &number,
			  &value, &last) == 4) {
		pmds[set][number] = (struct pmd){ (uint64_t)value,
						  (uint64_t)last };
	} else if (!strncmp(line, "load ", strlen("load "))) {
		load_buffer(&context->buffers, line + strlen("load "));
	} else if (sscanf(line, "lost %" SCNu64, &lost) == 1) {
		return;
	} else if (!strcmp(line, "family")) {
		context->alone = NULL;
		inherited = true;
	} else if (!strcmp(line, "freed")) {
		buffers_restarted(&context->buffers, ANY_CPU);
	} else if (!strcmp(line, "look")) {
		if (!frequency_look(context) || stopped)
			exit(1);
		puts("looked");
	} else {
		exit(2);
	}
}

int main(int argc, char **argv)
{
	struct smpl_buffer buffer = { .cpu = ANY_CPU };
	struct context context = { .fd = -1, .cpu = NO_CPU, .started = true,
				   .alone = "test" };
	struct options options;
	struct plan plan;
	char *line = NULL;
	size_t room = 0;

	if (!options_parse(&options, argc, argv))
		return 2;
	if (!plan_init(&plan, &options))
		return 1;
	context.plan = &plan;
	context.buffers = (struct buffers){
		.format = &plan.format, .list = &buffer, .count = 1,
	};
	buffers_find_layout(&context.buffers);
	result_init(&context.result, &plan, NO_CPU);
	context.frequency = frequency_create(&context);
	while (getline(&line, &room, stdin) > 0) {
		line[strcspn(line, "\n")] = '\0';
		perform(&context, line);
	}
	free(line);
	free(buffer.bytes);
	context.buffers = (struct buffers){ .count = 0 };
	context_close(&context);
	plan_free(&plan);
	options_free(&options);
	return 0;
}
