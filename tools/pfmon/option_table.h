/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * option_table.h - every option of pfmon, once
 *
 * The command line is parsed with this table (options.c), and --help
 * (option_help.c), the manual page's section and the completion of shells
 * (docs/option_docs.c) are made from it.
 */
#ifndef PFMON_OPTION_TABLE_H
#define PFMON_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "options.h"

enum option_group {
	GROUP_MEASURING,
	GROUP_COUNTING,
	GROUP_SAMPLING,
	GROUP_FORMAT,
	GROUP_PRINTING,
	GROUP_TOP,		/* taken after `pfmon top` only */
	GROUP_DOCTOR,		/* the only ones after `pfmon doctor` */
	OPTION_GROUPS
};

struct option_effect {
	enum {
		EFFECT_FORMAT_OPTION,	/* only option_row.format_option */
		EFFECT_FLAG,		/* sets a bool of struct options */
		EFFECT_TEXT,		/* keeps the argument there */
		EFFECT_ACTION,
		EFFECT_CALL,
	} kind;
	size_t field;			/* where in struct options */
	enum action action;
	bool (*call)(struct options *options, const char *argument);
};

/*
 * In the texts, *this* is bold, and _this_ italic, where there are such
 * letters. The summary is a sentence without capital and full stop; details are
 * sentences, each of which begins a line.
 */
struct option_row {
	const char *name;		/* without the dashes */
	char letter;			/* the short option, or 0 */
	enum option_group group;
	const char *argument;		/* what it is called, or NULL */
	bool optional;			/* the argument may be left out */
	bool names_file;		/* the argument is a file's name */
	bool names_format;		/* or a sampling format's */
	const char *words;		/* what it may be; or NULL */
	struct option_effect effect;
	unsigned int format_option;	/* FORMAT_OPT_*; 0: of all formats */
	const char *summary;
	const char *details;		/* or NULL */
};

/* Another name of an option, which means the same. */
struct option_alias {
	const char *name;		/* without the dashes, or NULL */
	char letter;			/* or 0 */
	const char *option;		/* the name of its row */
};

struct option_heading {
	const char *title;		/* NULL for the first group */
	const char *note;		/* as a summary, or NULL */
};

extern const struct option_row option_table[];
extern const size_t option_count;
/* The first word that asks what stands in the way; no measurement begins so. */
#define DOCTOR_WORD	"doctor"
/* The first word that has what is measured shown. */
#define TOP_WORD	"top"

extern const struct option_heading option_headings[OPTION_GROUPS];

extern const struct option_alias option_aliases[];
extern const size_t option_alias_count;
const struct option_row *option_of_alias(const struct option_alias *alias);

#endif /* PFMON_OPTION_TABLE_H */
