/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf_record.h - debug-store records made from perf's samples
 *
 * The records contain x86_64 registers, so other machines have no such records.
 */
#ifndef PFM_PMU_PERF_RECORD_H
#define PFM_PMU_PERF_RECORD_H

#include <linux/perf_event.h>
#include <linux/timex.h>
#include <perfmon/perfmon_ds.h>

#ifdef CONFIG_X86_64

/* Sample types and registers that a record needs. */
#define PERF_RECORD_SAMPLE \
	(PERF_SAMPLE_IP | PERF_SAMPLE_ADDR | PERF_SAMPLE_WEIGHT | \
	 PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_REGS_INTR)
#define PERF_RECORD_REGS \
	(GENMASK(PERF_REG_X86_IP, PERF_REG_X86_AX) | \
	 BIT(PERF_REG_X86_FLAGS) | \
	 GENMASK(PERF_REG_X86_R15, PERF_REG_X86_R8))

static const bool perf_has_records = true;

/* Does a precise event sample exact registers? On AMD only the IP is exact. */
static inline bool perf_has_exact_regs(void)
{
	return boot_cpu_data.x86_vendor != X86_VENDOR_AMD &&
	       boot_cpu_data.x86_vendor != X86_VENDOR_HYGON;
}

static inline void perf_fill_regs(struct pfm_ds_record *rec,
				  const struct pt_regs *regs)
{
	/*
	 * Clear two reserved bits of eflags, which perf uses for flags of its
	 * own.
	 */
	rec->eflags = regs->flags & ~(PERF_EFLAGS_EXACT | PERF_EFLAGS_VM);
	rec->ip = regs->ip;
	rec->eax = regs->ax;
	rec->ebx = regs->bx;
	rec->ecx = regs->cx;
	rec->edx = regs->dx;
	rec->esi = regs->si;
	rec->edi = regs->di;
	rec->ebp = regs->bp;
	rec->esp = regs->sp;
	rec->r8_15[0] = regs->r8;
	rec->r8_15[1] = regs->r9;
	rec->r8_15[2] = regs->r10;
	rec->r8_15[3] = regs->r11;
	rec->r8_15[4] = regs->r12;
	rec->r8_15[5] = regs->r13;
	rec->r8_15[6] = regs->r14;
	rec->r8_15[7] = regs->r15;
}

#else

#define PERF_RECORD_SAMPLE	0
#define PERF_RECORD_REGS	0

static const bool perf_has_records;

static inline bool perf_has_exact_regs(void)
{
	return false;
}

static inline void perf_fill_regs(struct pfm_ds_record *rec,
				  const struct pt_regs *regs)
{
}

#endif

/*
 * Fill in a record; fields that perf did not sample are 0. Context: the event's
 * overflow handler.
 */
static inline void perf_fill_record(struct pfm_ds_record *rec,
				    const struct perf_sample_data *data,
				    struct pt_regs *regs)
{
	u64 has = data->sample_flags;

	perf_fill_regs(rec, regs);
	rec->status = 0;
	rec->dla = has & PERF_SAMPLE_ADDR ? data->addr : 0;
	rec->dse = has & PERF_SAMPLE_DATA_SRC ? data->data_src.val : 0;
	rec->lat = has & PERF_SAMPLE_WEIGHT_TYPE ? data->weight.full : 0;
	rec->real_ip = instruction_pointer(regs);
	rec->tsx_tuning = 0;
	rec->tsc = get_cycles();
}

#endif /* PFM_PMU_PERF_RECORD_H */
