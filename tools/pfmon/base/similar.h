/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* similar.h - suggest names that resemble a mistyped one */
#ifndef PFMON_BASE_SIMILAR_H
#define PFMON_BASE_SIMILAR_H

/* Maximum edit distance of a suggested name. */
#define SIMILAR_EDITS	2

/*
 * Returns the edit distance: the number of characters to insert, delete or
 * change.
 */
unsigned int edits_between(const char *one, const char *other);

/*
 * The best suggestion so far. The caller sets name and zeroes the other
 * members.
 */
struct similar {
	const char *name;
	char *best;		/* or NULL */
	unsigned int edits;
};

/* Considers a name as a suggestion; data is the struct similar. */
void similar_consider(const char *candidate, void *data);

/*
 * Returns " (did you mean 'NAME'?)", or "" without a suggestion; to be freed.
 * Frees the suggestion.
 */
char *similar_hint(struct similar *similar);

#endif /* PFMON_BASE_SIMILAR_H */
