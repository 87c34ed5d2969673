// SPDX-License-Identifier: MIT OR GPL-2.0
/* similar.c - suggest names that resemble a mistyped one */
#include <stdlib.h>
#include <string.h>

#include "base/similar.h"
#include "base/util.h"

static unsigned int least(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int ab = a < b ? a : b;

	return ab < c ? ab : c;
}

unsigned int edits_between(const char *one, const char *other)
{
	size_t length = strlen(other);
	unsigned int *row = checked_calloc(length + 1, sizeof(*row));
	unsigned int edits;

	for (size_t i = 0; i <= length; i++)
		row[i] = (unsigned int)i;
	for (unsigned int n = 1; *one; one++, n++) {
		unsigned int diagonal = row[0];

		row[0] = n;
		for (size_t i = 1; i <= length; i++) {
			unsigned int above = row[i];

			row[i] = least(above + 1, row[i - 1] + 1,
				       diagonal + (*one != other[i - 1]));
			diagonal = above;
		}
	}
	edits = row[length];
	free(row);
	return edits;
}

void similar_consider(const char *candidate, void *data)
{
	struct similar *similar = data;
	unsigned int edits = edits_between(candidate, similar->name);

	/* Many unrelated names are within two edits of a short name. */
	if (edits > SIMILAR_EDITS || edits >= strlen(similar->name) ||
	    (similar->best && edits >= similar->edits))
		return;
	free(similar->best);
	similar->best = checked_strdup(candidate);
	similar->edits = edits;
}

char *similar_hint(struct similar *similar)
{
	char *hint = similar->best ?
		checked_printf(" (did you mean '%s'?)", similar->best) :
		checked_strdup("");

	free(similar->best);
	return hint;
}
