// SPDX-License-Identifier: MIT OR GPL-2.0
/* permission.c - may this user measure? */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include <perfmon/perfmon.h>

#include "access.h"
#include "doctor/checks.h"
#include "util.h"

#define NODE_FOR_CONTAINER	"docker run --device " PFM_DEVICE " ..."
/* Of the device, MAJOR:MINOR. */
#define DEVICE_NUMBER		"/sys/class/misc/perfmon/dev"
#define MAKE_NODE							\
	"mknod -m 660 " PFM_DEVICE " c %s\n"				\
	ACCESS_MAKE_GROUP "\n"						\
	"chgrp perfmon " PFM_DEVICE

/* The group that is asked for, if one is. */
static const struct access_group *group_of(const struct machine *machine,
					   enum access_cause cause)
{
	const struct access_facts *facts = &machine->access;

	if (cause == ACCESS_GROUP)
		return &facts->threads;
	if (cause == ACCESS_NODE && (facts->node_mode & 0060) == 0060 &&
	    facts->node.gid && !facts->node.member)
		return &facts->node;
	return NULL;
}

static char *group_remedy(const struct machine *machine,
			  const struct access_group *group)
{
	char *join = as_root(machine, "usermod -aG %s $(id -un)",
			     group->name);
	char *remedy = checked_printf("%s%ssu - $USER   # or log in again",
				      group->later ? "" : join,
				      group->later ? "" : "\n");

	free(join);
	return remedy;
}

/* What root does may need a shell of root's. */
static char *command_remedy(const struct machine *machine, const char *command)
{
	if (!command)
		return NULL;
	if (machine->access.uid && strpbrk(command, "<>&|"))
		return as_root(machine, "sh -c '%s'", command);
	return as_root(machine, "%s", command);
}

static char *remedy_of(const struct machine *machine,
		       const struct access_refusal *refusal)
{
	const struct access_group *group = group_of(machine, refusal->cause);

	return group ? group_remedy(machine, group) :
		       command_remedy(machine, refusal->command);
}

/*
 * The kernel makes it when perfmon is loaded, and udev gives it its group. To
 * load perfmon again would take nobody who measures.
 */
static char *node_remedy(const struct machine *machine)
{
	char *number = machine_line(machine, DEVICE_NUMBER);
	char *colon = number ? strchr(number, ':') : NULL;
	char *remedy = NULL;

	if (colon) {
		*colon = ' ';
		remedy = as_root(machine, MAKE_NODE, number);
	}
	free(number);
	return remedy;
}

static void check_node(const struct machine *machine, struct finding *finding)
{
	if (machine->is_container)
		finding_problem(finding, checked_printf(NODE_FOR_CONTAINER),
				PFM_DEVICE " is not there: the container has to be given it");
	else
		finding_problem(finding, node_remedy(machine),
				PFM_DEVICE " is not there, though perfmon is loaded");
}

/* One's own threads at user level: what everybody begins with. */
void check_access(const struct machine *machine, struct finding *finding)
{
	const struct access_wish wish = { .system_wide = false };
	struct access_refusal refusal;

	access_judge(&machine->access, &wish, &refusal);
	if (refusal.cause == ACCESS_GRANTED)
		finding_ok(finding,
			   "you may measure your own threads at user level");
	else if (refusal.cause == ACCESS_NO_NODE)
		check_node(machine, finding);
	else
		finding_problem(finding, remedy_of(machine, &refusal), "%s",
				refusal.reason);
	access_free(&refusal);
}
