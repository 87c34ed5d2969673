// SPDX-License-Identifier: MIT OR GPL-2.0
/* pfmlib_events.c - the events that libpfm4 knows of this machine's CPUs */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include <perfmon/pfmlib_perf_event.h>

#include "event_code.h"
#include "pfmlib_events.h"
#include "util.h"

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

int pfmlib_encode(const char *name, unsigned int levels,
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

/* Attribute i of an event; false if there is none. */
static bool get_attribute(const pfm_event_info_t *event, int i,
			  pfm_event_attr_info_t *attr)
{
	*attr = (pfm_event_attr_info_t){ .size = sizeof(*attr) };
	return pfm_get_event_attr_info(event->idx, i, PFM_OS_PERF_EVENT,
				       attr) == PFM_SUCCESS;
}

static void visit_unit_masks(const char *event, const pfm_event_info_t *info,
			     void (*visit)(const char *name, void *data),
			     void *data)
{
	for (int i = 0; i < info->nattrs; i++) {
		pfm_event_attr_info_t attr;
		char *name;

		if (!get_attribute(info, i, &attr) ||
		    attr.type != PFM_ATTR_UMASK)
			continue;
		name = checked_printf("%s:%s", event, attr.name);
		visit(name, data);
		free(name);
	}
}

static void visit_pmu(const pfm_pmu_info_t *pmu,
		      void (*visit)(const char *name, void *data), void *data)
{
	for (int i = pmu->first_event; i != -1; i = pfm_get_event_next(i)) {
		pfm_event_info_t info = { .size = sizeof(info) };
		char *name;

		if (pfm_get_event_info(i, PFM_OS_PERF_EVENT, &info) !=
		    PFM_SUCCESS)
			continue;
		name = checked_printf("%s::%s", pmu->name, info.name);
		visit(name, data);
		visit_unit_masks(name, &info, visit, data);
		free(name);
	}
}

void pfmlib_event_each(void (*visit)(const char *name, void *data), void *data)
{
	if (pfmlib_ready() != PFM_SUCCESS)
		return;
	for (int i = PFM_PMU_NONE; i < PFM_PMU_MAX; i++) {
		pfm_pmu_info_t pmu = { .size = sizeof(pmu) };

		if (pfm_get_pmu_info((pfm_pmu_t)i, &pmu) == PFM_SUCCESS &&
		    pmu.is_present)
			visit_pmu(&pmu, visit, data);
	}
}

static const char *kind_of(const pfm_event_attr_info_t *attr)
{
	switch (attr->type) {
	case PFM_ATTR_MOD_BOOL:
		return " (yes or no)";
	case PFM_ATTR_MOD_INTEGER:
		return "=NUMBER";
	default:
		return attr->is_dfl ? " (default)" : "";
	}
}

/* The unit masks of an event, or what else can be written behind a colon. */
static void print_attributes(const pfm_event_info_t *event, bool masks,
			     const char *title, FILE *out)
{
	pfm_event_attr_info_t attr;

	for (int i = 0; i < event->nattrs; i++) {
		if (!get_attribute(event, i, &attr) ||
		    (attr.type == PFM_ATTR_UMASK) != masks)
			continue;
		if (title)
			fprintf(out, "%s:\n", title);
		title = NULL;
		fprintf(out, "\t:%s%s  %s\n", attr.name, kind_of(&attr),
			attr.desc ? attr.desc : "");
	}
}

void pfmlib_event_describe(const char *name, FILE *out)
{
	pfm_event_info_t event = { .size = sizeof(event) };
	pfm_pmu_info_t pmu = { .size = sizeof(pmu) };
	int id;

	if (pfmlib_ready() != PFM_SUCCESS)
		return;
	id = pfm_find_event(name);
	if (id < 0 || pfm_get_event_info(id, PFM_OS_PERF_EVENT, &event) !=
		      PFM_SUCCESS)
		return;
	if (pfm_get_pmu_info(event.pmu, &pmu) == PFM_SUCCESS)
		fprintf(out, "PMU:       %s: %s\n", pmu.name, pmu.desc);
	fprintf(out, "Meaning:   %s\n", event.desc ? event.desc : "-");
	if (event.equiv)
		fprintf(out, "The same:  %s\n", event.equiv);
	print_attributes(&event, true, "Unit masks", out);
	print_attributes(&event, false, "Modifiers", out);
}
