// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * events.c - event names and their encoding as PMC values
 *
 * Generic kernel events and raw codes are encoded here. Names from sysfs and
 * tracefs are encoded as the files there describe. All other names are passed
 * to libpfm4, which encodes them as a perf_event_attr. The result is always a
 * PMC value as defined in perfmon/perfmon.h, with config1 and config2.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include <perfmon/pfmlib_perf_event.h>
#include <perfmon/perfmon.h>

#include "base/similar.h"
#include "base/util.h"
#include "events/event_names.h"
#include "events/events.h"
#include "events/pfmlib_events.h"
#include "events/sysfs_pmu.h"
#include "events/tracepoints.h"

#define MOST_PRECISE	3

static uint64_t exclusions(unsigned int levels)
{
	return (levels & LEVEL_USER ? 0 : PFM_PERF_EXCL_USER) |
	       (levels & LEVEL_KERNEL ? 0 : PFM_PERF_EXCL_KERNEL);
}

/*
 * Packs perf's type and configuration into a PMC value. Returns false, with a
 * message, if they do not fit.
 */
static bool pack(const char *name, const struct event_code *code,
		 struct encoded_event *event)
{
	uint64_t largest_type = (PFM_PERF_TYPE_MASK >> PFM_PERF_TYPE_SHIFT) - 1;
	uint64_t id = code->config[0];

	if (id & ~PFM_PERF_ID_MASK) {
		message("event %s cannot be measured: its configuration %#llx exceeds the 48 bits of a PMC value",
			name, (unsigned long long)id);
		return false;
	}
	if (code->type > largest_type) {
		message("event %s cannot be measured: its PMU has number %u, but the largest number that a PMC value can hold is %u",
			name, code->type, (unsigned int)largest_type);
		return false;
	}
	event->pmc = code->type == PERF_TYPE_RAW ?
		PFM_PERF_RAW | id : PFM_PERF_EVENT(code->type, id);
	for (unsigned int i = 0; i < ENCODED_CONFIGS; i++)
		event->config[i] = code->config[1 + i];
	return true;
}

/* The suffix of an event's name. */
struct suffix {
	unsigned int levels;	/* 0 if the suffix has no levels */
	unsigned int precise;
};

static bool parse_suffix(const char *letters, struct suffix *suffix)
{
	*suffix = (struct suffix){ 0, 0 };
	for (; *letters; letters++) {
		if (*letters == 'u')
			suffix->levels |= LEVEL_USER;
		else if (*letters == 'k')
			suffix->levels |= LEVEL_KERNEL;
		else if (*letters == 'p' && suffix->precise < MOST_PRECISE)
			suffix->precise++;
		else
			return false;
	}
	return true;
}

/*
 * Cuts off and returns the suffix with privilege levels and a precise level, if
 * there is one. The suffix follows the last colon or the last slash.
 */
static struct suffix cut_suffix(char *name)
{
	char *slash = strrchr(name, '/');
	char *colon = strrchr(slash ? slash : name, ':');
	char *letters = colon ? colon + 1 : slash ? slash + 1 : NULL;
	struct suffix found = { 0, 0 };

	if (!letters || !*letters || (colon && slash && colon != slash + 1))
		return found;
	if (!parse_suffix(letters, &found))
		return (struct suffix){ 0, 0 };
	*(slash ? slash + 1 : colon) = '\0';
	return found;
}

static bool is_raw(const char *name)
{
	return name[0] == 'r' && name[1] && strlen(name) <= 17 &&
	       strspn(name + 1, "0123456789abcdefABCDEF") == strlen(name + 1);
}

static void explain_unknown(const char *root, const char *name)
{
	struct similar similar = { .name = name };
	char *hint;

	events_each(root, similar_consider, &similar);
	hint = similar_hint(&similar);
	message("unknown event '%s'%s; see pfmon --list-events", name, hint);
	free(hint);
}

/* Returns the length of PMU::EVENT in PMU::EVENT:ATTRIBUTE. */
static int length_of_event(const char *name)
{
	const char *pmu_end = strstr(name, "::");
	const char *event = pmu_end ? pmu_end + 2 : name;

	return (int)(event - name) + (int)strcspn(event, ":");
}

static void explain(const char *root, const char *name, int error)
{
	if (error == PFM_ERR_NOTFOUND)
		explain_unknown(root, name);
	else
		message("event %s: libpfm4 reports: %s; pfmon -i %.*s lists its suffixes, unit masks and modifiers",
			name, pfm_strerror(error), length_of_event(name), name);
}

static bool encode_with_pfmlib(const char *root, const char *name,
			       unsigned int levels, struct encoded_event *event)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	struct event_code code = { .type = 0 };
	int ret = pfmlib_encode(name, levels, &attr);

	if (ret != PFM_SUCCESS) {
		explain(root, name, ret);
		return false;
	}
	code.type = attr.type;
	code.config[0] = attr.config;
	code.config[1] = attr.config1;
	code.config[2] = attr.config2;
	if (!pack(name, &code, event))
		return false;
	event->pmc |= attr.exclude_user ? PFM_PERF_EXCL_USER : 0;
	event->pmc |= attr.exclude_kernel ? PFM_PERF_EXCL_KERNEL : 0;
	event->pmc |= (uint64_t)attr.precise_ip << PFM_PERF_PRECISE_SHIFT;
	event->per_thread = true;
	event->source = EVENT_PFMLIB;
	return true;
}

/*
 * The result of a search for an event in one source. REFUSED: a message has
 * been printed, and other sources must not be searched.
 */
enum finding { FOUND, REFUSED, NOT_FOUND };

static enum finding find_in_sysfs(const char *root, const char *name,
				  struct event_code *code)
{
	bool several = false, ok;
	char *whole;

	if (strchr(name, '/'))
		return sysfs_event_encode(root, name, code) ? FOUND : REFUSED;
	whole = sysfs_event_find(root, name, &several);
	if (!whole)
		return several ? REFUSED : NOT_FOUND;
	ok = sysfs_event_encode(root, whole, code);
	free(whole);
	return ok ? FOUND : REFUSED;
}

static enum finding find_tracepoint(const char *root, const char *name,
				    struct event_code *code)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };

	switch (tracepoint_find(root, name, code)) {
	case TRACEPOINT_FOUND:
		code->source = EVENT_TRACEPOINT;
		return FOUND;
	case TRACEPOINT_REFUSED:
		return REFUSED;
	case TRACEPOINT_UNKNOWN:
		if (pfmlib_encode(name, LEVEL_USER, &attr) == PFM_SUCCESS)
			return NOT_FOUND;
		message("unknown event '%s'; if it is a tracepoint, run pfmon as root: only root may read /sys/kernel/tracing",
			name);
		return REFUSED;
	default:
		return NOT_FOUND;
	}
}

static enum finding find_code(const char *root, const char *name,
			      struct event_code *code)
{
	enum finding finding;

	if (generic_event_find(name, code)) {
		code->source = EVENT_GENERIC;
		return FOUND;
	}
	if (is_raw(name)) {
		code->source = EVENT_RAW;
		code->type = PERF_TYPE_RAW;
		code->config[0] = strtoull(name + 1, NULL, 16);
		code->per_thread = true;
		return FOUND;
	}
	code->source = EVENT_SYSFS;
	finding = find_in_sysfs(root, name, code);
	return finding == NOT_FOUND ? find_tracepoint(root, name, code) :
				      finding;
}

/*
 * Chooses the privilege levels: those of the suffix, or else those of the
 * options, or else the event's default. A PMU that several CPUs share has no
 * privilege levels, so a suffix with levels is an error.
 */
static bool choose_levels(const char *name, const struct event_code *code,
			  unsigned int own, unsigned int levels,
			  struct encoded_event *event)
{
	if (code->per_thread) {
		levels = own ? own : levels ? levels : code->levels;
		event->pmc |= exclusions(levels ? levels : LEVEL_USER);
		return true;
	}
	if (!own)
		return true;
	message("event %s (on CPUs %s) is always counted at all privilege levels: omit u and k",
		name, code->cpus);
	return false;
}

static bool encode(const char *root, const char *name, unsigned int own,
		   unsigned int levels, struct encoded_event *event)
{
	struct event_code code = { .type = 0 };
	bool ok;

	switch (find_code(root, name, &code)) {
	case FOUND:
		break;
	case NOT_FOUND:
		levels = own ? own : levels;
		return encode_with_pfmlib(root, name,
					  levels ? levels : LEVEL_USER, event);
	default:
		return false;
	}
	ok = pack(name, &code, event) &&
	     choose_levels(name, &code, own, levels, event);
	event->source = code.source;
	event->per_thread = code.per_thread;
	event->cpus = code.cpus;
	return ok;
}

bool event_encode(const char *root, const char *name, unsigned int levels,
		  struct encoded_event *event)
{
	char *plain = checked_strdup(name);
	struct suffix own = cut_suffix(plain);
	bool ok;

	memset(event, 0, sizeof(*event));
	ok = encode(root, plain, own.levels, levels, event);
	if (ok && own.precise) {
		event->pmc &= ~PFM_PERF_PRECISE_MASK;
		event->pmc |= (uint64_t)own.precise << PFM_PERF_PRECISE_SHIFT;
	}
	free(plain);
	return ok;
}

bool event_encode_quietly(const char *root, const char *name,
			  unsigned int levels, struct encoded_event *event,
			  char **why)
{
	bool ok;

	message_keep(why);
	ok = event_encode(root, name, levels, event);
	message_keep(NULL);
	return ok;
}

char *event_plain_name(const char *name)
{
	char *plain = checked_strdup(name);

	cut_suffix(plain);
	return plain;
}

void events_each(const char *root, void (*visit)(const char *name, void *data),
		 void *data)
{
	generic_event_each(visit, data);
	sysfs_event_each(root, visit, data);
	tracepoint_each(root, visit, data);
	pfmlib_event_each(visit, data);
}
