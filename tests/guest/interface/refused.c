// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * refused.c - pfmon's messages to users without permission to measure
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "files.h"
#include "params.h"
#include "users.h"

#define COUNT	"pfmon -u -e page-faults "

/*
 * A pfmon command, the user who runs it, and a part of the message that it must
 * print. If the message is NULL, the command must succeed.
 */
struct request {
	void		(*be)(void);
	const char	*command;
	const char	*says;
};

static void be_member(void)
{
	become_member(USER, 0);
}

/*
 * Become a user with CAP_PERFMON in the ambient set, from which pfmon inherits
 * it.
 */
static void be_observer(void)
{
	become_member(USER, CAP(CAP_PERFMON));
	CHECK_OK(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_PERFMON, 0,
		       0));
}

static void be_outsider(void)
{
	become(USER, USER, 0);
}

/* Run a command and read its output. Return: whether the command succeeded. */
static bool run(const char *command, char *printed, int size)
{
	char quiet[256];
	FILE *out;

	snprintf(quiet, sizeof(quiet), "%s 2>&1 >/dev/null", command);
	out = popen(quiet, "r");
	CHECK(out);
	printed[fread(printed, 1, size - 1, out)] = '\0';
	return !pclose(out);
}

static void ask(void *request)
{
	const struct request *r = request;
	char printed[2048];
	bool done;

	r->be();
	done = run(r->command, printed, sizeof(printed));
	if (r->says ? !done && strstr(printed, r->says) : done)
		return;
	check_failed(__FILE__, __LINE__, "%s printed: %s", r->command, printed);
}

static void expect(void (*be)(void), const char *command, const char *says)
{
	struct request r = { be, command, says };

	reap(spawn(ask, &r));
}

static void ask_about_level_2(void *unused)
{
	expect(be_member, COUNT "true", NULL);
	expect(be_outsider, COUNT "true",
	       "/dev/perfmon is restricted to the group perfmon, and you are not in it");
	expect(be_member, "pfmon -uk -e page-faults true",
	       "perfmon.paranoid is 2: measuring in the kernel requires CAP_PERFMON");
	expect(be_member, COUNT "--system-wide true",
	       "is 2: measuring CPUs requires CAP_PERFMON");
	expect(be_member, COUNT "--attach-task=1",
	       "thread 1 belongs to another user, root (0)");
	expect(be_member, COUNT "--attach-task=2",
	       "thread 2 is a kernel thread");
	expect(be_observer, "pfmon -uk -e page-faults --system-wide true",
	       NULL);
}

static void ask_about_level_3(void *unused)
{
	expect(be_member, COUNT "true",
	       "is 3: measuring requires CAP_SYS_ADMIN");
	expect(be_observer, COUNT "true",
	       "is 3: measuring requires CAP_SYS_ADMIN");
}

static void ask_at_levels(void *unused)
{
	with_paranoid("2", ask_about_level_2, NULL);
	with_paranoid("3", ask_about_level_3, NULL);
}

static void name_groups(const char *text)
{
	FILE *file = fopen("/etc/group", "w");

	CHECK(file);
	fputs(text, file);
	CHECK_OK(fclose(file));
}

static void ask_with_node(void *unused)
{
	with_node_for_group(ask_at_levels, NULL);
}

TEST(pfmon_refusal_names_the_reason)
{
	char old[512] = "";
	int status;

	if (exists("/etc/group"))
		read_text("/etc/group", old, sizeof(old));
	name_groups("perfmon:x:4711:\n");
	status = wait_for(spawn(ask_with_node, NULL));
	name_groups(old);
	CHECK_EQ(status, 0);
}

static void ask_outside_of_task_group(void *unused)
{
	expect(be_outsider, COUNT "true",
	       "(/sys/kernel/perfmon/task_group) is restricted to the group 4711");
}

static void ask_under_a_group(void *unused)
{
	with_setting("/sys/kernel/perfmon/task_group", "4711",
		     ask_outside_of_task_group, NULL);
}

TEST(pfmon_refusal_names_the_group)
{
	with_paranoid("2", ask_under_a_group, NULL);
}

static void sleep_on(void *unused)
{
	pause();
}

static void ask_to_block(void *unused)
{
	char command[128];
	pid_t pid = spawn(sleep_on, NULL);

	snprintf(command, sizeof(command), COUNT
		 "--long-smpl-periods=1000 --overflow-block --attach-task=%d",
		 pid);
	expect(be_observer, command, "CAP_SYS_PTRACE");
}

TEST(pfmon_blocking_refusal_names_cap_sys_ptrace)
{
	with_paranoid("2", ask_to_block, NULL);
}
