/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* finding.h - what a check of `pfmon doctor` has found */
#ifndef PFMON_DOCTOR_FINDING_H
#define PFMON_DOCTOR_FINDING_H

#include <stdbool.h>

#include "doctor/machine.h"

enum status {
	STATUS_SKIPPED,		/* an earlier problem, or of no interest */
	STATUS_OK,
	STATUS_NOTE,		/* samples can be recorded nevertheless */
	STATUS_PROBLEM,
};

struct finding {
	enum status status;
	char *text;		/* one line; NULL if skipped */
	char *remedy;		/* commands, a line each; or NULL */
	bool root_sees_more;
};

/* These take over the remedy, NULL if there is none. */
#define FINDING_FORMAT(at) \
	__attribute__((format(printf, at, at + 1)))
void finding_ok(struct finding *finding, const char *format, ...)
	FINDING_FORMAT(2);
void finding_note(struct finding *finding, char *remedy,
		  const char *format, ...) FINDING_FORMAT(3);
void finding_problem(struct finding *finding, char *remedy,
		     const char *format, ...) FINDING_FORMAT(3);
void finding_free(struct finding *finding);

/* Commands that only root may give, a line each, to be freed. */
char *as_root(const struct machine *machine, const char *format, ...)
	FINDING_FORMAT(2);

#endif /* PFMON_DOCTOR_FINDING_H */
