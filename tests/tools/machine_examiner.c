// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * machine_examiner - run pfmon doctor on a simulated machine
 *
 * usage: machine_examiner ROOT [NAME=VALUE ...]
 *
 * ROOT is a directory with the machine's files. By default, the user may
 * measure and lock 8 MiB of memory, and trials succeed. A VALUE changes that:
 *   uid, caps, level, memlock, memlock_max	numbers
 *   node	"missing": /dev/perfmon does not exist; otherwise, only members
 *		of group 77 may open it
 *   group	only members of group 77 may measure
 *   sample, cycles	the reason why this trial measurement fails
 *   output	print text instead of JSON
 *
 * The user is not a member of group 77. If the VALUE of node or group is
 * "later", the user has joined the group after logging in.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "doctor/doctor.h"
#include "doctor/trial.h"

#define GROUP	77

static const char *sample_reason;
static const char *cycles_reason;
static bool json = true;

static void answer(struct trial *trial, const char *reason)
{
	trial->worked = !reason;
	trial->reason = checked_strdup(reason ? reason : "");
}

static void try_sample(struct trial *trial)
{
	answer(trial, sample_reason);
}

static void try_count(struct trial *trial)
{
	answer(trial, cycles_reason);
}

static void set_group(struct access_group *group, const char *value)
{
	group->gid = GROUP;
	group->member = false;
	group->later = !strcmp(value, "later");
	snprintf(group->name, sizeof(group->name), "perfmon");
}

static void set_node(struct access_facts *facts, const char *value)
{
	facts->node_opens = false;
	facts->node_exists = strcmp(value, "missing") != 0;
	facts->node_mode = 0660;
	set_group(&facts->node, value);
}

static bool set(struct machine *machine, const char *name, const char *value)
{
	struct access_facts *facts = &machine->access;
	uint64_t number = strtoull(value, NULL, 0);

	if (!strcmp(name, "uid"))
		facts->uid = (uid_t)number;
	else if (!strcmp(name, "caps"))
		facts->caps = number;
	else if (!strcmp(name, "level"))
		facts->level = (int)number;
	else if (!strcmp(name, "memlock"))
		machine->memlock = number;
	else if (!strcmp(name, "memlock_max"))
		machine->memlock_max = number;
	else if (!strcmp(name, "node"))
		set_node(facts, value);
	else if (!strcmp(name, "group"))
		set_group(&facts->threads, value);
	else if (!strcmp(name, "sample"))
		sample_reason = value;
	else if (!strcmp(name, "cycles"))
		cycles_reason = value;
	else if (!strcmp(name, "output"))
		json = false;
	else
		return false;
	return true;
}

static void make_healthy(struct machine *machine)
{
	static const struct access_group any = {
		.gid = ACCESS_ANY_GROUP, .member = true,
	};

	machine->access = (struct access_facts){
		.node_exists = true,
		.node_opens = true,
		.node_mode = 0666,
		.node = any,
		.threads = any,
		.cpus = any,
		.level = 2,
		.kernel_level = 2,
		.uid = 1000,
	};
	machine->memlock = 8ULL << 20;
	machine->memlock_max = 8ULL << 20;
	machine->try_sample = try_sample;
	machine->try_count = try_count;
}

int main(int argc, char **argv)
{
	struct machine machine;
	char *value;
	int status;

	if (argc < 2)
		return 2;
	machine_init(&machine, argv[1]);
	make_healthy(&machine);
	for (int i = 2; i < argc; i++) {
		value = strchrnul(argv[i], '=');
		if (*value)
			*value++ = '\0';
		if (!set(&machine, argv[i], value))
			return 2;
	}
	status = doctor_examine(&machine, json);
	machine_free(&machine);
	return status;
}
