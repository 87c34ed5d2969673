// SPDX-License-Identifier: GPL-2.0
/*
 * tracepoint.c - kernel tracepoints whose symbols are not exported
 */
#include <linux/errno.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include "tracepoint.h"

struct pfm_tracepoint_search {
	const char		*name;
	struct tracepoint	*found;
};

static void pfm_match_tracepoint(struct tracepoint *tp, void *data)
{
	struct pfm_tracepoint_search *search = data;

	if (!strcmp(tp->name, search->name))
		search->found = tp;
}

struct tracepoint *pfm_find_tracepoint(const char *name)
{
	struct pfm_tracepoint_search search = { .name = name };

	for_each_kernel_tracepoint(pfm_match_tracepoint, &search);
	return search.found;
}

static DEFINE_MUTEX(pfm_probe_lock);

static int pfm_probe_register(struct pfm_probe *probe)
{
	probe->tp = probe->tp ?: pfm_find_tracepoint(probe->name);
	return probe->tp ? tracepoint_probe_register(probe->tp, probe->func,
						     NULL) : -ENOENT;
}

int pfm_probe_get(struct pfm_probe *probe)
{
	int ret = 0;

	mutex_lock(&pfm_probe_lock);
	if (!probe->users)
		ret = pfm_probe_register(probe);
	probe->users += !ret;
	mutex_unlock(&pfm_probe_lock);
	return ret;
}

void pfm_probe_put(struct pfm_probe *probe)
{
	mutex_lock(&pfm_probe_lock);
	if (!--probe->users)
		tracepoint_probe_unregister(probe->tp, probe->func, NULL);
	mutex_unlock(&pfm_probe_lock);
}
