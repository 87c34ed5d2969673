// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * option_docs - generate documentation from the option table
 *
 * usage: option_docs man, option_docs bash, or option_docs formats DIRECTORY
 *
 * man: the OPTIONS section of the manual page; bash: the completion file;
 * formats: a Markdown table with links to pages in DIRECTORY. `make pfmon-docs`
 * writes all of them into the source tree.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "formats/table.h"
#include "options/option_table.h"

/*
 * Prints a text of the option table as roff. Prints dashes in bold text as
 * minus signs.
 */
static void print_roff(const char *text)
{
	bool bold = false, italic = false;

	for (; *text; text++) {
		if (*text == '*') {
			bold = !bold;
			fputs(bold ? "\\fB" : "\\fP", stdout);
		} else if (*text == '_' && !bold) {
			italic = !italic;
			fputs(italic ? "\\fI" : "\\fP", stdout);
		} else if (*text == '-' && bold) {
			fputs("\\-", stdout);
		} else {
			putchar(*text);
		}
	}
}

/*
 * Prints a summary or a note as a sentence, which begins with a capital letter.
 */
static void print_sentence(const char *summary)
{
	char *text = checked_strdup(summary);

	text[0] = (char)toupper((unsigned char)text[0]);
	print_roff(text);
	free(text);
}

static void print_bold(const char *dashes, const char *name)
{
	char *text = checked_printf("*%s%s*", dashes, name);

	print_roff(text);
	free(text);
}

static void print_names(const struct option_row *row)
{
	const char letter[] = { row->letter, '\0' };

	if (row->letter) {
		print_bold("-", letter);
		fputs(", ", stdout);
	}
	print_bold("--", row->name);
	if (row->argument)
		printf(row->optional ? "[\\fB=\\fP\\fI%s\\fP]" : "\\fB=\\fP\\fI%s\\fP",
		       row->argument);
	putchar('\n');
}

/* Prints which formats take an option, unless all formats do. */
static void print_formats(const struct option_row *row)
{
	char *formats = smpl_formats_with(row->format_option);

	if (row->group == GROUP_FORMAT)
		printf(" (%s \\fB%s\\fP)",
		       strchr(formats, ' ') ? "formats" : "format", formats);
	free(formats);
}

/* Prints the names that the original pfmon had for an option. */
static void print_aliases(const struct option_row *row)
{
	const char *before = "Also accepted, from the original pfmon: ";

	for (size_t i = 0; i < option_alias_count; i++) {
		const struct option_alias *alias = &option_aliases[i];
		const char letter[] = { alias->letter, '\0' };

		if (option_of_alias(alias) != row)
			continue;
		fputs(before, stdout);
		if (alias->letter)
			print_bold("-", letter);
		if (alias->letter && alias->name)
			fputs(", ", stdout);
		if (alias->name)
			print_bold("--", alias->name);
		before = ", ";
	}
	if (*before == ',')
		puts(".");
}

static void print_man_formats(void)
{
	for (size_t i = 0; i < smpl_module_count; i++)
		printf(".br\n\\fB%s\\fP: %s.\n", smpl_modules[i]->name,
		       smpl_modules[i]->summary);
}

static void print_man_option(const struct option_row *row)
{
	puts(".TP");
	print_names(row);
	print_sentence(row->summary);
	print_formats(row);
	puts(".");
	if (row->details)
		print_roff(row->details);
	if (row->names_format)
		print_man_formats();
	print_aliases(row);
}

static void print_man(void)
{
	puts(".SH OPTIONS");
	for (enum option_group group = 0; group < OPTION_GROUPS; group++) {
		const struct option_heading *heading = &option_headings[group];

		if (heading->title)
			printf(".SS %s\n", heading->title);
		if (heading->note) {
			print_sentence(heading->note);
			puts(".");
		}
		for (size_t i = 0; i < option_count; i++) {
			if (option_table[i].group == group)
				print_man_option(&option_table[i]);
		}
	}
}

/* Prints an option's letters and names as a pattern of the shell's case. */
static void print_pattern(const struct option_row *row)
{
	if (row->letter)
		printf("-%c | ", row->letter);
	printf("--%s", row->name);
	for (size_t i = 0; i < option_alias_count; i++) {
		const struct option_alias *alias = &option_aliases[i];

		if (option_of_alias(alias) != row)
			continue;
		if (alias->letter)
			printf(" | -%c", alias->letter);
		if (alias->name)
			printf(" | --%s", alias->name);
	}
}

static bool has_argument(const struct option_row *row)
{
	return row->argument && !row->optional;
}

/* Prints the options of pfmon doctor, or all other options. */
static void print_all_options(bool of_doctor)
{
	for (size_t i = 0; i < option_count; i++) {
		const struct option_row *row = &option_table[i];

		if ((row->group == GROUP_DOCTOR) != of_doctor)
			continue;
		if (row->letter)
			printf("\t-%c ", row->letter);
		else
			putchar('\t');
		printf("--%s%s\n", row->name, has_argument(row) ? "=" : "");
	}
}

static void print_options_with_argument(void)
{
	const char *separator = "\t\t";

	for (size_t i = 0; i < option_count; i++) {
		if (!has_argument(&option_table[i]))
			continue;
		fputs(separator, stdout);
		print_pattern(&option_table[i]);
		separator = " | \\\n\t\t";
	}
	puts(")");
}

static void print_arguments(void)
{
	char *formats = smpl_formats_names(" ");

	for (size_t i = 0; i < option_count; i++) {
		const struct option_row *row = &option_table[i];

		if (!row->names_file && !row->names_format && !row->words)
			continue;
		putchar('\t');
		print_pattern(row);
		if (row->names_file)
			puts(") _pfmon_files \"$2\" ;;");
		else
			printf(") _pfmon_words \"%s\" \"$2\" ;;\n",
			       row->names_format ? formats : row->words);
	}
	free(formats);
}

static void print_bash(void)
{
	puts("# SPDX-License-Identifier: MIT OR GPL-2.0\n"
	     "#\n"
	     "# Bash completion for pfmon; source this file. Generated from\n"
	     "# option_table.c by `make pfmon-docs`.\n"
	     "\n"
	     "_pfmon_options='");
	print_all_options(false);
	puts("'\n"
	     "_pfmon_doctor_options='\n"
	     "\t--help");
	print_all_options(true);
	puts("'\n"
	     "\n"
	     "# Complete the last element of a comma-separated list.\n"
	     "_pfmon_words()\n"
	     "{\n"
	     "\tlocal before=\n"
	     "\n"
	     "\t[[ $2 == *,* ]] && before=${2%,*},\n"
	     "\tmapfile -t COMPREPLY < <(compgen -P \"$before\" -W \"$1\" -- \"${2##*,}\")\n"
	     "}\n"
	     "\n"
	     "_pfmon_files()\n"
	     "{\n"
	     "\tcompopt -o filenames\n"
	     "\tmapfile -t COMPREPLY < <(compgen -f -- \"$1\")\n"
	     "}\n"
	     "\n"
	     "# Complete $2 to one of the options in $1.\n"
	     "_pfmon_option_names()\n"
	     "{\n"
	     "\tmapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$2\")\n"
	     "\t[[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace\n"
	     "}\n"
	     "\n"
	     "# Complete $2, the argument of option $1.\n"
	     "_pfmon_argument()\n"
	     "{\n"
	     "\tcase $1 in");
	print_arguments();
	puts("\tesac\n"
	     "}\n"
	     "\n"
	     "_pfmon()\n"
	     "{\n"
	     "\tlocal at=1 option= first=\n"
	     "\n"
	     "\tif ((COMP_CWORD > 1)) && [[ ${COMP_WORDS[1]} == " DOCTOR_WORD " ]]; then\n"
	     "\t\t_pfmon_option_names \"$_pfmon_doctor_options\" \"$2\"\n"
	     "\t\treturn\n"
	     "\tfi\n"
	     "\t((COMP_CWORD == 1)) && first=" DOCTOR_WORD "\n"
	     "\t# Bash makes \"=\" a separate word.\n"
	     "\twhile ((at < COMP_CWORD)); do\n"
	     "\t\toption=\n"
	     "\t\tcase ${COMP_WORDS[at]} in");
	print_options_with_argument();
	puts("\t\t\toption=${COMP_WORDS[at]}\n"
	     "\t\t\t[[ ${COMP_WORDS[at + 1]} == = ]] && ((at++))\n"
	     "\t\t\t((at += 2)) ;;\n"
	     "\t\t--)\n"
	     "\t\t\t((at++))\n"
	     "\t\t\tbreak ;;\n"
	     "\t\t-*) ((at++)) ;;\n"
	     "\t\t=) ((at += 2)) ;;\n"
	     "\t\t*) break ;;\n"
	     "\t\tesac\n"
	     "\tdone\n"
	     "\tif ((at > COMP_CWORD)); then\n"
	     "\t\t_pfmon_argument \"$option\" \"${2#=}\"\n"
	     "\telif ((at < COMP_CWORD)); then\n"
	     "\t\t_pfmon_files \"$2\"\n"
	     "\telif [[ $2 == -* ]]; then\n"
	     "\t\t_pfmon_option_names \"$_pfmon_options\" \"$2\"\n"
	     "\telse\n"
	     "\t\tmapfile -t COMPREPLY < <(compgen -W \"$first\" -c -- \"$2\")\n"
	     "\tfi\n"
	     "}\n"
	     "\n"
	     "complete -F _pfmon pfmon");
}

/*
 * Prints a table of the formats, without those that are views of another
 * format. Each format has a page in @directory.
 */
static void print_formats_table(const char *directory)
{
	puts("| format | a sample is | UUID |\n"
	     "|---|---|---|");
	for (size_t i = 0; i < smpl_module_count; i++) {
		const struct smpl_module *module = smpl_modules[i];

		if (!module->view)
			printf("| [%s](%s%s.md) | %s | `%s` |\n", module->name,
			       directory, module->name, module->summary,
			       module->uuid);
	}
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "formats"))
		print_formats_table(argv[2]);
	else if (argc == 2 && !strcmp(argv[1], "man"))
		print_man();
	else if (argc == 2 && !strcmp(argv[1], "bash"))
		print_bash();
	else
		return PFMON_EXIT_USAGE;
	return 0;
}
