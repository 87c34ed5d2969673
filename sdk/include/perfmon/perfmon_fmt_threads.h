/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: State of each thread, for handlers of system-wide contexts
 *
 * A format declares the state that it keeps for a thread, and for how many
 * threads it keeps states::
 *
 *	struct mine_state {
 *		struct pfm_thread	thread;
 *		u64			value;
 *	};
 *
 *	DEFINE_PFM_THREADS(mine, struct mine_state, 1024)
 *
 * The handler gets the state of the sampled thread, and the time since the
 * thread's last sample, which is 0 for its first sample::
 *
 *	u64 since;
 *	struct mine_state *last = mine_thread(buf, data, tstamp, &since);
 *	u64 difference = value - last->value;
 *
 *	last->value = value;
 *	if (!since)
 *		return pfm_sink_skip(buf, arg);
 *
 * The format must have a sink (perfmon_fmt_sink.h). DEFINE_PFM_TABLE_THREADS()
 * declares the states for a format that has a table (perfmon_fmt_table.h).
 *
 * The states are in the private area that fmt_getpriv requests. Their number is
 * fixed and a search is bounded. If none of the states that are searched for a
 * new thread is free, the new thread takes the state whose thread has not been
 * sampled for the longest time. The next sample of that evicted thread counts
 * as its first. The buffer's more_evicted counts the evictions. A system-wide
 * context monitors one CPU, so the last sample of a thread means its last one
 * on this CPU. If such a context was attached in a PID namespace, all threads
 * outside of this namespace share one state, because their IDs are 0. The
 * value and the time of the last sample may then be those of another of these
 * threads. The idle thread has the ID 0 in every namespace.
 */
#ifndef PERFMON_PERFMON_FMT_THREADS_H
#define PERFMON_PERFMON_FMT_THREADS_H

#include <linux/math64.h>
#include <perfmon/perfmon_fmt_sink.h>

/* Number of states that are searched for a thread */
#define PFM_THREADS_PROBES	8

/**
 * struct pfm_thread - first member of the state of a thread
 * @ids:    process ID (upper half) and thread ID
 * @tstamp: time of the thread's last sample; 0 if the state is free
 */
struct pfm_thread {
	u64	ids;
	u64	tstamp;
};

/**
 * struct pfm_threads - state of all threads, in the private area
 * @evicted: private copy of more_evicted
 * @places:  the states
 */
struct pfm_threads {
	u64	evicted;
	u64	places[];
};

/* Return: the index at which the search for a thread begins, below @threads. */
static __always_inline u64 pfm_threads_hash(u64 ids, u32 threads)
{
	/* Multiplying by 2^64 / golden ratio mixes the upper bits best. */
	return mul_u64_u64_shr(ids * 0x9e3779b97f4a7c15ULL, threads, 64);
}

/*
 * Find a state for a thread: its own, a free one, or the one with the oldest
 * sample. States never become free again, so the thread has no state behind the
 * first free one, and the search ends there.
 */
static __always_inline struct pfm_thread *
pfm_threads_find(void *place, u64 ids, size_t size)
{
	struct pfm_thread *t = place, *oldest = t;
	unsigned int i;

	for (i = 0; i < PFM_THREADS_PROBES; i++) {
		if (!t->tstamp || t->ids == ids)
			return t;
		if (t->tstamp < oldest->tstamp)
			oldest = t;
		t = (void *)t + size;
	}
	return oldest;
}

/* Implementation of name_thread() of DEFINE_PFM_THREADS_AT(). */
static __always_inline void *
pfm_threads_get(void *buf, struct pfm_threads *all,
		const struct pfm_ovfl_data *data, u64 tstamp, u64 *since,
		size_t size, u32 threads)
{
	u64 ids = (u64)data->tgid << 32 | data->tid, last;
	struct pfm_thread *t;

	t = pfm_threads_find((void *)all->places +
			     pfm_threads_hash(ids, threads) * size, ids, size);
	last = t->tstamp;
	if (t->ids != ids || !last) {
		if (last)
			pfm_count(&pfm_sink_more(buf)->more_evicted,
				  &all->evicted, 1);
		last = 0;
		memset(t, 0, size);
		t->ids = ids;
	}
	t->tstamp = tstamp;
	/* The clocks of CPUs may differ, so the time may go backwards. */
	*since = !last ? 0 : tstamp > last ? tstamp - last : 1;
	return t;
}

/*
 * Only for use in DEFINE_PFM_THREADS() and DEFINE_PFM_TABLE_THREADS(). @area:
 * address of the states in the private area, calculated from buf, and aligned
 * to 8 bytes.
 */
#define DEFINE_PFM_THREADS_AT(name, type, threads, area)		\
	static_assert((threads) > 0);					\
	static_assert(offsetof(type, thread) == 0 &&			\
		      __same_type(struct pfm_thread,			\
				  typeof_member(type, thread)) &&	\
		      sizeof(type) % sizeof(u64) == 0,			\
		      "begin with a struct pfm_thread, pad to 8 bytes"); \
									\
	static __always_inline type *					\
	name##_thread(void *buf, const struct pfm_ovfl_data *data,	\
		      u64 tstamp, u64 *since)				\
	{								\
		return pfm_threads_get(buf, area, data, tstamp, since,	\
				       sizeof(type), threads);		\
	}								\
									\
	static inline size_t name##_threads_size(void)			\
	{								\
		/* With the extra states, no search needs to wrap. */	\
		return sizeof(struct pfm_threads) + sizeof(type) *	\
		       ((threads) + PFM_THREADS_PROBES - 1);		\
	}

/**
 * DEFINE_PFM_THREADS() - define the states of a format's threads
 * @name:    prefix of the functions
 * @type:    state of a thread; its first member is a struct pfm_thread thread
 * @threads: maximum number of threads, a constant
 *
 * Defines ``type *name_thread(void *buf, const struct pfm_ovfl_data *data, u64
 * tstamp, u64 *since)``, which a handler calls once for a sample. It returns
 * the state of the thread. The state is as the handler left it at the thread's
 * last sample, or zeroed. @since is the time in ns since that sample, at least
 * 1, or 0 for the first sample.
 *
 * Also defines name_threads_getpriv(), for ``.fmt_getpriv``.
 */
#define DEFINE_PFM_THREADS(name, type, threads)				\
	DEFINE_PFM_THREADS_AT(name, type, threads, pfm_fmt_area(buf))	\
									\
	static int name##_threads_getpriv(u32 ctx_flags, void *arg,	\
					  size_t *size)			\
	{								\
		*size = name##_threads_size();				\
		return 0;						\
	}

/**
 * DEFINE_PFM_TABLE_THREADS() - DEFINE_PFM_THREADS() for a format with a table
 * @name:    as for DEFINE_PFM_TABLE(), which the format must use first
 * @type:    as for DEFINE_PFM_THREADS()
 * @threads: as for DEFINE_PFM_THREADS()
 *
 * Defines name_thread(), and name_threads_getpriv() for
 * PFM_TABLE_THREADS_CALLS().
 */
#define DEFINE_PFM_TABLE_THREADS(name, type, threads)			\
	DEFINE_PFM_THREADS_AT(name, type, threads, name##_table_end(buf)) \
									\
	static int name##_threads_getpriv(u32 ctx_flags, void *arg,	\
					  size_t *size)			\
	{								\
		int ret = name##_table_getpriv(ctx_flags, arg, size);	\
									\
		*size += name##_threads_size();				\
		return ret;						\
	}

#endif /* PERFMON_PERFMON_FMT_THREADS_H */
