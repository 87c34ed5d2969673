// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * unknown.c - the argument of a format that pfmon does not know
 *
 * The kernel says how many bytes it has and, if the format publishes it, which
 * fields are in it.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/arg_layout.h"
#include "formats/table.h"
#include "formats/unknown.h"
#include "util.h"

/* The kernel loads the module of a format that a context is asked for with. */
static bool is_there(const struct smpl_format *format)
{
	pfarg_ctx_t ctx = { .ctx_flags = 0 };
	int fd;

	if (smpl_format_registered(format))
		return true;
	memcpy(ctx.ctx_smpl_buf_id, format->uuid, sizeof(format->uuid));
	fd = pfm_create_context(&ctx, NULL, 0);
	if (fd >= 0)
		close(fd);
	return smpl_format_registered(format);
}

static bool set_by_name(struct smpl_format *format,
			const struct arg_layout *layout,
			const struct options *options)
{
	smpl_format_set_arg(format, NULL, format->arg_size);
	arg_layout_set_defaults(layout, format->arg);
	if (options->format_fields && !layout->count) {
		message("the sampling format %s does not say which fields its argument has: --smpl-arg takes its %zu bytes, in hexadecimal",
			format->name, format->arg_size);
		return false;
	}
	if (options->format_fields &&
	    !arg_layout_set(layout, format->name, options->format_fields,
			    format->arg))
		return false;
	format->arg_text = layout->count ?
			   arg_layout_text(layout, format->arg) :
			   checked_strdup("nothing but zero bytes");
	return true;
}

static bool set_by_bytes(struct smpl_format *format,
			 const struct options *options)
{
	if (options->format_arg_size != format->arg_size) {
		message("the sampling format %s takes %zu bytes as its argument, and --smpl-arg has %zu",
			format->name, format->arg_size,
			options->format_arg_size);
		return false;
	}
	smpl_format_set_arg(format, options->format_arg, format->arg_size);
	format->arg_text = checked_strdup("the bytes of --smpl-arg");
	return true;
}

static bool set_arg(struct smpl_format *format, const struct options *options)
{
	char *text = smpl_format_file(format->uuid, "arg_layout");
	struct arg_layout layout;
	bool ok;

	arg_layout_parse(&layout, text ? text : "", format->arg_size);
	ok = options->format_arg ? set_by_bytes(format, options) :
	     set_by_name(format, &layout, options);
	arg_layout_free(&layout);
	free(text);
	return ok;
}

bool smpl_unknown_set_up(struct smpl_format *format,
			 const struct options *options)
{
	/* If it is not there, creating a context fails, and says why. */
	if (!is_there(format)) {
		smpl_format_set_arg(format, options->format_arg,
				    options->format_arg_size);
		return true;
	}
	format->arg_size = smpl_format_number(format->uuid, "arg_size");
	if (format->arg_size)
		return set_arg(format, options);
	if (!options->format_arg && !options->format_fields)
		return true;
	message("the sampling format %s takes no argument: leave out --smpl-arg",
		format->name);
	return false;
}
