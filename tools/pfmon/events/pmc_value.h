/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* pmc_value.h - describe a PMC value */
#ifndef PFMON_EVENTS_PMC_VALUE_H
#define PFMON_EVENTS_PMC_VALUE_H

#include <stdint.h>

/*
 * Describes the event's type and ID, the privilege levels and the precise
 * level. The caller frees the text.
 */
char *pmc_value_text(uint64_t value);

#endif /* PFMON_EVENTS_PMC_VALUE_H */
