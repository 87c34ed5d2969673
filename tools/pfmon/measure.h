/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* measure.h - the two ways to measure */
#ifndef PFMON_MEASURE_H
#define PFMON_MEASURE_H

#include "options.h"
#include "waiter.h"

/* Measures a command's first thread, or a running thread. Returns the exit status. */
int measure_thread(const struct options *options, struct waiter *waiter);

/* Measures CPUs, with a context and a thread for each. Returns the exit status. */
int measure_cpus(const struct options *options, struct waiter *waiter);

#endif /* PFMON_MEASURE_H */
