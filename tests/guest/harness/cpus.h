/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * cpus.h - take the second CPU offline and back online
 */
#ifndef GUEST_CPUS_H
#define GUEST_CPUS_H

#include <stdbool.h>

/* Skip the test if CPU 1 cannot go offline. CPU 1 is online on return. */
void need_second_cpu(void);
/*
 * Take CPU 1 offline, or bring it online, unless it is already in that state.
 */
void set_second_cpu(bool online);

#endif /* GUEST_CPUS_H */
