/* SPDX-License-Identifier: GPL-2.0 */
/*
 * conform.h - calling a format's call-backs as the core does, and watching them
 *
 * Memory (memory.c) has guards around what a format may write. What is called
 * (calls.c) is looked after behind each call. The checks do that in all states
 * that they can think of; each ends with the first finding, a sentence for the
 * format's author. main.c has the files by which they are run.
 */
#ifndef PFM_CONFORM_H
#define PFM_CONFORM_H

#include <linux/prandom.h>
#include <linux/types.h>
#include <perfmon/perfmon_fmt_sdk.h>

struct pt_regs;

/*
 * Bytes of the largest buffer that is made; of arguments by chance those above
 * the other one are as good as refused: nothing is learned from their size.
 */
#define CONFORM_MAX_SIZE	(64UL << 20)
#define CONFORM_MAX_CHANCE	(4UL << 20)
#define CONFORM_TEXT		400
/* PMDs that overflow at once. */
#define CONFORM_BURST		4

/**
 * struct conform_mem - memory whose neighbourhood is watched
 * @base:  what is allocated; NULL for none
 * @start: first byte that the format is told of
 * @front: bytes in front of it that are the format's, too
 * @size:  bytes from @start
 */
struct conform_mem {
	void	*base;
	void	*start;
	size_t	front;
	size_t	size;
};

/**
 * struct conform - the format under test, and its context
 * @fmt:     the format
 * @dfl:     its argument, as tools would give it
 * @smallest: bytes of the smallest buffer, if that was found
 * @arg:     the argument of this context
 * @buf:     its buffer
 * @area:    its private area
 * @max_size: CONFORM_MAX_SIZE, or CONFORM_MAX_CHANCE
 * @live:    fmt_init was called, fmt_exit was not
 * @refused: why there is no context; 0 if there is
 * @ovfl:    the overflow that the handler is given, and not a byte more
 * @before:  what it was
 * @tstamp:  in ns, of the last overflow
 * @calls:   overflows
 * @stored:  those for which the handler returned 0
 * @held:    monitoring is masked
 * @failed:  the last call of the handler returned an error
 * @notify: the PMC asks for messages; every other context's does
 * @current_thread: overflows are in the thread that runs
 * @quick:   less of everything
 * @rnd:     chance
 * @truth:   what the overflows were, that @shot has
 * @shot:    copy of a buffer
 * @shot_size: its bytes
 * @text:    what was found
 */
struct conform {
	const pfm_buffer_fmt_t	*fmt;
	void			*dfl;
	u64			smallest;
	struct conform_mem	arg;
	struct conform_mem	buf;
	struct conform_mem	area;
	size_t			max_size;
	bool			live;
	int			refused;
	struct conform_mem	ovfl;
	pfm_ovfl_arg_t		*before;
	u64			tstamp;
	u64			calls;
	u64			stored;
	bool			held;
	bool			failed;
	bool			notify;
	bool			current_thread;
	bool			quick;
	struct rnd_state	rnd;
	char			*truth;
	void			*shot;
	size_t			shot_size;
	char			text[CONFORM_TEXT];
};

/*
 * Keep a finding, the first one. Context: any. Return: -EBADMSG, for a check to
 * return.
 */
__printf(2, 3)
int conform_fail(struct conform *c, const char *text, ...);
/* The same of what cannot be checked. Return: -EOPNOTSUPP. */
__printf(2, 3)
int conform_skip(struct conform *c, const char *text, ...);
/* More of the finding. */
__printf(2, 3)
void conform_more(struct conform *c, const char *text, ...);
/* Something below @ceiling. */
u32 conform_random(struct conform *c, u32 ceiling);

/*
 * memory.c
 */

/* All zero. @front bytes are a multiple of 64. Return: 0 or -ENOMEM. */
int conform_mem_alloc(struct conform_mem *m, size_t front, size_t size);
void conform_mem_free(struct conform_mem *m);
/* Context: any. Return: 0, or a finding: @what was written beside. */
int conform_mem_check(struct conform *c, const struct conform_mem *m,
		      const char *what);

/*
 * argument.c
 */

/* Make the argument of tools: defaults, and NAME=VALUE,... of the user. */
int conform_arg_parse(struct conform *c, char *words);
/* The field that says how large the buffer is, or NULL. */
const struct pfm_arg_field *conform_arg_size(const struct conform *c);
void conform_arg_put(void *arg, const struct pfm_arg_field *f, u64 value);
/* The smallest buffer that is accepted, 0 if that cannot be found. */
u64 conform_arg_smallest(struct conform *c);

/*
 * calls.c
 */

/*
 * As PFM_CREATE_CONTEXT: with @arg, NULL for the one of tools. An earlier
 * context ends. Return: 0, also if it is refused (see @live), or a finding.
 */
int conform_create(struct conform *c, const void *arg);
/* With a buffer of this many bytes, if the argument says how many. */
int conform_create_size(struct conform *c, u64 size);
/* As above, and it must not be refused. */
int conform_make(struct conform *c);
/* The same with a buffer of few records, if the argument has its size. */
int conform_make_small(struct conform *c);
/* As the last close(): fmt_exit. */
int conform_end(struct conform *c);
/* How many values of PMDs the next overflows have. Return: 0 or -ENOMEM. */
int conform_values(struct conform *c, u16 values);
/*
 * @n PMDs overflow at once. Context: any, NMI included. Return: 0 or a finding.
 */
int conform_overflow(struct conform *c, unsigned int n, struct pt_regs *regs);
/* PFM_RESTART. Return: 0 or a finding. */
int conform_restart(struct conform *c, bool is_active);
/* Resume what is held; who does not resume holds for good: begin anew. */
int conform_go_on(struct conform *c);
/* Overflows until monitoring is held, or it would have been long ago. */
int conform_fill(struct conform *c, unsigned int burst);

/* Of the @calls-th overflow, counted from 0. */
#define CONFORM_TGID	1000U

static inline u64 conform_ip(u64 calls)
{
	return 0x400000 + 16 * calls;
}

static inline u32 conform_tid(u64 calls)
{
	return 1001 + calls % 3;
}

/*
 * The checks. Return: 0, a finding, conform_skip(), or an errno of the kit's.
 */
int conform_check_arguments(struct conform *c);
int conform_check_sizes(struct conform *c);
int conform_check_levels(struct conform *c);
int conform_check_full(struct conform *c);
int conform_check_restart(struct conform *c);
int conform_check_registers(struct conform *c);
int conform_check_forged(struct conform *c);
int conform_check_interrupts(struct conform *c);
int conform_check_nmis(struct conform *c);
int conform_check_exit(struct conform *c);
int conform_check_leaks(struct conform *c);
int conform_check_records(struct conform *c);

#endif /* PFM_CONFORM_H */
