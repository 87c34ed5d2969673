// SPDX-License-Identifier: MIT OR GPL-2.0
/* finding.c - the result of a check of `pfmon doctor` */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "doctor/finding.h"

/* Formats a text; the caller frees it. */
static char *text_of(const char *format, va_list args)
{
	char *text;

	if (vasprintf(&text, format, args) < 0)
		return checked_strdup("out of memory");
	return text;
}

void finding_ok(struct finding *finding, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	finding->status = STATUS_OK;
	finding->text = text_of(format, args);
	va_end(args);
}

void finding_note(struct finding *finding, char *remedy,
		  const char *format, ...)
{
	va_list args;

	va_start(args, format);
	finding->status = STATUS_NOTE;
	finding->text = text_of(format, args);
	finding->remedy = remedy;
	va_end(args);
}

void finding_problem(struct finding *finding, char *remedy,
		     const char *format, ...)
{
	va_list args;

	va_start(args, format);
	finding->status = STATUS_PROBLEM;
	finding->text = text_of(format, args);
	finding->remedy = remedy;
	va_end(args);
}

void finding_free(struct finding *finding)
{
	free(finding->text);
	free(finding->remedy);
	memset(finding, 0, sizeof(*finding));
}

/* Puts a word before each line; frees lines. */
static char *prefixed(const char *word, char *lines)
{
	char *whole = checked_strdup(""), *line, *rest = lines;

	while ((line = strsep(&rest, "\n"))) {
		whole = checked_append(whole, "\n", word);
		whole = checked_append(whole, "", line);
	}
	free(lines);
	return whole;
}

char *as_root(const struct machine *machine, const char *format, ...)
{
	char *commands;
	va_list args;

	va_start(args, format);
	commands = text_of(format, args);
	va_end(args);
	return prefixed(machine->access.uid ? "sudo " : "", commands);
}
