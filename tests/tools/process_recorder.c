// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * process_recorder - record processes as pfmon does, for the tests
 *
 * usage: process_recorder [pfmon's options] PID...
 *
 * "divide" instead of a PID finishes the capture and begins the next one. Also
 * records the clocks before and after, which fails if perfmon is not loaded.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/recording.h"
#include "options/options.h"
#include "session/context.h"

static bool divide(struct recording *recording, const struct plan *plan)
{
	struct division division;
	bool ok = recording_divide(recording, plan, NULL, 0, &division);

	printf("%s\n", division.path ? division.path : "refused");
	free(division.path);
	return ok;
}

static bool record(struct recording *recording, const struct plan *plan,
		   char **pids)
{
	struct moment moment = clocks_read(NO_CPU);
	bool ok = recording_clocks(recording, &moment);

	for (; *pids; pids++) {
		if (!strcmp(*pids, "divide"))
			ok = divide(recording, plan) && ok;
		else
			ok = recording_process(recording, atoi(*pids)) && ok;
	}
	return recording_clocks(recording, &moment) && ok;
}

int main(int argc, char **argv)
{
	struct recording *recording;
	struct options options;
	struct plan plan;
	bool ok;

	if (!options_parse(&options, argc, argv))
		return 2;
	if (!plan_init(&plan, &options))
		return 1;
	recording = recording_open(&plan);
	ok = recording && record(recording, &plan, options.command);
	if (recording)
		ok = recording_close(recording) && ok;
	plan_free(&plan);
	options_free(&options);
	return ok ? 0 : 1;
}
