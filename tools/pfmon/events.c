// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * events.c - event names and their encoding as PMC values
 *
 * The kernel's generic events and raw numbers are encoded here, what it names
 * in sysfs and tracefs as these say, and all other names by libpfm4, for
 * perf_events. All end in the PMC values of perfmon/perfmon.h.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perfmon/pfmlib_perf_event.h>
#include <perfmon/perfmon.h>

#include "event_names.h"
#include "events.h"
#include "sysfs_pmu.h"
#include "tracepoints.h"
#include "util.h"

#define MOST_PRECISE	3

static int pfmlib_ready(void)
{
	static int ret = PFM_ERR_NOINIT;

	if (ret != PFM_ERR_NOINIT)
		return ret;
	ret = pfm_initialize();
	if (ret == PFM_SUCCESS)
		atexit(pfm_terminate);
	return ret;
}

static uint64_t exclusions(unsigned int levels)
{
	return (levels & LEVEL_USER ? 0 : PFM_PERF_EXCL_USER) |
	       (levels & LEVEL_KERNEL ? 0 : PFM_PERF_EXCL_KERNEL);
}

/*
 * Packs perf's type and configuration; false with a message if they do not fit.
 */
static bool pack(const char *name, const struct event_code *code,
		 struct encoded_event *event)
{
	uint64_t largest_type = (PFM_PERF_TYPE_MASK >> PFM_PERF_TYPE_SHIFT) - 1;
	uint64_t id = code->config[0];

	if (id & ~PFM_PERF_ID_MASK) {
		message("event %s: its configuration %#llx has more than the 48 bits of a PMC value",
			name, (unsigned long long)id);
		return false;
	}
	if (code->type > largest_type) {
		message("event %s: its PMU has number %u, a PMC value holds at most %u",
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
	unsigned int levels;	/* 0 if it names none */
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
 * Cuts off a suffix of privilege levels and a precise level, if there is one:
 * behind the last colon, or the last slash.
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

static void explain(const char *name, int error)
{
	if (error == PFM_ERR_NOTFOUND)
		message("there is no event %s here; pfmon --list-events prints those that are",
			name);
	else if (error == PFM_ERR_UMASK)
		message("event %s: its unit mask is missing or wrong; pfmon --list-events prints them",
			name);
	else
		message("event %s: %s", name, pfm_strerror(error));
}

static int ask_pfmlib(const char *name, unsigned int levels,
		      struct perf_event_attr *attr)
{
	pfm_perf_encode_arg_t arg = { .attr = attr, .size = sizeof(arg) };
	int plm = (levels & LEVEL_USER ? PFM_PLM3 : 0) |
		  (levels & LEVEL_KERNEL ? PFM_PLM0 : 0);
	int ret = pfmlib_ready();

	return ret == PFM_SUCCESS ?
		pfm_get_os_event_encoding(name, plm, PFM_OS_PERF_EVENT, &arg) :
		ret;
}

static bool encode_with_pfmlib(const char *name, unsigned int levels,
			       struct encoded_event *event)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	struct event_code code = { .type = 0 };
	int ret = ask_pfmlib(name, levels, &attr);

	if (ret != PFM_SUCCESS) {
		explain(name, ret);
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
	return true;
}

/* Who knows the name of an event, and what came of it. */
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
		return FOUND;
	case TRACEPOINT_REFUSED:
		return REFUSED;
	case TRACEPOINT_UNKNOWN:
		if (ask_pfmlib(name, LEVEL_USER, &attr) == PFM_SUCCESS)
			return NOT_FOUND;
		message("there is no event %s here; whether it is a tracepoint, only root may see: /sys/kernel/tracing",
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

	if (generic_event_find(name, code))
		return FOUND;
	if (is_raw(name)) {
		code->type = PERF_TYPE_RAW;
		code->config[0] = strtoull(name + 1, NULL, 16);
		code->per_thread = true;
		return FOUND;
	}
	finding = find_in_sysfs(root, name, code);
	return finding == NOT_FOUND ? find_tracepoint(root, name, code) :
				      finding;
}

/* What several CPUs share knows no levels; only a suffix asks for one. */
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
	message("event %s: it is counted for CPUs %s, at all levels; write it without u and k",
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
		return encode_with_pfmlib(name, levels ? levels : LEVEL_USER,
					  event);
	default:
		return false;
	}
	ok = pack(name, &code, event) &&
	     choose_levels(name, &code, own, levels, event);
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

static void print_if_matching(const char *name, void *data)
{
	if (!regexec(data, name, 0, NULL, 0))
		puts(name);
}

static void list_unit_masks(const char *event, const pfm_event_info_t *info,
			    regex_t *pattern)
{
	for (int i = 0; i < info->nattrs; i++) {
		pfm_event_attr_info_t attr = { .size = sizeof(attr) };
		char *name;

		if (pfm_get_event_attr_info(info->idx, i, PFM_OS_PERF_EVENT,
					    &attr) != PFM_SUCCESS ||
		    attr.type != PFM_ATTR_UMASK)
			continue;
		name = checked_printf("%s:%s", event, attr.name);
		print_if_matching(name, pattern);
		free(name);
	}
}

static void list_pmu(const pfm_pmu_info_t *pmu, regex_t *pattern)
{
	for (int i = pmu->first_event; i != -1; i = pfm_get_event_next(i)) {
		pfm_event_info_t info = { .size = sizeof(info) };
		char *name;

		if (pfm_get_event_info(i, PFM_OS_PERF_EVENT, &info) !=
		    PFM_SUCCESS)
			continue;
		name = checked_printf("%s::%s", pmu->name, info.name);
		print_if_matching(name, pattern);
		list_unit_masks(name, &info, pattern);
		free(name);
	}
}

static void list_pfmlib(regex_t *pattern)
{
	if (pfmlib_ready() != PFM_SUCCESS)
		return;
	for (int i = PFM_PMU_NONE; i < PFM_PMU_MAX; i++) {
		pfm_pmu_info_t pmu = { .size = sizeof(pmu) };

		if (pfm_get_pmu_info((pfm_pmu_t)i, &pmu) == PFM_SUCCESS &&
		    pmu.is_present)
			list_pmu(&pmu, pattern);
	}
}

bool events_list(const char *root, const char *pattern)
{
	regex_t compiled;
	char text[128];
	int error = regcomp(&compiled, pattern ? pattern : "",
			    REG_EXTENDED | REG_ICASE | REG_NOSUB);

	if (error) {
		regerror(error, &compiled, text, sizeof(text));
		message("pattern '%s': %s", pattern, text);
		return false;
	}
	generic_event_each(print_if_matching, &compiled);
	sysfs_event_each(root, print_if_matching, &compiled);
	tracepoint_each(root, print_if_matching, &compiled);
	list_pfmlib(&compiled);
	regfree(&compiled);
	return true;
}
