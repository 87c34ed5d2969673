/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* top.h - what runs now, shown while it is measured */
#ifndef PFMON_TOP_H
#define PFMON_TOP_H

#include "options.h"
#include "waiter.h"

/*
 * Starts pfmparse, which shows what measure() records; measure() ends when
 * pfmparse does. Returns the exit status.
 */
int top_show(const struct options *options,
	     int (*measure)(const struct options *options,
			    struct viewer *viewer));

#endif /* PFMON_TOP_H */
