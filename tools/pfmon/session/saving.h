/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* saving.h - save the buffer of a context, and read its counts */
#ifndef PFMON_SESSION_SAVING_H
#define PFMON_SESSION_SAVING_H

#include "session/context.h"

/*
 * Call context_handle_overflow() after a PFM_MSG_OVFL, and
 * context_save_and_restart() after an exec or after context_pause(). Before a
 * restart, both copy at least the samples that the restart frees. Both return 1
 * if an image must be recorded, 0 if not, and -1, with a message, on failure.
 * If the thread has ended, they return 0, because its buffer is saved later.
 */
int context_handle_overflow(struct context *context);
int context_save_and_restart(struct context *context, enum smpl_moment moment);

/*
 * Copies what is left in the buffers. Call it after context_unload(). Returns
 * false if there is nothing to record.
 */
bool context_save_rest(struct context *context);

/* Reads the result and the statistics into the context. */
bool context_read_counts(struct context *context);

/* Returns the current statistics. */
struct context_stats context_stats(const struct context *context);

#endif /* PFMON_SESSION_SAVING_H */
