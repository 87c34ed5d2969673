/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pfm_sim.h - driving the simulated PMU from KUnit suites
 */
#ifndef PFM_SIM_H
#define PFM_SIM_H

#include <linux/types.h>
#include <perfmon/perfmon_ds.h>

struct task_struct;

#define PFM_SIM_PAIRS		8	/* PMC0/PMD0 ... PMC7/PMD7 */
#define PFM_SIM_WIDTH		32	/* bits of a hardware counter */
#define PFM_SIM_PMD_PLAIN	8	/* a PMD that is no counter */

/**
 * struct pfm_sim_tick - what happens in one instant
 * @task:  thread in which, or NULL
 * @cpu:   CPU on which, if @task is NULL
 * @irq:   report the overflows from a hard interrupt
 * @ip:    instruction pointer that is interrupted
 * @ns:    time that passes until then, in ns
 * @delta: events for PMD0 ... PMD7, less than 2^32 each
 * @rec:   what the CPU would write into a debug-store area, but for the
 *         instruction pointer, which is @ip
 */
struct pfm_sim_tick {
	struct task_struct	*task;
	int			cpu;
	bool			irq;
	u64			ip;
	u64			ns;
	u64			delta[PFM_SIM_PAIRS];
	struct pfm_ds_record	rec;
};

/**
 * pfm_sim_advance() - let an instant happen
 * @tick: the instant
 *
 * Counters whose PMC is 0, and sets that are not started, count nothing.
 * All overflows of the instant are reported at once, before this returns.
 *
 * Context: any; process if @tick->irq.
 * Return: 0; -ESRCH if no set is loaded there; -ERANGE for a delta that is
 * too large.
 */
int pfm_sim_advance(const struct pfm_sim_tick *tick);

/**
 * pfm_sim_register() - the hardware register that an instruction accesses
 * @task:  thread that the instruction is in
 * @type:  reg_type of the PMC or PMD
 * @index: its reg_index
 *
 * Return: the register of the event set that is on the PMU there; NULL if there
 * is no set or no such register. It is gone when the set is unloaded.
 */
u64 *pfm_sim_register(struct task_struct *task, u16 type, u64 index);

#endif /* PFM_SIM_H */
