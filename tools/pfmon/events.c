// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * events.c - event names and their encoding as PMC values
 *
 * The kernel's generic events and raw numbers are encoded here, all other
 * names by libpfm4, for perf_events; both end in the PMC value of
 * perfmon/perfmon.h.
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
static bool pack(const char *name, uint32_t type, uint64_t id, uint64_t *pmc)
{
	uint64_t largest_type = (PFM_PERF_TYPE_MASK >> PFM_PERF_TYPE_SHIFT) - 1;

	if (id & ~PFM_PERF_ID_MASK) {
		message("event %s: its configuration %#llx has more than the 48 bits of a PMC value",
			name, (unsigned long long)id);
		return false;
	}
	if (type > largest_type) {
		message("event %s: its PMU has number %u, a PMC value holds at most %u",
			name, type, (unsigned int)largest_type);
		return false;
	}
	*pmc = type == PERF_TYPE_RAW ? PFM_PERF_RAW | id :
				       PFM_PERF_EVENT(type, id);
	return true;
}

/* The suffix of an event's name. */
struct suffix {
	unsigned int levels;	/* 0 if it names none */
	unsigned int precise;
};

/*
 * Cuts off a suffix of privilege levels and a precise level, if there is one.
 */
static struct suffix cut_suffix(char *name)
{
	struct suffix found = { 0, 0 };
	const struct suffix none = found;
	char *colon = strrchr(name, ':');

	if (!colon || !colon[1])
		return none;
	for (const char *letter = colon + 1; *letter; letter++) {
		if (*letter == 'u')
			found.levels |= LEVEL_USER;
		else if (*letter == 'k')
			found.levels |= LEVEL_KERNEL;
		else if (*letter == 'p' && found.precise < MOST_PRECISE)
			found.precise++;
		else
			return none;
	}
	*colon = '\0';
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

static bool encode_with_pfmlib(const char *name, unsigned int levels,
			       uint64_t *pmc)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	pfm_perf_encode_arg_t arg = { .attr = &attr, .size = sizeof(arg) };
	int plm = (levels & LEVEL_USER ? PFM_PLM3 : 0) |
		  (levels & LEVEL_KERNEL ? PFM_PLM0 : 0);
	int ret = pfmlib_ready();

	if (ret == PFM_SUCCESS)
		ret = pfm_get_os_event_encoding(name, plm, PFM_OS_PERF_EVENT,
						&arg);
	if (ret != PFM_SUCCESS) {
		explain(name, ret);
		return false;
	}
	if (attr.config1 || attr.config2) {
		message("event %s needs a second configuration register, which a PMC value cannot express",
			name);
		return false;
	}
	if (!pack(name, attr.type, attr.config, pmc))
		return false;
	*pmc |= attr.exclude_user ? PFM_PERF_EXCL_USER : 0;
	*pmc |= attr.exclude_kernel ? PFM_PERF_EXCL_KERNEL : 0;
	*pmc |= (uint64_t)attr.precise_ip << PFM_PERF_PRECISE_SHIFT;
	return true;
}

static bool encode(const char *name, unsigned int levels, uint64_t *pmc)
{
	struct generic_event generic;

	if (generic_event_find(name, &generic)) {
		if (!levels && generic.in_kernel)
			levels = LEVEL_USER | LEVEL_KERNEL;
		if (!pack(name, generic.type, generic.id, pmc))
			return false;
	} else if (is_raw(name)) {
		if (!pack(name, PERF_TYPE_RAW, strtoull(name + 1, NULL, 16),
			  pmc))
			return false;
	} else {
		return encode_with_pfmlib(name, levels ? levels : LEVEL_USER,
					  pmc);
	}
	*pmc |= exclusions(levels ? levels : LEVEL_USER);
	return true;
}

bool event_encode(const char *name, unsigned int levels, uint64_t *pmc)
{
	char *plain = checked_strdup(name);
	struct suffix own = cut_suffix(plain);
	bool ok = encode(plain, own.levels ? own.levels : levels, pmc);

	if (ok && own.precise) {
		*pmc &= ~PFM_PERF_PRECISE_MASK;
		*pmc |= (uint64_t)own.precise << PFM_PERF_PRECISE_SHIFT;
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

bool events_list(const char *pattern)
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
	list_pfmlib(&compiled);
	regfree(&compiled);
	return true;
}
