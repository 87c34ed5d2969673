// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * access_judge - call access_judge() with given facts
 *
 * usage: access_judge [NAME=NUMBER...]
 *
 * Prints the cause, the reason, the advice and the command, each on its own
 * line. A "-" means that there is none.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access/access.h"
#include "base/util.h"

/*
 * By default, perf_event_paranoid has its default value, and the user is a
 * member of the group perfmon.
 */
static struct access_facts facts = {
	.node_exists = true,
	.node_opens = true,
	.node_mode = 0660,
	.node = { .gid = 110, .member = true, .name = "perfmon" },
	.threads = { .gid = ACCESS_ANY_GROUP, .member = true },
	.cpus = { .gid = ACCESS_ANY_GROUP, .member = true },
	.level = 2,
	.kernel_level = 2,
	.uid = 1000,
	.user = "alice",
	.thread = { .exists = true, .uid = 1000 },
};

static struct access_wish wish;

#define FACT(name)	{ #name, &facts.name, sizeof(facts.name) }
#define WISH(name)	{ "wish." #name, &wish.name, sizeof(wish.name) }

static const struct {
	const char *name;
	void *value;
	size_t size;
} fields[] = {
	FACT(loaded), FACT(node_exists), FACT(node_opens), FACT(node_mode),
	FACT(node.gid),
	FACT(node.member), FACT(node.later), FACT(threads.gid),
	FACT(threads.member), FACT(cpus.gid), FACT(cpus.member), FACT(level),
	FACT(kernel_level), FACT(own_level), FACT(locked_down),
	FACT(ptrace_scope), FACT(caps), FACT(thread.exists),
	FACT(thread.kernel), FACT(thread.uid),
	WISH(system_wide), WISH(kernel), WISH(registers), WISH(block),
	WISH(thread),
};

static void set(const char *name, size_t length, long long value)
{
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		if (strlen(fields[i].name) == length &&
		    !memcmp(fields[i].name, name, length)) {
			/* The tests run only on little-endian hosts. */
			memcpy(fields[i].value, &value, fields[i].size);
			return;
		}
	}
	fprintf(stderr, "access_judge: no field %s\n", name);
	exit(2);
}

static void print(const char *text)
{
	puts(text ? text : "-");
}

int main(int argc, char **argv)
{
	struct access_refusal refusal;

	for (int i = 1; i < argc; i++)
		set(argv[i], strcspn(argv[i], "="),
		    strtoll(strchr(argv[i], '=') + 1, NULL, 0));
	access_judge(&facts, &wish, &refusal);
	printf("%d\n", refusal.cause);
	print(refusal.reason);
	print(refusal.advice);
	print(refusal.command);
	access_free(&refusal);
	return 0;
}
