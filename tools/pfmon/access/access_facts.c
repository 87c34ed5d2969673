// SPDX-License-Identifier: MIT OR GPL-2.0
/* access_facts.c - read what the kernel checks before it allows measuring */
#define _GNU_SOURCE
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perfmon/perfmon.h>

#include "access/access_facts.h"
#include "base/util.h"

#define KERNEL_LEVEL	"/proc/sys/kernel/perf_event_paranoid"
#define PTRACE_SCOPE	"/proc/sys/kernel/yama/ptrace_scope"
#define LOCKDOWN	"/sys/kernel/security/lockdown"

/* The paranoid level to assume if its file cannot be read: allow nothing. */
#define STRICTEST	3

/* Marks kernel threads in the flags of /proc/TID/stat. */
#define PF_KTHREAD	0x00200000U

static bool is_member(gid_t gid)
{
	int count = getgroups(0, NULL);
	gid_t *groups = checked_calloc(count > 0 ? (size_t)count : 0,
				       sizeof(*groups));
	bool found = getegid() == gid;

	count = getgroups(count, groups);
	for (int i = 0; i < count; i++)
		found = found || groups[i] == gid;
	free(groups);
	return found;
}

/*
 * Returns the name of a user. Reads /etc/passwd directly, because a static
 * program cannot use NSS. The next call overwrites the result.
 */
static const char *user_name(uid_t uid)
{
	FILE *file = fopen("/etc/passwd", "re");
	const struct passwd *entry = NULL;
	static char name[64];

	while (file && (entry = fgetpwent(file)) && entry->pw_uid != uid)
		;
	snprintf(name, sizeof(name), "%s", entry ? entry->pw_name : "");
	if (file)
		fclose(file);
	return name;
}

static bool names_member(const struct group *entry, const char *user)
{
	for (char **name = entry->gr_mem; *name; name++) {
		if (!strcmp(*name, user))
			return true;
	}
	return false;
}

static void look_up_group(struct access_group *group)
{
	FILE *file = fopen("/etc/group", "re");
	const struct group *entry = NULL;

	while (file && (entry = fgetgrent(file)) && entry->gr_gid != group->gid)
		;
	if (entry) {
		snprintf(group->name, sizeof(group->name), "%s",
			 entry->gr_name);
		group->later = !group->member &&
			       names_member(entry, user_name(getuid()));
	}
	if (file)
		fclose(file);
}

static void gather_group(struct access_group *group, gid_t gid)
{
	memset(group, 0, sizeof(*group));
	group->gid = gid;
	snprintf(group->name, sizeof(group->name), "%u", gid);
	group->member = gid == ACCESS_ANY_GROUP || is_member(gid);
	if (gid != ACCESS_ANY_GROUP)
		look_up_group(group);
}

static void gather_group_file(struct access_group *group, const char *path)
{
	char *text = read_line_of(path);
	uint64_t gid = ACCESS_ANY_GROUP;

	if (text && !parse_u64(text, &gid))
		gid = ACCESS_ANY_GROUP;
	gather_group(group, (gid_t)gid);
	free(text);
}

static void gather_node(struct access_facts *facts)
{
	struct stat st = { .st_gid = ACCESS_ANY_GROUP };

	facts->loaded = !access(PFM_SYSFS, F_OK);
	facts->node_exists = !stat(PFM_DEVICE, &st);
	facts->node_opens = !faccessat(AT_FDCWD, PFM_DEVICE, R_OK | W_OK,
				       AT_EACCESS);
	facts->node_mode = st.st_mode & 07777;
	gather_group(&facts->node, st.st_gid);
}

/* Reads a number from a file; returns @otherwise if that fails. */
static int number_in(const char *path, int otherwise)
{
	char *text = read_line_of(path);
	char *end = text;
	long number = text ? strtol(text, &end, 10) : 0;

	if (end != text)
		otherwise = (int)number;
	free(text);
	return otherwise;
}

static void gather_level(struct access_facts *facts)
{
	char *own = read_line_of(ACCESS_LEVEL_FILE);

	facts->kernel_level = number_in(KERNEL_LEVEL, STRICTEST);
	facts->own_level = own && strcmp(own, "kernel") != 0;
	facts->level = facts->kernel_level;
	if (facts->own_level)
		facts->level = (int)strtol(own, NULL, 10);
	free(own);
}

static uint64_t effective_caps(void)
{
	char *text = read_file("/proc/self/status", &(size_t){ 0 });
	const char *line = text ? strstr(text, "\nCapEff:\t") : NULL;
	uint64_t caps = line ? strtoull(line + strlen("\nCapEff:\t"), NULL,
					16) : 0;

	free(text);
	return caps;
}

static bool is_locked_down(void)
{
	char *text = read_line_of(LOCKDOWN);
	bool locked = text && strstr(text, "[confidentiality]");

	free(text);
	return locked;
}

/*
 * The thread's name in /proc/TID/stat may contain parentheses, so look for the
 * last ')', which ends the name.
 */
static bool is_kernel_thread(pid_t tid)
{
	char *path = checked_printf("/proc/%d/stat", tid);
	char *text = read_line_of(path);
	const char *end = text ? strrchr(text, ')') : NULL;
	unsigned int flags = 0;

	if (end)
		sscanf(end, ") %*c %*d %*d %*d %*d %*d %u", &flags);
	free(text);
	free(path);
	return flags & PF_KTHREAD;
}

static void gather_thread(struct access_facts *facts, pid_t tid)
{
	char *path = checked_printf("/proc/%d/status", tid);
	char *text = read_file(path, &(size_t){ 0 });
	const char *line = text ? strstr(text, "\nUid:\t") : NULL;

	facts->thread.exists = line;
	if (line)
		facts->thread.uid = (uid_t)strtoul(line + strlen("\nUid:\t"),
						   NULL, 10);
	snprintf(facts->thread.user, sizeof(facts->thread.user), "%s",
		 user_name(facts->thread.uid));
	facts->thread.kernel = is_kernel_thread(tid);
	free(text);
	free(path);
}

void access_gather(struct access_facts *facts, pid_t thread)
{
	memset(facts, 0, sizeof(*facts));
	gather_node(facts);
	gather_group_file(&facts->threads, ACCESS_THREADS_FILE);
	gather_group_file(&facts->cpus, ACCESS_CPUS_FILE);
	gather_level(facts);
	facts->locked_down = is_locked_down();
	facts->ptrace_scope = number_in(PTRACE_SCOPE, 0);
	facts->caps = effective_caps();
	facts->uid = getuid();
	snprintf(facts->user, sizeof(facts->user), "%s",
		 user_name(facts->uid));
	if (thread)
		gather_thread(facts, thread);
}
