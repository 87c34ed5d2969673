// SPDX-License-Identifier: MIT OR GPL-2.0
/* permission.c - check that the user has permission to measure */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include <perfmon/perfmon.h>

#include "access/access.h"
#include "base/util.h"
#include "doctor/checks.h"

#define NODE_FOR_CONTAINER	"docker run --device " PFM_DEVICE " ..."
/* The device number, as MAJOR:MINOR. */
#define DEVICE_NUMBER		"/sys/class/misc/perfmon/dev"
#define MAKE_NODE							\
	"mknod -m 660 " PFM_DEVICE " c %s\n"				\
	ACCESS_MAKE_GROUP "\n"						\
	"chgrp perfmon " PFM_DEVICE

/* Returns the group that the user has to join, or NULL. */
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

/*
 * Returns a command that runs @command as root, or NULL. Uses a root shell if
 * needed, because sudo does not apply to redirections and &&.
 */
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
 * Returns commands that create the device node as the kernel and udev create it
 * when perfmon is loaded. Does not suggest reloading perfmon, because that
 * would fail while another session is running.
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
				PFM_DEVICE " does not exist: start the container with this device");
	else
		finding_problem(finding, node_remedy(machine),
				PFM_DEVICE " does not exist, although perfmon is loaded");
}

/* Checks the simplest measurement: the user's own threads in user space. */
void check_access(const struct machine *machine, struct finding *finding)
{
	const struct access_wish wish = { .system_wide = false };
	struct access_refusal refusal;

	access_judge(&machine->access, &wish, &refusal);
	if (refusal.cause == ACCESS_GRANTED)
		finding_ok(finding,
			   "you may measure your own threads in user space");
	else if (refusal.cause == ACCESS_NO_NODE)
		check_node(machine, finding);
	else
		finding_problem(finding, remedy_of(machine, &refusal), "%s",
				refusal.reason);
	access_free(&refusal);
}
