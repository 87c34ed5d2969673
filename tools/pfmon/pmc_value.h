/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* pmc_value.h - what the bits of a PMC value mean */
#ifndef PFMON_PMC_VALUE_H
#define PFMON_PMC_VALUE_H

#include <stdint.h>

/* In words, to be freed: kind and id of the event, levels, precise level. */
char *pmc_value_text(uint64_t value);

#endif /* PFMON_PMC_VALUE_H */
