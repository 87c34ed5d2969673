/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* ratios.h - ratios of counts to other counts and to times */
#ifndef PFMON_COUNTS_RATIOS_H
#define PFMON_COUNTS_RATIOS_H

#include <stdbool.h>
#include <stdint.h>

#include "session/results.h"

struct ratio {
	double value;
	char unit[64];
};

#define PER_SECOND	"/sec"

/*
 * Finds the ratio to print for event @i of a row; @elapsed_ns is how long the
 * row was measured. Returns false if the event has no ratio, or if one of the
 * ratio's two events was not counted.
 */
bool ratio_find(const struct plan *plan, const struct result *row,
		uint64_t elapsed_ns, unsigned int i, struct ratio *ratio);

#endif /* PFMON_COUNTS_RATIOS_H */
