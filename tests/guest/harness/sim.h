/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * sim.h - drive the simulated PMU
 */
#ifndef GUEST_SIM_H
#define GUEST_SIM_H

#include "check.h"

/* The default instruction pointer; "ip ADDRESS" overrides it. */
#define SIM_IP	0x4321

/*
 * Simulate simultaneous events of this thread. The text can contain
 * "PMD=EVENTS", "irq", "ip ADDRESS" and fields of a debug store record.
 */
__printf(1, 2)
void sim_advance(const char *format, ...);

#endif /* GUEST_SIM_H */
