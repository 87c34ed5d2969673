// SPDX-License-Identifier: GPL-2.0
/*
 * records.c - make a buffer with known records, to test the format's parser
 */
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include "conform.h"
#include "ds_records.h"

#define MOST		50
#define LINE		160

/* Columns, with the names that pfmparse uses */
static const char records_names[] =
	"time address thread process cpu set pmd event\n";
static const char records_ds_names[] = "address\n";

/*
 * Write what overflow @n passed to the handler; with PFM_FMTFL_DS, write what
 * the CPU recorded.
 */
static int records_note(char *to, const struct conform *c, u64 n)
{
	const pfm_ovfl_arg_t *arg = c->before;

	if (c->fmt->fmt_flags & PFM_FMTFL_DS)
		return scnprintf(to, LINE, "%llu\n", conform_ds_word(n, 1));
	return scnprintf(to, LINE, "%llu %llu %u %u %u %u %u %llu\n",
			 c->tstamp, conform_ip(n), conform_tid(n), CONFORM_TGID,
			 arg->ovfl_cpu, arg->active_set, arg->ovfl_pmd,
			 arg->pmd_eventid);
}

static int records_make(struct conform *c)
{
	char *to = c->truth;
	u64 n, stored;
	int ret = 0;

	to += scnprintf(to, LINE, "%s",
			c->fmt->fmt_flags & PFM_FMTFL_DS ? records_ds_names :
							   records_names);
	for (n = 0; !ret && !c->held && n < MOST; n++) {
		stored = c->stored;
		ret = conform_overflow(c, 1, NULL);
		if (c->stored > stored)
			to += records_note(to, c, n);
	}
	return ret;
}

int conform_check_records(struct conform *c)
{
	int ret = conform_make(c) ?: conform_values(c, 2);

	if (ret)
		return ret;
	if (!c->buf.size)
		return conform_skip(c, "the format has no buffer");
	vfree(c->shot);
	kfree(c->truth);
	c->shot = vmalloc(c->buf.size);
	c->truth = kzalloc((MOST + 1) * LINE, GFP_KERNEL);
	if (!c->shot || !c->truth)
		return -ENOMEM;
	c->calls = 0;
	c->stored = 0;
	/* With notifications, a flight recorder would freeze at once. */
	c->notify = false;
	ret = records_make(c);
	memcpy(c->shot, c->buf.start, c->buf.size);
	c->shot_size = c->buf.size;
	if (!ret && !c->stored)
		return conform_fail(c, "the handler records nothing: it returns an error for the first overflow");
	return ret ?: conform_end(c);
}
