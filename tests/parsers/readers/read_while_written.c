// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * read_while_written - read regions that a thread writes as the kernel does
 *
 * usage: read_while_written nway|sink|table|order
 *
 * Both threads run at full speed, so that the writer overwrites regions that
 * are being read. Every word of a record is derived from the record's number,
 * so that the reader detects records that are torn, duplicated or out of order.
 * The program ends after enough records. With "nway" and "sink", it prints how
 * often the writer has overtaken the reader. "order" has only one thread: it
 * reproduces a race that would be too rare between two threads.
 */
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perfmon/perfmon_read_callstack.h>
#include <perfmon/perfmon_read_nway.h>

#define REGIONS		3
#define REGION_SIZE	1024
#define VALUES		3
#define ENOUGH		20000

static __u64 buffer[1024];
static int stop;

#define STORE(field, value) \
	__atomic_store_n(&(field), (value), __ATOMIC_RELAXED)
#define RELEASE(field, value) \
	__atomic_store_n(&(field), (value), __ATOMIC_RELEASE)

/*
 * The writer's state, which the kernel would keep in the buffer's private area.
 */
static struct {
	const struct pfm_read_region_layout *layout;
	__u64 seq, number, count, used, out, freed;
	__u32 cur;
	__u32 random;
} w;

static unsigned char *rgn(__u32 number)
{
	return (unsigned char *)buffer +
	       pfm_read_region_offs(w.layout, number);
}

#define RGN32(offset)	(*(__u32 *)(void *)(rgn(w.cur) + (offset)))
#define RGN64(offset)	(*(__u64 *)(void *)(rgn(w.cur) + (offset)))

static __u64 more_offs(void)
{
	return pfm_read_region_offs(w.layout, REGIONS);
}

static __u64 region_offs(void)
{
	return more_offs() + sizeof(pfm_sink_more_t);
}

/* Stores have the same order as in formats/nway and perfmon_fmt_sink.h. */
static void enter(__u32 number)
{
	w.cur = number;
	w.count = 0;
	w.used = 0;
	STORE(RGN64(w.layout->count), 0);
	STORE(RGN64(w.layout->used), 0);
	RELEASE(RGN32(w.layout->state), PFM_READ_RGN_FILLING);
	RELEASE(RGN64(0), ++w.seq);
	/* smp_wmb() */
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

static void free_oldest(void)
{
	__u32 cur = w.cur;

	w.cur = (__u32)(w.freed++ % REGIONS);
	if (w.layout == &pfm_read_sink_layout) {
		STORE(RGN64(w.layout->count), 0);
		STORE(RGN32(w.layout->state), PFM_READ_RGN_FREE);
		RELEASE(RGN64(0), 0);
	} else {
		STORE(RGN32(w.layout->state), PFM_READ_RGN_FREE);
	}
	w.cur = cur;
}

/*
 * Make the full region readable and continue with the next one. If all other
 * regions are readable, free the oldest one, as a restart does, or overwrite
 * the full region, depending on a random number.
 */
static void fill(void)
{
	w.random = w.random * 1664525 + 1013904223;
	if (w.out - w.freed == REGIONS - 1) {
		if (!(w.random >> 30)) {
			enter(w.cur);
			return;
		}
		free_oldest();
	}
	RELEASE(RGN32(w.layout->state), PFM_READ_RGN_READY);
	w.out++;
	enter((w.cur + 1) % REGIONS);
}

static void publish(const __u64 *words, unsigned int num)
{
	__u64 at = (region_offs() + w.cur * REGION_SIZE + w.used) / 8;

	for (unsigned int i = 0; i < num; i++)
		STORE(buffer[at + i], words[i]);
	w.used += num * sizeof(*words);
	STORE(RGN64(w.layout->used), w.used);
	RELEASE(RGN64(w.layout->count), ++w.count);
}

static void make_entry(pfm_default_smpl_entry_t *entry, __u64 number)
{
	memset(entry, 0, sizeof(*entry));
	entry->pid = (__u32)number;
	entry->last_reset_val = ~number;
	entry->ip = number;
	entry->tstamp = number * 3;
	entry->tgid = (__u32)~number;
}

static __u64 value_of(__u64 number, unsigned int i)
{
	return (number << 8) + i;
}

static void *write_nway(void *unused)
{
	__u64 words[5 + VALUES];

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		make_entry((pfm_default_smpl_entry_t *)words, ++w.number);
		for (unsigned int i = 0; i < VALUES; i++)
			words[5 + i] = value_of(w.number, i);
		publish(words, 5 + VALUES);
		if (w.used + sizeof(words) > REGION_SIZE)
			fill();
	}
	return unused;
}

/* The record's number also determines how many values and addresses it has. */
static void make_record(pfm_callstack_record_t *record, __u64 number)
{
	memset(record, 0, sizeof(*record));
	record->tstamp = number * 3;
	record->ip = number;
	record->tid = (__u32)number;
	record->num_pmds = number % VALUES;
	record->num_kernel = number % 5;
	record->num_user = number % 7;
}

static unsigned int words_of(const pfm_callstack_record_t *record)
{
	return (unsigned int)record->num_pmds + record->num_kernel +
	       record->num_user;
}

static void *write_sink(void *unused)
{
	__u64 words[5 + VALUES + 5 + 7];
	pfm_callstack_record_t *record = (pfm_callstack_record_t *)words;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		make_record(record, ++w.number);
		for (unsigned int i = 0; i < words_of(record); i++)
			words[5 + i] = value_of(w.number, i);
		publish(words, 5 + words_of(record));
		if (w.used + sizeof(words) > REGION_SIZE)
			fill();
	}
	return unused;
}

static void check(int is_right, const char *what, __u64 number)
{
	if (is_right)
		return;
	fprintf(stderr, "%s: %llu\n", what, (unsigned long long)number);
	exit(1);
}

/*
 * Check that a record is intact and newer than @last.
 *
 * Return: its number.
 */
static __u64 check_words(const __u64 *words, unsigned int num, __u64 number,
			 __u64 last)
{
	check(number > last, "not newer than the last one", number);
	for (unsigned int i = 0; i < num; i++)
		check(words[i] == value_of(number, i), "torn", number);
	return number;
}

static void check_problem(int got, const struct pfm_read_problem *problem)
{
	check(got >= 0, problem->what, problem->offset);
}

static void print_overtaken(__u64 overtaken)
{
	printf("%llu\n", (unsigned long long)overtaken);
}

static void read_nway(void)
{
	const struct pfm_read_kind kind = { 0, 0, VALUES };
	static struct pfm_read_nway r;
	pfm_default_smpl_entry_t entry;
	__u64 last = 0, found = 0, before;
	int got;

	check(!pfm_read_nway_init(&r, &kind, 1), "init", 0);
	while (found < ENOUGH) {
		before = found;
		got = pfm_read_nway_begin(&r, buffer, sizeof(buffer),
					  PFM_READ_LIVE);
		check_problem(got, &r.problem);
		while ((got = pfm_read_nway_next(&r))) {
			check_problem(got, &r.problem);
			last = check_words(r.entry.pmds, VALUES,
					   r.entry.head.ip, last);
			make_entry(&entry, last);
			check(!memcmp(&entry, &r.entry.head, sizeof(entry)),
			      "torn", last);
			found++;
		}
		/*
		 * Let the writer run, because the machine may have only one
		 * CPU.
		 */
		if (found == before)
			sched_yield();
	}
	print_overtaken(r.pass.overtaken);
}

static void read_sink(void)
{
	static struct pfm_read_callstack r;
	pfm_callstack_record_t record;
	__u64 last = 0, found = 0, before;
	int got;

	pfm_read_callstack_init(&r);
	while (found < ENOUGH) {
		before = found;
		got = pfm_read_callstack_begin(&r, buffer, sizeof(buffer),
					       PFM_READ_LIVE);
		check_problem(got, &r.sink.problem);
		while ((got = pfm_read_callstack_next(&r))) {
			check_problem(got, &r.sink.problem);
			last = check_words(r.pmds, words_of(&r.record),
					   r.record.ip, last);
			make_record(&record, last);
			check(!memcmp(&record, &r.record, sizeof(record)),
			      "torn", last);
			found++;
		}
		if (found == before)
			sched_yield();
	}
	print_overtaken(r.sink.pass.overtaken);
}

/* Stores have the same order as in perfmon_fmt_table.h. */
static void *write_table(void *unused)
{
	pfm_sink_more_t *more = (void *)((char *)buffer + more_offs());

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		STORE(more->more_updates, 2 * ++w.number - 1);
		/* smp_wmb() */
		__atomic_thread_fence(__ATOMIC_RELEASE);
		for (unsigned int i = 0; i < VALUES; i++)
			STORE(buffer[region_offs() / 8 + i],
			      value_of(w.number, i));
		RELEASE(more->more_updates, 2 * w.number);
	}
	return unused;
}

/* Read the only record of a table while the writer keeps changing it. */
static void read_table(void)
{
	static struct pfm_read_sink r;
	__u64 words[VALUES], last = 0, found = 0;
	int got;

	pfm_read_sink_init(&r, PFM_CALLSTACK_SMPL_VERSION);
	r.is_rising = 1;
	while (found < ENOUGH) {
		got = pfm_read_sink_begin(&r, buffer, sizeof(buffer),
					  PFM_READ_LIVE);
		check_problem(got, &r.problem);
		got = pfm_read_sink_head(&r, words, sizeof(words));
		if (got < 0 && r.problem.error == PFM_READ_BUSY) {
			/* The table is being written, so let the writer run. */
			sched_yield();
			continue;
		}
		check_problem(got, &r.problem);
		check(words[0] >> 8 >= last, "order", last);
		last = words[0] >> 8;
		for (unsigned int i = 0; i < VALUES; i++)
			check(words[i] == value_of(last, i), "torn", last);
		found++;
	}
}

/*
 * Region 0 is refilled, and gets the sequence number 7, while a pass of the
 * reader loads the sequence numbers: the pass has seen the old number of region
 * 0, and 8 as the number of region 1. If the pass read region 1, the reader
 * would never read the records with the number 7. Therefore this pass must not
 * read a record, and the next pass must read both regions.
 */
static void check_order(void)
{
	const struct pfm_read_kind kind = { 0, 0, 0 };
	static struct pfm_read_nway r;
	unsigned int i;

	w.seq = 6;
	for (i = 0; i < 2; i++) {
		__u64 words[5];

		enter(i);
		make_entry((pfm_default_smpl_entry_t *)words, w.seq);
		publish(words, 5);
	}
	pfm_read_nway_init(&r, &kind, 1);
	w.cur = 0;
	STORE(RGN64(0), 1);
	check(!pfm_read_nway_begin(&r, buffer, sizeof(buffer), PFM_READ_LIVE),
	      "begin", 0);
	STORE(RGN64(0), 7);
	check(!pfm_read_nway_next(&r), "not in this pass", r.seq);
	pfm_read_nway_begin(&r, buffer, sizeof(buffer), PFM_READ_LIVE);
	for (i = 7; i <= 8; i++)
		check(pfm_read_nway_next(&r) == 1 && r.seq == i, "order", i);
	check(!pfm_read_nway_next(&r), "no more", 0);
}

static void make_nway(void)
{
	pfm_nway_smpl_hdr_t *hdr = (pfm_nway_smpl_hdr_t *)buffer;

	w.layout = &pfm_read_nway_layout;
	hdr->hdr_version = PFM_NWAY_SMPL_VERSION;
	hdr->hdr_buf_size = sizeof(buffer);
	hdr->hdr_region_offs = region_offs();
	hdr->hdr_region_size = REGION_SIZE;
	hdr->hdr_num_regions = REGIONS;
	enter(0);
}

static void make_sink(void)
{
	pfm_sink_hdr_t *hdr = (pfm_sink_hdr_t *)buffer;

	w.layout = &pfm_read_sink_layout;
	hdr->hdr_magic = PFM_SINK_MAGIC;
	hdr->hdr_version = PFM_SINK_VERSION;
	hdr->hdr_fmt_version = PFM_CALLSTACK_SMPL_VERSION;
	hdr->hdr_buf_size = sizeof(buffer);
	hdr->hdr_region_offs = region_offs();
	hdr->hdr_region_size = REGION_SIZE;
	hdr->hdr_num_regions = REGIONS;
	hdr->hdr_more_offs = (__u32)more_offs();
	enter(0);
}

/* Write the header of a table with one record. */
static void make_table(void)
{
	static const __u64 words[VALUES] = { 0, 1, 2 };

	make_sink();
	publish(words, VALUES);
}

static const struct kind {
	const char *name;
	void (*make)(void);
	void *(*write)(void *unused);
	void (*read)(void);
} kinds[] = {
	{ "nway", make_nway, write_nway, read_nway },
	{ "sink", make_sink, write_sink, read_sink },
	{ "table", make_table, write_table, read_table },
};

static int run(const struct kind *kind)
{
	pthread_t writer;

	kind->make();
	if (pthread_create(&writer, NULL, kind->write, NULL))
		return 1;
	kind->read();
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	return pthread_join(writer, NULL) ? 1 : 0;
}

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 2 && i < sizeof(kinds) / sizeof(kinds[0]);
	     i++)
		if (!strcmp(argv[1], kinds[i].name))
			return run(&kinds[i]);
	make_nway();
	check_order();
	return 0;
}
