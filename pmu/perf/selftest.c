// SPDX-License-Identifier: GPL-2.0
/*
 * selftest.c - test whether perf works as event.c and hw_count.h expect
 *
 * Another kernel might give a different meaning to the fields that event.c
 * writes, and no compiler would notice. So two software events of the thread
 * that loads the module, and a counter if the CPU has one, are armed in each
 * way that event.c uses, and their overflows are checked.
 */
#include <linux/delay.h>
#include <linux/iopoll.h>
#include <linux/irqflags.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <perfmon/perfmon_defect.h>
#include "clock.h"
#include "event.h"
#include "hw_count.h"
#include "pmc.h"
#include "selftest.h"

#define PERF_SOFTWARE(name) \
	PFM_PERF_EVENT(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##name)

#define PERF_CYCLES \
	PFM_PERF_EVENT(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES)

/* Sampling periods, in events, of the trial: one after the other */
#define TRIAL_FIRST	3
#define TRIAL_NEXT	5
#define TRIAL_LATER	2
/*
 * Maximum number of sleeps: enough for these periods even if few sleeps cause a
 * switch
 */
#define TRIAL_SLEEPS	200
/* Sampling periods of a counter in cycles; the second is much longer. */
#define TRIAL_FEW	20000
#define TRIAL_MANY	100000
/* Periods for the trial of a clock, in ns: a short one and an endless one */
#define TRIAL_SOON	20000ULL
#define TRIAL_NEVER	(1000ULL * NSEC_PER_SEC)
/* Maximum time, in ns, to wait for a clock's timer */
#define TRIAL_PATIENCE	(200 * NSEC_PER_MSEC)
/*
 * For the trial of an event's times: a delay, in us, and the least time, in ns,
 * by which the event's time must increase during this delay
 */
#define TRIAL_SPIN	50
#define TRIAL_PASSES	(TRIAL_SPIN / 2 * NSEC_PER_USEC)
/* Maximum time to wait for a thread's exit, and interval of checks, in us */
#define TRIAL_EXIT	(10 * USEC_PER_SEC)
#define TRIAL_LOOK	50
/* Maximum number of overflows that are recorded */
#define TRIAL_REPORTS	4

/**
 * struct perf_trial - an event under test
 * @ps:      the event's set, which belongs to no context
 * @s:       the core's structure for the set
 * @desc:    description of the event's PMD
 * @reg:     the PMD, PMD0
 * @regs:    the registers of @s
 * @event:   the event, of the current thread
 * @next:    sampling period after the first overflow; the following ones are
 *           endless
 * @reports: number of overflows
 * @counts:  the event's count at each overflow
 */
struct perf_trial {
	struct perf_set		ps;
	struct pfm_pmu_set	s;
	struct pfm_reg_desc	desc;
	struct pfm_pmu_reg	reg;
	struct pfm_pmu_reg	*regs[1];
	struct perf_event	*event;
	u64			next;
	unsigned int		reports;
	u64			counts[TRIAL_REPORTS];
};

static void notrace perf_trial_overflow(struct perf_event *event,
					struct perf_sample_data *data,
					struct pt_regs *regs)
{
	struct perf_trial *t = event->overflow_handler_context;

	if (t->reports < TRIAL_REPORTS)
		t->counts[t->reports] = local64_read(&event->count);
	WRITE_ONCE(t->reports, t->reports + 1);
	perf_arm_reported(&t->reg, event,
			  t->reports == 1 ? -t->next : -TRIAL_NEVER);
}

/* Create the event of a PMC value, disabled. Return: 0 or an errno. */
static int __init perf_trial_begin(struct perf_trial *t, u64 pmc, u64 period)
{
	static const u64 none[PFM_PMC_CONFIGS];
	struct perf_event_attr attr;

	perf_fill_attr(&attr, pmc, none, period);
	t->reg.pmc_value = pmc;
	t->reg.set = &t->s;
	t->reg.desc = &t->desc;
	t->reg.sampling = period;
	t->regs[0] = &t->reg;
	t->s.num_regs = ARRAY_SIZE(t->regs);
	t->s.priv = &t->ps;
	t->ps.s = &t->s;
	t->ps.regs = t->regs;
	perf_arm_init(&t->ps);
	t->event = perf_event_create_kernel_counter(&attr, -1, current,
						    perf_trial_overflow, t);
	if (IS_ERR(t->event))
		return PTR_ERR(t->event);
	t->reg.priv = t->event;
	t->reg.update = perf_updater(pmc, t->event);
	return 0;
}

static void __init perf_trial_end(struct perf_trial *t)
{
	perf_event_disable(t->event);
	perf_arm_wait(&t->ps);
	perf_event_release_kernel(t->event);
}

static void __init perf_trial_start(struct perf_trial *t)
{
	WRITE_ONCE(t->ps.started, true);
	perf_event_enable(t->event);
}

/* Arm the event for @period from now, and forget its earlier overflows. */
static void __init perf_trial_arm_later(struct perf_trial *t, u64 period)
{
	unsigned long flags;

	local_irq_save(flags);
	perf_update(&t->reg, t->event);
	t->reg.offset = local64_read(&t->event->count) + period;
	perf_arm_later(&t->reg, t->event, -period);
	t->reports = 0;
	local_irq_restore(flags);
	pfm_irq_work_wait(&t->ps.irq_work);
}

static void __init perf_trial_sleep(void)
{
	usleep_range(50, 100);
}

/*
 * Sleep again and again until the event, which counts context switches, has
 * overflowed @reports times. Sleep at most TRIAL_SLEEPS times.
 */
static void __init perf_trial_switch(const struct perf_trial *t,
				     unsigned int reports)
{
	int i;

	for (i = 0; READ_ONCE(t->reports) < reports && i < TRIAL_SLEEPS; i++)
		perf_trial_sleep();
}

/*
 * Return: true if the event counts, and has overflowed after each period for
 * which it was armed.
 */
static bool __init perf_trial_counts(struct perf_trial *t)
{
	if (perf_arm_stopped(&t->reg, t->event, -(u64)TRIAL_FIRST))
		return false;
	t->next = TRIAL_NEXT;
	perf_trial_start(t);
	perf_trial_switch(t, 2);
	if (t->reports < 2 || t->counts[0] != TRIAL_FIRST ||
	    t->counts[1] != TRIAL_FIRST + TRIAL_NEXT)
		return false;
	t->next = TRIAL_NEVER;
	perf_trial_arm_later(t, TRIAL_LATER);
	perf_trial_switch(t, 1);
	return t->reports == 1 && t->counts[0] == t->reg.offset;
}

/*
 * Wait until a clock has overflowed @reports times. When the time is up, read
 * the number again: this thread may have been interrupted for long after it
 * last read the number, and the timer may have fired meanwhile.
 */
static bool __init perf_trial_await(struct perf_trial *t, unsigned int reports)
{
	u64 end = ktime_get_ns() + TRIAL_PATIENCE;

	while (READ_ONCE(t->reports) < reports)
		if (ktime_get_ns() > end)
			return READ_ONCE(t->reports) >= reports;
	return true;
}

/* Can a clock's timer be restarted, and can its handler change its period? */
static bool __init perf_trial_ticks(struct perf_trial *t)
{
	if (perf_arm_stopped(&t->reg, t->event, -TRIAL_NEVER))
		return false;
	t->next = TRIAL_SOON;
	perf_trial_start(t);
	perf_trial_arm_later(t, TRIAL_SOON);
	return perf_trial_await(t, 2);
}

/*
 * Return: false if a counter overflows before the end of a period for which it
 * is armed. It need not overflow at all: the counter can be in use, perf can
 * throttle the event, and a virtual CPU does not always report overflows.
 */
static bool __init perf_trial_cycles(struct perf_trial *t)
{
	t->next = TRIAL_MANY;
	if (perf_arm_stopped(&t->reg, t->event, -(u64)TRIAL_FEW))
		return false;
	perf_trial_start(t);
	if (!perf_trial_await(t, 2))
		return true;
	if (t->counts[1] - t->counts[0] < TRIAL_MANY)
		return false;
	t->next = TRIAL_NEVER;
	perf_trial_arm_later(t, TRIAL_FEW);
	return !perf_trial_await(t, 1) || t->counts[0] >= t->reg.offset;
}

/*
 * Test an event of this thread. Return: 1 if @holds returns true, 0 if it does
 * not, or an errno.
 */
static int __init perf_trial(u64 pmc, u64 period,
			     bool (*holds)(struct perf_trial *t))
{
	struct perf_trial *t = kzalloc(sizeof(*t), GFP_KERNEL);
	int ret = t ? perf_trial_begin(t, pmc, period) : -ENOMEM;

	if (!ret) {
		ret = holds(t);
		perf_trial_end(t);
	}
	kfree(t);
	return ret;
}

/* Does reading the counter directly give the same count as perf's read? */
static bool __init perf_trial_reads(struct perf_trial *t)
{
	u64 before = 0, count = 0, after = 0;
	unsigned long flags;
	bool is_here;

	if (!perf_has_counter(t->reg.pmc_value, t->event))
		return true;
	perf_trial_start(t);
	local_irq_save(flags);
	is_here = perf_is_here(t->event);
	if (is_here) {
		before = perf_counter_count(t->event);
		t->event->pmu->read(t->event);
		count = local64_read(&t->event->count);
		after = perf_counter_count(t->event);
	}
	local_irq_restore(flags);
	return is_here && before <= count && count <= after;
}

/*
 * Can perf's time of an event be read without a lock, while the event counts
 * and after it has been disabled?
 */
static bool __init perf_trial_times(struct perf_trial *t)
{
	u64 before, here, after;
	unsigned long flags;
	bool is_here;

	perf_trial_start(t);
	perf_trial_sleep();
	before = perf_time_running(t->event);
	local_irq_save(flags);
	is_here = perf_is_here(t->event);
	udelay(TRIAL_SPIN);
	here = perf_time_here(t->event);
	local_irq_restore(flags);
	after = perf_time_running(t->event);
	if (!is_here || here < before + TRIAL_PASSES || here > after)
		return false;
	perf_event_disable(t->event);
	return perf_time_here(t->event) == perf_time_running(t->event);
}

bool __init perf_selftest_times(void)
{
	int ret = perf_trial(PERF_SOFTWARE(CONTEXT_SWITCHES), 0,
			     perf_trial_times);

	pfm_set_defect(PFM_DEFECT_TIMES,
		       ret ? NULL :
		       "each thread that samples needs one more event: perf does not keep the times of events as expected");
	return ret > 0;
}

bool __init perf_selftest_counter(void)
{
	int ret = perf_trial(PERF_CYCLES, 0, perf_trial_reads);

	pfm_set_defect(PFM_DEFECT_COUNTER,
		       ret ? NULL :
		       "the CPU's counters are read through perf: samples cost more");
	return ret > 0;
}

/**
 * struct perf_exit_trial - a thread that exits, and a clock of the thread
 * @users: references: one of the test, and one of the thread, which may run
 *         longer than the test
 * @cpu:   the thread's CPU before the exit
 * @left:  time on this CPU's clock just before the exit
 * @event: the clock
 */
struct perf_exit_trial {
	refcount_t		users;
	int			cpu;
	u64			left;
	struct perf_event	*event;
};

static void perf_exit_trial_put(struct perf_exit_trial *t)
{
	if (refcount_dec_and_test(&t->users))
		kfree(t);
}

static int perf_trial_thread(void *trial)
{
	struct perf_exit_trial *t = trial;
	unsigned long flags;

	local_irq_save(flags);
	t->cpu = smp_processor_id();
	t->left = local_clock();
	local_irq_restore(flags);
	perf_exit_trial_put(t);
	module_put_and_kthread_exit(0);
}

static int __init perf_trial_clock(struct perf_exit_trial *t,
				   struct task_struct *thread)
{
	static const u64 none[PFM_PMC_CONFIGS];
	struct perf_event_attr attr;

	perf_fill_attr(&attr, PERF_SOFTWARE(TASK_CLOCK), none, 0);
	t->event = perf_event_create_kernel_counter(&attr, -1, thread, NULL,
						    NULL);
	if (IS_ERR(t->event))
		return PTR_ERR(t->event);
	perf_event_enable(t->event);
	return 0;
}

/*
 * Does the event's context keep the time of the thread's exit, as the time of
 * its last update? Reading the event again must not change that time. The first
 * read waits until perf has removed all events. If the thread has exited on
 * another CPU, the time cannot be compared with @t->left.
 */
static bool __init perf_trial_stamp(const struct perf_exit_trial *t,
				    const struct task_struct *thread)
{
	bool ended;
	u64 stamp;

	if (read_poll_timeout(perf_has_ended, ended, ended, TRIAL_LOOK,
			      TRIAL_EXIT, false, t->event))
		return false;
	perf_count(t->event);
	stamp = perf_last_update(t->event);
	perf_count(t->event);
	return stamp == perf_last_update(t->event) &&
	       (task_cpu(thread) != t->cpu || stamp >= t->left);
}

/*
 * Let the thread exit, and test its event. The wait for the exit is limited,
 * because the thread's CPUs may be busy. Return: as perf_trial().
 */
static int __init perf_trial_let_exit(struct perf_exit_trial *t,
				      struct task_struct *thread)
{
	int ret;

	get_task_struct(thread);
	ret = perf_trial_clock(t, thread);
	wake_up_process(thread);
	if (!ret) {
		ret = perf_trial_stamp(t, thread);
		perf_event_release_kernel(t->event);
	}
	put_task_struct(thread);
	return ret;
}

/* Return: as perf_trial(). */
static int __init perf_trial_exits(void)
{
	struct perf_exit_trial *t = kzalloc(sizeof(*t), GFP_KERNEL);
	struct task_struct *thread;
	int ret;

	if (!t)
		return -ENOMEM;
	refcount_set(&t->users, 2);
	__module_get(THIS_MODULE);
	thread = kthread_create(perf_trial_thread, t, "pfm_selftest");
	if (IS_ERR(thread)) {
		module_put(THIS_MODULE);
		kfree(t);
		return PTR_ERR(thread);
	}
	ret = perf_trial_let_exit(t, thread);
	perf_exit_trial_put(t);
	return ret;
}

bool __init perf_selftest_exit(void)
{
	int ret = perf_trial_exits();

	pfm_set_defect(PFM_DEFECT_EXIT,
		       ret ? NULL :
		       "samples at a thread's exit lack the time that the exit takes: perf does not record when the exit began");
	return ret > 0;
}

bool __init perf_selftest(void)
{
	bool arms = perf_trial(PERF_SOFTWARE(CONTEXT_SWITCHES), PERF_MAX_PERIOD,
			       perf_trial_counts) > 0 &&
		    perf_trial(PERF_SOFTWARE(CPU_CLOCK), PERF_MAX_PERIOD,
			       perf_trial_ticks) > 0 &&
		    perf_trial(PERF_CYCLES, PERF_MAX_PERIOD,
			       perf_trial_cycles) != 0;

	pfm_set_defect(PFM_DEFECT_PMU,
		       arms ? NULL :
		       "pfm_pmu_perf is not loaded: perf's events do not overflow after the armed period");
	return arms;
}
