// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_perf_leap - a perf PMU whose counter leaps over whole periods, for tests
 *
 * It stands in for PMUs other than the CPU's own. When N is written to the
 * parameter leap, the event counts N periods at once and reports a single
 * overflow. Other parameters:
 *
 *   reads		how many times the event was read
 *   found		number of events to which a PMU register still referred
 *			when they were destroyed
 *   config, config1, config2
 *			the attributes of the event that was created last
 *
 * According to its cpumask in sysfs, all CPUs share the PMU, and its events are
 * opened on CPU 0. A second PMU, pfm_soft, offers the same events as per-thread
 * software events.
 */
#include <linux/cpumask.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/smp.h>
#include <perfmon/perfmon_pmu.h>

static struct perf_event *leap_event;
static unsigned int reads, found;
static unsigned long long config, config1, config2;

static void leap_start(struct perf_event *event, int flags)
{
	event->hw.state = 0;
}

static void leap_stop(struct perf_event *event, int flags)
{
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int leap_add(struct perf_event *event, int flags)
{
	if (leap_event)
		return -EAGAIN;
	WRITE_ONCE(leap_event, event);
	leap_stop(event, 0);
	if (flags & PERF_EF_START)
		leap_start(event, PERF_EF_RELOAD);
	return 0;
}

static void leap_del(struct perf_event *event, int flags)
{
	leap_stop(event, PERF_EF_UPDATE);
	WRITE_ONCE(leap_event, NULL);
}

static void leap_read(struct perf_event *event)
{
	reads++;
}

/* Count the event in @found if a PMU register still refers to it. */
static void leap_destroy(struct perf_event *event)
{
	struct pfm_pmu_reg *reg = event->overflow_handler_context;

	if (reg && READ_ONCE(reg->priv) == event)
		found++;
}

static int leap_event_init(struct perf_event *event)
{
	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	config = event->attr.config;
	config1 = event->attr.config1;
	config2 = event->attr.config2;
	event->destroy = leap_destroy;
	return 0;
}

PMU_FORMAT_ATTR(event, "config:0-7");
PMU_FORMAT_ATTR(first, "config1:0-63");
PMU_FORMAT_ATTR(second, "config2:8-15");
PMU_EVENT_ATTR_STRING(leaps, leap_leaps, "event=0x12,first=3");
PMU_EVENT_ATTR_STRING(leaps.unit, leap_unit, "leaps");

static ssize_t cpumask_show(struct device *dev, struct device_attribute *attr,
			    char *buf)
{
	return sysfs_emit(buf, "0\n");
}
static DEVICE_ATTR_RO(cpumask);

static struct attribute *leap_formats[] = {
	&format_attr_event.attr, &format_attr_first.attr,
	&format_attr_second.attr, NULL
};

static struct attribute *leap_events[] = {
	&leap_leaps.attr.attr, &leap_unit.attr.attr, NULL
};

static struct attribute *leap_files[] = { &dev_attr_cpumask.attr, NULL };

static const struct attribute_group leap_format_group = {
	.name = "format", .attrs = leap_formats,
};

static const struct attribute_group leap_event_group = {
	.name = "events", .attrs = leap_events,
};

static const struct attribute_group leap_file_group = { .attrs = leap_files };

static const struct attribute_group *leap_groups[] = {
	&leap_format_group, &leap_event_group, &leap_file_group, NULL
};

#define LEAP_CALLS					\
	.module		= THIS_MODULE,			\
	.event_init	= leap_event_init,		\
	.add		= leap_add,			\
	.del		= leap_del,			\
	.start		= leap_start,			\
	.stop		= leap_stop,			\
	.read		= leap_read

static struct pmu leap_pmu = {
	LEAP_CALLS,
	.attr_groups	= leap_groups,
	.task_ctx_nr	= perf_invalid_context,
};

static struct pmu soft_pmu = {
	LEAP_CALLS,
	.task_ctx_nr	= perf_sw_context,
};

/* Context: the event's CPU, with interrupts off. */
static void leap_here(void *periods)
{
	struct perf_event *event = leap_event;
	struct perf_sample_data data;
	struct pt_regs regs = {};

	if (!event || event->hw.state & PERF_HES_STOPPED)
		return;
	perf_fetch_caller_regs(&regs);
	perf_sample_data_init(&data, 0, event->hw.last_period);
	local64_add(*(u64 *)periods * event->hw.sample_period, &event->count);
	event->overflow_handler(event, &data, &regs);
}

static int leap_set(const char *text, const struct kernel_param *param)
{
	struct perf_event *event = READ_ONCE(leap_event);
	u64 periods;
	int ret = kstrtou64(text, 0, &periods);

	if (ret)
		return ret;
	if (!event)
		return -ENODEV;
	return smp_call_function_single(READ_ONCE(event->oncpu), leap_here,
					&periods, true);
}

static const struct kernel_param_ops leap_ops = { .set = leap_set };

module_param_cb(leap, &leap_ops, NULL, 0200);
module_param(reads, uint, 0444);
module_param(found, uint, 0444);
module_param(config, ullong, 0444);
module_param(config1, ullong, 0444);
module_param(config2, ullong, 0444);

static int __init leap_init(void)
{
	int ret = perf_pmu_register(&leap_pmu, "pfm_leap", -1);

	if (ret)
		return ret;
	ret = perf_pmu_register(&soft_pmu, "pfm_soft", -1);
	if (ret)
		perf_pmu_unregister(&leap_pmu);
	return ret;
}

static void __exit leap_exit(void)
{
	perf_pmu_unregister(&soft_pmu);
	perf_pmu_unregister(&leap_pmu);
}

module_init(leap_init);
module_exit(leap_exit);
MODULE_DESCRIPTION("perfmon2: test, a perf PMU whose counter leaps");
MODULE_LICENSE("GPL");
