// SPDX-License-Identifier: GPL-2.0
/*
 * pmc.c - PMC values and the perf events that they encode
 */
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/perf_event.h>
#include <linux/security.h>
#include <linux/smp.h>
#include <linux/string.h>
#include "event.h"
#include "lease.h"
#include "perf_record.h"
#include "pmc.h"
#include "pointers.h"
#include "set.h"

bool perf_pmc_is_used(u64 pmc)
{
	return (pmc & (PFM_PERF_RAW | PFM_PERF_TYPE_MASK)) != PFM_PERF_NONE;
}

void perf_fill_attr(struct perf_event_attr *attr, u64 pmc, const u64 *config,
		    u64 period)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = perf_pmc_type(pmc);
	attr->config = pmc & PFM_PERF_ID_MASK;
	attr->config1 = config[0];
	attr->config2 = config[1];
	/*
	 * A PMC has no separate field for bp_type: a breakpoint's event ID is
	 * that type.
	 */
	if (attr->type == PERF_TYPE_BREAKPOINT)
		attr->bp_type = attr->config;
	attr->exclude_user = !!(pmc & PFM_PERF_EXCL_USER);
	attr->exclude_kernel = pmc & PFM_PERF_EXCL_KERNEL &&
			       !perf_is_switch(pmc);
	attr->exclude_hv = attr->exclude_kernel;
	attr->exclude_idle = !!(pmc & PFM_PERF_EXCL_IDLE);
	attr->precise_ip = (pmc & PFM_PERF_PRECISE_MASK) >>
			   PFM_PERF_PRECISE_SHIFT;
	attr->sample_period = period;
	attr->disabled = 1;
	if (attr->precise_ip) {
		/*
		 * Precise events need a period. With wakeup_events, drivers
		 * report each record at once instead of collecting several.
		 */
		attr->sample_period = period ?: PERF_MAX_PERIOD;
		attr->wakeup_events = 1;
	}
	/* pinned: the event gets a counter all the time, or fails visibly. */
	attr->pinned = !perf_is_software(pmc);
}

int perf_errno(long err)
{
	switch (err) {
	case -EPERM:
	case -EACCES:
		return -EPERM;
	case -ESRCH:
	case -ENOMEM:
	case -EBUSY:
	case -ENODEV:
		return err;
	default:
		return -EINVAL;
	}
}

/*
 * A cache of PMC values that perf has accepted for a thread while the
 * configuration words were 0. The values are stored inverted, so that an empty
 * entry (0) matches no valid value. Without the cache each write to a PMC would
 * create an event as a test, which is the most expensive step of the write.
 */
static u64 perf_taken[64];

static u64 *perf_taken_slot(u64 pmc)
{
	return &perf_taken[hash_64(pmc, ilog2(ARRAY_SIZE(perf_taken)))];
}

/*
 * If perf has accepted this event once, will it always accept it? This holds
 * for a thread's CPU events and software events, which are neither limited in
 * number nor removed with a module. It need not hold for precise events, for
 * events of PMUs that are selected by their number, or for system-wide events,
 * because CPUs can differ.
 */
static bool perf_is_lasting(u64 pmc, bool syswide)
{
	return !syswide && !(pmc & PFM_PERF_PRECISE_MASK) &&
	       (perf_is_of_cpu(pmc) ||
		perf_pmc_type(pmc) == PERF_TYPE_SOFTWARE);
}

static bool perf_has_configs(const u64 *config)
{
	return config[0] | config[1];
}

/* Create the event as a test: only perf knows what this machine can count. */
static int perf_ask(struct pfm_pmu_set *s, u64 pmc, const u64 *config,
		    bool syswide)
{
	struct task_struct *task = syswide ? NULL : current;
	int cpu = syswide ? raw_smp_processor_id() : -1;
	struct perf_event_attr attr;
	struct perf_lease *lease;
	int ret;

	perf_fill_attr(&attr, pmc, config, 0);
	lease = perf_lease_create(&attr, pmc, cpu, task, NULL, NULL);
	if (!IS_ERR(lease)) {
		perf_lease_end(s, lease);
		if (perf_is_lasting(pmc, syswide) && !perf_has_configs(config))
			WRITE_ONCE(*perf_taken_slot(pmc), ~pmc);
		return 0;
	}
	ret = perf_errno(PTR_ERR(lease));
	return ret == -EINVAL ? ret : 0;
}

/*
 * Would a breakpoint trap for ever? arm64 steps over the instruction at the
 * breakpoint only if the event has one of perf's own handlers. With
 * pfm_pmu_perf's handler the thread would not advance.
 */
static bool perf_is_endless(u64 pmc)
{
	return perf_pmc_type(pmc) == PERF_TYPE_BREAKPOINT &&
	       !IS_ENABLED(CONFIG_X86);
}

int perf_check_pmc(struct pfm_pmu_set *s, u16 num, u64 pmc, const u64 *config,
		   bool syswide)
{
	if (!perf_pmc_is_used(pmc))
		return pmc == PFM_PERF_NONE ? 0 : -EINVAL;
	if (pmc & PFM_PERF_RAW && pmc & PFM_PERF_TYPE_MASK)
		return -EINVAL;
	if (perf_is_endless(pmc) || perf_takes_pointer(perf_pmc_type(pmc)))
		return -EINVAL;
	if (!syswide && !perf_has_configs(config) &&
	    READ_ONCE(*perf_taken_slot(pmc)) == ~pmc)
		return 0;
	return perf_ask(s, pmc, config, syswide);
}

bool perf_is_exact_enough(const struct pfm_pmu_reg *reg)
{
	return !perf_is_ds(reg) || reg->set->ds->imprecise_ok ||
	       reg->pmc_value & PFM_PERF_PRECISE_MASK;
}

bool perf_may_count(const struct pfm_pmu_reg *reg)
{
	if (reg->set->user_only && reg->wants & PERF_SAMPLE_PHYS_ADDR)
		return false;
	/* Elapsed time does not disclose anything about the kernel. */
	if (reg->set->user_only && !perf_is_set_clock(reg) &&
	    !(reg->pmc_value & PFM_PERF_EXCL_KERNEL))
		return false;
	return !perf_is_ds(reg) || !security_locked_down(LOCKDOWN_PERF);
}

bool __init perf_is_precise(void)
{
	u64 cycles = PFM_PERF_EVENT(PERF_TYPE_HARDWARE,
				    PERF_COUNT_HW_CPU_CYCLES);
	static const u64 none[PFM_PMC_CONFIGS];
	struct perf_event_attr attr;
	struct perf_event *event;

	if (!perf_has_exact_regs())
		return false;
	perf_fill_attr(&attr, cycles | 1ULL << PFM_PERF_PRECISE_SHIFT, none, 0);
	event = perf_event_create_kernel_counter(&attr, -1, current,
						 NULL, NULL);
	if (IS_ERR(event))
		return false;
	perf_event_release_kernel(event);
	return true;
}
