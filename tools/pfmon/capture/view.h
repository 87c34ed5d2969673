/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* view.h - show a capture in the view that --smpl-...-view selects */
#ifndef PFMON_CAPTURE_VIEW_H
#define PFMON_CAPTURE_VIEW_H

#include <stdbool.h>

#include "base/settings.h"

struct json_object;

/*
 * Describes the view for the SESS chunk of the capture, where pfmparse reads
 * it. Returns NULL if the format has no view.
 */
struct json_object *view_describe(const struct options *options);

/*
 * Before the measurement, finds the program that will show the view. *path is
 * to be freed, or NULL if the format has no view. Returns false, with a
 * message, if the program is missing.
 */
bool view_find_program(const struct options *options, char **path);

/* Returns the path of pfmparse, to be freed; NULL if it is missing. */
char *view_program(void);

/* Shows the capture; returns false with a message on failure. */
bool view_show(const char *program, const char *capture);

#endif /* PFMON_CAPTURE_VIEW_H */
