/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* trial.h - trial measurements, in which pfmon measures itself */
#ifndef PFMON_DOCTOR_TRIAL_H
#define PFMON_DOCTOR_TRIAL_H

#include <stdbool.h>

struct trial {
	bool worked;
	char *reason;		/* pfmon's message on failure; to be freed */
};

/*
 * Sample page faults of the calling thread, or count its cycles. Both functions
 * time out if the kernel does not respond.
 */
void trial_sample(struct trial *trial);
void trial_count(struct trial *trial);

#endif /* PFMON_DOCTOR_TRIAL_H */
