/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* capture_json.h - the JSON chunks SESS, TICK and DONE of a capture */
#ifndef PFMON_CAPTURE_JSON_H
#define PFMON_CAPTURE_JSON_H

#include "context.h"
#include "recording.h"

/* The texts are to be freed. */
char *session_json(const struct plan *plan,
		   struct context *const *contexts, unsigned int count);

char *totals_json(const struct plan *plan,
		  struct context *const *contexts, unsigned int count,
		  const struct totals *totals, int exit_status);

char *tick_json(const struct plan *plan, const struct totals *totals);

#endif /* PFMON_CAPTURE_JSON_H */
