/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Debug-store service (Eranian 2006, 5.4)
 *
 * With PEBS, the CPU itself writes the samples: when a counter overflows, the
 * CPU appends a record to an area in memory and reloads the counter. The CPU
 * raises an interrupt only when the area is filled to a threshold. Here the
 * core takes the place of the CPU: for each overflow the PMU description passes
 * a record to the core, which writes it to the area. The core calls fmt_handler
 * only at the threshold. A format with PFM_FMTFL_DS lays out the area in its
 * buffer. The format's fmt_init describes the area in a struct pfm_ds at the
 * start of the format's private area. fmt_restart rewinds the area.
 */
#ifndef PERFMON_PERFMON_DS_H
#define PERFMON_PERFMON_DS_H

#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/math64.h>
#include <linux/stddef.h>
#include <linux/types.h>
#include <asm/barrier.h>

/**
 * struct pfm_ds_record - all fields that a record can have
 * @eflags:     flags register
 * @ip:         instruction pointer
 * @eax:        register
 * @ebx:        register
 * @ecx:        register
 * @edx:        register
 * @esi:        register
 * @edi:        register
 * @ebp:        register
 * @esp:        register
 * @r8_15:      registers r8 to r15
 * @status:     counters that overflowed, one bit each; filled in by the core
 * @dla:        data linear address
 * @dse:        data source encoding
 * @lat:        latency in cycles
 * @real_ip:    instruction pointer of the event itself
 * @tsx_tuning: transactional memory information
 * @tsc:        time stamp counter
 * @imprecise:  whether the registers are those of the interrupt instead of
 *              those of the event; if so, the core sets a flag in the buffer's
 *              header
 *
 * A 64-bit record is a prefix of this structure; a 32-bit record has its first
 * ten fields.
 */
struct pfm_ds_record {
	u64	eflags;
	u64	ip;
	u64	eax;
	u64	ebx;
	u64	ecx;
	u64	edx;
	u64	esi;
	u64	edi;
	u64	ebp;
	u64	esp;
	u64	r8_15[8];
	u64	status;
	u64	dla;
	u64	dse;
	u64	lat;
	u64	real_ip;
	u64	tsx_tuning;
	u64	tsc;
	bool	imprecise;
};

/*
 * Size in bytes of the longest 64-bit record, and number of fields in a 32-bit
 * record.
 */
#define PFM_DS_MAX_RECORD	200
#define PFM_DS_WORDS_32		10
static_assert(offsetof(struct pfm_ds_record, imprecise) == PFM_DS_MAX_RECORD);

/**
 * enum pfm_ds_support - debug-store support of a PMU
 * @PFM_DS_NONE:      no support
 * @PFM_DS_IMPRECISE: records have the registers of the interrupt
 * @PFM_DS_PRECISE:   records have the registers of the event
 */
enum pfm_ds_support {
	PFM_DS_NONE,
	PFM_DS_IMPRECISE,
	PFM_DS_PRECISE,
};

/**
 * struct pfm_ds - a debug-store area in a buffer
 * @buf:          first byte of the buffer
 * @base:         offset of the first record; all offsets are in bytes from @buf
 * @index:        offset of the next record
 * @abs_max:      offset of the end of the last record that fits
 * @thres:        threshold: the core calls fmt_handler when @index has reached
 *                this offset
 * @cnt_reset:    value that is loaded into a counter after each of its records,
 *                except at the threshold
 * @record_size:  size in bytes of a record
 * @word:         size in bytes of each field of a record, and of the copy of
 *                @index that tools read: 4 or 8
 * @index_offs:   offset of that copy
 * @overflows_offs: offset of the 64-bit copy of @overflows
 * @flags_offs:   offset of the 32-bit flags; an imprecise record sets bit 0
 * @dropped_offs: offset of the 64-bit copy of @dropped
 * @lost_offs:    offset of the 64-bit copy of @lost
 * @overflows:    number of times the threshold was reached
 * @dropped:      records dropped because a value does not fit into a word
 * @lost:         records not written, because the area was full or because the
 *                overflow was deferred and had no registers
 * @imprecise_ok: imprecise records are allowed
 *
 * After fmt_init has returned, only fmt_restart and the core's handling of
 * overflows change this structure.
 */
struct pfm_ds {
	void	*buf;
	u64	base;
	u64	index;
	u64	abs_max;
	u64	thres;
	u64	cnt_reset;
	u32	record_size;
	u32	word;
	u32	index_offs;
	u32	overflows_offs;
	u32	flags_offs;
	u32	dropped_offs;
	u32	lost_offs;
	u64	overflows;
	u64	dropped;
	u64	lost;
	bool	imprecise_ok;
};

/**
 * pfm_ds_init() - set up an empty area, from @base to the end of a buffer
 * @ds:          the area, with @word, @base and @record_size already set
 * @size:        size of the buffer in bytes
 * @intr_thres:  number of records after which to interrupt
 *
 * Context: process. Do not call this in fmt_handler, because it divides.
 * Return: 0; -EINVAL if @intr_thres is 0, or larger than the number of records
 * that fit.
 */
static inline int pfm_ds_init(struct pfm_ds *ds, u64 size, u64 intr_thres)
{
	u64 records;

	if (size < ds->base)
		return -EINVAL;
	records = div_u64(size - ds->base, ds->record_size);
	if (!intr_thres || intr_thres > records)
		return -EINVAL;
	ds->index = ds->base;
	ds->abs_max = ds->base + records * ds->record_size;
	ds->thres = ds->base + intr_thres * ds->record_size;
	return 0;
}

/**
 * pfm_ds_show_index() - publish the index to readers of the mapped area
 * @ds: the area
 *
 * The records before the index become visible before the index itself.
 *
 * Context: any, NMI included; one caller at a time, as for fmt_handler.
 */
static inline void pfm_ds_show_index(const struct pfm_ds *ds)
{
	void *shown = ds->buf + ds->index_offs;

	if (ds->word == sizeof(u64))
		/* Pairs with the reader's acquire. */
		smp_store_release((u64 *)shown, ds->index);
	else
		/* Pairs with the reader's acquire. */
		smp_store_release((u32 *)shown, (u32)ds->index);
}

/**
 * pfm_ds_rewind() - discard all records
 * @ds: the area
 *
 * Context: fmt_restart.
 */
static inline void pfm_ds_rewind(struct pfm_ds *ds)
{
	ds->index = ds->base;
	pfm_ds_show_index(ds);
}

#endif /* PERFMON_PERFMON_DS_H */
