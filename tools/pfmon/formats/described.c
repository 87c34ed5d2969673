// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * described.c - build a format's argument from the fields that sysfs describes
 *
 * sysfs has the size of the argument and, if the format publishes them, the
 * names, units and defaults of its fields.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perfmon/perfmon_callstack_smpl.h>

#include "base/util.h"
#include "formats/arg_layout.h"
#include "formats/described.h"
#include "formats/registered.h"

/*
 * Returns whether the format is registered. If it is not, first tries to create
 * a context with it, so that the kernel loads the format's module.
 */
static bool is_there(const struct smpl_format *format)
{
	pfarg_ctx_t ctx = { .ctx_flags = 0 };
	int fd;

	if (registered_has(format->uuid))
		return true;
	memcpy(ctx.ctx_smpl_buf_id, format->uuid, sizeof(format->uuid));
	fd = pfm_create_context(&ctx, NULL, 0);
	if (fd >= 0)
		close(fd);
	return registered_has(format->uuid);
}

static bool start_with_bytes(struct smpl_format *format,
			     const struct options *options)
{
	if (options->format_arg_size == format->arg_size) {
		smpl_format_set_arg(format, options->format_arg,
				    format->arg_size);
		return true;
	}
	message("the sampling format %s takes %zu bytes as its argument, but --smpl-arg has %zu",
		format->name, format->arg_size, options->format_arg_size);
	return false;
}

static bool start_with_defaults(struct smpl_format *format,
				const struct arg_layout *layout)
{
	smpl_format_set_arg(format, NULL, format->arg_size);
	arg_layout_set_defaults(layout, format->arg);
	return true;
}

/*
 * Sets a field that an option requires; returns false, with a message, on
 * failure.
 */
static bool set_for(const char *option, const struct smpl_format *format,
		    const struct arg_layout *layout, const char *field,
		    uint64_t value)
{
	if (arg_layout_set_field(layout, field, value, format->arg))
		return true;
	message("%s requires a field '%s' that can hold %ju, but the argument of the sampling format %s has none",
		option, field, (uintmax_t)value, format->name);
	return false;
}

static bool set_regions(const struct smpl_format *format,
			const struct arg_layout *layout,
			const struct options *options)
{
	return !(options->format_options & FORMAT_OPT_REGIONS) ||
	       set_for("--smpl-regions", format, layout, "num_regions",
		       options->regions);
}

/*
 * Sets the maximum depth of call chains. Call it before applying --smpl-arg,
 * which may lower the depth.
 */
static bool set_depth(const struct smpl_format *format,
		      const struct arg_layout *layout,
		      const struct options *options)
{
	return !options->call_graph || options->format_arg ||
	       set_for("--call-graph", format, layout, "max_depth",
		       PFM_CALLSTACK_MAX_DEPTH);
}

/*
 * Sets the fields that --off-cpu=sum requires. Call it before applying
 * --smpl-arg, which may set other values.
 */
static bool set_off_cpu(const struct smpl_format *format,
			const struct arg_layout *layout,
			const struct options *options)
{
	static const char option[] = "--off-cpu=sum";

	return options->off_cpu != OFF_CPU_SUM || options->format_arg ||
	       (set_for(option, format, layout, "per_thread", 1) &&
		set_for(option, format, layout, "clock_pmd", OFF_CPU_CLOCK));
}

static bool set_fields(const struct smpl_format *format,
		       const struct arg_layout *layout,
		       const struct options *options)
{
	if (!options->format_fields)
		return true;
	if (layout->count)
		return arg_layout_set(layout, format->name,
				      options->format_fields, format->arg);
	message("the sampling format %s does not publish the fields of its argument: give all %zu bytes of the argument in hexadecimal (--smpl-arg)",
		format->name, format->arg_size);
	return false;
}

/*
 * Sets the buffer's size. Call it last, because a sample's size depends on
 * other fields.
 */
static bool set_buf_size(const struct smpl_format *format,
			 const struct arg_layout *layout,
			 const struct options *options)
{
	const struct smpl_module *module = format->module;

	if (!(options->format_options & FORMAT_OPT_ENTRIES))
		return true;
	if (format->arg_size >= module->arg_size)
		return set_for("--smpl-entries", format, layout, "buf_size",
			       module->buffer_size(format, options->entries));
	message("the argument of the registered format %s has %zu bytes, but pfmon expects %zu: omit --smpl-entries, and use --smpl-arg",
		format->name, format->arg_size, module->arg_size);
	return false;
}

static char *text_of(const struct smpl_format *format,
		     const struct arg_layout *layout,
		     const struct options *options)
{
	if (layout->count)
		return arg_layout_text(layout, format->arg);
	return checked_strdup(options->format_arg ? "the bytes of --smpl-arg" :
			      "nothing but zero bytes");
}

static bool set_arg(struct smpl_format *format, const struct options *options)
{
	char *text = registered_file(format->uuid, "arg_layout");
	struct arg_layout layout;
	bool ok;

	arg_layout_parse(&layout, text ? text : "", format->arg_size);
	ok = (options->format_arg ? start_with_bytes(format, options) :
				    start_with_defaults(format, &layout)) &&
	     set_depth(format, &layout, options) &&
	     set_off_cpu(format, &layout, options) &&
	     set_regions(format, &layout, options) &&
	     set_fields(format, &layout, options) &&
	     set_buf_size(format, &layout, options);
	if (ok)
		format->arg_text = text_of(format, &layout, options);
	arg_layout_free(&layout);
	free(text);
	return ok;
}

/* Returns whether an option sets a field of the argument. */
static bool sets_argument(const struct options *options)
{
	return options->format_options &
	       (FORMAT_OPT_ARG | FORMAT_OPT_ENTRIES | FORMAT_OPT_REGIONS);
}

bool described_set_up(struct smpl_format *format,
		      const struct options *options)
{
	/*
	 * If the format is missing, continue: creating the context will fail,
	 * with a message.
	 */
	if (!is_there(format)) {
		smpl_format_set_arg(format, options->format_arg,
				    options->format_arg_size);
		return true;
	}
	format->arg_size = registered_number(format->uuid, "arg_size");
	if (format->arg_size)
		return set_arg(format, options);
	if (!sets_argument(options))
		return true;
	message("the sampling format %s takes no argument: omit --smpl-arg, --smpl-entries and --smpl-regions",
		format->name);
	return false;
}

static bool set_more(const struct smpl_format *format, const char *assignments,
		     unsigned char *arg)
{
	char *text = registered_file(format->uuid, "arg_layout");
	struct arg_layout layout;
	bool ok;

	arg_layout_parse(&layout, text ? text : "", format->arg_size);
	ok = layout.count &&
	     arg_layout_set(&layout, format->name, assignments, arg);
	if (!layout.count)
		message("--control: the command 'set' cannot change the argument of the sampling format %s, because the format does not describe the fields of its argument",
			format->name);
	arg_layout_free(&layout);
	free(text);
	return ok;
}

unsigned char *described_changed(const struct smpl_format *format,
				 const char *assignments)
{
	unsigned char *arg = checked_calloc(format->arg_size, 1);

	if (format->arg)
		memcpy(arg, format->arg, format->arg_size);
	if (set_more(format, assignments, arg))
		return arg;
	free(arg);
	return NULL;
}
