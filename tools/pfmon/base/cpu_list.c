// SPDX-License-Identifier: MIT OR GPL-2.0
/* cpu_list.c - lists of CPUs */
#define _GNU_SOURCE
#include <ctype.h>
#include <sched.h>
#include <stdlib.h>

#include "base/cpu_list.h"
#include "base/util.h"

/*
 * Reads a number and advances *text past it. Returns false unless the number is
 * below CPU_SETSIZE.
 */
static bool parse_cpu(const char **text, unsigned long *cpu)
{
	char *end;

	if (!isdigit((unsigned char)**text))
		return false;
	*cpu = strtoul(*text, &end, 10);
	*text = end;
	return *cpu < CPU_SETSIZE;
}

static bool parse_range(const char **text, cpu_set_t *set)
{
	unsigned long first, last;

	if (!parse_cpu(text, &first))
		return false;
	last = first;
	if (**text == '-') {
		(*text)++;
		if (!parse_cpu(text, &last) || last < first)
			return false;
	}
	for (unsigned long cpu = first; cpu <= last; cpu++)
		CPU_SET(cpu, set);
	return true;
}

static bool parse_list(const char *text, cpu_set_t *set)
{
	CPU_ZERO(set);
	while (parse_range(&text, set)) {
		if (!*text)
			return true;
		if (*text++ != ',')
			return false;
	}
	return false;
}

bool cpus_parse(const char *text, int **cpus, unsigned int *count)
{
	cpu_set_t set;

	if (!parse_list(text, &set))
		return false;
	*cpus = checked_calloc((size_t)CPU_COUNT(&set), sizeof(int));
	*count = 0;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, &set))
			(*cpus)[(*count)++] = cpu;
	}
	return true;
}

bool cpus_have(const char *text, int cpu)
{
	cpu_set_t set;

	return parse_list(text, &set) && cpu >= 0 && cpu < CPU_SETSIZE &&
	       CPU_ISSET(cpu, &set);
}

bool cpus_overlap(const char *one, const char *other)
{
	cpu_set_t a, b;

	if (!parse_list(one, &a) || !parse_list(other, &b))
		return false;
	CPU_AND(&a, &a, &b);
	return CPU_COUNT(&a);
}

bool cpus_include(const char *whole, const char *part)
{
	cpu_set_t a, b;

	if (!parse_list(whole, &a) || !parse_list(part, &b))
		return false;
	CPU_AND(&a, &a, &b);
	return CPU_EQUAL(&a, &b);
}

char *cpus_text(const int *cpus, unsigned int count)
{
	char *text = checked_strdup("");

	for (unsigned int first = 0, end; first < count; first = end) {
		char *range;

		for (end = first + 1; end < count; end++) {
			if (cpus[end] != cpus[end - 1] + 1)
				break;
		}
		range = end - first == 1 ?
			checked_printf("%d", cpus[first]) :
			checked_printf("%d-%d", cpus[first], cpus[end - 1]);
		text = checked_append(text, ",", range);
		free(range);
	}
	return text;
}

static bool read_list(const char *path, int **cpus, unsigned int *count)
{
	char *text = read_line_of(path);
	bool ok = text && cpus_parse(text, cpus, count);

	free(text);
	return ok;
}

bool cpus_online(int **cpus, unsigned int *count)
{
	return read_list("/sys/devices/system/cpu/online", cpus, count);
}

bool cpus_possible(int **cpus, unsigned int *count)
{
	return read_list("/sys/devices/system/cpu/possible", cpus, count);
}
