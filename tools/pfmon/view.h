/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* view.h - the view of a capture that its user asked for */
#ifndef PFMON_VIEW_H
#define PFMON_VIEW_H

#include <stdbool.h>

#include "options.h"

struct json_object;

/*
 * The view as the capture's session has it; NULL if none was asked for. It is
 * shown by pfmparse.
 */
struct json_object *view_describe(const struct options *options);

/*
 * Finds the program that shows the view, before anything is measured: a path,
 * to be freed. False with a message if there is none; the path is NULL if no
 * view was asked for.
 */
bool view_find_program(const struct options *options, char **path);

/* The path of pfmparse, to be freed; NULL if there is none. */
char *view_program(void);

/* Shows the capture; false with a message if that failed. */
bool view_show(const char *program, const char *capture);

#endif /* PFMON_VIEW_H */
