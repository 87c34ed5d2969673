// SPDX-License-Identifier: MIT OR GPL-2.0
/* elements.c - lists on the command line, with one element per event */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/elements.h"
#include "base/util.h"

/*
 * Returns whether an element ends at @at. In a list of CPUs, a comma before a
 * digit continues this list, because event names do not begin with a digit.
 */
static bool is_end(const char *at, bool inside, bool in_cpus)
{
	return !*at || (*at == ',' && !inside &&
			!(in_cpus && isdigit((unsigned char)at[1])));
}

char *next_element(char **rest)
{
	bool inside = false, in_cpus = false;
	char *element = *rest, *end;

	if (!element)
		return NULL;
	for (end = element; !is_end(end, inside, in_cpus); end++) {
		inside ^= *end == '/';
		in_cpus |= *end == '@' && !inside;
	}
	*rest = *end ? end + 1 : NULL;
	*end = '\0';
	return element;
}

bool each_element(const char *list, struct options *options,
		  bool (*add)(struct options *options, const char *element,
			      unsigned int index))
{
	char *copy = checked_strdup(list), *rest = copy, *element;
	unsigned int index = 0;
	bool ok = true;

	while (ok && (element = next_element(&rest)))
		ok = add(options, element, index++);
	free(copy);
	return ok;
}

struct event_option *event_at(struct options *options, unsigned int index,
			      const char *option)
{
	if (index < options->event_count)
		return &options->events[index];
	message("%s has more elements than there are events (%u); an empty element skips an event",
		option,
		options->event_count);
	return NULL;
}
