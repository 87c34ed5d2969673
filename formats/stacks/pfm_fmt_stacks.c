// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_stacks - counts samples by process, event and call chains
 *
 * The private area has the slots of a hash table, and a copy of all records. A
 * new sample is written behind the last record of the copy. If its key is new,
 * the sample becomes a record there; otherwise it is merged into the record
 * with this key. The buffer only shows the contents of the copy.
 *
 * With clock_pmd, the format measures the time off the CPU. The samples are
 * then the context switches of a thread. At each switch, the handler calculates
 * how long the thread has been off the CPU since its previous switch, and adds
 * this time to the record of the previous switch.
 */
#include <linux/module.h>
#include <perfmon/perfmon_fmt_callers.h>
#include <perfmon/perfmon_fmt_table.h>
#include <perfmon/perfmon_fmt_unwind.h>
#include <perfmon/perfmon_stacks_smpl.h>

#define PAYLOAD	offsetof(pfm_stacks_record_t, ovfl_pmd)

/**
 * struct stacks_switch - a context switch, stored in struct pfm_ovfl_state
 * @tstamp: time of the switch
 * @clock:  CPU time of the thread
 * @buf:    first byte of the buffer that has the switch's record
 * @offs:   offset in bytes of the switch's record, or 0 without a record
 */
struct stacks_switch {
	u64	tstamp;
	u64	clock;
	void	*buf;
	u64	offs;
};

static_assert(sizeof(struct stacks_switch) <= sizeof(struct pfm_ovfl_state));

/**
 * struct stacks_priv - private state of the handler, never mapped
 * @set:        unwind tables, or NULL
 * @copy:       copy of the records, at the same offsets as in the buffer
 * @max_depth:  as in the argument
 * @per_thread: as in the argument
 * @clock_pmd:  as in the argument
 */
struct stacks_priv {
	struct pfm_unwind_set	*set;
	void			*copy;
	u32			max_depth;
	u32			per_thread;
	u32			clock_pmd;
};

/**
 * struct stacks_slot - a slot of the hash table
 * @hash: hash of the record's key
 * @offs: offset in bytes of the record in the buffer; 0 if the slot is free
 */
struct stacks_slot {
	u64	hash;
	u64	offs;
};

static u64 stacks_max_record(const pfm_stacks_smpl_arg_t *arg)
{
	return sizeof(pfm_stacks_record_t) +
	       2 * sizeof(u64) * (u64)arg->max_depth;
}

/*
 * Get the number of slots: more than two per record, even if all records have
 * the minimum size.
 */
static u64 stacks_places(const pfm_stacks_smpl_arg_t *arg)
{
	return 2 * (arg->sink.buf_size / sizeof(pfm_stacks_record_t));
}

static size_t stacks_slots_size(const pfm_stacks_smpl_arg_t *arg)
{
	/*
	 * Extra slots, so that a search that begins at the last slot does not
	 * wrap.
	 */
	return (stacks_places(arg) + PFM_TABLE_PROBES - 1) *
	       sizeof(struct stacks_slot);
}

static int stacks_table_validate(u32 ctx_flags, u16 num_pmds, void *data)
{
	const pfm_stacks_smpl_arg_t *arg = data;

	if (!arg->max_depth || arg->max_depth > PFM_STACKS_MAX_DEPTH ||
	    arg->unwind_fd < 0 || arg->per_thread > 1 ||
	    arg->clock_pmd >= PFM_MAX_PMDS)
		return -EINVAL;
	/*
	 * clock_pmd needs consecutive samples of one thread, but a system-wide
	 * context samples all threads on its CPU.
	 */
	if (arg->clock_pmd && ctx_flags & PFM_FL_SYSTEM_WIDE)
		return -EINVAL;
	return pfm_table_validate(&arg->sink, stacks_max_record(arg));
}

static int stacks_table_getpriv(u32 ctx_flags, void *data, size_t *size)
{
	const pfm_stacks_smpl_arg_t *arg = data;

	*size = stacks_slots_size(arg) + arg->sink.buf_size +
		stacks_max_record(arg);
	return 0;
}

static int stacks_init(u32 ctx_flags, void *data, void *buf)
{
	const pfm_stacks_smpl_arg_t *arg = data;
	struct stacks_priv *priv = pfm_table_priv(buf);
	struct pfm_table *table = pfm_sink_priv(buf);
	struct pfm_unwind_set *set;
	int ret;

	ret = pfm_sink_init(buf, &arg->sink, stacks_max_record(arg),
			    PFM_STACKS_SMPL_VERSION);
	if (ret)
		return ret;
	set = pfm_unwind_set_of_fd(arg->unwind_fd);
	if (IS_ERR(set))
		return PTR_ERR(set);
	table->places = stacks_places(arg);
	*priv = (struct stacks_priv) {
		.set = set,
		.copy = pfm_fmt_area(buf) + stacks_slots_size(arg),
		.max_depth = arg->max_depth,
		.per_thread = arg->per_thread,
		.clock_pmd = arg->clock_pmd,
	};
	return 0;
}

static int stacks_exit(void *buf)
{
	struct stacks_priv *priv = pfm_table_priv(buf);

	pfm_unwind_set_put(priv->set);
	return 0;
}

static __always_inline void stacks_merge(void *to, void *show, const void *from,
					 bool is_new)
{
	pfm_stacks_record_t *mine = to, *shown = show;
	const pfm_stacks_record_t *sample = from;

	PFM_TABLE_COUNT(count);
	/*
	 * With clock_pmd, sample->periods is 0, and only stacks_add_time()
	 * changes the sum.
	 */
	if (sample->periods)
		PFM_TABLE_SUM(periods);
}

/*
 * Turn the sample behind the last record of the copy into a record. Return: the
 * record's offset; 0 if the sample is lost.
 */
static u64 stacks_new(void *buf, void *copy, struct stacks_slot *slot,
		      u64 hash, size_t words)
{
	struct pfm_sink *s = pfm_fmt_priv(buf);
	u64 offs = s->regions.records.cur;

	if (pfm_records_full(&s->regions.records)) {
		pfm_sink_lose(buf, PFM_SINK_LOST_TABLE);
		return 0;
	}
	*slot = (struct stacks_slot) { .hash = hash, .offs = offs };
	pfm_table_copy(buf + offs, copy + offs, words);
	pfm_sink_publish(s, buf, words * sizeof(u64));
	return offs;
}

/*
 * Count the sample of @words words that follows the last record of the copy.
 * Return: offset of its record; 0 if the sample is lost.
 */
static __always_inline u64 stacks_add(void *buf, void *copy,
				      pfm_stacks_record_t *sample, size_t words)
{
	const struct pfm_table_shape shape = {
		.steps = true,
		.merge = stacks_merge,
	};
	const size_t payload = PAYLOAD / sizeof(u64);
	const u64 *key = (u64 *)sample + payload;
	struct pfm_table *table = pfm_sink_priv(buf);
	u64 hash = pfm_table_hash(key, words - payload);
	struct stacks_slot *slot = pfm_fmt_area(buf);
	unsigned int i;

	slot += mul_u64_u64_shr(hash, table->places, 64);
	for (i = 0; i < PFM_TABLE_PROBES; i++, slot++) {
		if (!slot->offs)
			return stacks_new(buf, copy, slot, hash, words);
		/*
		 * Keys of different lengths never match, because the lengths of
		 * the chains are part of the key.
		 */
		if (slot->hash == hash &&
		    pfm_table_same(copy + slot->offs + PAYLOAD, key,
				   words - payload)) {
			pfm_table_merge(buf, copy + slot->offs,
					buf + slot->offs, sample, &shape);
			return slot->offs;
		}
	}
	pfm_sink_lose(buf, PFM_SINK_LOST_TABLE);
	return 0;
}

/*
 * Add a time to the record of a context switch. The record may be in another
 * CPU's buffer. At the same time, that CPU's handler may count context switches
 * in this record, and a third CPU may add a time to it.
 */
static void stacks_add_time(const struct stacks_switch *of, s64 time)
{
	const struct stacks_priv *priv = pfm_table_priv(of->buf);
	pfm_stacks_record_t *mine = priv->copy + of->offs;
	pfm_stacks_record_t *shown = of->buf + of->offs;
	atomic64_t *sum = (atomic64_t *)&mine->periods;
	u64 now = atomic64_add_return(time, sum), seen;

	do {
		seen = now;
		WRITE_ONCE(shown->periods, seen);
		/*
		 * Pairs with the barrier in atomic64_add_return(): if another
		 * CPU has added a time, show the new sum. So the last value
		 * shown includes all times.
		 */
		smp_mb();
		now = atomic64_read(sum);
	} while (now != seen);
}

/*
 * Handle a thread that leaves the CPU: add the time that it was off the CPU
 * since its previous sample to the record of that sample.
 */
static void stacks_leave(const struct stacks_priv *priv,
			 struct stacks_switch *last, const pfm_ovfl_arg_t *arg,
			 u64 tstamp, pfm_stacks_record_t *sample)
{
	u64 clock = pfm_smpl_value_or(arg, priv->clock_pmd, 0);
	s64 off = tstamp - last->tstamp - (clock - last->clock);

	/*
	 * Ignore negative times: the clocks of CPUs may differ a little, and a
	 * tool can write to the clock PMD.
	 */
	if (last->offs && clock >= last->clock && off > 0)
		stacks_add_time(last, off);
	last->tstamp = tstamp;
	last->clock = clock;
	sample->periods = 0;
	sample->set = pfm_smpl_value_or(arg, PFM_PMD_STATE, 0);
}

/*
 * Add a sample with per_thread or clock_pmd. Not inlined, so that it does not
 * slow down the handler of contexts without them.
 */
static noinline void
stacks_add_of_thread(void *buf, const pfm_ovfl_arg_t *arg, u64 tstamp,
		     const struct pfm_ovfl_data *data,
		     pfm_stacks_record_t *sample, size_t words)
{
	struct stacks_switch *last = (void *)data->state->words;
	const struct stacks_priv *priv = pfm_table_priv(buf);

	if (priv->per_thread)
		sample->tid = data->tid;
	if (priv->clock_pmd)
		stacks_leave(priv, last, arg, tstamp, sample);
	last->offs = stacks_add(buf, priv->copy, sample, words);
	last->buf = buf;
}

static int notrace stacks_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				  struct pfm_ovfl_data *data)
{
	const struct stacks_priv *priv = pfm_table_priv(buf);
	const struct pfm_sink *s = pfm_fmt_priv(buf);
	pfm_stacks_record_t *sample = priv->copy + s->regions.records.cur;
	u64 *chain = (u64 *)(sample + 1);
	struct pfm_unwind_end end;
	u16 kernel, user;
	size_t words;

	pfm_ctrl_continue(arg);
	kernel = pfm_kernel_callers(data, chain, priv->max_depth);
	user = pfm_unwind_callers(priv->set, data, chain + kernel,
				  priv->max_depth, &end);
	if (!(kernel + user)) {
		/* Without registers: the sample's address is the only frame. */
		kernel = (s64)data->ip < 0;
		user = !kernel;
		*chain = data->ip;
	}
	words = sizeof(*sample) / sizeof(u64) + kernel + user;
	*sample = (pfm_stacks_record_t) {
		.count = 1,
		.periods = -arg->pmd_last_reset,
		.ovfl_pmd = arg->ovfl_pmd,
		.set = arg->active_set,
		.tgid = data->tgid,
		.num_kernel = kernel,
		.num_user = user,
		.user_end = end.why,
		.user_guessed = end.guessed,
	};
	if (unlikely(priv->per_thread || priv->clock_pmd))
		stacks_add_of_thread(buf, arg, tstamp, data, sample, words);
	else
		stacks_add(buf, priv->copy, sample, words);
	return 0;
}

static const pfm_buffer_fmt_t pfm_stacks_fmt = {
	.fmt_name	= PFM_STACKS_SMPL_NAME,
	.fmt_uuid	= PFM_STACKS_SMPL_UUID,
	.fmt_handler	= stacks_handler,
	.fmt_exit	= stacks_exit,
	PFM_TABLE_CALLS_ARG(stacks, PFM_FMT_ARG(pfm_stacks_smpl_arg_t,
						PFM_STACKS_SMPL_ARG_LAYOUT)),
};

pfm_format_module(pfm_stacks_fmt, PFM_STACKS_SMPL_UUID_STR,
		  "perfmon2: " PFM_STACKS_SMPL_SUMMARY);
