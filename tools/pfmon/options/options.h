/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* options.h - parse the command line */
#ifndef PFMON_OPTIONS_OPTIONS_H
#define PFMON_OPTIONS_OPTIONS_H

#include <stdbool.h>

#include "base/settings.h"

/*
 * Fills in options from the command line; their pointers are valid until
 * options_free(). Returns false with a message on a usage error.
 */
bool options_parse(struct options *options, int argc, char **argv);
void options_free(struct options *options);

/* Prints the --help text (option_help.c). */
void options_help(void);

#endif /* PFMON_OPTIONS_OPTIONS_H */
