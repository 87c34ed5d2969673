// SPDX-License-Identifier: MIT OR GPL-2.0
/* table.c - find sampling formats by name or UUID */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <uuid/uuid.h>

#include "base/similar.h"
#include "base/util.h"
#include "formats/described.h"
#include "formats/records.h"
#include "formats/registered.h"
#include "formats/rows.h"
#include "formats/table.h"

const struct smpl_module * const smpl_modules[] = {
	&smpl_default,
	&smpl_nway,
	&smpl_pebs32,
	&smpl_pebs64,
	&smpl_dear_hist,
	&smpl_oprofile,
	&smpl_callstack,
	&smpl_flight,
	&smpl_histogram,
	&smpl_stacks,
	&smpl_cgroup_counts,
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

/* Returns the first row with this UUID, or NULL. */
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

static bool find_uuid(const char *name, pfm_uuid_t uuid)
{
	const struct smpl_module *module = smpl_module_named(name);

	if (!uuid_parse(name, uuid))
		return true;
	if (module)
		return !uuid_parse(module->uuid, uuid);
	return registered_by_name(name, uuid) || installed_by_name(name, uuid);
}

static char *name_of(const struct smpl_format *format, const char *given)
{
	char *name = registered_line(format->uuid, "name");
	char text[UUID_STR_LEN];
	uuid_t uuid;

	if (name)
		return name;
	if (format->module)
		return checked_strdup(format->module->name);
	uuid_unparse_lower(format->uuid, text);
	return checked_strdup(uuid_parse(given, uuid) ? given : text);
}

/*
 * Sets the format's name to its registered name, because the format may have
 * been loaded meanwhile.
 */
static void rename_registered(struct smpl_format *format)
{
	char *name = registered_line(format->uuid, "name");

	if (!name)
		return;
	free(format->name);
	format->name = name;
}

static char *names_with(unsigned int options, const char *separator)
{
	char *names = checked_strdup("");

	for (size_t i = 0; i < smpl_module_count; i++) {
		if ((smpl_modules[i]->options & options) == options)
			names = checked_append(names, separator,
					       smpl_modules[i]->name);
	}
	return names;
}

char *smpl_formats_names(const char *separator)
{
	return names_with(0, separator);
}

char *smpl_formats_with(unsigned int option)
{
	return names_with(option, ", ");
}

static void consider_installed(const char *name, const pfm_uuid_t uuid,
			       void *data)
{
	(void)uuid;
	similar_consider(name, data);
}

static void explain_unknown(const char *name)
{
	struct similar similar = { .name = name };
	char *hint;

	for (size_t i = 0; i < smpl_module_count; i++)
		similar_consider(smpl_modules[i]->name, &similar);
	installed_each(consider_installed, &similar);
	hint = similar_hint(&similar);
	message("unknown sampling format '%s'%s; pfmon --list-formats prints the formats of this machine; to use a format that it does not list, install its module or give its UUID",
		name, hint);
	free(hint);
}

bool smpl_format_find(struct smpl_format *format, const char *name,
		      const struct smpl_kinds *kinds)
{
	memset(format, 0, sizeof(*format));
	format->kinds = *kinds;
	if (!find_uuid(name, format->uuid)) {
		explain_unknown(name);
		return false;
	}
	format->module = smpl_module_named(name);
	if (!format->module)
		format->module = module_of(format->uuid);
	format->name = name_of(format, name);
	return true;
}

bool smpl_format_set_up(struct smpl_format *format,
			const struct options *options)
{
	if (format->module)
		return format->module->set_up(format, options);
	if (!described_set_up(format, options))
		return false;
	/* described_set_up() has loaded the module, if it is installed. */
	rename_registered(format);
	records_find(format);
	return true;
}
