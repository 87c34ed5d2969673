// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * event_encoder - print the PMC values of events
 *
 * usage: event_encoder ROOT [u][k]- NAME...
 *        event_encoder ROOT list PATTERN [json]
 *        event_encoder ROOT info NAME,... [json]
 *
 * ROOT is a directory with the kernel's files that define events; if it is
 * empty, this machine's files are used. The second argument contains the
 * privilege levels that pfmon's options select. Prints for each name the value
 * of its PMC, config1, config2, and the CPUs that count it: "-" for all, with a
 * leading "!" for events that cannot be counted per thread.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events/event_list.h"
#include "events/events.h"

int main(int argc, char **argv)
{
	unsigned int levels = 0;
	struct encoded_event e;

	if (argc < 4) {
		fprintf(stderr, "usage: %s ROOT [u][k]-|list|info NAME...\n",
			argv[0]);
		return 2;
	}
	if (!strcmp(argv[2], "list"))
		return events_list(argv[1], argv[3], argv[4]);
	if (!strcmp(argv[2], "info"))
		return events_explain(argv[1], argv[3], argv[4]);
	if (strchr(argv[2], 'u'))
		levels |= LEVEL_USER;
	if (strchr(argv[2], 'k'))
		levels |= LEVEL_KERNEL;
	for (int i = 3; i < argc; i++) {
		if (!event_encode(argv[1], argv[i], levels, &e))
			return 1;
		printf("%s %016" PRIx64 " %#" PRIx64 " %#" PRIx64 " %s%s\n",
		       argv[i], e.pmc, e.config[0], e.config[1],
		       e.per_thread ? "" : "!", e.cpus ? e.cpus : "-");
		free(e.cpus);
	}
	return 0;
}
