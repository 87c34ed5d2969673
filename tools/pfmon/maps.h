/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* maps.h - executable mappings of processes, for the capture */
#ifndef PFMON_MAPS_H
#define PFMON_MAPS_H

#include <stddef.h>
#include <sys/types.h>

/*
 * What is already known about processes and files; its owner does the locking.
 */
struct maps;

struct maps *maps_create(void);
void maps_destroy(struct maps *maps);

/* Within a round every process is looked at once. */
void maps_next_round(struct maps *maps);

/*
 * Returns the text of a MAPS chunk, to be freed, if the mappings or the name
 * of the process have changed since the last call; NULL if they do not, if
 * it was looked at in this round already, or if the process is gone.
 */
char *maps_changed(struct maps *maps, pid_t tgid);

#endif /* PFMON_MAPS_H */
