// SPDX-License-Identifier: MIT OR GPL-2.0
/* none.c - machines without breakpoint support in pfmon */
#include <stddef.h>

#include "process/breakpoints/machine.h"

const struct breakpoint_machine breakpoint_machine = { .set = NULL };
