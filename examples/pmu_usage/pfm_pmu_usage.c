// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_pmu_usage - a small, complete PMU description: the kernel's resource
 *		   counts of the monitored thread, as virtual PMDs
 */
#include <linux/module.h>
#include <linux/sched.h>
#include <perfmon/perfmon_pmu.h>

static u64 usage_switches(struct task_struct *task)
{
	return task->nvcsw + task->nivcsw;
}

static u64 usage_faults(struct task_struct *task)
{
	return task->min_flt + task->maj_flt;
}

/*
 * The last register of every set is the set's clock. While the set counts, the
 * clock's @priv is the thread, and its @offset is the thread's run time minus
 * the clock's value. Otherwise @priv is NULL, and @offset is the clock's value.
 */
static u64 usage_clock(const struct pfm_pmu_reg *clock)
{
	const struct task_struct *task = clock->priv;

	return task ? task->se.sum_exec_runtime - clock->offset :
		      clock->offset;
}

static int usage_load(struct pfm_pmu_set *s,
		      struct pfm_pmu_reg *const *regs)
{
	struct pfm_pmu_reg *clock = regs[s->num_regs - 1];

	/*
	 * Reject system-wide contexts, because only threads have these counts.
	 * Reject sampling by the clock, which has no timer.
	 */
	if (!s->task || clock->sampling)
		return -EINVAL;
	clock->priv = NULL;
	s->priv = clock;
	return 0;
}

static int usage_start(struct pfm_pmu_set *s)
{
	struct pfm_pmu_reg *clock = s->priv;

	clock->offset = s->task->se.sum_exec_runtime - usage_clock(clock);
	clock->priv = s->task;
	return 0;
}

static void usage_stop(struct pfm_pmu_set *s)
{
	struct pfm_pmu_reg *clock = s->priv;

	clock->offset = usage_clock(clock);
	clock->priv = NULL;
}

/* There is nothing to undo. */
static void usage_unload(struct pfm_pmu_set *s)
{
}

/* There are no PMCs. */
static int usage_write_pmc(struct pfm_pmu_reg *reg)
{
	return -EINVAL;
}

/* The PMDs are read-only, so only the clock can be written. */
static int usage_write_pmd(struct pfm_pmu_reg *reg, u64 value)
{
	if (reg->desc->num == PFM_REG_CLOCK)
		reg->offset = value;
	return 0;
}

static u64 usage_read_pmd(struct pfm_pmu_reg *reg)
{
	if (reg->desc->num == PFM_REG_CLOCK)
		return usage_clock(reg);
	return reg->desc->read(reg->set->task);
}

static void usage_read_pmds_ovfl(struct pfm_pmu_reg *const *regs, u64 *values,
				 unsigned int n)
{
	while (n--)
		*values++ = usage_read_pmd(*regs++);
}

/* Nothing overflows. */
static void usage_reset_pmd(struct pfm_pmu_reg *reg, u64 value, bool reported)
{
}

#define USAGE_PMD(n, str, fn)						\
	{ .num = (n), .type = PFM_REG_TYPE_VIRTUAL,			\
	  .flags = PFM_REGD_READ_ONLY, .pmd = PFM_REGD_NO_PMD,		\
	  .index = PFM_REG_IDX_NONE, .name = (str), .read = (fn) }

static const struct pfm_reg_desc usage_pmds[] = {
	USAGE_PMD(300, "SWITCHES", usage_switches),
	USAGE_PMD(301, "FAULTS", usage_faults),
};

static const struct pfm_pmu usage_pmu = {
	.pmu_name	= "usage",
	.owner		= THIS_MODULE,
	.counter_width	= 64,
	.num_pmds	= ARRAY_SIZE(usage_pmds),
	.pmds		= usage_pmds,
	.load		= usage_load,
	.unload		= usage_unload,
	.start		= usage_start,
	.stop		= usage_stop,
	.write_pmc	= usage_write_pmc,
	.write_pmd	= usage_write_pmd,
	.read_pmd	= usage_read_pmd,
	.read_pmds_ovfl	= usage_read_pmds_ovfl,
	.reset_pmd	= usage_reset_pmd,
};

static int __init usage_init(void)
{
	return pfm_register_pmu(&usage_pmu);
}

static void __exit usage_exit(void)
{
	pfm_unregister_pmu(&usage_pmu);
}

module_init(usage_init);
module_exit(usage_exit);
MODULE_DESCRIPTION("perfmon2: example PMU description, resources of a thread");
MODULE_LICENSE("GPL v2");
