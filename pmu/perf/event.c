// SPDX-License-Identifier: GPL-2.0
/*
 * event.c - what is done to perf's events other than by perf's functions
 *
 * perf gives no function to read a running event or to change its period in an
 * interrupt. Nothing else of the module writes what is perf's own (hw.
 * sample_period, last_period, period_left; the handler) or calls an event's PMU
 * (but user_read.c, which asks for the counter's number), and here it is done
 * as perf does it in the same context:
 *
 * - An event's PMU is asked to read for the CPU's own counters and the clocks
 *   only, on their CPU with interrupts off, as perf_output_read_group() does
 *   from an NMI. Other drivers may wait for a lock there (perf_updater()).
 *   What an arm64 CPU has counted for a sample its counter says: hw_count.h.
 * - The event that is being reported is stopped, given its period and started
 *   as by perf_adjust_period() in __perf_event_account_interrupt(). Software
 *   events are set as by perf_swevent_set_period(); and perf_swevent_hrtimer()
 *   arms a clock's timer itself, with sample_period, when the report is over.
 * - Any other event may be what the overflow has interrupted: the lock of its
 *   timer, or of its driver, may be held. Its PMD only gets its value; an
 *   irq_work stops it, gives it its period and starts it, as an interrupt does
 *   in perf_adjust_freq_unthr_context() and __perf_event_stop(). If it is not
 *   on that CPU by then, a work item calls perf_event_period(). Meanwhile perf
 *   may report it early, which arms it for the rest, or late.
 * - The handler of an event is changed as in perf_event_set_bpf_handler().
 *
 * All of these are the same on 6.1 and 6.12.
 *
 * What a PMD holds (pfm_pmu_reg.offset) is ahead of its event. Whatever goes
 * wrong between the two - an overflow just while its event is armed for an
 * older value - perf reports too early or too late, and both are put right
 * then.
 *
 * What always holds:
 * - pfm_pmu_reg.reload is what perf arms an event with that overflows, a
 *   period, or PFM_RELOAD_NONE: never 0, so that it can be divided by.
 * - A thread's event is bound to no CPU (event->cpu is -1): other threads'
 *   events on a tracepoint that say "this happened to that thread" are for CPU
 *   events, and so all overflows happen in the thread.
 */
#include "event.h"
#include "overflow.h"

/* perf's own mark of an event that it has throttled, until the next tick. */
#define PERF_THROTTLED	(~0ULL)

/* No counter's shortest period is longer. */
#define PERF_SHORT_PERIOD	1024

/* The shortest time in ns that perf sets a clock's timer to. */
#define PERF_MIN_TIMER	10000ULL

perf_update_t perf_updater(u64 pmc, const struct perf_event *event)
{
	/* Other software events count as they happen. */
	if (perf_is_clock(pmc) || event->pmu->task_ctx_nr == perf_hw_context)
		return event->pmu->read;
	return NULL;
}

u64 perf_period(u64 value)
{
	u64 left = -value;

	if (perf_is_period(value))
		return left;
	/* 0 stands for 2^64. What this leaves is one period, if it can be. */
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

/* What the PMD of an event holds by now. */
static u64 perf_value(const struct pfm_pmu_reg *reg,
		      const struct perf_event *event)
{
	return local64_read(&event->count) - reg->offset;
}

/* Who is told when an event is reported whose PMD was at @value. */
static void perf_set_handler(const struct pfm_pmu_reg *reg,
			     struct perf_event *event, u64 value)
{
	WRITE_ONCE(event->overflow_handler, perf_is_period(value) ?
						    perf_handler(reg) :
						    perf_overflow_far);
}

/*
 * perf's own fields, for an event that is stopped or being reported. A period
 * of 1 would ask some CPUs for another facility.
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

/* Is it to be stopped and started? perf starts a throttled one itself. */
static bool perf_is_running(const struct perf_event *event)
{
	return !(event->hw.state & PERF_HES_STOPPED) &&
	       event->hw.interrupts != PERF_THROTTLED;
}

static void perf_arm(struct pfm_pmu_reg *reg, struct perf_event *event,
		     u64 value)
{
	clear_bit(perf_place(reg), perf_unarmed(reg));
	reg->reload = perf_is_period(value) ? value : PFM_RELOAD_NONE;
	perf_set_handler(reg, event, value);
	perf_set_period(reg, event, perf_period(value));
}

/*
 * perf stops a throttled event itself, and starts it with what is in its
 * counter then: let that be no more than the period that it had. If it is
 * reported before the PMD wraps, it is armed for the rest.
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

/* What an event that is not being reported is to be armed for. */
static u64 perf_value_to_arm(const struct pfm_pmu_reg *reg,
			     const struct perf_event *event, u64 value)
{
	/* It has wrapped: perf is to say so soon. */
	if ((s64)value >= 0 && event->overflow_handler != perf_overflow_far)
		return -1ULL;
	return value;
}

/*
 * Its own PMU would set a clock back to when perf took the time last, which may
 * be long ago: if an NMI read it just then, time would be told twice.
 */
static void perf_restart_timer(struct perf_event *event)
{
	u64 period = max(event->hw.sample_period, PERF_MIN_TIMER);

	hrtimer_start(&event->hw.hrtimer, ns_to_ktime(period),
		      HRTIMER_MODE_REL_PINNED_HARD);
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
		 perf_value_to_arm(reg, event, perf_value(reg, event)));
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
	if (elsewhere)
		queue_work(system_highpri_wq, &ps->work);
	pfm_irq_work_done(&ps->irq_work);
}

/*
 * The thread has left the CPU. If it is back on one and the event is reported
 * meanwhile, perf reports it too early once more.
 */
static void perf_arm_work(struct work_struct *work)
{
	struct perf_set *ps = container_of(work, struct perf_set, work);
	unsigned int place;
	u64 value;

	for_each_set_bit(place, &ps->unarmed, PERF_NUM_EVENTS) {
		struct pfm_pmu_reg *reg = perf_reg_at(ps, place);
		struct perf_event *event = perf_event_of(reg);

		if (!test_and_clear_bit(place, &ps->unarmed) || !event)
			continue;
		value = perf_count(event) - READ_ONCE(reg->offset);
		value = perf_value_to_arm(reg, event, value);
		perf_event_period(event, perf_period(value));
	}
}

/*
 * To arm an event is an event to some tracepoints: of timers, of the CPU's
 * registers. If one of these resets what is armed, that would go on for ever.
 * The event has just been armed, and if it is reported too early, it is armed
 * again then. NMIs come by themselves.
 */
static bool perf_is_caused_by_arming(const struct perf_set *ps)
{
	return READ_ONCE(ps->arming_cpu) == smp_processor_id() && !in_nmi();
}

void perf_arm_later(struct pfm_pmu_reg *reg, struct perf_event *event,
		    u64 value)
{
	struct perf_set *ps = reg->set->priv;

	reg->reload = PFM_RELOAD_NONE;
	perf_set_handler(reg, event, value);
	set_bit(perf_place(reg), &ps->unarmed);
	/* A stopped set is armed when it is started. */
	if (READ_ONCE(ps->started) && !perf_is_caused_by_arming(ps))
		pfm_irq_work_queue(&ps->irq_work);
}

/*
 * Some counters have a shortest period. They are reported late, which is put
 * right; the rest of a period may be as short as that.
 */
int perf_arm_stopped(struct pfm_pmu_reg *reg, struct perf_event *event,
		     u64 value)
{
	u64 period = perf_period(value);
	int ret;

	clear_bit(perf_place(reg), perf_unarmed(reg));
	reg->reload = perf_is_period(value) ? value : PFM_RELOAD_NONE;
	perf_set_handler(reg, event, value);
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
		perf_arm_stopped(reg, event,
				 perf_value_to_arm(reg, event, value));
	}
}

void perf_arm_wait(struct perf_set *ps)
{
	pfm_irq_work_wait(&ps->irq_work);
	cancel_work_sync(&ps->work);
}

void perf_arm_init(struct perf_set *ps)
{
	ps->irq_work.work = IRQ_WORK_INIT_HARD(perf_arm_irq);
	INIT_WORK(&ps->work, perf_arm_work);
	ps->arming_cpu = -1;
}
