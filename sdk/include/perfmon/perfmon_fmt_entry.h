/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Writing samples in the default format's layout (3.6.4)
 */
#ifndef PERFMON_PERFMON_FMT_ENTRY_H
#define PERFMON_PERFMON_FMT_ENTRY_H

#include <perfmon/perfmon_default_smpl.h>
#include <perfmon/perfmon_fmt_sdk.h>

/**
 * pfm_entry_size() - calculate the size of an entry with its PMD values
 * @num_pmds: number of values
 *
 * Context: any.
 * Return: the size in bytes.
 */
static __always_inline u64 pfm_entry_size(u16 num_pmds)
{
	return sizeof(pfm_default_smpl_entry_t) + num_pmds * sizeof(u64);
}

/**
 * pfm_entry_set_hdr() - write the header of an entry
 * @e:      the entry
 * @arg:    the overflow
 * @tstamp: as passed to fmt_handler
 * @data:   as passed to fmt_handler
 *
 * Context: any.
 */
static __always_inline void
pfm_entry_set_hdr(pfm_default_smpl_entry_t *e, const pfm_ovfl_arg_t *arg,
		  u64 tstamp, const struct pfm_ovfl_data *data)
{
	*e = (pfm_default_smpl_entry_t) {
		.pid = data->tid,
		.ovfl_pmd = arg->ovfl_pmd,
		.reserved = arg->reserved1,
		.last_reset_val = arg->pmd_last_reset,
		.ip = data->ip,
		.tstamp = tstamp,
		.cpu = arg->ovfl_cpu,
		.set = arg->active_set,
		.tgid = data->tgid,
	};
}

/**
 * pfm_entry_add() - append an entry: header and values of the sampled PMDs
 * @r:      the record area, which must not be full: see pfm_records_full()
 * @buf:    as passed to fmt_handler
 * @arg:    as passed to fmt_handler
 * @tstamp: as passed to fmt_handler
 * @data:   as passed to fmt_handler
 *
 * Context: any.
 */
static __always_inline void pfm_entry_add(struct pfm_records *r, void *buf,
					  const pfm_ovfl_arg_t *arg,
					  u64 tstamp,
					  const struct pfm_ovfl_data *data)
{
	pfm_default_smpl_entry_t *e = pfm_records_add(r, buf, sizeof(*e));
	/*
	 * Read this only once. Without this variable, the compiler would read
	 * it again, because writing to the entry might change @arg.
	 */
	unsigned int n = arg->num_smpl_pmds;

	/* Use one base address, so that adjacent stores can be paired. */
	OPTIMIZER_HIDE_VAR(e);
	pfm_entry_set_hdr(e, arg, tstamp, data);
	if (unlikely(n)) {
		r->cur += n * sizeof(u64);
		pfm_copy_pmds((u64 *)(e + 1), arg, n);
	}
}

#endif /* PERFMON_PERFMON_FMT_ENTRY_H */
