// SPDX-License-Identifier: GPL-2.0
/*
 * event.c - operations on perf events for which perf has no function
 *
 * perf has no function to read a running event, or to change its period, in an
 * interrupt. Only this file writes perf's own fields hw.sample_period,
 * last_period, period_left and hrtimer, and calls the operations of an event's
 * PMU. There are two exceptions: user_read.c asks for the counter's number, and
 * throttle.c replaces the event's clock function and its overflow handler. Each
 * access here follows what perf does in the same context:
 *
 * - The PMU's read is called only for clock events and for counters of the CPU,
 *   on the CPU where they count and with interrupts off, as
 *   perf_output_read_group() does from an NMI. The read of other drivers may
 *   wait for a lock: see perf_updater(). For samples on arm64 the counter
 *   itself is read: see hw_count.h.
 * - The event that is being reported is stopped, given its period and started
 *   as in perf_adjust_period(), called by __perf_event_account_interrupt(). The
 *   period of a software event is set as in perf_swevent_set_period(). The
 *   timer of a clock is armed by perf_swevent_hrtimer() itself after the
 *   report, with sample_period. Before that its expiry can be changed, as
 *   hrtimer_forward() does.
 * - The overflow may have interrupted code that holds the lock of another
 *   event's timer or driver. So an event that is not being reported is not
 *   touched: only the value of its PMD is changed. Later an irq_work stops the
 *   event, sets its period and starts it, as perf_adjust_freq_unthr_context()
 *   and __perf_event_stop() do in an interrupt. If the event is no longer on
 *   the CPU of the irq_work, a work item calls perf_event_period(). Until then
 *   perf may report the event late or early. A report that is early arms the
 *   event for the rest of its period.
 *
 * These functions of perf work in the same way on 6.1, 6.12 and 7.3. Only
 * throttling differs: since 6.16 perf also stops software events that it
 * throttles.
 *
 * The value of a PMD is the event's count minus pfm_pmu_reg.offset. The offset
 * is changed before the event is armed for the new value. An overflow in
 * between, while the event is armed for an older value, is reported too early
 * or too late. Both cases are corrected at the report.
 *
 * Invariants:
 * - pfm_pmu_reg.reload is minus the period with which perf re-arms an
 *   overflowing event, or PFM_RELOAD_NONE. It is never 0, so -reload can be a
 *   divisor.
 * - A thread's event is not bound to a CPU (event->cpu is -1). If another
 *   thread hits a tracepoint on behalf of this thread, perf reports this only
 *   to events that are bound to a CPU. So all overflows happen in the monitored
 *   thread.
 */
#include <linux/minmax.h>
#include <linux/sched/clock.h>
#include <perfmon/perfmon_work.h>
#include "compat.h"
#include "event.h"

/* No counter's minimum period is longer than this. */
#define PERF_SHORT_PERIOD	1024

/* Shortest time that perf sets a clock's timer to, in ns */
#define PERF_MIN_TIMER	10000ULL

perf_update_t perf_updater(u64 pmc, const struct perf_event *event)
{
	/*
	 * The counts of other software events are always up to date. The read
	 * of other PMUs may wait for a lock.
	 */
	if (perf_is_clock(pmc) || event->pmu->task_ctx_nr == perf_hw_context)
		return event->pmu->read;
	return NULL;
}

u64 perf_last_update(const struct perf_event *event)
{
	return READ_ONCE(perf_ctx_stamp(event->ctx));
}

bool perf_stamps_exits __ro_after_init;

/*
 * perf does not update the context's time after it has removed the events. If
 * perf_stamps_exits is set, the last update was made at the removal.
 */
u64 perf_time_ended(const struct perf_event *event)
{
	s64 since = local_clock() - perf_last_update(event);

	return perf_stamps_exits ? max_t(s64, since, 0) : 0;
}

u64 perf_period(u64 value)
{
	u64 left = -value;

	if (perf_is_period(value))
		return left;
	/*
	 * A @left of 0 stands for 2^64. If possible, choose a period after
	 * which exactly one more period of PERF_MAX_PERIOD is left.
	 */
	return min(left - PERF_MAX_PERIOD, PERF_MAX_PERIOD);
}

static unsigned long *perf_unarmed(const struct pfm_pmu_reg *reg)
{
	struct perf_set *ps = reg->set->priv;

	return &ps->unarmed;
}

bool perf_is_unarmed(const struct pfm_pmu_reg *reg)
{
	return test_bit(perf_place(reg), perf_unarmed(reg));
}

/* Get the current value of an event's PMD. */
static u64 perf_value(const struct pfm_pmu_reg *reg,
		      const struct perf_event *event)
{
	return local64_read(&event->count) - reg->offset;
}

/*
 * Set the period of an event that is stopped or being reported. Hardware
 * periods are at least 2: with 1, Intel's driver may use BTS instead.
 */
static void perf_set_period(const struct pfm_pmu_reg *reg,
			    struct perf_event *event, u64 period)
{
	struct hw_perf_event *hw = &event->hw;

	if (!perf_has_no_counter(reg->pmc_value))
		period = max(period, 2ULL);
	hw->sample_period = period;
	if (perf_is_counted_at_once(reg->pmc_value)) {
		hw->last_period = period;
		local64_set(&hw->period_left, -(s64)period);
	} else {
		local64_set(&hw->period_left, 0);
	}
}

/*
 * Must the event be stopped and started again in order to arm it? Not if it is
 * stopped already, or throttled: perf itself starts a throttled event again.
 */
static bool perf_is_running(const struct perf_event *event)
{
	return !(event->hw.state & PERF_HES_STOPPED) &&
	       event->hw.interrupts != PERF_THROTTLED;
}

static void perf_arm(struct pfm_pmu_reg *reg, struct perf_event *event,
		     u64 value)
{
	clear_bit(perf_place(reg), perf_unarmed(reg));
	perf_expect(reg, value, true);
	perf_set_period(reg, event, perf_period(value));
}

/*
 * Must the event's counter keep its value? It must if the event is throttled
 * and the PMD, now at @value, needs several periods. perf may later start a
 * throttled event without loading its counter. If the counter were now loaded
 * with the longest period, it would keep that period even after a reset of the
 * PMD. With its old value, the counter overflows after at most the old period.
 * If the PMD has not wrapped until that overflow, perf_is_early() arms the
 * event for the rest.
 */
static bool perf_keeps_counter(const struct perf_event *event, u64 value)
{
	return event->hw.interrupts == PERF_THROTTLED && !perf_is_period(value);
}

void perf_arm_reported(struct pfm_pmu_reg *reg, struct perf_event *event,
		       u64 value)
{
	bool stop = !perf_has_no_counter(reg->pmc_value) &&
		    !(event->hw.state & PERF_HES_STOPPED) &&
		    !perf_keeps_counter(event, value);

	if (stop)
		event->pmu->stop(event, PERF_EF_UPDATE);
	perf_arm(reg, event, value);
	if (stop)
		event->pmu->start(event, PERF_EF_RELOAD);
}

/* Arm an event for the rest of its period: the PMD has not wrapped. */
void perf_arm_for_rest(struct perf_event *event, struct pfm_pmu_reg *reg,
		       u64 value)
{
	unsigned long flags;

	local_irq_save(flags);
	perf_arm_reported(reg, event, value);
	local_irq_restore(flags);
}

static void notrace perf_overflow_none(struct perf_event *event,
				       struct perf_sample_data *data,
				       struct pt_regs *regs)
{
}

void perf_set_no_handler(struct perf_event *event)
{
	WRITE_ONCE(event->overflow_handler, perf_overflow_none);
}

/* Get the value for which to arm an event that is not being reported. */
static u64 perf_value_to_arm(const struct pfm_pmu_reg *reg, u64 value)
{
	/* The PMD has wrapped: let perf report that soon. */
	if ((s64)value >= 0 && reg->limit)
		return -1ULL;
	return value;
}

/*
 * Restart a clock's timer. Do not call its PMU's start: that would set the
 * clock back to the time at which perf last read it, which may be long ago. If
 * an NMI has read the clock since then, the time between the two reads would be
 * counted twice.
 */
static void perf_restart_timer(struct perf_event *event)
{
	u64 period = max(event->hw.sample_period, PERF_MIN_TIMER);

	hrtimer_start(&event->hw.hrtimer, ns_to_ktime(period),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

/*
 * When perf switches threads, it starts the timer of a clock slightly later
 * than the clock, and stops it slightly earlier. These delays add up, and each
 * period by which the timer is behind would be a missing sample. perf sets the
 * timer to a period after its last expiry, so move the expiry back to the time
 * at which the PMD wrapped. The delay of the interrupt is not corrected. If
 * whole periods have passed unreported, leave the correction to a later
 * overflow.
 */
void perf_correct_timer(struct perf_event *event,
			const struct pfm_pmu_reg *reg)
{
	struct hrtimer *timer = &event->hw.hrtimer;
	s64 behind = perf_value(reg, event) + hrtimer_expires_remaining(timer);

	if (behind > 0 && behind < (s64)event->hw.sample_period)
		hrtimer_add_expires_ns(timer, -behind);
}

/* Context: interrupts off, the event is on this CPU. */
static void perf_arm_here(struct pfm_pmu_reg *reg, struct perf_event *event)
{
	bool running = perf_is_running(event);
	bool clock = perf_is_clock(reg->pmc_value);

	if (clock)
		event->pmu->read(event);
	else if (running)
		event->pmu->stop(event, PERF_EF_UPDATE);
	perf_arm(reg, event,
		 perf_value_to_arm(reg, perf_value(reg, event)));
	if (!running)
		return;
	if (clock)
		perf_restart_timer(event);
	else
		event->pmu->start(event, PERF_EF_RELOAD);
}

static struct pfm_pmu_reg *perf_reg_at(const struct perf_set *ps,
				       unsigned int place)
{
	return ps->regs[place == PERF_NUM_PAIRS ? ps->s->num_regs - 1 : place];
}

static void perf_arm_irq(struct irq_work *work)
{
	struct perf_set *ps =
		container_of(work, struct perf_set, irq_work.work);
	bool elsewhere = false;
	unsigned int place;

	WRITE_ONCE(ps->arming_cpu, smp_processor_id());
	for_each_set_bit(place, &ps->unarmed, PERF_NUM_EVENTS) {
		struct pfm_pmu_reg *reg = perf_reg_at(ps, place);
		struct perf_event *event = perf_event_of(reg);

		if (event && perf_is_here(event))
			perf_arm_here(reg, event);
		else
			elsewhere = true;
	}
	WRITE_ONCE(ps->arming_cpu, -1);
	if (elsewhere) {
		WRITE_ONCE(ps->worked, true);
		pfm_queue_work(&ps->work);
	}
	pfm_irq_work_done(&ps->irq_work);
}

/*
 * Arm the events that perf_arm_irq() did not find on its CPU. If the thread
 * runs again, and perf reports an event while it is being armed here, perf may
 * report it once more, too early.
 */
static bool perf_arm_work(struct pfm_work *w, bool may_wait)
{
	struct perf_set *ps = container_of(w, struct perf_set, work);
	unsigned int place;
	u64 value, offset;

	for_each_set_bit(place, &ps->unarmed, PERF_NUM_EVENTS) {
		struct pfm_pmu_reg *reg = perf_reg_at(ps, place);
		struct perf_event *event = perf_event_of(reg);

		if (!test_and_clear_bit(place, &ps->unarmed) || !event)
			continue;
		/* Repeat if an overflow has changed the offset. */
		do {
			offset = READ_ONCE(reg->offset);
			value = perf_value_to_arm(reg,
						  perf_count(event) - offset);
			perf_event_period(event, perf_period(value));
		} while (READ_ONCE(reg->offset) != offset);
	}
	return true;
}

/*
 * Was this overflow caused by arming an event? Some tracepoints (timers, MSR
 * writes) fire when an event is armed. Do not arm the event again for such an
 * overflow: arming would never end. Nothing is lost, because the event has just
 * been armed, and a report that is too early arms it again. Arming does not
 * cause NMIs.
 */
static bool perf_is_caused_by_arming(const struct perf_set *ps)
{
	return READ_ONCE(ps->arming_cpu) == smp_processor_id() && !in_nmi();
}

void perf_arm_later(struct pfm_pmu_reg *reg, struct perf_event *event,
		    u64 value)
{
	struct perf_set *ps = reg->set->priv;

	perf_expect(reg, value, false);
	set_bit(perf_place(reg), &ps->unarmed);
	/* A stopped set is armed when the set is started. */
	if (READ_ONCE(ps->started) && !perf_is_caused_by_arming(ps))
		pfm_irq_work_queue(&ps->irq_work);
}

/*
 * Arm an event of a stopped set. perf refuses a period below the minimum of
 * some counters, and the rest of a long period can be below it, too. So double
 * the period until perf accepts it. The report then comes late, and
 * perf_drop_unreported() or a reset corrects the value.
 */
int perf_arm_stopped(struct pfm_pmu_reg *reg, struct perf_event *event,
		     u64 value)
{
	u64 period = perf_period(value);
	int ret;

	clear_bit(perf_place(reg), perf_unarmed(reg));
	perf_expect(reg, value, true);
	do {
		ret = perf_event_period(event, period);
		period *= 2;
	} while (ret && period <= PERF_SHORT_PERIOD);
	return ret ? -EINVAL : 0;
}

void perf_arm_rest(struct perf_set *ps)
{
	unsigned int place;

	for_each_set_bit(place, &ps->unarmed, PERF_NUM_EVENTS) {
		struct pfm_pmu_reg *reg = perf_reg_at(ps, place);
		struct perf_event *event = perf_event_of(reg);
		u64 value;

		if (!event)
			continue;
		value = perf_count(event) - reg->offset;
		perf_arm_stopped(reg, event, perf_value_to_arm(reg, value));
	}
}

void perf_arm_wait(struct perf_set *ps)
{
	pfm_irq_work_wait(&ps->irq_work);
	if (READ_ONCE(ps->worked))
		pfm_cancel_work(&ps->work);
}

void perf_arm_init(struct perf_set *ps)
{
	ps->irq_work.work = IRQ_WORK_INIT_HARD(perf_arm_irq);
	pfm_work_prepare(&ps->work, perf_arm_work);
	ps->arming_cpu = -1;
}
