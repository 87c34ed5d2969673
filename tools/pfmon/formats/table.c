// SPDX-License-Identifier: MIT OR GPL-2.0
/* table.c - the sampling formats that pfmon knows, and those of the kernel */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <uuid/uuid.h>

#include "formats/arg_layout.h"
#include "formats/records.h"
#include "formats/table.h"
#include "formats/unknown.h"
#include "option_table.h"
#include "util.h"

const struct smpl_module * const smpl_modules[] = {
	&smpl_default,
	&smpl_nway,
	&smpl_pebs32,
	&smpl_pebs64,
	&smpl_dear_hist,
	&smpl_oprofile,
};

const size_t smpl_module_count = ARRAY_SIZE(smpl_modules);

const struct smpl_module *smpl_module_named(const char *name)
{
	for (size_t i = 0; i < smpl_module_count; i++) {
		if (!strcmp(smpl_modules[i]->name, name))
			return smpl_modules[i];
	}
	return NULL;
}

/* The first of those that record this format. */
static const struct smpl_module *module_of(const pfm_uuid_t uuid)
{
	uuid_t known;

	for (size_t i = 0; i < smpl_module_count; i++) {
		if (!uuid_parse(smpl_modules[i]->uuid, known) &&
		    !memcmp(known, uuid, sizeof(known)))
			return smpl_modules[i];
	}
	return NULL;
}

char *smpl_format_line(const char *uuid, const char *name)
{
	char *path = checked_printf(SMPL_FORMATS_DIR "/%s/%s", uuid, name);
	char *text = read_line_of(path);

	free(path);
	return text;
}

int smpl_is_uuid(const struct dirent *entry)
{
	uuid_t uuid;

	return !uuid_parse(entry->d_name, uuid);
}

/* Finds a registered format by its name. */
static bool registered_by_name(const char *name, pfm_uuid_t uuid)
{
	struct dirent **entries;
	int count = scandir(SMPL_FORMATS_DIR, &entries, smpl_is_uuid,
			    alphasort);
	bool found = false;
	char *other;

	for (int i = 0; i < count; i++) {
		other = smpl_format_line(entries[i]->d_name, "name");
		if (!found && other && !strcmp(other, name))
			found = !uuid_parse(entries[i]->d_name, uuid);
		free(other);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return found;
}

static bool find_uuid(const char *name, pfm_uuid_t uuid)
{
	const struct smpl_module *module = smpl_module_named(name);

	if (!uuid_parse(name, uuid))
		return true;
	if (module)
		return !uuid_parse(module->uuid, uuid);
	return registered_by_name(name, uuid);
}

static char *uuid_text(const pfm_uuid_t uuid)
{
	char text[UUID_STR_LEN];

	uuid_unparse_lower(uuid, text);
	return checked_strdup(text);
}

static char *name_of(const struct smpl_format *format)
{
	char *uuid = uuid_text(format->uuid);
	char *name = smpl_format_line(uuid, "name");

	if (!name && format->module)
		name = checked_strdup(format->module->name);
	if (!name)
		return uuid;
	free(uuid);
	return name;
}

void smpl_format_set_arg(struct smpl_format *format, const void *arg,
			 size_t size)
{
	format->arg = checked_calloc(size, 1);
	format->arg_size = size;
	if (arg)
		memcpy(format->arg, arg, size);
}

void smpl_format_set_device(struct smpl_format *format,
			    const struct smpl_device *device, const char *name)
{
	format->device = device;
	format->device_path = checked_printf("/dev/%s", name);
}

char *smpl_format_file(const pfm_uuid_t uuid, const char *name)
{
	char *text = uuid_text(uuid);
	char *path = checked_printf(SMPL_FORMATS_DIR "/%s/%s", text, name);
	size_t length;
	char *content = read_file(path, &length);

	free(path);
	free(text);
	return content;
}

uint64_t smpl_format_number(const pfm_uuid_t uuid, const char *name)
{
	char *text = smpl_format_file(uuid, name);
	uint64_t number = 0;

	if (text) {
		text[strcspn(text, "\n")] = '\0';
		parse_u64(text, &number);
	}
	free(text);
	return number;
}

char *smpl_formats_with(unsigned int option)
{
	char *names = checked_strdup("");

	for (size_t i = 0; i < smpl_module_count; i++) {
		if (smpl_modules[i]->options & option)
			names = checked_append(names, ", ",
					       smpl_modules[i]->name);
	}
	return names;
}

/* Does the format take all options that were given for it? */
static bool check_options(const struct smpl_format *format,
			  const struct options *options)
{
	unsigned int taken = format->module ? format->module->options :
			     FORMAT_OPT_UNKNOWN;
	unsigned int refused = options->format_options & ~taken;
	char *takers;

	if (!refused)
		return true;
	refused &= -refused;
	takers = smpl_formats_with(refused);
	message("the sampling format %s does not take --%s; these do: %s",
		format->name, format_option_name(refused), takers);
	free(takers);
	return false;
}

/* Names of FORMAT_OPT_*, with commas between; to be freed. */
static char *names_of_options(unsigned int format_options)
{
	char *names = checked_strdup("");

	for (unsigned int bit = 1; bit <= format_options; bit <<= 1) {
		if (!(format_options & bit))
			continue;
		names = checked_append(names, ", ", "--");
		names = checked_append(names, "", format_option_name(bit));
	}
	return names;
}

/* What is known is made of options, which pfmon counts on. */
static bool takes_no_arg(const struct smpl_module *module,
			 const struct options *options)
{
	char *names;

	if (!options->format_arg && !options->format_fields)
		return true;
	names = names_of_options(module->options &
				 ~(unsigned int)FORMAT_OPT_UNKNOWN);
	if (*names)
		message("pfmon makes the argument of the sampling format %s itself, of %s; --smpl-arg is for formats that it does not know",
			module->name, names);
	else
		message("the sampling format %s takes no argument: leave out --smpl-arg",
			module->name);
	free(names);
	return false;
}

bool smpl_format_find(struct smpl_format *format,
		      const struct options *options,
		      const struct smpl_kinds *kinds)
{
	memset(format, 0, sizeof(*format));
	format->kinds = *kinds;
	if (!find_uuid(options->module, format->uuid)) {
		message("there is no sampling format %s; load its module, or give its UUID. pfmon --list-formats prints the registered ones",
			options->module);
		return false;
	}
	format->module = smpl_module_named(options->module);
	if (!format->module)
		format->module = module_of(format->uuid);
	format->name = name_of(format);
	if (!check_options(format, options))
		return false;
	if (!format->module) {
		if (!smpl_unknown_set_up(format, options))
			return false;
		/* The module is there now, if there is one. */
		records_find(format);
		return true;
	}
	return takes_no_arg(format->module, options) &&
	       format->module->set_up(format, options);
}

void smpl_format_free(struct smpl_format *format)
{
	free(format->name);
	free(format->arg);
	free(format->arg_text);
	free(format->device_path);
	memset(format, 0, sizeof(*format));
}

bool smpl_format_registered(const struct smpl_format *format)
{
	char *uuid = uuid_text(format->uuid);
	char *path = checked_printf(SMPL_FORMATS_DIR "/%s", uuid);
	bool registered = !access(path, F_OK);

	free(path);
	free(uuid);
	return registered;
}
