// SPDX-License-Identifier: MIT OR GPL-2.0
/* none.c - machines whose breakpoints pfmon does not know */
#include "breakpoints.h"

const struct breakpoint_machine breakpoint_machine = { .set = NULL };
