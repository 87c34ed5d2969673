// SPDX-License-Identifier: GPL-2.0
/*
 * tracepoint.c - kernel tracepoints whose symbols are not exported
 */
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
