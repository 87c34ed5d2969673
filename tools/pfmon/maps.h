/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* maps.h - mappings of processes, for the capture */
#ifndef PFMON_MAPS_H
#define PFMON_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * What is already known about processes and files; its owner does the locking.
 */
struct maps;

/* Of executable mappings only, or of those of data, too. */
struct maps *maps_create(bool data);
void maps_destroy(struct maps *maps);

/* Within a round every process is looked at once. */
void maps_next_round(struct maps *maps);

/* Was it in this round? */
bool maps_is_looked_at(struct maps *maps, pid_t tgid);

/*
 * Returns the text of a MAPS chunk, to be freed, if the mappings or the name
 * of the process have changed since the last call; NULL if they do not, if
 * it was looked at in this round already, or if the process is gone.
 */
char *maps_changed(struct maps *maps, pid_t tgid);

/* The process is gone. */
void maps_forget(struct maps *maps, pid_t tgid);

/* Does the process run code that is in no file, as far as is known? */
bool maps_has_made_code(struct maps *maps, pid_t tgid);

#endif /* PFMON_MAPS_H */
