// SPDX-License-Identifier: GPL-2.0
/*
 * fill.c - checks of fill levels, full buffers, restarts, and registers
 */
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/ptrace.h>
#include "conform.h"

/* Maximum number of fill levels, and number of times a buffer is filled */
#define LEVELS		1000
#define LEVELS_QUICK	60
#define ROUNDS		20
#define ROUNDS_QUICK	4
/* Number of overflow events of the check "registers" */
#define THREADS		2000

/*
 * Cause @level single overflows, then several at once with all PMDs recorded.
 * Set @full if a single overflow masked monitoring.
 */
static int fill_to(struct conform *c, unsigned int level, bool *full)
{
	unsigned int i;
	int ret = conform_make_small(c) ?: conform_values(c, level % 3);

	/*
	 * Do not request notifications: with them, a format such as a flight
	 * recorder masks monitoring before the buffer is full.
	 */
	c->notify = false;
	for (i = 0; !ret && !c->held && i < level; i++)
		ret = conform_overflow(c, 1, NULL);
	*full = c->held;
	if (ret || c->held)
		return ret;
	return conform_values(c, pfm_num_pmds()) ?:
		conform_overflow(c, CONFORM_BURST, NULL);
}

int conform_check_levels(struct conform *c)
{
	unsigned int most = c->quick ? LEVELS_QUICK : LEVELS, level;
	bool full = false;
	int ret = conform_make(c);

	for (level = 0; !ret && !full && level < most; level++) {
		ret = fill_to(c, level, &full);
		if (ret == -EBADMSG)
			conform_more(c, ", after %u single overflows", level);
		ret = ret ?: conform_end(c);
	}
	return ret;
}

/* Check that the buffer has space for a record after a restart that resumes. */
static int fill_resume(struct conform *c)
{
	int ret = conform_restart(c, false);

	if (ret || c->held)
		return ret;
	ret = conform_overflow(c, 1, NULL);
	if (!ret && c->failed)
		return conform_fail(c,
				    "fmt_restart resumes but the buffer is still full: the next overflow is lost");
	return ret;
}

/* Cause overflows while the buffer is full; conform_overflow() checks each. */
static int fill_beyond(struct conform *c)
{
	u64 stored;
	int i, ret = 0;

	for (i = 0; !ret && i < 3; i++) {
		stored = c->stored;
		ret = conform_overflow(c, CONFORM_BURST, NULL);
		/* Stop if the buffer still had space for all records. */
		if (!ret && c->stored >= stored + CONFORM_BURST && !c->held)
			return 0;
	}
	return ret;
}

int conform_check_full(struct conform *c)
{
	unsigned int rounds = c->quick ? ROUNDS_QUICK : ROUNDS, i;
	int ret = conform_make(c) ?: conform_values(c, 2);

	for (i = 0; !ret && i < rounds; i++) {
		ret = conform_fill(c, 1 + i % CONFORM_BURST);
		if (!ret && c->held)
			ret = fill_beyond(c) ?: fill_resume(c);
	}
	return ret ?: conform_end(c);
}

/*
 * After @level overflows, check restarts while monitoring is active, then
 * restarts with a full buffer, while monitoring is masked.
 */
static int restart_at(struct conform *c, unsigned int level)
{
	unsigned int i;
	int ret = conform_make_small(c) ?: conform_values(c, 1);

	for (i = 0; !ret && !c->held && i < level; i++)
		ret = conform_overflow(c, 1, NULL);
	for (i = 0; !ret && !c->held && i < 3; i++)
		ret = conform_restart(c, true);
	ret = ret ?: conform_fill(c, 2);
	for (i = 0; !ret && c->held && i < 3; i++)
		ret = conform_restart(c, false);
	return ret ?: conform_fill(c, 1) ?: conform_end(c);
}

int conform_check_restart(struct conform *c)
{
	unsigned int most = c->quick ? LEVELS_QUICK / 2 : LEVELS, level;
	int ret = conform_make(c);

	for (level = 0; !ret && level < most; level++) {
		ret = restart_at(c, level);
		if (ret == -EBADMSG)
			conform_more(c, ", after %u overflows", level);
	}
	return ret ?: conform_end(c);
}

/*
 * Cause overflows with user registers of this thread and stacks of any depth,
 * overflows without registers, and overflows in other threads; then repeat this
 * with all PMDs recorded.
 */
static int registers_use(struct conform *c, unsigned long stack)
{
	struct pt_regs regs = *task_pt_regs(current);
	unsigned int i, depth;
	int ret = 0;

	for (i = 0; !ret && i < THREADS; i++) {
		if (i == THREADS / 2)
			ret = conform_values(c, pfm_num_pmds());
		c->current_thread = i % 4;
		depth = conform_random(c, CONFORM_FRAMES);
		conform_stack_enter(&regs, stack, depth);
		ret = ret ?: conform_overflow(c, 1 + i % 2,
					      i % 2 ? &regs : NULL) ?:
			conform_go_on(c);
	}
	c->current_thread = false;
	if (ret == -EBADMSG && !(i % 2))
		conform_more(c, ", with %u callers in user space", depth);
	return ret;
}

int conform_check_registers(struct conform *c)
{
	unsigned long stack;
	int ret = conform_make(c) ?: conform_values(c, 1);

	if (ret)
		return ret;
	ret = conform_stack_make(&stack);
	if (ret)
		return ret;
	ret = registers_use(c, stack) ?: conform_end(c);
	conform_stack_free(stack);
	return ret;
}
