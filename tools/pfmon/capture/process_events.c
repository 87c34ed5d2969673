// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * process_events.c - write perf's records about processes to the capture
 *
 * The records of all CPUs are copied, sorted by time and then described in PROC
 * chunks of the capture.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/pid_table.h"
#include "base/util.h"
#include "capture/perf_record.h"
#include "capture/perf_rings.h"
#include "capture/process_event.h"
#include "capture/process_events.h"

/* A chunk ends with the event that makes it this large or larger. */
#define CHUNK_SIZE	(1U << 20)
#define MANY_TOLD	1000	/* new processes before the next check */

/* The position of a record in memory, and the time by which it is sorted. */
struct place {
	uint64_t time;
	size_t offset, size;
};

struct process_events {
	struct perf_rings rings;
	struct pid_table told;	/* processes that perf records */
	size_t told_enough;	/* remove ended processes at this told.count */
	struct perf_bytes bytes;
	struct perf_bytes chunk;	/* of process_events_next() */
	struct place *places;	/* of the records in bytes, sorted by time */
	size_t place_count, room;
	size_t next, end;	/* places for process_events_next() */
	bool code_changed;
};

static void forget_if_ended(struct pid_entry *entry, void *data)
{
	if (kill(entry->pid, 0) && errno == ESRCH)
		pid_table_forget(data, entry->pid);
}

/*
 * Forgets processes that have ended. Takes constant time on average, because it
 * is called for each new process.
 */
static void forget_ended(struct process_events *events)
{
	if (events->told.count < events->told_enough)
		return;
	pid_table_each(&events->told, forget_if_ended, &events->told);
	events->told_enough = 2 * events->told.count + MANY_TOLD;
}

static void add_told(struct process_events *events, pid_t tgid)
{
	forget_ended(events);
	pid_table_get(&events->told, tgid, sizeof(struct pid_entry));
}

struct process_events *process_events_open(const struct perf_scope *scope,
					   int *error)
{
	struct process_events *events = checked_calloc(1, sizeof(*events));

	add_told(events, scope->tgid);
	*error = perf_rings_open(&events->rings, scope) ? 0 : errno;
	if (!*error)
		return events;
	process_events_close(events);
	return NULL;
}

void process_events_close(struct process_events *events)
{
	if (!events)
		return;
	perf_rings_close(&events->rings);
	free(events->bytes.bytes);
	free(events->chunk.bytes);
	free(events->places);
	pid_table_free(&events->told);
	free(events);
}

int process_events_fd(const struct process_events *events)
{
	return events->rings.online_fd;
}

static void add_place(struct process_events *events, size_t offset, size_t size)
{
	uint64_t time;

	if (!perf_record_time(events->bytes.bytes + offset, size, &time))
		return;
	if (events->place_count == events->room) {
		events->room = 2 * events->room + 64;
		events->places = checked_realloc(events->places, events->room,
						 sizeof(*events->places));
	}
	events->places[events->place_count++] =
		(struct place){ time, offset, size };
}

/* Copies the records that are in the rings. */
static void collect(struct process_events *events)
{
	size_t offset = events->bytes.size;
	struct perf_event_header header;

	perf_rings_read(&events->rings, &events->bytes);
	for (; offset < events->bytes.size; offset += header.size) {
		memcpy(&header, events->bytes.bytes + offset, sizeof(header));
		add_place(events, offset, header.size);
	}
}

static uint64_t latest(const struct process_events *events)
{
	uint64_t time = 0;

	for (size_t i = 0; i < events->place_count; i++) {
		if (events->places[i].time > time)
			time = events->places[i].time;
	}
	return time;
}

static int compare(const void *one, const void *other)
{
	const struct place *a = one, *b = other;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* Removes the records that were returned. */
static void forget_read(struct process_events *events)
{
	struct perf_bytes kept = { .size = 0 };
	size_t count = events->place_count - events->next;

	for (size_t i = 0; i < count; i++) {
		struct place *place = &events->places[events->next + i];
		char *to = perf_bytes_extend(&kept, place->size);

		memcpy(to, events->bytes.bytes + place->offset, place->size);
		place->offset = kept.size - place->size;
		events->places[i] = *place;
	}
	free(events->bytes.bytes);
	events->bytes = kept;
	events->place_count = count;
	events->next = 0;
}

void process_events_read(struct process_events *events, bool last)
{
	uint64_t time;

	forget_read(events);
	collect(events);
	/*
	 * By now, the rings contain all records that precede the latest one
	 * collected: collect those, too.
	 */
	time = last ? UINT64_MAX : latest(events);
	collect(events);
	perf_rings_renew(&events->rings);
	if (events->place_count)
		qsort(events->places, events->place_count,
		      sizeof(*events->places), compare);
	events->end = events->place_count;
	while (events->end && events->places[events->end - 1].time > time)
		events->end--;
}

/* Notes which processes perf records, unless it records all. */
static void note_told(struct process_events *events,
		      const struct perf_record *record)
{
	if (events->rings.scope.tgid == ALL_PROCESSES ||
	    record->kind == RECORD_CODE)
		return;
	if (record->kind == RECORD_EXEC)
		process_events_forget(events, record->tgid);
	else
		add_told(events, record->tgid);
}

/* Returns false for damage, and for processes outside of the PID namespace. */
static bool parse(const struct process_events *events,
		  const struct place *place, struct perf_record *record)
{
	return perf_record_parse(record, events->bytes.bytes + place->offset,
				 place->size) &&
	       (record->tgid > 0 || record->kind == RECORD_CODE);
}

const struct perf_bytes *process_events_next(struct process_events *events,
					     struct maps *maps, bool proc)
{
	struct perf_bytes *chunk = &events->chunk;
	struct perf_record record;

	chunk->size = 0;
	for (; events->next < events->end && chunk->size < CHUNK_SIZE;
	     events->next++) {
		if (!parse(events, &events->places[events->next], &record))
			continue;
		note_told(events, &record);
		events->code_changed |= record.kind == RECORD_CODE;
		process_event_write(chunk, &record, maps, proc);
	}
	return chunk->size ? chunk : NULL;
}

bool process_events_tell_of(const struct process_events *events, pid_t tgid)
{
	return events->rings.scope.tgid == ALL_PROCESSES ||
	       pid_table_find(&events->told, tgid);
}

struct visit {
	void (*visit)(pid_t tgid, void *data);
	void *data;
};

static void visit_told(struct pid_entry *entry, void *data)
{
	const struct visit *visit = data;

	visit->visit(entry->pid, visit->data);
}

void process_events_each(const struct process_events *events,
			 void (*visit)(pid_t tgid, void *data), void *data)
{
	struct visit each = { visit, data };

	pid_table_each(&events->told, visit_told, &each);
}

void process_events_forget(struct process_events *events, pid_t tgid)
{
	pid_table_forget(&events->told, tgid);
}

bool process_events_code_changed(struct process_events *events)
{
	bool changed = events->code_changed;

	events->code_changed = false;
	return changed;
}

uint64_t process_events_lost(const struct process_events *events)
{
	return perf_rings_lost(&events->rings);
}
