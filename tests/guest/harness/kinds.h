/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * kinds.h - the kinds of contexts to stress: each format in each of its modes
 *
 * A sampler of any kind monitors one thread with three counters: a clock, page
 * faults, and page faults without sampling. The number of samples is compared
 * with the last counter. The test fails if a buffer contradicts the format's
 * description.
 */
#ifndef GUEST_KINDS_H
#define GUEST_KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "ctx.h"
#include "smpl.h"

/* The counters, and their event IDs. */
enum { PMD_CLOCK, PMD_FAULTS, PMD_ALL_FAULTS };
#define EVENT_OF(pmd)	(0x5eed00 + (pmd))

struct sampler;

/**
 * struct kind - a format and its options
 * @name:      for messages
 * @module:    name of the format's module
 * @uuid:      the format's UUID
 * @flags:     flags of the format's argument
 * @needs_x86: supported on x86 only
 * @masks:     a full buffer masks monitoring
 * @entries:   samples are entries with the value of PMD_ALL_FAULTS, so that
 *             page faults can be accounted for
 * @make_arg:  write the format's argument. Return: its size
 * @read_full: read the samples that an overflow message announces
 * @read_rest: read the remaining samples after the last message
 * @peek:      read samples while the kernel is writing them
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

#define NUM_KINDS	11
extern const struct kind kinds[NUM_KINDS];

/**
 * struct sampler - a context of some kind, and what was read from it
 * @kind:     its kind
 * @m:        its descriptor, and its buffer if it has one
 * @pid:      the single-threaded process that it samples
 * @messages: number of overflow messages read
 * @restarts: number of PFM_RESTART commands that succeeded after these messages
 * @ended:    the thread has exited and the end message was read
 * @samples:  number of samples of PMD_FAULTS read
 * @faults:   value of PMD_ALL_FAULTS in the last sample
 * @seq:      n-way: sequence number of the last region read
 * @overwritten: n-way: number of samples that were overwritten
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
 * Create a context; retry while the format's module is being unloaded. Return:
 * its descriptor, or -1 if this machine does not support the kind.
 */
int kind_create(const struct kind *kind, pfarg_ctx_t *ctx);
/*
 * Create a context as kind_create() does, load it onto a process and start it.
 * Return: false if this machine does not support the kind.
 */
bool sampler_start(struct sampler *s, const struct kind *kind, pid_t pid);
/*
 * Read the samples of each overflow message and restart, until all messages
 * have been read.
 */
void sampler_drain(struct sampler *s);
/*
 * Read the samples of each overflow message and restart, until the end message.
 */
void sampler_drain_to_end(struct sampler *s);
/*
 * Read the remaining samples, and account for every page fault. The monitored
 * thread must have exited or be the calling thread. In the latter case, the
 * context is stopped first.
 */
void sampler_finish(struct sampler *s);
/*
 * Close the context, which need not have been started. Before that, read its
 * buffer once more, to check that it is still valid.
 */
void sampler_close(struct sampler *s);

#endif /* GUEST_KINDS_H */
