/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pfm_sim.h - drive the simulated PMU from KUnit suites
 */
#ifndef PFM_SIM_H
#define PFM_SIM_H

#include <linux/types.h>
#include <perfmon/perfmon_ds.h>

struct task_struct;

#define PFM_SIM_PAIRS		8	/* PMC0/PMD0 ... PMC7/PMD7 */
#define PFM_SIM_WIDTH		32	/* bits of a hardware counter */
#define PFM_SIM_PMD_PLAIN	8	/* a PMD that does not count */

/**
 * struct pfm_sim_tick - the events of one instant
 * @task:  thread in which they happen, or NULL
 * @cpu:   CPU on which they happen, if @task is NULL
 * @irq:   report the overflows from a hard interrupt
 * @ip:    interrupted instruction pointer
 * @ns:    time that has passed since the last tick, in ns
 * @delta: events for PMD0 ... PMD7, less than 2^32 each
 * @rec:   the debug-store record that the CPU writes; its ip is replaced by @ip
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
 * pfm_sim_advance() - Count the events of one instant
 * @tick: the instant
 *
 * Counters whose PMC is 0, and sets that are not started, do not count. All
 * overflows of the instant are reported at once, before this returns.
 *
 * Context: any; process if @tick->irq.
 * Return: 0; -ESRCH if no set is loaded for that thread or CPU; -ERANGE if a
 * delta is too large.
 */
int pfm_sim_advance(const struct pfm_sim_tick *tick);

/**
 * pfm_sim_register() - Find the hardware register that an instruction accesses
 * @task:  thread that executes the instruction
 * @type:  reg_type of the PMC or PMD
 * @index: its reg_index
 *
 * Return: the register of the thread's event set that is on the PMU, or NULL.
 * The register is freed when the set is unloaded.
 */
u64 *pfm_sim_register(struct task_struct *task, u16 type, u64 index);

#endif /* PFM_SIM_H */
