/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* pmc_value.h - describe a PMC value */
#ifndef PFMON_EVENTS_PMC_VALUE_H
#define PFMON_EVENTS_PMC_VALUE_H

#include <stdint.h>

/*
 * Describes type and ID of the event, privilege levels and precise level; the
 * caller frees the text.
 */
char *pmc_value_text(uint64_t value);

#endif /* PFMON_EVENTS_PMC_VALUE_H */
