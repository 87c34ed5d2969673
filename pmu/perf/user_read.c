// SPDX-License-Identifier: GPL-2.0
/*
 * user_read.c - counters that the monitored thread reads in user mode
 *		 (Eranian 2006, 8), on arm64
 *
 * The kernel lets a thread read the CPU's counters while one of its events
 * requests this and kernel.perf_user_access is 1. An event's counter and its
 * start value change when the thread is switched in or out, when perf moves
 * events, and when the 32-bit counter overflows. After each such change the PMU
 * calls perf_event_update_userpage() on the thread's CPU, with interrupts off.
 * A kprobe on this function informs the core before the thread runs again.
 *
 * The kernel does not call a kprobe in an interrupt that arrives while it
 * handles another kprobe. It also blocks kprobes for a few instructions while
 * it cleans up after a dead task. So that the core learns of a counter's
 * overflow even at such a moment, the event has a period that fits into its
 * counter, and its overflow handler informs the core, too. One gap remains: if
 * another user's pinned event is scheduled at just that moment, the core does
 * not learn that perf has moved the event.
 *
 * An administrator may revoke the access at any time. An instruction that reads
 * a counter then traps. A kprobe on the function that would send SIGILL skips
 * this instruction. This kprobe stays until the module is unloaded, because a
 * thread may be about to read a counter when its context is detached.
 *
 * If one of the kprobes cannot be registered, or the first one does not fire,
 * the pages in which threads look up their counters show none.
 */
#include <linux/bits.h>
#include <linux/mutex.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>
#include <perfmon/perfmon_defect.h>
#include <perfmon/perfmon_kprobe.h>
#include <asm/debug-monitors.h>
#include <asm/sysreg.h>
#include "user_read.h"

/* User access, in perf_event_attr.config1 of an arm64 CPU event */
#define PERF_ATTR_USER_ACCESS	BIT_ULL(1)

/* Width of a counter, unless perf is asked for 64 bits */
#define PERF_COUNTER_BITS	32
/* perf loads a counter with at most half of its range. */
#define PERF_COUNTER_PERIOD	(U32_MAX >> 1)

/* MRS <Xt>, <system register>, without the two operands */
#define PERF_MRS_MASK		0xfff00000U
#define PERF_MRS		0xd5300000U
#define PERF_MRS_REG_MASK	GENMASK(20, 5)
/* The bits of <n> in PMEVCNTR<n>_EL0 */
#define PERF_EVCNTR_N_MASK	GENMASK(9, 5)
#define PERF_EVCNTR0		sys_reg(3, 3, 14, 8, 0)
/* MOVZ <Wd>, #PFM_MAP_COUNTER_MARK, without the register */
#define PERF_MARK_MASK		0xffffffe0U
#define PERF_MARK		(0x52800000U | PFM_MAP_COUNTER_MARK << 5)

/* Whether the kprobe for signals is registered; it stays registered. */
static DEFINE_MUTEX(perf_signal_lock);
static bool perf_signal_is_seen;

static bool perf_is_on_counter(const struct perf_event *event)
{
	return event->state == PERF_EVENT_STATE_ACTIVE &&
	       !(event->hw.state & PERF_HES_STOPPED);
}

/*
 * Get the counter's index for reads in user mode; 0 if the event is not on a
 * counter, or user mode has no access.
 */
static int perf_user_index(struct perf_event *event)
{
	return perf_is_on_counter(event) ? event->pmu->event_idx(event) : 0;
}

void perf_show_counter(struct pfm_pmu_reg *reg, struct perf_event *event)
{
	const pfm_map_counter_t show = {
		.cnt_index = perf_user_index(event),
		.cnt_bits = PERF_COUNTER_BITS,
		.cnt_start = local64_read(&event->hw.prev_count),
		.cnt_count = local64_read(&event->count),
	};

	pfm_show_counter(reg, &show);
}

/* Overflow handler: show the new state of the counter, which was reloaded. */
void notrace perf_overflow_live(struct perf_event *event,
				struct perf_sample_data *data,
				struct pt_regs *regs)
{
	perf_show_counter(event->overflow_handler_context, event);
}

static bool perf_is_live(const struct perf_event *event)
{
	return event->overflow_handler == perf_overflow_live;
}

/*
 * An event without a page for user mode: perf_event_update_userpage() does
 * nothing for it, so that calling this function tests only the kprobe.
 */
static struct perf_event perf_no_event;
/* Number of times that the kprobe has fired for perf_no_event */
static atomic_t perf_trials_seen;

/* kprobe on perf_event_update_userpage(event) */
static int perf_counter_changed(struct kprobe *p, struct pt_regs *regs)
{
	struct perf_event *event = (struct perf_event *)regs->regs[0];

	if (event == &perf_no_event)
		atomic_inc(&perf_trials_seen);
	else if (perf_is_live(event))
		perf_show_counter(event->overflow_handler_context, event);
	return 0;
}

static bool perf_reads_counter(u32 insn)
{
	u32 reg = insn & PERF_MRS_REG_MASK;

	return (insn & PERF_MRS_MASK) == PERF_MRS &&
	       (reg == SYS_PMCCNTR_EL0 ||
		(reg & ~PERF_EVCNTR_N_MASK) == PERF_EVCNTR0);
}

/*
 * Is the instruction a counter read, and is the next one the mark (PERF_MARK)?
 * The mark allows both instructions to be skipped.
 */
static bool perf_is_marked_reading(struct pt_regs *user)
{
	__le32 insns[2];
	int ret;

	if (compat_user_mode(user))
		return false;
	pagefault_disable();
	ret = __copy_from_user_inatomic(insns, (void __user *)user->pc,
					sizeof(insns));
	pagefault_enable();
	return !ret && perf_reads_counter(le32_to_cpu(insns[0])) &&
	       (le32_to_cpu(insns[1]) & PERF_MARK_MASK) == PERF_MARK;
}

/* Skip both instructions, as the kernel does after it has emulated one. */
static void perf_skip_reading(struct pt_regs *user)
{
	user->pc += 2 * AARCH64_INSN_SIZE;
	user->pstate &= ~PSR_BTYPE_MASK;
	if (test_thread_flag(TIF_SINGLESTEP))
		user->pstate &= ~DBG_SPSR_SS;
}

/* kprobe on force_signal_inject(signal, code, address, err) */
static int perf_signal_comes(struct kprobe *p, struct pt_regs *regs)
{
	struct pt_regs *user = task_pt_regs(current);

	if (regs->regs[0] != SIGILL || regs->regs[1] != ILL_ILLOPC ||
	    !perf_is_marked_reading(user))
		return 0;
	perf_skip_reading(user);
	/* Return to the caller of the probed function. */
	instruction_pointer_set(regs, regs->regs[30]);
	return 1;
}

static PFM_KPROBE(perf_change_probe, "perf_event_update_userpage",
		  perf_counter_changed);
static PFM_KPROBE(perf_signal_probe, "force_signal_inject", perf_signal_comes);

/*
 * Register the kprobe that makes trapping reads harmless. Return: true on
 * success.
 */
static bool perf_watch_signals(void)
{
	bool seen;

	mutex_lock(&perf_signal_lock);
	seen = perf_signal_is_seen;
	if (!seen) {
		seen = pfm_kprobe_get(&perf_signal_probe);
		if (!seen)
			pfm_kprobe_put(&perf_signal_probe);
	}
	perf_signal_is_seen = seen;
	mutex_unlock(&perf_signal_lock);
	return seen;
}

/*
 * Does the kprobe on perf_event_update_userpage() fire? The kernel may have
 * registered the kprobe without arming it.
 */
static bool perf_sees_changes(void)
{
	int seen = atomic_read(&perf_trials_seen);

	perf_event_update_userpage(&perf_no_event);
	return atomic_read(&perf_trials_seen) != seen;
}

void perf_readers_add(struct perf_set *ps)
{
	if (!ps->s->user_read)
		return;
	ps->user_read = pfm_kprobe_get(&perf_change_probe) &&
			perf_sees_changes() && perf_watch_signals();
	if (!ps->user_read)
		pfm_kprobe_put(&perf_change_probe);
	pfm_set_defect(PFM_DEFECT_LIVE,
		       ps->user_read ? NULL :
		       "kprobes cannot be used: threads cannot read their running counters without a system call");
}

void perf_readers_del(struct perf_set *ps)
{
	if (!ps->user_read)
		return;
	ps->user_read = false;
	pfm_kprobe_put(&perf_change_probe);
}

void perf_readers_exit(void)
{
	if (perf_signal_is_seen)
		pfm_kprobe_put(&perf_signal_probe);
	pfm_kprobe_end(&perf_signal_probe);
	pfm_kprobe_end(&perf_change_probe);
}

/* Does the PMD count an event of the CPU, without sampling? */
static bool perf_can_be_read(const struct pfm_pmu_reg *reg)
{
	return !reg->sampling && !perf_is_set_clock(reg) &&
	       perf_is_of_cpu(reg->pmc_value);
}

bool perf_ask_for_user_read(struct perf_event_attr *attr,
			    const struct pfm_pmu_reg *reg)
{
	const struct perf_set *ps = reg->set->priv;

	if (!ps->user_read || !perf_can_be_read(reg))
		return false;
	attr->config1 |= PERF_ATTR_USER_ACCESS;
	attr->sample_period = PERF_COUNTER_PERIOD;
	return true;
}
