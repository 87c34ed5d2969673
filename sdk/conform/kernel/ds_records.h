/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ds_records.h - write records for a format with PFM_FMTFL_DS, as a CPU writes
 *                them to the debug store
 */
#ifndef PFM_CONFORM_DS_RECORDS_H
#define PFM_CONFORM_DS_RECORDS_H

#include <perfmon/perfmon_ds.h>
#include "conform.h"

/* Return: word @n of the @calls-th record, counted from 0. */
static inline u64 conform_ds_word(u64 calls, unsigned int n)
{
	return 0x1000 * (calls + 1) + n;
}

/*
 * Append a record for an overflow. Context: any.
 * Return: true if the threshold is reached and the handler must be called.
 */
static inline bool conform_ds_record(struct conform *c)
{
	struct pfm_ds *ds = pfm_fmt_priv(c->buf.start);
	u32 words = ds->record_size / ds->word, n;
	void *to = c->buf.start + ds->index;
	u64 value;

	if (ds->index + ds->record_size <= ds->abs_max) {
		for (n = 0; n < words; n++) {
			value = conform_ds_word(c->calls, n);
			memcpy(to + n * ds->word, &value, ds->word);
		}
		ds->index += ds->record_size;
		pfm_ds_show_index(ds);
		c->calls++;
		c->stored++;
	}
	return ds->index >= ds->thres;
}

#endif /* PFM_CONFORM_DS_RECORDS_H */
