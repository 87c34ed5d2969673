// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * process_recorder - records what pfmon would of processes, for the tests
 *
 * usage: process_recorder [pfmon's options] PID...
 *
 * Reads the clocks before and after, which fails where perfmon is not loaded.
 */
#include <stdlib.h>

#include "context.h"
#include "recording.h"

static bool record(struct recording *recording, char **pids)
{
	struct moment moment = clocks_read(NO_CPU);
	bool ok = recording_clocks(recording, &moment);

	for (; *pids; pids++)
		ok = recording_process(recording, atoi(*pids)) && ok;
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
	ok = recording && record(recording, options.command);
	if (recording)
		ok = recording_close(recording) && ok;
	plan_free(&plan);
	options_free(&options);
	return ok ? 0 : 1;
}
