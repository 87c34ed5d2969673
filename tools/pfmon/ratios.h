/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* ratios.h - what a count says beside another one, or a time */
#ifndef PFMON_RATIOS_H
#define PFMON_RATIOS_H

#include <stdbool.h>
#include <stdint.h>

#include "results.h"

struct ratio {
	double value;
	char unit[64];
};

#define PER_SECOND	"/sec"

/* Is it a clock, which counts ns? */
bool ratio_is_clock(const struct plan *plan, unsigned int i);

/*
 * Of event i, and what was measured with it in that time; false if there is
 * none, or what it is compared with was not counted.
 */
bool ratio_find(const struct plan *plan, const struct result *row,
		uint64_t elapsed_ns, unsigned int i, struct ratio *ratio);

#endif /* PFMON_RATIOS_H */
