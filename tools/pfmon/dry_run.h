/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* dry_run.h - --dry-run */
#ifndef PFMON_DRY_RUN_H
#define PFMON_DRY_RUN_H

#include <stdbool.h>

#include "options.h"

/*
 * Prints what the kernel would be told: contexts, format, event sets, and all
 * registers. Nothing is run or attached. False with a message.
 */
bool dry_run(const struct options *options);

#endif /* PFMON_DRY_RUN_H */
