/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* dry_run.h - the option --dry-run */
#ifndef PFMON_DRY_RUN_H
#define PFMON_DRY_RUN_H

#include <stdbool.h>

#include "base/settings.h"

/*
 * Prints what a measurement would configure: contexts, format, event sets and
 * all registers. Does not start or attach to anything. Returns false, with a
 * message, on failure.
 */
bool dry_run(const struct options *options);

#endif /* PFMON_DRY_RUN_H */
