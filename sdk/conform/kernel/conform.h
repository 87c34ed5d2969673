/* SPDX-License-Identifier: GPL-2.0 */
/*
 * conform.h - call a format's call-backs as the core does, with checks
 *
 * memory.c allocates memory with guards around the part that a format may
 * write. calls.c calls the call-backs and checks the memory after each call.
 * Each check makes such calls with the context in many states, and ends with
 * its first finding, a sentence for the format's author. If a comment says
 * "Return: 0 or a finding", the function returns -EBADMSG after it has called
 * conform_fail() to record a finding. main.c has the files in debugfs that run
 * the checks.
 */
#ifndef PFM_CONFORM_H
#define PFM_CONFORM_H

#include <linux/prandom.h>
#include <linux/types.h>
#include <perfmon/perfmon_fmt_sdk.h>
#include <perfmon/perfmon_sink.h>

struct pfm_device;
struct pt_regs;

/*
 * Maximum size of a buffer. For random arguments the limit is lower, because
 * larger buffers would find nothing new. Larger sizes count as rejected.
 */
#define CONFORM_MAX_SIZE	(64UL << 20)
#define CONFORM_MAX_CHANCE	(4UL << 20)
#define CONFORM_TEXT		400
/* Number of guard bytes on either side of memory, and after a record. */
#define CONFORM_NEAR		1024
/* Maximum number of bytes after a record that are poisoned */
#define CONFORM_MAX_POISON	16384
/* Number of frames of the user stack; a format records fewer */
#define CONFORM_FRAMES	300
/* Number of threads that overflow in turn */
#define CONFORM_THREADS		3
/* Number of PMDs that overflow at once */
#define CONFORM_BURST		4

/**
 * struct conform_mem - memory with checked surroundings
 * @base:  start of the allocation; NULL for none
 * @start: first byte that is passed to the format
 * @front: number of bytes in front of @start that the format may write, too
 * @size:  number of bytes from @start on
 */
struct conform_mem {
	void	*base;
	void	*start;
	size_t	front;
	size_t	size;
};

/**
 * struct conform - the format under test, and the current context
 * @fmt:     the format
 * @dfl:     default argument of the format, as tools pass it
 * @smallest: size of the smallest buffer in bytes, 0 if not known
 * @arg:     argument of the context
 * @buf:     buffer of the context
 * @area:    extra private area of the context, as requested by fmt_getpriv
 * @max_size: CONFORM_MAX_SIZE, or CONFORM_MAX_CHANCE
 * @live:    fmt_init has succeeded, and fmt_exit has not been called yet
 * @refused: errno with which creating the context failed, or 0
 * @ovfl:    the handler's overflow argument, of exactly the right size
 * @before:  content of @ovfl before the call
 * @state:   state that the format keeps for the context
 * @tstamp:  time of the last overflow in ns
 * @calls:   number of overflows
 * @stored:  number of overflows for which the handler returned 0
 * @held:    monitoring is masked
 * @failed:  the last call to the handler returned an error
 * @notify:  the PMC requests overflow notifications; toggled for each new
 *           context
 * @current_thread: the handler is told that overflows are in the running
 *           thread, instead of in threads that do not exist
 * @quick:   the checks are reduced
 * @rnd:     state of the random numbers
 * @tried:   the check has called the handler
 * @recorded: the check has recorded a sample
 * @sink:    if the buffer is a sink: copy of its header after fmt_init;
 *           otherwise hdr_magic is 0
 * @fresh:   for a buffer that is not a sink: its content after fmt_init, until
 *           @recorded is set
 * @poison:  bytes that the handler may change only by writing a record
 * @poisoned: number of poisoned bytes, 0 for none
 * @region:  number of the region that contains @poison
 * @used:    size of the records before @poison; for a device, their number
 * @device:  the format's device, or NULL
 * @truth:   the overflows that have records in @shot, as text
 * @shot:    copy of a buffer
 * @shot_size: size of @shot in bytes
 * @text:    the finding
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
	struct pfm_ovfl_state	state;
	u64			tstamp;
	u64			calls;
	u64			stored;
	bool			held;
	bool			failed;
	bool			notify;
	bool			current_thread;
	bool			quick;
	struct rnd_state	rnd;
	bool			tried;
	bool			recorded;
	pfm_sink_hdr_t		sink;
	void			*fresh;
	u8			*poison;
	size_t			poisoned;
	u32			region;
	u64			used;
	struct pfm_device	*device;
	char			*truth;
	void			*shot;
	size_t			shot_size;
	char			text[CONFORM_TEXT];
};

/*
 * finding.c
 */

/*
 * Set the finding, unless there is one already. Context: any. Return: -EBADMSG,
 * which the check must return.
 */
__printf(2, 3)
int conform_fail(struct conform *c, const char *text, ...);
/* Set the reason why a check does not apply. Return: -EOPNOTSUPP. */
__printf(2, 3)
int conform_skip(struct conform *c, const char *text, ...);
/* Append text to the finding. */
__printf(2, 3)
void conform_more(struct conform *c, const char *text, ...);
/* Return: a random number below @ceiling. */
u32 conform_random(struct conform *c, u32 ceiling);

/*
 * memory.c
 */

/* Random bytes: content of guards and of poisoned memory */
extern u8 conform_pattern[CONFORM_NEAR];

/* Choose the content of guards. Call this before the first allocation. */
void conform_mem_seed(u64 seed);
/* Allocate zeroed memory; @front is a multiple of 64. Return: 0 or -ENOMEM. */
int conform_mem_alloc(struct conform_mem *m, size_t front, size_t size);
void conform_mem_free(struct conform_mem *m);
/*
 * Check the guards around @m. Messages refer to @m as @what. Context: any.
 * Return: 0 or a finding.
 */
int conform_mem_check(struct conform *c, const struct conform_mem *m,
		      const char *what);

/*
 * evidence.c
 */

/* Record the state of the buffer after fmt_init. Context: process. */
void conform_evidence_begin(struct conform *c);
/* Set @recorded if a sample was recorded. Context: any. */
void conform_evidence_look(struct conform *c);
/* Poison the bytes after the last record. Context: any. */
void conform_poison(struct conform *c);
/* Check and remove the poison. Context: any. Return: 0 or a finding. */
int conform_unpoison(struct conform *c);

/*
 * device.c
 */

/* Open the format's device, if it has one, until conform_device_close(). */
void conform_device_open(struct conform *c);
void conform_device_close(struct conform *c);
/*
 * Poison the slot after the one for the device's next record, or check the
 * poison. Context: the device is open. Return: 0 or a finding.
 */
void conform_device_poison(struct conform *c);
int conform_device_unpoison(struct conform *c);

/*
 * stack.c
 */

/* Map a stack of user frames in the current process. Return: 0 or an errno. */
int conform_stack_make(unsigned long *stack);
void conform_stack_free(unsigned long stack);
/* Set the frame pointer in @regs as in a function with @depth callers. */
void conform_stack_enter(struct pt_regs *regs, unsigned long stack,
			 unsigned int depth);

/*
 * argument.c
 */

/* Set @dfl to the format's defaults, changed by the user's NAME=VALUE,... */
int conform_arg_parse(struct conform *c, char *words);
/* Return: the field with the size of the buffer, or NULL. */
const struct pfm_arg_field *conform_arg_size(const struct conform *c);
void conform_arg_put(void *arg, const struct pfm_arg_field *f, u64 value);
/* Return: smallest size of a buffer that the format accepts, 0 if not known. */
u64 conform_arg_smallest(struct conform *c);

/*
 * calls.c
 */

/*
 * Do what PFM_CREATE_CONTEXT does, with the argument @arg; NULL for the
 * default. End an earlier context first. Return: 0, even if the format rejects
 * the argument (then @live is false); or a finding.
 */
int conform_create(struct conform *c, const void *arg);
/* Create a context, with this buffer size if the argument has a size field. */
int conform_create_size(struct conform *c, u64 size);
/*
 * Create a context with the default argument. If the format rejects the
 * argument, report a finding, or skip the check.
 */
int conform_make(struct conform *c);
/* Create a context with a buffer for few records, if there is a size field. */
int conform_make_small(struct conform *c);
/* Do what the last close() does: call fmt_exit. */
int conform_end(struct conform *c);
/*
 * Set the number of PMDs to record in later overflows; pfm_num_pmds() for all
 * PMDs of the perf_events PMU. Return: 0 or -ENOMEM.
 */
int conform_values(struct conform *c, u16 values);
/*
 * Let @n PMDs overflow at once. Context: any, NMI included. Return: 0 or a
 * finding.
 */
int conform_overflow(struct conform *c, unsigned int n, struct pt_regs *regs);
/* Do what PFM_RESTART does. Return: 0 or a finding. */
int conform_restart(struct conform *c, bool is_active);
/*
 * Do what PFM_SET_FMT_ARG does with a live field. Return: 0, even if the value
 * is refused; or a finding.
 */
int conform_set_arg(struct conform *c, const struct pfm_arg_field *f,
		    u64 value);
/*
 * Resume if monitoring is masked. If the format does not resume, create a new
 * context.
 */
int conform_go_on(struct conform *c);
/* Let PMDs overflow until monitoring is masked, or a limit is reached. */
int conform_fill(struct conform *c, unsigned int burst);

/*
 * Data that are passed to the handler for one overflow. @calls: number of the
 * overflow, counted from 0.
 */
#define CONFORM_TGID	1000U

static inline u64 conform_ip(u64 calls)
{
	return 0x400000 + 16 * calls;
}

static inline u32 conform_tid(u64 calls)
{
	return 1001 + calls % CONFORM_THREADS;
}

/*
 * The checks. Return: 0; the result of conform_fail() or conform_skip(); or an
 * errno if the check itself could not run.
 */
int conform_check_arguments(struct conform *c);
int conform_check_sizes(struct conform *c);
int conform_check_levels(struct conform *c);
int conform_check_full(struct conform *c);
int conform_check_restart(struct conform *c);
int conform_check_registers(struct conform *c);
int conform_check_live(struct conform *c);
int conform_check_forged(struct conform *c);
int conform_check_interrupts(struct conform *c);
int conform_check_nmis(struct conform *c);
int conform_check_exit(struct conform *c);
int conform_check_leaks(struct conform *c);
int conform_check_records(struct conform *c);

#endif /* PFM_CONFORM_H */
