/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* capture_json.h - the JSON chunks SESS and DONE of a capture */
#ifndef PFMON_CAPTURE_JSON_H
#define PFMON_CAPTURE_JSON_H

#include "context.h"
#include "recording.h"

#define NO_EXIT_STATUS	(-1)	/* no command was run */

/* The texts are to be freed. */
char *describe_session(const struct session *session,
		       struct context *const *contexts, unsigned int count);

char *describe_totals(const struct session *session,
		      struct context *const *contexts, unsigned int count,
		      const struct totals *totals, int exit_status);

/* Name of the kernel's PMU description, to be freed; NULL if there is none. */
char *pmu_name(void);

#endif /* PFMON_CAPTURE_JSON_H */
