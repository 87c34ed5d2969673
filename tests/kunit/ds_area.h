/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ds_area.h - make counters overflow with a debug-store record
 */
#ifndef PFM_KUNIT_DS_AREA_H
#define PFM_KUNIT_DS_AREA_H

#include <perfmon/perfmon_ds.h>
#include "context.h"
#include "fixture.h"

#define PERIOD		100
#define RESET		((u64)-PERIOD)
#define BASE		256	/* offset of the first record in all layouts */
#define NOTIFY		PFM_REGFL_OVFL_NOTIFY

static inline void *buf_of(struct kunit *test)
{
	return ctx_of(test)->buf;
}

/*
 * Make PMD0, and PMD1 if @both, overflow with a record whose fields are @first,
 * @first + 1 and so on.
 */
static inline void overflow_with(struct kunit *test, u64 first, bool both)
{
	struct pfm_sim_tick tick = { .task = current,
				     .delta = { PERIOD, both ? PERIOD : 0 } };
	u64 *field = &tick.rec.eflags;
	int i;

	for (i = 0; i < PFM_DS_MAX_RECORD / 8; i++)
		field[i] = first + i;
	tick.ip = first + 1;
	KUNIT_ASSERT_EQ(test, pfm_sim_advance(&tick), 0);
}

static inline void overflow(struct kunit *test)
{
	overflow_with(test, 0x1000, false);
}

#endif /* PFM_KUNIT_DS_AREA_H */
