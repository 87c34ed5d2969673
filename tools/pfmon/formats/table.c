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

#include "formats/table.h"
#include "option_table.h"
#include "util.h"

#define FORMATS_DIR	PFM_SYSFS "/formats"

const struct smpl_module * const smpl_modules[] = {
	&smpl_default,
	&smpl_nway,
	&smpl_pebs32,
	&smpl_pebs64,
	&smpl_oprofile,
};

const size_t smpl_module_count = ARRAY_SIZE(smpl_modules);

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

/* A file of a registered format in sysfs, without the newline; to be freed. */
static char *attribute(const char *uuid, const char *name)
{
	char *path = checked_printf(FORMATS_DIR "/%s/%s", uuid, name);
	char *text = read_line_of(path);

	free(path);
	return text;
}

static int is_uuid(const struct dirent *entry)
{
	uuid_t uuid;

	return !uuid_parse(entry->d_name, uuid);
}

/* Finds a registered format by its name. */
static bool registered_by_name(const char *name, pfm_uuid_t uuid)
{
	struct dirent **entries;
	int count = scandir(FORMATS_DIR, &entries, is_uuid, alphasort);
	bool found = false;
	char *other;

	for (int i = 0; i < count; i++) {
		other = attribute(entries[i]->d_name, "name");
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
	if (!uuid_parse(name, uuid))
		return true;
	for (size_t i = 0; i < smpl_module_count; i++) {
		if (!strcmp(smpl_modules[i]->name, name))
			return !uuid_parse(smpl_modules[i]->uuid, uuid);
	}
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
	char *name = attribute(uuid, "name");

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

/* The argument of a format that pfmon does not know: given, or zero bytes. */
static void set_up_unknown(struct smpl_format *format,
			   const struct options *options)
{
	char *uuid = uuid_text(format->uuid);
	char *size_text = attribute(uuid, "arg_size");
	uint64_t size = 0;

	if (options->format_arg)
		size = options->format_arg_size;
	else if (size_text &&
		 (!parse_u64(size_text, &size) || size > UINT16_MAX))
		size = 0;
	smpl_format_set_arg(format, options->format_arg, size);
	free(size_text);
	free(uuid);
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

bool smpl_format_find(struct smpl_format *format,
		      const struct options *options,
		      unsigned int recorded_pmds)
{
	memset(format, 0, sizeof(*format));
	if (!find_uuid(options->module, format->uuid)) {
		message("there is no sampling format %s; load its module, or give its UUID. pfmon --list-formats prints the registered ones",
			options->module);
		return false;
	}
	format->module = module_of(format->uuid);
	if (format->module && options->format_arg) {
		message("pfmon makes the argument of the format %s itself; --smpl-arg is for formats that it does not know",
			format->module->name);
		return false;
	}
	format->name = name_of(format);
	if (!check_options(format, options))
		return false;
	if (format->module)
		return format->module->set_up(format, options, recorded_pmds);
	set_up_unknown(format, options);
	return true;
}

void smpl_format_free(struct smpl_format *format)
{
	free(format->name);
	free(format->arg);
	memset(format, 0, sizeof(*format));
}

bool smpl_format_registered(const struct smpl_format *format)
{
	char *uuid = uuid_text(format->uuid);
	char *path = checked_printf(FORMATS_DIR "/%s", uuid);
	bool registered = !access(path, F_OK);

	free(path);
	free(uuid);
	return registered;
}

bool smpl_formats_list(void)
{
	struct dirent **entries;
	int count = scandir(FORMATS_DIR, &entries, is_uuid, alphasort);
	char *name, *arg_size;

	if (count < 0) {
		message("cannot read " FORMATS_DIR ": %s; is perfmon loaded? (insmod perfmon.ko)",
			strerror(errno));
		return false;
	}
	for (int i = 0; i < count; i++) {
		name = attribute(entries[i]->d_name, "name");
		arg_size = attribute(entries[i]->d_name, "arg_size");
		printf("%s %s (argument: %s bytes)\n", entries[i]->d_name,
		       name ? name : "?", arg_size ? arg_size : "?");
		free(name);
		free(arg_size);
		free(entries[i]);
	}
	free(entries);
	return true;
}
