// SPDX-License-Identifier: GPL-2.0
/*
 * evidence.c - find out whether a check has recorded samples
 *
 * A check proves nothing if the format records nothing during the check, for
 * example because it filters out all samples. In a sink (perfmon_sink.h), a
 * sample counts as recorded if the headers count it. In any other buffer, it
 * counts as recorded if the handler returned 0 and the buffer has changed since
 * fmt_init.
 *
 * Before each overflow, the bytes after the last record of a sink are poisoned.
 * A handler that changes bytes after the record that it publishes would write
 * beyond the buffer if that record ended where the buffer ends. device.c
 * poisons the records of a device in a similar way.
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <perfmon/perfmon_fmt_sink.h>
#include "conform.h"

/* Does the buffer have a sink's header, and contain all of its regions? */
static bool evidence_is_sink(const struct conform *c)
{
	const pfm_sink_hdr_t *hdr = c->buf.start;

	return c->buf.size >= sizeof(*hdr) &&
	       hdr->hdr_magic == PFM_SINK_MAGIC &&
	       hdr->hdr_num_regions <= PFM_SINK_MAX_REGIONS &&
	       hdr->hdr_region_offs <= c->buf.size &&
	       hdr->hdr_num_regions * hdr->hdr_region_size <=
		       c->buf.size - hdr->hdr_region_offs;
}

void conform_evidence_begin(struct conform *c)
{
	c->sink = evidence_is_sink(c) ? *(pfm_sink_hdr_t *)c->buf.start :
					(pfm_sink_hdr_t) {};
	vfree(c->fresh);
	c->fresh = NULL;
	if (c->recorded || c->sink.hdr_magic || !c->buf.size)
		return;
	c->fresh = vmalloc(c->buf.size);
	if (c->fresh)
		memcpy(c->fresh, c->buf.start, c->buf.size);
}

static bool evidence_in_sink(const struct conform *c)
{
	const pfm_sink_hdr_t *hdr = c->buf.start;
	bool any = hdr->hdr_past || hdr->hdr_overwritten || hdr->hdr_fills;
	u32 n;

	for (n = 0; !any && n < c->sink.hdr_num_regions; n++)
		any = pfm_sink_rgn(c->buf.start, n)->rgn_count;
	return any;
}

void conform_evidence_look(struct conform *c)
{
	if (c->recorded || c->device)
		return;
	if (c->sink.hdr_magic)
		c->recorded = evidence_in_sink(c);
	else
		c->recorded = !c->fresh ||
			      memcmp(c->fresh, c->buf.start, c->buf.size);
}

void conform_poison(struct conform *c)
{
	const pfm_sink_hdr_t *hdr = c->buf.start;
	const pfm_sink_rgn_t *rgn;
	u64 used, rest;
	size_t at;

	c->poisoned = 0;
	if (c->device)
		conform_device_poison(c);
	if (!c->sink.hdr_magic ||
	    hdr->hdr_cur_region >= c->sink.hdr_num_regions)
		return;
	c->region = hdr->hdr_cur_region;
	rgn = pfm_sink_rgn(c->buf.start, c->region);
	used = rgn->rgn_used;
	/* Do not poison a region that is full or was emptied. */
	if (rgn->rgn_state != PFM_SINK_RGN_FILLING ||
	    used > c->sink.hdr_region_size)
		return;
	c->poison = c->buf.start + c->sink.hdr_region_offs +
		    c->region * c->sink.hdr_region_size + used;
	c->used = used;
	rest = c->sink.hdr_region_size - used;
	/* Poison more bytes than the largest record has. */
	c->poisoned = min3(rest, c->sink.hdr_max_record + CONFORM_NEAR,
			   (u64)CONFORM_MAX_POISON);
	for (at = 0; at < c->poisoned; at += CONFORM_NEAR)
		memcpy(c->poison + at, conform_pattern,
		       min_t(size_t, CONFORM_NEAR, c->poisoned - at));
}

int conform_unpoison(struct conform *c)
{
	size_t at, bad = 0;
	u64 size = 0;

	if (c->device)
		return conform_device_unpoison(c);
	if (c->poisoned)
		size = pfm_sink_rgn(c->buf.start, c->region)->rgn_used -
		       c->used;
	for (at = size; size && !bad && at < c->poisoned; at++)
		if (c->poison[at] != conform_pattern[at % CONFORM_NEAR])
			bad = at;
	if (size < c->poisoned)
		memset(c->poison + size, 0, c->poisoned - size);
	if (bad)
		return conform_fail(c,
				    "the format wrote past the record that it published: at offset %zu, but the record has %llu bytes (pass its whole size to pfm_sink_end())",
				    bad, size);
	return 0;
}
