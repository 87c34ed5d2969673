/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* finding.h - the result of a check of `pfmon doctor` */
#ifndef PFMON_DOCTOR_FINDING_H
#define PFMON_DOCTOR_FINDING_H

#include <stdbool.h>

#include "doctor/machine.h"

enum status {
	STATUS_SKIPPED,		/* does not apply, or an earlier check failed */
	STATUS_OK,
	STATUS_NOTE,		/* does not prevent sampling */
	STATUS_PROBLEM,
};

struct finding {
	enum status status;
	char *text;		/* one line; NULL if skipped */
	char *remedy;		/* commands, one per line; or NULL */
	bool root_sees_more;
};

/*
 * These functions set the status and the text, and take ownership of @remedy.
 */
#define FINDING_FORMAT(at) \
	__attribute__((format(printf, at, at + 1)))
void finding_ok(struct finding *finding, const char *format, ...)
	FINDING_FORMAT(2);
void finding_note(struct finding *finding, char *remedy,
		  const char *format, ...) FINDING_FORMAT(3);
void finding_problem(struct finding *finding, char *remedy,
		     const char *format, ...) FINDING_FORMAT(3);
void finding_free(struct finding *finding);

/*
 * Returns commands, one per line, with sudo for users other than root; the
 * caller frees the text.
 */
char *as_root(const struct machine *machine, const char *format, ...)
	FINDING_FORMAT(2);

#endif /* PFMON_DOCTOR_FINDING_H */
