// SPDX-License-Identifier: MIT OR GPL-2.0
/* sysfs_describe.c - what sysfs tells of an event and its PMU */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "directory.h"
#include "sysfs_describe.h"
#include "sysfs_pmu.h"
#include "util.h"

/* A file of a PMU's directory, to be freed; or NULL. */
static char *line_in(const char *pmu, const char *file, const char *suffix)
{
	char *path = checked_printf("%s/%s%s", pmu, file, suffix);
	char *line = read_line_of(path);

	free(path);
	return line;
}

/* "  = what it is", if a file says it. */
static void print_line_in(const char *pmu, const char *file,
			  const char *suffix, const char *title, FILE *out)
{
	char *line = line_in(pmu, file, suffix);

	if (line)
		fprintf(out, "%-10s %s\n", title, line);
	free(line);
}

/* Terms are parameters, too: those have no such file. */
static void print_term(const char *pmu, char *term, FILE *out)
{
	char *file = checked_printf("events/%s", strsep(&term, "="));
	char *text = line_in(pmu, file, "");

	if (text) {
		fprintf(out, "Event:     %s stands for %s\n",
			file + strlen("events/"), text);
		print_line_in(pmu, file, ".unit", "Unit:", out);
		print_line_in(pmu, file, ".scale", "Scale:", out);
	}
	free(text);
	free(file);
}

static void print_terms(const char *pmu, const char *terms, FILE *out)
{
	char *copy = strndup(terms, strcspn(terms, "/")), *rest = copy, *term;

	while (rest && (term = strsep(&rest, ","))) {
		if (*term)
			print_term(pmu, term, out);
	}
	free(copy);
}

static void print_parameter(const char *pmu, const char *name, FILE *out)
{
	char *file = checked_printf("format/%s", name);
	char *text = line_in(pmu, file, "");
	unsigned int bits = text ? sysfs_parameter_bits(text) : 0;

	if (bits)
		fprintf(out, "\t%s  0 to %#llx, in %s\n", name,
			bits == 64 ? ~0ULL : (1ULL << bits) - 1, text);
	else if (text)
		fprintf(out, "\t%s  in %s, which a PMC value cannot express\n",
			name, text);
	free(text);
	free(file);
}

static void print_parameters(const char *pmu, FILE *out)
{
	char *path = checked_printf("%s/format", pmu);
	struct directory list = directory_read(path, directory_is_plain);

	fputs("Parameters (besides config, config1 and config2):\n", out);
	for (size_t i = 0; i < list.count; i++)
		print_parameter(pmu, list.names[i], out);
	if (!list.count)
		fputs("\tnone\n", out);
	directory_free(&list);
	free(path);
}

static void describe(const char *root, const char *name, FILE *out)
{
	int length = (int)strcspn(name, "/");
	char *devices = sysfs_pmu_devices(root);
	char *pmu = checked_printf("%s/%.*s", devices, length, name);

	fprintf(out, "PMU:       %.*s, of %s\n", length, name, pmu);
	print_terms(pmu, name + length + 1, out);
	print_parameters(pmu, out);
	free(pmu);
	free(devices);
}

void sysfs_event_describe(const char *root, const char *name, FILE *out)
{
	bool several;
	char *whole = strchr(name, '/') ? checked_strdup(name) :
		      sysfs_event_find(root, name, &several);

	if (whole)
		describe(root, whole, out);
	free(whole);
}
