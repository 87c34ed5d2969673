/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* top.h - pfmon top, a live view */
#ifndef PFMON_TOP_H
#define PFMON_TOP_H

#include "base/settings.h"
#include "measure/waiter.h"

/*
 * Starts pfmparse, which shows the samples that measure() records. measure()
 * ends when pfmparse ends. Returns the exit status.
 */
int top_show(const struct options *options,
	     int (*measure)(const struct options *options,
			    struct viewer *viewer));

#endif /* PFMON_TOP_H */
