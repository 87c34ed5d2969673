// SPDX-License-Identifier: MIT OR GPL-2.0
/* option_help.c - the --help text */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/util.h"
#include "formats/table.h"
#include "options/option_table.h"
#include "options/options.h"

/* Width of the column with an option and its argument. */
#define NAME_WIDTH	29

static void print_plain(const char *text)
{
	bool bold = false;

	for (; *text; text++) {
		if (*text == '*')
			bold = !bold;
		else if (*text != '_' || bold)
			putchar(*text);
	}
}

static void print_formats(void)
{
	for (size_t i = 0; i < smpl_module_count; i++)
		printf("%*s  %-9s %s\n", NAME_WIDTH + 6, "",
		       smpl_modules[i]->name, smpl_modules[i]->summary);
}

static void print_option(const struct option_row *row)
{
	char *formats = smpl_formats_with(row->format_option);
	const char *argument = row->argument ? row->argument : "";
	char *name = checked_printf(row->optional ? "%s[=%s]" :
				    row->argument ? "%s=%s" : "%s%s",
				    row->name, argument);

	if (row->letter)
		printf("  -%c, ", row->letter);
	else
		fputs("      ", stdout);
	printf("--%-*s ", NAME_WIDTH - 2, name);
	if (row->group == GROUP_FORMAT)
		printf("%s format: ", formats);
	print_plain(row->summary);
	putchar('\n');
	if (row->names_format)
		print_formats();
	free(formats);
	free(name);
}

static void print_group(enum option_group group)
{
	const struct option_heading *heading = &option_headings[group];

	putchar('\n');
	if (heading->note)
		printf("%s (%s):\n", heading->title, heading->note);
	else if (heading->title)
		printf("%s:\n", heading->title);
	for (size_t i = 0; i < option_count; i++) {
		if (option_table[i].group == group)
			print_option(&option_table[i]);
	}
}

void options_help(void)
{
	puts("usage: pfmon [options] [--] COMMAND [ARGS]\n"
	     "       pfmon [options] --attach-task TID\n"
	     "       pfmon [options] --attach-process PID\n"
	     "       pfmon [options] --system-wide [--cpu-list LIST] [COMMAND [ARGS]]\n"
	     "       pfmon " TOP_WORD " [options] [COMMAND [ARGS]]\n"
	     "       pfmon " DOCTOR_WORD " [--json]\n"
	     "\n"
	     "Counts events; with sampling periods, records samples in a capture file.\n"
	     "pfmon " TOP_WORD " is a live view of the functions that are running.\n"
	     "pfmon " DOCTOR_WORD " finds what prevents measuring on this machine.");
	for (enum option_group group = 0; group < OPTION_GROUPS; group++)
		print_group(group);
}
