/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* trial.h - small measurements that pfmon makes of itself */
#ifndef PFMON_DOCTOR_TRIAL_H
#define PFMON_DOCTOR_TRIAL_H

#include <stdbool.h>

struct trial {
	bool worked;
	char *reason;		/* why not, as pfmon says it; to be freed */
};

/*
 * Sample a page fault of a thread of our own, or count its cycles. These end
 * after a while even if the kernel does not answer.
 */
void trial_sample(struct trial *trial);
void trial_count(struct trial *trial);

#endif /* PFMON_DOCTOR_TRIAL_H */
