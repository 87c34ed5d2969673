/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * kinds.h - the kinds of contexts to stress: each format in each of its modes
 *
 * Whatever the kind, a sampler monitors one thread with three counters: a
 * clock, page faults, and page faults without samples, to compare the samples
 * with. Anything that the format's description rules out fails the test.
 */
#ifndef GUEST_KINDS_H
#define GUEST_KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "ctx.h"
#include "smpl.h"

/* The counters, and the identifiers of their events. */
enum { PMD_CLOCK, PMD_FAULTS, PMD_ALL_FAULTS };
#define EVENT_OF(pmd)	(0x5eed00 + (pmd))

struct sampler;

/**
 * struct kind - one way to sample
 * @name:      for messages
 * @module:    the format's module
 * @uuid:      the format
 * @flags:     for its argument
 * @needs_x86: such contexts exist on x86 only
 * @masks:     a full buffer masks monitoring
 * @entries:   samples are entries that hold the number of page faults
 * @make_arg:  write the argument. Return: its size
 * @read_full: read what a message is about
 * @read_rest: read what is left when there are no more messages
 * @peek:      look at what is being written while the thread runs
 */
struct kind {
	const char	*name;
	const char	*module;
	pfm_uuid_t	uuid;
	__u32		flags;
	bool		needs_x86;
	bool		masks;
	bool		entries;
	size_t		(*make_arg)(const struct kind *kind, void *arg);
	void		(*read_full)(struct sampler *s);
	void		(*read_rest)(struct sampler *s);
	void		(*peek)(struct sampler *s);
};

#define NUM_KINDS	9
extern const struct kind kinds[NUM_KINDS];

/**
 * struct sampler - a context of some kind, and what was read of it
 * @kind:     which
 * @m:        its descriptor and buffer, if it has one
 * @pid:      the only thread of the process that it samples
 * @messages: overflow messages that were read
 * @restarts: calls of PFM_RESTART after them
 * @ended:    the thread has gone, and the context said so
 * @samples:  samples of page faults that were read
 * @faults:   page faults according to the last one
 * @seq:      n-way: number of the region that was read last
 * @overwritten: n-way: samples that were overwritten
 */
struct sampler {
	const struct kind *kind;
	struct mapped	m;
	pid_t		pid;
	__u64		messages;
	__u64		restarts;
	bool		ended;
	__u64		samples;
	__u64		faults;
	__u64		seq;
	__u64		overwritten;
};

/*
 * Create a context, waiting for a module that is being unloaded. Return: its
 * descriptor, or -1 if this machine does not support the kind.
 */
int kind_create(const struct kind *kind, pfarg_ctx_t *ctx);
/*
 * Create a context likewise, load it onto a process and start it. Return: false
 * if this machine does not support the kind.
 */
bool sampler_start(struct sampler *s, const struct kind *kind, pid_t pid);
/* Read what was handed out and restart until there is no message. */
void sampler_drain(struct sampler *s);
/* The same until the message that the thread has exited. */
void sampler_drain_to_end(struct sampler *s);
/*
 * The thread has exited, or is the caller, whose context this stops: read the
 * rest and account for every page fault.
 */
void sampler_finish(struct sampler *s);
/* Close the context, started or not; its buffer must be intact until then. */
void sampler_close(struct sampler *s);

#endif /* GUEST_KINDS_H */
