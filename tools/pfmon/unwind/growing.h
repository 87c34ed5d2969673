/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * growing.h - arrays that grow
 *
 * Compiling the unwind table of a damaged file can need much memory. If memory
 * runs out, only the compilation fails: unlike checked_realloc(), these arrays
 * do not end pfmon.
 */
#ifndef PFMON_UNWIND_GROWING_H
#define PFMON_UNWIND_GROWING_H

#include <stdbool.h>
#include <stdlib.h>

/* Makes room for one more element after @used ones; false if out of memory. */
#define GROWN(array, used, room) \
	((used) < (room) || grow_array((void **)&(array), &(room), \
				       sizeof(*(array))))

static inline bool grow_array(void **array, size_t *room, size_t element)
{
	size_t more = *room ? 2 * *room : 64;
	void *grown = reallocarray(*array, more, element);

	if (!grown)
		return false;
	*array = grown;
	*room = more;
	return true;
}

#endif /* PFMON_UNWIND_GROWING_H */
