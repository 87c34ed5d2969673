// SPDX-License-Identifier: GPL-2.0
/*
 * pointers.c - perf PMUs whose configuration is a pointer
 *
 * config1 of the PMUs kprobe and uprobe is the address of a name in the memory
 * of the process that creates the event. Reading the name, or opening the file
 * that it names, can take arbitrarily long. When an exec makes the core create
 * the event again, the address refers to the memory of the new program. So
 * these events are refused. Users can create probes in tracefs instead: these
 * are tracepoints, which have neither problem.
 */
#include <linux/device.h>
#include <linux/perf_event.h>
#include "pointers.h"

/* A type that neither of these PMUs can have. */
#define PERF_NO_TYPE	PERF_TYPE_SOFTWARE

static u32 perf_pointer_types[2] __ro_after_init;

/*
 * Get the type of the PMU with this name. @other: the device of any PMU, which
 * is on the bus of all PMUs.
 */
static u32 __init perf_type_of(const struct device *other, const char *name)
{
	struct device *dev = bus_find_device_by_name(other->bus, NULL, name);
	u32 type = PERF_NO_TYPE;

	if (dev)
		type = ((const struct pmu *)dev_get_drvdata(dev))->type;
	put_device(dev);
	return type;
}

int __init perf_pointers_init(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.size = sizeof(attr),
		.disabled = 1,
	};
	struct perf_event *event;
	const struct device *dev;

	/* perf does not export its list of PMUs, but all are on one bus. */
	event = perf_event_create_kernel_counter(&attr, -1, current, NULL,
						 NULL);
	if (IS_ERR(event))
		return PTR_ERR(event);
	dev = event->pmu->dev;
	if (dev) {
		perf_pointer_types[0] = perf_type_of(dev, "kprobe");
		perf_pointer_types[1] = perf_type_of(dev, "uprobe");
	}
	perf_event_release_kernel(event);
	return dev ? 0 : -ENODEV;
}

bool perf_takes_pointer(u32 type)
{
	return type != PERF_NO_TYPE && (type == perf_pointer_types[0] ||
					type == perf_pointer_types[1]);
}
