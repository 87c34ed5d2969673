/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * cpus.h - taking the second CPU away and giving it back
 */
#ifndef GUEST_CPUS_H
#define GUEST_CPUS_H

#include <stdbool.h>

/* The test is skipped where CPU 1 cannot go; it is online on return. */
void need_second_cpu(void);
/* Take CPU 1 offline, or bring it online; nothing if that is what it is. */
void set_second_cpu(bool online);

#endif /* GUEST_CPUS_H */
