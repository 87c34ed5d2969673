/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * option_table.h - the table of pfmon's options
 *
 * options.c parses the command line with this table. --help (option_help.c),
 * the OPTIONS section of the manual page and the shell completion
 * (docs/option_docs.c) are generated from it.
 */
#ifndef PFMON_OPTIONS_OPTION_TABLE_H
#define PFMON_OPTIONS_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/settings.h"

enum option_group {
	GROUP_MEASURING,
	GROUP_COUNTING,
	GROUP_SAMPLING,
	GROUP_FORMAT,
	GROUP_PRINTING,
	GROUP_TOP,		/* valid only after `pfmon top` */
	GROUP_DOCTOR,		/* the only options of `pfmon doctor` */
	OPTION_GROUPS
};

struct option_effect {
	enum {
		EFFECT_FORMAT_OPTION,	/* only option_row.format_option */
		EFFECT_FLAG,		/* sets a bool of struct options */
		EFFECT_TEXT,		/* stores the argument in a field */
		EFFECT_ACTION,
		EFFECT_CALL,
	} kind;
	size_t field;			/* offset in struct options */
	enum action action;
	bool (*call)(struct options *options, const char *argument);
};

/*
 * In the texts, *this* is bold and _this_ is italic, if the output supports
 * that. Underscores in bold text are literal. The summary is a sentence that
 * begins with a small letter and has no full stop. The details are whole
 * sentences.
 */
struct option_row {
	const char *name;		/* without the dashes */
	char letter;			/* the short option, or 0 */
	enum option_group group;
	const char *argument;		/* what the argument is; or NULL */
	bool optional;			/* the argument is optional */
	bool names_file;		/* the argument is a file name */
	bool names_format;		/* the argument is a sampling format */
	const char *words;		/* argument completions, or NULL */
	struct option_effect effect;
	unsigned int format_option;	/* FORMAT_OPT_*; 0: all formats */
	const char *summary;
	const char *details;		/* or NULL */
};

/* An alternative name of an option. */
struct option_alias {
	const char *name;		/* without the dashes, or NULL */
	char letter;			/* or 0 */
	const char *option;		/* option_row.name */
};

struct option_heading {
	const char *title;		/* NULL for the first group */
	const char *note;		/* formatted like a summary; or NULL */
};

extern const struct option_row option_table[];
extern const size_t option_count;
/* As pfmon's first argument: diagnose the machine. */
#define DOCTOR_WORD	"doctor"
/* As pfmon's first argument: show a live view. */
#define TOP_WORD	"top"

extern const struct option_heading option_headings[OPTION_GROUPS];

extern const struct option_alias option_aliases[];
extern const size_t option_alias_count;
const struct option_row *option_of_alias(const struct option_alias *alias);

#endif /* PFMON_OPTIONS_OPTION_TABLE_H */
