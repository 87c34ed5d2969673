// SPDX-License-Identifier: MIT OR GPL-2.0
/* sysfs_pmu.c - PMUs in sysfs and their events */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/directory.h"
#include "base/util.h"
#include "events/sysfs_pmu.h"

#define DEVICES		"/sys/bus/event_source/devices"
#define CONFIG_BITS	64

struct sysfs_pmu {
	const char *event;	/* the whole event, for messages */
	char *name;
	char *path;		/* the PMU's directory */
	struct event_code *code;
};

/* The bits of a configuration word that a parameter sets, lowest first. */
struct field {
	unsigned int word;
	unsigned int count;
	unsigned char bits[CONFIG_BITS];
};

/* Returns whether a text can be the name of a PMU: it must not be a path. */
static bool is_name(const char *text)
{
	return *text && *text != '.' && !strchr(text, '/');
}

static int is_visible(const struct dirent *entry)
{
	return is_name(entry->d_name);
}

static char *read_of(const struct sysfs_pmu *pmu, const char *directory,
		     const char *file)
{
	char *path = checked_printf("%s/%s/%s", pmu->path, directory, file);
	/*
	 * Files with a dot in the name, NAME.unit and NAME.scale, are not
	 * events.
	 */
	char *line = *file && !strpbrk(file, "./") ? read_line_of(path) : NULL;

	free(path);
	return line;
}

static bool has(const struct sysfs_pmu *pmu, const char *file)
{
	char *path = checked_printf("%s/%s", pmu->path, file);
	bool found = !access(path, F_OK);

	free(path);
	return found;
}

static char *names_of(const struct sysfs_pmu *pmu, const char *directory)
{
	char *path = checked_printf("%s/%s", pmu->path, directory);
	char *names = directory_join(path, directory_is_plain);

	free(path);
	return names;
}

static bool add_bits(struct field *field, const char *range)
{
	unsigned long first, last;
	char *end;

	first = strtoul(range, &end, 10);
	last = first;
	if (end != range && *end == '-') {
		range = end + 1;
		last = strtoul(range, &end, 10);
	}
	if (end == range || *end || first > last || last >= CONFIG_BITS ||
	    field->count + (last - first) >= CONFIG_BITS)
		return false;
	for (unsigned long bit = first; bit <= last; bit++)
		field->bits[field->count++] = (unsigned char)bit;
	return true;
}

/* Returns the index of a config word; CODE_CONFIGS for other names. */
static unsigned int find_word(const char *name)
{
	static const char * const words[CODE_CONFIGS] = {
		"config", "config1", "config2",
	};
	unsigned int word = 0;

	while (word < CODE_CONFIGS && strcmp(name, words[word]))
		word++;
	return word;
}

/*
 * Parses a file from a PMU's format directory: "config1:0-15", "config:0-7,21".
 */
static bool parse_field(const char *text, struct field *field)
{
	char *copy = checked_strdup(text), *rest = copy;
	const char *word = strsep(&rest, ":"), *range;
	bool ok = rest;

	*field = (struct field){ .word = find_word(word) };
	while (ok && (range = strsep(&rest, ",")))
		ok = add_bits(field, range);
	free(copy);
	return ok && field->word < CODE_CONFIGS;
}

unsigned int sysfs_parameter_bits(const char *text)
{
	struct field field;

	return parse_field(text, &field) ? field.count : 0;
}

static bool is_whole_word(const char *name, struct field *field)
{
	*field = (struct field){ .word = find_word(name) };
	for (; field->count < CONFIG_BITS; field->count++)
		field->bits[field->count] = (unsigned char)field->count;
	return field->word < CODE_CONFIGS;
}

static void explain_parameter(const struct sysfs_pmu *pmu, const char *name)
{
	char *parameters = names_of(pmu, "format");
	char *events = names_of(pmu, "events");

	message("event %s: %s has neither a parameter nor an event %s; its parameters are config, config1, config2 and %s; its events: %s",
		pmu->event, pmu->name, name, parameters, events);
	free(events);
	free(parameters);
}

static bool find_field(const struct sysfs_pmu *pmu, const char *name,
		       struct field *field)
{
	char *text;
	bool ok;

	if (is_whole_word(name, field))
		return true;
	text = read_of(pmu, "format", name);
	if (!text) {
		explain_parameter(pmu, name);
		return false;
	}
	ok = parse_field(text, field);
	if (!ok)
		message("event %s: sysfs describes the parameter %s of %s as '%s', which PMC values cannot express",
			pmu->event, name, pmu->name, text);
	free(text);
	return ok;
}

static void set_field(const struct field *field, uint64_t value,
		      struct event_code *code)
{
	uint64_t *config = &code->config[field->word];

	for (unsigned int i = 0; i < field->count; i++) {
		*config &= ~(1ULL << field->bits[i]);
		*config |= (value >> i & 1) << field->bits[i];
	}
}

static bool set_parameter(const struct sysfs_pmu *pmu, const char *name,
			  const char *text)
{
	struct field field;
	uint64_t value = 1, most;

	if (!find_field(pmu, name, &field))
		return false;
	if (text && !parse_u64(text, &value)) {
		message("event %s: '%s' is not a number; %s takes a number such as 16 or 0x10",
			pmu->event, text,
			name);
		return false;
	}
	most = field.count == CONFIG_BITS ? UINT64_MAX :
					    (1ULL << field.count) - 1;
	if (value > most) {
		message("event %s: %s has %u bits and must be at most %#llx",
			pmu->event, name, field.count,
			(unsigned long long)most);
		return false;
	}
	set_field(&field, value, pmu->code);
	return true;
}

/*
 * Returns whether the user's terms set the parameter @name. NAME=? in the
 * definition of an event means that the user must set the parameter NAME.
 */
static bool is_given(const char *terms, const char *name)
{
	char *copy = checked_strdup(terms), *rest = copy, *term;
	size_t length = strlen(name);
	bool found = false;

	while (!found && (term = strsep(&rest, ",")))
		found = !strncmp(term, name, length) && term[length] == '=';
	free(copy);
	return found;
}

/* Applies a term of an event's definition; false with a message on failure. */
static bool set_from_event(const struct sysfs_pmu *pmu, char *term,
			   const char *event, const char *given)
{
	const char *name = strsep(&term, "=");

	if (!term || strcmp(term, "?"))
		return set_parameter(pmu, name, term);
	if (is_given(given, name))
		return true;
	message("event %s: %s of %s also needs %s=NUMBER", pmu->event, event,
		pmu->name, name);
	return false;
}

/* Applies the terms in @text, the definition of @event. Modifies @text. */
static bool set_event(const struct sysfs_pmu *pmu, const char *event,
		      char *text, const char *given)
{
	char *term;

	while ((term = strsep(&text, ","))) {
		if (*term && !set_from_event(pmu, term, event, given))
			return false;
	}
	return true;
}

/*
 * Applies a term in one of two passes: the first pass, with @events set,
 * applies events; the second applies parameters, which thus override the values
 * from events.
 */
static bool set_term(const struct sysfs_pmu *pmu, char *term,
		     const char *terms, bool events)
{
	const char *name = strsep(&term, "=");
	char *text = term ? NULL : read_of(pmu, "events", name);
	bool ok = true;

	if (events && text)
		ok = set_event(pmu, name, text, terms);
	else if (!events && !text)
		ok = set_parameter(pmu, name, term);
	free(text);
	return ok;
}

static bool set_terms(const struct sysfs_pmu *pmu, const char *terms,
		      bool events)
{
	char *copy = checked_strdup(terms), *rest = copy, *term;
	bool ok = true;

	while (ok && (term = strsep(&rest, ","))) {
		if (*term)
			ok = set_term(pmu, term, terms, events);
	}
	free(copy);
	return ok;
}

char *sysfs_pmu_devices(const char *root)
{
	return checked_printf("%s" DEVICES, root);
}

static bool find_type(const char *root, const struct sysfs_pmu *pmu)
{
	char *path, *line, *names;
	uint64_t type;
	bool ok;

	path = checked_printf("%s/type", pmu->path);
	line = is_name(pmu->name) ? read_line_of(path) : NULL;
	ok = line && parse_u64(line, &type) && type <= UINT32_MAX;
	free(line);
	free(path);
	if (ok) {
		pmu->code->type = (uint32_t)type;
		return true;
	}
	path = sysfs_pmu_devices(root);
	names = directory_join(path, is_visible);
	message("event %s: there is no PMU %s; the PMUs are: %s", pmu->event,
		pmu->name, names);
	free(names);
	free(path);
	return false;
}

/*
 * A CPU's own PMU is named "cpu", or has a file "cpus" that lists its CPUs. If
 * CPUs share a PMU, its file "cpumask" lists the CPUs that count for all of
 * them.
 */
static void find_cpus(const struct sysfs_pmu *pmu)
{
	bool of_cpus = !strcmp(pmu->name, "cpu") || has(pmu, "cpus");
	char *path = checked_printf("%s/%s", pmu->path,
				    of_cpus ? "cpus" : "cpumask");

	pmu->code->cpus = read_line_of(path);
	pmu->code->per_thread = of_cpus || !pmu->code->cpus;
	/*
	 * Other PMUs have no privilege levels, or count only kernel events. By
	 * default, the kernel must not be excluded for them.
	 */
	pmu->code->levels = of_cpus ? 0 : LEVEL_USER | LEVEL_KERNEL;
	free(path);
}

/*
 * Returns false, with a message, for the PMUs kprobe and uprobe. perfmon
 * refuses them, because their events contain a pointer to a name in user
 * memory.
 */
static bool is_usable(const struct sysfs_pmu *pmu)
{
	if (strcmp(pmu->name, "kprobe") && strcmp(pmu->name, "uprobe"))
		return true;
	message("event %s: perfmon does not use the PMU %s; make the probe in /sys/kernel/tracing/%s_events and count its tracepoint, %ss:NAME",
		pmu->event, pmu->name, pmu->name, pmu->name);
	return false;
}

/* Splits "NAME/TERMS/". */
static bool split(const char *event, char **name, char **terms)
{
	const char *slash = strchr(event, '/');
	const char *end = strrchr(event, '/');

	if (slash == end) {
		message("event %s: the / after the parameters of %.*s is missing: write PMU/PARAMETER=NUMBER/",
			event, (int)(slash - event), event);
		return false;
	}
	if (end[1]) {
		message("event %s: '%s' is not a privilege level (u, k, uk) or a precise level (p, pp, ppp)",
			event, end + 1);
		return false;
	}
	*name = checked_printf("%.*s", (int)(slash - event), event);
	*terms = checked_printf("%.*s", (int)(end - slash - 1), slash + 1);
	return true;
}

bool sysfs_event_encode(const char *root, const char *name,
			struct event_code *code)
{
	struct sysfs_pmu pmu = { .event = name, .code = code };
	char *terms;
	bool ok;

	if (!split(name, &pmu.name, &terms))
		return false;
	pmu.path = checked_printf("%s" DEVICES "/%s", root, pmu.name);
	ok = is_usable(&pmu) && find_type(root, &pmu) &&
	     set_terms(&pmu, terms, true) && set_terms(&pmu, terms, false);
	if (ok)
		find_cpus(&pmu);
	free(pmu.path);
	free(pmu.name);
	free(terms);
	return ok;
}

static bool pmu_has_event(const char *devices, const char *pmu,
			  const char *event)
{
	char *path = checked_printf("%s/%s/events/%s", devices, pmu, event);
	bool found = !access(path, F_OK);

	free(path);
	return found;
}

/* Returns the PMUs that have an event, as "a, b", and their number. */
static char *pmus_with(const char *devices, const char *event, size_t *count)
{
	struct directory list = directory_read(devices, is_visible);
	char *pmus = checked_strdup("");

	*count = 0;
	for (size_t i = 0; i < list.count; i++) {
		if (!pmu_has_event(devices, list.names[i], event))
			continue;
		pmus = checked_append(pmus, ", ", list.names[i]);
		(*count)++;
	}
	directory_free(&list);
	return pmus;
}

static char *replace(char *text, char old, char new)
{
	for (char *c = text; *c; c++)
		*c = *c == old ? new : *c;
	return text;
}

char *sysfs_event_find(const char *root, const char *name, bool *several)
{
	char *terms = replace(checked_strdup(name), ':', ',');
	char *event = checked_strdup(name);
	char *devices = sysfs_pmu_devices(root);
	char *pmus = NULL, *found = NULL;
	size_t count = 0;

	event[strcspn(event, ":")] = '\0';
	if (*event && !strpbrk(event, "./"))
		pmus = pmus_with(devices, event, &count);
	*several = count > 1;
	if (*several)
		message("several PMUs have an event %s: %s; write PMU/%s/",
			event, pmus, terms);
	else if (count)
		found = checked_printf("%s/%s/", pmus, terms);
	free(pmus);
	free(devices);
	free(event);
	free(terms);
	return found;
}

static void visit_pmu(const char *devices, const char *pmu,
		      void (*visit)(const char *name, void *data), void *data)
{
	char *path = checked_printf("%s/%s/events", devices, pmu);
	struct directory list = directory_read(path, directory_is_plain);

	for (size_t i = 0; i < list.count; i++) {
		char *name = checked_printf("%s/%s/", pmu, list.names[i]);

		visit(name, data);
		free(name);
	}
	directory_free(&list);
	free(path);
}

void sysfs_event_each(const char *root,
		      void (*visit)(const char *name, void *data), void *data)
{
	char *devices = sysfs_pmu_devices(root);
	struct directory list = directory_read(devices, is_visible);

	for (size_t i = 0; i < list.count; i++)
		visit_pmu(devices, list.names[i], visit, data);
	directory_free(&list);
	free(devices);
}
