// SPDX-License-Identifier: MIT OR GPL-2.0
/* saving.c - save the buffer of a context, and read its counts */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>

#include "base/util.h"
#include "session/evtset.h"
#include "session/fdinfo.h"
#include "session/frequency.h"
#include "session/registers.h"
#include "session/saving.h"

static bool save(struct context *context, enum smpl_moment moment)
{
	const struct smpl_format *format = &context->plan->format;
	const struct smpl_module *layout = context->layout;
	struct image *image = &context->image;

	if (!context->buffer)
		return false;
	image->count = 1;
	image->pieces[0] = (struct piece){ 0, context->buffer_size };
	if (layout)
		image->count = layout->choose(format, context->buffer,
					      context->buffer_size, moment,
					      image->pieces);
	image_copy(image, context->buffer);
	return image->count &&
	       (moment == SMPL_END || !layout || !layout->intact ||
		layout->intact(context->buffer, image));
}

/*
 * Without saved samples there is no restart, which could free samples that
 * arrive meanwhile. A restart that fails because the context is detached, or
 * its CPU offline, does not change the buffer.
 */
int context_save_and_restart(struct context *context, enum smpl_moment moment)
{
	bool saved;

	if (!frequency_look(context))
		return -1;
	saved = save(context, moment);
	if (context->buffer && !saved)
		return 0;
	context->restarted = true;
	if (!pfm_restart(context->fd)) {
		frequency_restarted(context);
		return saved;
	}
	if (context_is_gone(errno))
		return 0;
	message("cannot restart after a notification: %s", strerror(errno));
	return -1;
}

bool context_save_rest(struct context *context)
{
	return save(context, SMPL_END);
}

/* Adds the samples that the format has lost and skipped. */
static struct context_stats with_losses(const struct context *context,
					struct context_stats stats)
{
	const struct smpl_module *layout = context->layout;

	if (context->buffer && layout && layout->lost)
		stats.lost += layout->lost(&context->plan->format,
					   context->buffer);
	if (context->buffer && layout && layout->skipped)
		stats.skipped = layout->skipped(&context->plan->format,
						context->buffer,
						context->buffer_size);
	return stats;
}

/* Whether active times of sets are needed: one set's counts are not scaled. */
static bool times_matter(const struct options *options)
{
	return options->sampling || options->set_count > 1;
}

bool context_read_counts(struct context *context)
{
	context->stats = with_losses(context, fdinfo_read(context));
	return registers_read(context) &&
	       (!times_matter(context->plan->options) ||
		evtsets_read(context));
}

struct context_stats context_stats(const struct context *context)
{
	return with_losses(context, fdinfo_stats(context));
}
