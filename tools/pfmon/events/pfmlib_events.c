// SPDX-License-Identifier: MIT OR GPL-2.0
/* pfmlib_events.c - libpfm4's events for this machine */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include <perfmon/pfmlib_perf_event.h>

#include "base/json.h"
#include "base/util.h"
#include "events/event_code.h"
#include "events/pfmlib_events.h"

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

/* Gets attribute i of an event; returns false on failure. */
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

/* Returns the type of an attribute's value; NULL for unit masks. */
static const char *value_of(const pfm_event_attr_info_t *attr)
{
	return attr->type == PFM_ATTR_MOD_BOOL ? "boolean" :
	       attr->type == PFM_ATTR_MOD_INTEGER ? "number" : NULL;
}

static struct json_object *describe_attribute(const pfm_event_attr_info_t *attr)
{
	struct json_object *object = json_new_object();

	json_add_text(object, "name", attr->name);
	json_add_text(object, "meaning", attr->desc ? attr->desc : "");
	if (attr->type == PFM_ATTR_UMASK)
		json_add_bool(object, "default", attr->is_dfl);
	else
		json_add_text(object, "value", value_of(attr));
	return object;
}

/* Lists the unit masks of an event, or its modifiers. */
static struct json_object *describe_attributes(const pfm_event_info_t *event,
					       bool masks)
{
	struct json_object *list = json_new_array();
	pfm_event_attr_info_t attr;

	for (int i = 0; i < event->nattrs; i++) {
		if (get_attribute(event, i, &attr) &&
		    (attr.type == PFM_ATTR_UMASK) == masks)
			json_append(list, describe_attribute(&attr));
	}
	return list;
}

void pfmlib_event_describe(const char *name, struct json_object *object)
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
	if (pfm_get_pmu_info(event.pmu, &pmu) == PFM_SUCCESS) {
		json_add_text(object, "pmu", pmu.name);
		json_add_text(object, "pmu_meaning", pmu.desc);
	}
	json_add_text(object, "meaning", event.desc);
	json_add_text(object, "same_as", event.equiv);
	json_add(object, "unit_masks", describe_attributes(&event, true));
	json_add(object, "modifiers", describe_attributes(&event, false));
}
