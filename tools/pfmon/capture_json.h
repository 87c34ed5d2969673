/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* capture_json.h - the JSON chunks SESS, CTXT, TICK and DONE of a capture */
#ifndef PFMON_CAPTURE_JSON_H
#define PFMON_CAPTURE_JSON_H

#include "capture_counts.h"
#include "context.h"
#include "recording.h"

/* These return texts that the caller frees. */
char *session_json(const struct plan *plan,
		   struct context *const *contexts, unsigned int count);

/* Describes a context that was created after the session's start. */
char *context_json(const struct context *context);

char *totals_json(const struct plan *plan, const struct capture_counts *counts,
		  const struct totals *totals, int exit_status);

char *tick_json(const struct plan *plan, const struct totals *totals);

#endif /* PFMON_CAPTURE_JSON_H */
