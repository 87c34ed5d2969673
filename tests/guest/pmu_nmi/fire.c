// SPDX-License-Identifier: GPL-2.0
/*
 * fire.c - send a given number of NMIs, or send NMIs continuously at a given
 *	    rate
 *
 * A CPU latches at most one pending NMI. Only one NMI at a time is sent to each
 * CPU, so that none is lost.
 */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched/clock.h>
#include <linux/sched/signal.h>
#include <linux/wait.h>
#include <asm/apic.h>
#include <asm/nmi.h>
#include "rig.h"

/* Sleep between NMIs if their interval is at least this many ns. */
#define RIG_LONG_WAIT	50000
/* The minimum duration of such a sleep, in us. */
#define RIG_SLEEP	20

static DEFINE_PER_CPU(struct task_struct *, rig_threads);
static DECLARE_WAIT_QUEUE_HEAD(rig_wait);
static u64 rig_interval;
static bool rig_is_firing;

static int rig_nmi(unsigned int cmd, struct pt_regs *regs)
{
	struct rig_cpu *c = this_cpu_ptr(&rig_cpus);

	if (!atomic_read(&c->firing))
		return NMI_DONE;
	c->stats.received++;
	c->stats.irqs_off += !(regs->flags & X86_EFLAGS_IF);
	c->stats.kernel += !user_mode(regs);
	rig_count(c, regs);
	atomic_set_release(&c->firing, 0);
	return NMI_HANDLED;
}

/*
 * Let other threads run. cond_resched() is not enough: with lazy preemption, as
 * in Linux 7.3, it does nothing, so a woken thread would wait for the next
 * tick.
 */
static void rig_let_others(void)
{
#ifdef TIF_NEED_RESCHED_LAZY
	if (test_thread_flag(TIF_NEED_RESCHED_LAZY))
		schedule();
#endif
	cond_resched();
}

/*
 * Send an NMI to a CPU, unless an earlier one is still on its way. Return:
 * whether an NMI was sent.
 */
static bool rig_send(int cpu)
{
	struct rig_cpu *c = per_cpu_ptr(&rig_cpus, cpu);
	bool sent;

	/*
	 * Disabling preemption keeps the CPU from going offline before the NMI
	 * is sent.
	 */
	preempt_disable();
	sent = cpu_online(cpu) && !atomic_cmpxchg(&c->firing, 0, 1);
	if (sent) {
		atomic64_inc(&c->stats.sent);
		apic->send_IPI_mask(cpumask_of(cpu), NMI_VECTOR);
	}
	preempt_enable();
	return sent;
}

/* Send NMIs that interrupt the calling thread, one after the other. */
static void rig_fire_here(u64 n)
{
	struct rig_cpu *c;

	while (n) {
		preempt_disable();
		c = this_cpu_ptr(&rig_cpus);
		if (rig_send(smp_processor_id()))
			n--;
		while (atomic_read(&c->firing))
			cpu_relax();
		preempt_enable();
	}
}

static int rig_fire_at(int cpu, u64 n)
{
	struct rig_cpu *c = per_cpu_ptr(&rig_cpus, cpu);

	while (n || atomic_read(&c->firing)) {
		if (!cpu_online(cpu))
			return -ENXIO;
		if (signal_pending(current))
			return -EINTR;
		if (n && rig_send(cpu))
			n--;
		rig_let_others();
	}
	return 0;
}

int rig_fire(int cpu, u64 n)
{
	if (cpu >= 0)
		return cpu < nr_cpu_ids ? rig_fire_at(cpu, n) : -ENXIO;
	rig_fire_here(n);
	return 0;
}

static void rig_fire_in_turn(int cpu, u64 now)
{
	struct rig_cpu *c = per_cpu_ptr(&rig_cpus, cpu);

	if (rig_is_active(c) && now >= READ_ONCE(c->next) && rig_send(cpu))
		WRITE_ONCE(c->next, now + READ_ONCE(rig_interval));
}

/*
 * Send an NMI to each CPU that has an active counter and whose next NMI is due.
 * Preemption is disabled so that synchronize_rcu() in rig_cease() waits for the
 * end of this function.
 */
static void rig_fire_all(void)
{
	u64 now = local_clock();
	int cpu;

	preempt_disable();
	for_each_online_cpu(cpu)
		if (READ_ONCE(rig_is_firing))
			rig_fire_in_turn(cpu, now);
	preempt_enable();
}

static bool rig_has_work(void)
{
	return READ_ONCE(rig_is_firing) || kthread_should_stop();
}

static int rig_thread(void *unused)
{
	while (!kthread_should_stop()) {
		wait_event_interruptible(rig_wait, rig_has_work());
		rig_fire_all();
		/* Sleep because the next NMI is not due yet. */
		if (READ_ONCE(rig_interval) >= RIG_LONG_WAIT)
			usleep_range(RIG_SLEEP, 2 * RIG_SLEEP);
		else
			rig_let_others();
	}
	return 0;
}

/* Stop sending, and wait until no NMI is on its way. */
static void rig_cease(void)
{
	int cpu;

	WRITE_ONCE(rig_is_firing, false);
	synchronize_rcu();
	for_each_online_cpu(cpu)
		while (atomic_read(&per_cpu(rig_cpus, cpu).firing))
			rig_let_others();
}

void rig_set_rate(u64 rate)
{
	if (!rate) {
		rig_cease();
		return;
	}
	WRITE_ONCE(rig_interval, NSEC_PER_SEC / rate);
	WRITE_ONCE(rig_is_firing, true);
	wake_up_all(&rig_wait);
}

static void rig_stop_threads(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		if (per_cpu(rig_threads, cpu))
			kthread_stop(per_cpu(rig_threads, cpu));
}

/*
 * Start one thread per CPU. An NMI that a thread sends to its own CPU
 * interrupts only that thread; all other threads must be interrupted from
 * another CPU.
 */
static int rig_start_threads(void)
{
	struct task_struct *thread;
	int cpu;

	for_each_online_cpu(cpu) {
		thread = kthread_create_on_cpu(rig_thread, NULL, cpu,
					       "pfm_nmi/%u");
		if (IS_ERR(thread)) {
			rig_stop_threads();
			return PTR_ERR(thread);
		}
		per_cpu(rig_threads, cpu) = thread;
		wake_up_process(thread);
	}
	return 0;
}

int rig_fire_init(void)
{
	int ret = register_nmi_handler(NMI_LOCAL, rig_nmi, 0, "pfm_nmi");

	if (ret)
		return ret;
	ret = rig_start_threads();
	if (ret)
		unregister_nmi_handler(NMI_LOCAL, "pfm_nmi");
	return ret;
}

void rig_fire_exit(void)
{
	rig_stop_threads();
	unregister_nmi_handler(NMI_LOCAL, "pfm_nmi");
}
