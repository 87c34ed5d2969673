// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * kinds.c - the kinds of contexts to stress, and checks for each kind
 */
#define _GNU_SOURCE
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <perfmon/perfmon_callstack_smpl.h>
#include <perfmon/perfmon_histogram_smpl.h>
#include <perfmon/perfmon_nway_smpl.h>
#include <perfmon/perfmon_oprofile_smpl.h>
#include <perfmon/perfmon_pebs32_smpl.h>
#include <perfmon/perfmon_pebs64_smpl.h>
#include <perfmon/perfmon_stacks_smpl.h>

#include "check.h"
#include "faults.h"
#include "kinds.h"
#include "smpl.h"
#include "tables.h"

#define CPU_CLOCK \
	PFM_PERF_EVENT(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK)
#define CLOCK_PERIOD	200000ULL	/* ns */
#define FAULT_PERIOD	3ULL

#define ENTRIES		16	/* entries or records per buffer or region */
#define REGIONS		4
#define DEPTH		16	/* addresses in a call chain */
#define NMI_SKEW	64
#define PEBS_BASE	256	/* offset of the first record in both layouts */

#define ACQUIRE(field)	__atomic_load_n(&(field), __ATOMIC_ACQUIRE)

static long num_cpus;

/* An entry of the default and n-way formats. */
struct entry {
	pfm_default_smpl_entry_t head;
	__u64 faults;
};

static __u64 period_of(unsigned int pmd)
{
	return pmd == PMD_CLOCK ? CLOCK_PERIOD : FAULT_PERIOD;
}

static void check_entry(const struct sampler *s, const struct entry *e)
{
	CHECK_EQ(e->head.pid, s->pid);
	CHECK_EQ(e->head.tgid, s->pid);
	CHECK(e->head.ovfl_pmd <= PMD_FAULTS);
	CHECK_EQ(e->head.last_reset_val, -period_of(e->head.ovfl_pmd));
	CHECK_EQ(e->head.set, 0);
	CHECK(e->head.ip && e->head.tstamp);
	CHECK(e->head.cpu < num_cpus);
}

/*
 * Return whether all counters start at the same time whenever the context is
 * unmasked. If a process other than the monitored one unmasks it, page faults
 * may be sampled before the last counter has been started.
 */
static bool start_together(const struct sampler *s)
{
	return !s->kind->masks || s->pid == getpid();
}

/*
 * Check that consecutive samples of page faults are one period apart. If the
 * events are NMIs, this is not checked, because NMIs can arrive while another
 * NMI is handled. Return: the number of these samples.
 */
static __u64 check_entries(const struct sampler *s, const struct entry *entries,
			   __u64 n)
{
	const struct entry *last = NULL;
	__u64 samples = 0;

	for (const struct entry *e = entries; e < entries + n; e++) {
		check_entry(s, e);
		if (e > entries) {
			CHECK(e->head.cpu != e[-1].head.cpu ||
			      e->head.tstamp >= e[-1].head.tstamp);
			CHECK(e->faults >= e[-1].faults);
		}
		if (e->head.ovfl_pmd != PMD_FAULTS)
			continue;
		if (last && start_together(s) && !faults_are_nmis())
			CHECK_EQ(e->faults - last->faults, FAULT_PERIOD);
		last = e;
		samples++;
	}
	return samples;
}

/* Read entries that the kernel no longer writes. */
static void read_entries(struct sampler *s, const struct entry *entries,
			 __u64 n)
{
	s->samples += check_entries(s, entries, n);
	if (!n)
		return;
	CHECK(entries[0].faults >= s->faults);
	s->faults = entries[n - 1].faults;
}

/* The default format */

static size_t dfl_arg(const struct kind *kind, void *arg)
{
	*(pfm_default_smpl_arg_t *)arg = (pfm_default_smpl_arg_t){
		.buf_size = smpl_size_for(ENTRIES, sizeof(struct entry),
					  sizeof(pfm_default_smpl_entry_t)),
	};
	return sizeof(pfm_default_smpl_arg_t);
}

static void dfl_read(struct sampler *s)
{
	const pfm_default_smpl_hdr_t *hdr = s->m.buf;

	CHECK(hdr->hdr_count <= ENTRIES);
	CHECK_EQ(hdr->hdr_cur_offs,
		 sizeof(*hdr) + hdr->hdr_count * sizeof(struct entry));
	read_entries(s, (const void *)(hdr + 1), hdr->hdr_count);
}

static void dfl_read_full(struct sampler *s)
{
	const pfm_default_smpl_hdr_t *hdr = s->m.buf;

	CHECK_EQ(hdr->hdr_count, ENTRIES);
	CHECK_EQ(hdr->hdr_overflows, s->messages);
	dfl_read(s);
}

static void dfl_read_rest(struct sampler *s)
{
	const pfm_default_smpl_hdr_t *hdr = s->m.buf;

	CHECK_EQ(hdr->hdr_overflows, s->messages);
	/*
	 * If PFM_RESTART failed after the last message, because the thread had
	 * exited, the entries were already read.
	 */
	if (s->restarts == s->messages)
		dfl_read(s);
}

/* The n-way format */

static size_t nway_arg(const struct kind *kind, void *arg)
{
	__u64 region = (ENTRIES - 1) * sizeof(struct entry) +
		       sizeof(pfm_default_smpl_entry_t) + 8 * count_pmds();

	*(pfm_nway_smpl_arg_t *)arg = (pfm_nway_smpl_arg_t){
		.buf_size = PFM_NWAY_REGION_OFFS(REGIONS) + REGIONS * region,
		.buf_flags = kind->flags,
		.num_regions = REGIONS,
	};
	return sizeof(pfm_nway_smpl_arg_t);
}

static const pfm_nway_smpl_rgn_t *nway_rgn(const struct sampler *s,
					   unsigned int n)
{
	const pfm_nway_smpl_hdr_t *hdr = s->m.buf;

	return (const pfm_nway_smpl_rgn_t *)(hdr + 1) + n;
}

static const struct entry *nway_data(const struct sampler *s, unsigned int n)
{
	const pfm_nway_smpl_hdr_t *hdr = s->m.buf;

	return s->m.buf + hdr->hdr_region_offs + n * hdr->hdr_region_size;
}

/* Read a region that the kernel no longer writes. */
static void nway_read_region(struct sampler *s, unsigned int n)
{
	const pfm_nway_smpl_rgn_t *rgn = nway_rgn(s, n);

	CHECK(rgn->rgn_count <= ENTRIES);
	CHECK_EQ(rgn->rgn_size, rgn->rgn_count * sizeof(struct entry));
	CHECK(rgn->rgn_seq > s->seq);
	s->seq = rgn->rgn_seq;
	read_entries(s, nway_data(s, n), rgn->rgn_count);
}

/* Messages announce the regions in the order of their numbers. */
static void nway_read_full(struct sampler *s)
{
	const pfm_nway_smpl_hdr_t *hdr = s->m.buf;
	unsigned int n = (s->messages - 1) % REGIONS;

	CHECK(ACQUIRE(hdr->hdr_handed_out) >= s->messages);
	CHECK_EQ(ACQUIRE(nway_rgn(s, n)->rgn_state), PFM_NWAY_RGN_READY);
	CHECK_EQ(nway_rgn(s, n)->rgn_count, ENTRIES);
	nway_read_region(s, n);
}

static void nway_check_counts(const struct sampler *s)
{
	const pfm_nway_smpl_hdr_t *hdr = s->m.buf;
	__u64 overwritten = 0, dropped = 0, ready = 0;

	for (unsigned int n = 0; n < REGIONS; n++) {
		const pfm_nway_smpl_rgn_t *rgn = nway_rgn(s, n);

		CHECK(rgn->rgn_state <= PFM_NWAY_RGN_READY);
		ready += rgn->rgn_state == PFM_NWAY_RGN_READY;
		overwritten += rgn->rgn_overwritten;
		dropped += rgn->rgn_dropped;
	}
	CHECK_EQ(hdr->hdr_handed_out - hdr->hdr_freed, ready);
	CHECK_EQ(hdr->hdr_handed_out, s->messages);
	CHECK_EQ(hdr->hdr_freed, s->restarts);
	CHECK_EQ(hdr->hdr_overwritten, overwritten);
	CHECK_EQ(hdr->hdr_dropped, dropped);
	CHECK(s->kind->masks ? !overwritten : !dropped);
}

static void nway_read_rest(struct sampler *s)
{
	const pfm_nway_smpl_hdr_t *hdr = s->m.buf;

	nway_check_counts(s);
	s->overwritten = hdr->hdr_overwritten;
	for (unsigned int n = 0; n < REGIONS; n++)
		if (nway_rgn(s, n)->rgn_state == PFM_NWAY_RGN_FILLING)
			nway_read_region(s, n);
}

/*
 * Read a region while the kernel writes it, as the format's header file
 * describes.
 */
static void nway_peek(struct sampler *s)
{
	const pfm_nway_smpl_hdr_t *hdr = s->m.buf;
	unsigned int n = ACQUIRE(hdr->hdr_cur_region);
	struct entry copy[ENTRIES];
	__u64 seq, count;

	CHECK(n < REGIONS);
	seq = ACQUIRE(nway_rgn(s, n)->rgn_seq);
	count = ACQUIRE(nway_rgn(s, n)->rgn_count);
	CHECK(count <= ENTRIES);
	memcpy(copy, nway_data(s, n), count * sizeof(*copy));
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (__atomic_load_n(&nway_rgn(s, n)->rgn_seq, __ATOMIC_RELAXED) == seq)
		check_entries(s, copy, count);
}

/* PEBS */

static size_t pebs32_arg(const struct kind *kind, void *arg)
{
	*(pfm_pebs32_smpl_arg_t *)arg = (pfm_pebs32_smpl_arg_t){
		.buf_size = PEBS_BASE +
			    ENTRIES * sizeof(pfm_pebs32_smpl_entry_t),
		.intr_thres = ENTRIES,
		.flags = kind->flags,
		.cnt_reset = -CLOCK_PERIOD,
	};
	return sizeof(pfm_pebs32_smpl_arg_t);
}

/* The format drops records of 64-bit programs such as this one. */
static void pebs32_read(struct sampler *s)
{
	const pfm_pebs32_smpl_hdr_t *hdr = s->m.buf;
	__u32 bytes = hdr->hdr_ds.pebs_index - hdr->hdr_ds.pebs_buf_base;

	CHECK_EQ(hdr->hdr_ds.pebs_buf_base, PEBS_BASE);
	CHECK_EQ(hdr->hdr_overflows, s->messages);
	CHECK_EQ(hdr->hdr_entry_size, sizeof(pfm_pebs32_smpl_entry_t));
	CHECK_EQ(bytes % hdr->hdr_entry_size, 0);
	CHECK(hdr->hdr_ds.pebs_index <= hdr->hdr_ds.pebs_intr_thres);
	CHECK(hdr->hdr_ds.pebs_index <= hdr->hdr_ds.pebs_abs_max);
	/* Page faults have a short period, so there is at least one sample. */
	CHECK(s->messages || bytes || hdr->hdr_dropped || hdr->hdr_lost ||
	      faults_are_nmis());
}

static size_t histogram_arg(const struct kind *kind, void *arg)
{
	(void)kind;
	*(pfm_sink_arg_t *)arg = (pfm_sink_arg_t){
		.buf_size = PFM_SINK_REGION_OFFS(1) +
			    ENTRIES * sizeof(pfm_histogram_record_t),
	};
	return sizeof(pfm_sink_arg_t);
}

static void histogram_read(struct sampler *s)
{
	const pfm_sink_hdr_t *hdr = s->m.buf;
	const pfm_sink_rgn_t *rgn = (const void *)(hdr + 1);
	const pfm_histogram_record_t *record = s->m.buf + hdr->hdr_region_offs;
	__u64 sum = 0;

	CHECK(rgn->rgn_count <= ENTRIES);
	for (unsigned int i = 0; i < rgn->rgn_count; i++)
		sum += record[i].count;
	CHECK_EQ(sum, rgn->rgn_count + hdr->hdr_past);
	CHECK_EQ(s->messages, 0);
}

/* Call chains, found with an unwind table of the program */

/* Return the descriptor of a set with this program's table. It stays open. */
static int tables(void)
{
	static int set;

	if (!set)
		set = own_set();
	return set;
}

static size_t callstack_arg(const struct kind *kind, void *arg)
{
	__u64 record = sizeof(pfm_callstack_record_t) +
		       8 * (count_pmds() + 2 * DEPTH);

	(void)kind;
	*(pfm_callstack_smpl_arg_t *)arg = (pfm_callstack_smpl_arg_t){
		.sink.buf_size = PFM_SINK_REGION_OFFS(1) + ENTRIES * record,
		.max_depth = DEPTH,
		.unwind_fd = tables(),
	};
	return sizeof(pfm_callstack_smpl_arg_t);
}

static void callstack_read(struct sampler *s)
{
	const pfm_callstack_record_t *record = NULL;
	const __u64 *user;

	while ((record = next_record(&s->m, record, &user))) {
		CHECK_EQ(record->tid, s->pid);
		CHECK_EQ(record->tgid, s->pid);
		CHECK(record->num_kernel <= DEPTH && record->num_user <= DEPTH);
		CHECK(record->user_end <= PFM_UNWIND_NO_SPACE);
	}
}

static size_t stacks_arg(const struct kind *kind, void *arg)
{
	(void)kind;
	*(pfm_stacks_smpl_arg_t *)arg = (pfm_stacks_smpl_arg_t){
		.sink.buf_size = 16384,
		.max_depth = DEPTH,
		.unwind_fd = tables(),
	};
	return sizeof(pfm_stacks_smpl_arg_t);
}

static void stacks_read(struct sampler *s)
{
	const pfm_sink_hdr_t *hdr = s->m.buf;
	const pfm_sink_rgn_t *rgn = (const void *)(hdr + 1);
	const void *next = s->m.buf + hdr->hdr_region_offs;
	const void *end = next + rgn->rgn_used;
	__u64 records = 0, sum = 0;

	while (next < end) {
		const pfm_stacks_record_t *record = next;

		CHECK_EQ(record->tgid, s->pid);
		CHECK(record->num_kernel <= DEPTH && record->num_user <= DEPTH);
		CHECK(record->user_end <= PFM_UNWIND_NO_SPACE);
		next = (const __u64 *)(record + 1) + record->num_kernel +
		       record->num_user;
		records++;
		sum += record->count;
	}
	CHECK(next == end);
	CHECK_EQ(records, rgn->rgn_count);
	CHECK_EQ(sum, records + hdr->hdr_past);
	CHECK_EQ(s->messages, 0);
}

static size_t pebs64_arg(const struct kind *kind, void *arg)
{
	*(pfm_pebs64_smpl_arg_t *)arg = (pfm_pebs64_smpl_arg_t){
		.buf_size = PEBS_BASE +
			    ENTRIES * sizeof(pfm_pebs64_skl_entry_t),
		.intr_thres = ENTRIES,
		.flags = kind->flags,
		.cnt_reset = -CLOCK_PERIOD,
	};
	return sizeof(pfm_pebs64_smpl_arg_t);
}

static void pebs64_check_record(const struct sampler *s,
				const pfm_pebs64_smpl_entry_t *record)
{
	const pfm_pebs64_nhm_entry_t *nhm = (const void *)record;

	CHECK(record->ip && record->esp);
	if (!(s->kind->flags & PFM_PEBS64_SMPL_RECORD_MASK))
		return;
	CHECK(nhm->status == 1 << PMD_CLOCK || nhm->status == 1 << PMD_FAULTS);
}

static void pebs64_read(struct sampler *s)
{
	const pfm_pebs64_smpl_hdr_t *hdr = s->m.buf;
	__u64 bytes = hdr->hdr_ds.pebs_index - hdr->hdr_ds.pebs_buf_base;

	CHECK_EQ(hdr->hdr_ds.pebs_buf_base, PEBS_BASE);
	CHECK_EQ(hdr->hdr_overflows, s->messages);
	CHECK_EQ(hdr->hdr_dropped, 0);
	CHECK_EQ(bytes % hdr->hdr_entry_size, 0);
	CHECK(hdr->hdr_ds.pebs_index <= hdr->hdr_ds.pebs_intr_thres);
	CHECK(hdr->hdr_ds.pebs_index <= hdr->hdr_ds.pebs_abs_max);
	CHECK(s->messages || bytes || hdr->hdr_lost || faults_are_nmis());
	for (__u64 offs = 0; offs < bytes; offs += hdr->hdr_entry_size)
		pebs64_check_record(s, s->m.buf + PEBS_BASE + offs);
}

static void pebs64_read_full(struct sampler *s)
{
	const pfm_pebs64_smpl_hdr_t *hdr = s->m.buf;

	CHECK_EQ(hdr->hdr_ds.pebs_index, hdr->hdr_ds.pebs_intr_thres);
	pebs64_read(s);
}

/* The table of kinds */

#define PEBS64(record)							\
	.module = "pfm_fmt_pebs64", .uuid = PFM_PEBS64_SMPL_UUID,	\
	.flags = PFM_PEBS64_SMPL_IMPRECISE | PFM_PEBS64_SMPL_##record,	\
	.needs_x86 = true, .masks = true, .make_arg = pebs64_arg,	\
	.read_full = pebs64_read_full, .read_rest = pebs64_read

#define NWAY								\
	.module = "pfm_fmt_nway", .uuid = PFM_NWAY_SMPL_UUID,		\
	.make_arg = nway_arg, .read_full = nway_read_full,		\
	.read_rest = nway_read_rest, .peek = nway_peek, .entries = true

const struct kind kinds[NUM_KINDS] = {
	{ .name = "default", .module = "pfm_fmt_default",
	  .uuid = PFM_DFL_SMPL_UUID, .masks = true, .make_arg = dfl_arg,
	  .read_full = dfl_read_full, .read_rest = dfl_read_rest,
	  .entries = true },
	{ .name = "nway", NWAY },
	{ .name = "nway that masks", NWAY, .masks = true,
	  .flags = PFM_NWAY_SMPL_MASK_WHEN_FULL },
	{ .name = "pebs32", .module = "pfm_fmt_pebs32",
	  .uuid = PFM_PEBS32_SMPL_UUID, .flags = PFM_PEBS32_SMPL_IMPRECISE,
	  .needs_x86 = true, .masks = true, .make_arg = pebs32_arg,
	  .read_full = pebs32_read, .read_rest = pebs32_read },
	{ .name = "pebs64 base", PEBS64(BASE) },
	{ .name = "pebs64 nehalem", PEBS64(NEHALEM) },
	{ .name = "pebs64 skylake", PEBS64(SKYLAKE) },
	{ .name = "histogram", .module = "pfm_fmt_histogram",
	  .uuid = PFM_HISTOGRAM_SMPL_UUID, .make_arg = histogram_arg,
	  .read_rest = histogram_read },
	{ .name = "callstack", .module = "pfm_fmt_callstack",
	  .uuid = PFM_CALLSTACK_SMPL_UUID, .masks = true,
	  .make_arg = callstack_arg, .read_full = callstack_read,
	  .read_rest = callstack_read },
	{ .name = "stacks", .module = "pfm_fmt_stacks",
	  .uuid = PFM_STACKS_SMPL_UUID, .make_arg = stacks_arg,
	  .read_rest = stacks_read },
	{ .name = "oprofile", .module = "pfm_fmt_oprofile",
	  .uuid = PFM_OPROFILE_SMPL_UUID },
};

int kind_create(const struct kind *kind, pfarg_ctx_t *ctx)
{
	__u64 arg[8];
	size_t size = kind->make_arg ? kind->make_arg(kind, arg) : 0;
	int fd;

	memcpy(ctx->ctx_smpl_buf_id, kind->uuid, sizeof(pfm_uuid_t));
	while ((fd = pfm_create_context(ctx, size ? arg : NULL, size)) < 0 &&
	       errno == EINVAL)
		sched_yield();
#if !defined(__x86_64__) && !defined(__i386__)
	if (kind->needs_x86) {
		CHECK_ERRNO(fd, EOPNOTSUPP);
		return -1;
	}
#endif
	return CHECK_OK(fd);
}

static void map(struct sampler *s)
{
	CHECK_EQ(!s->m.size, !s->kind->make_arg);
	if (!s->m.size)
		return;
	s->m.buf = mmap(NULL, s->m.size, PROT_READ, MAP_SHARED, s->m.fd, 0);
	CHECK(s->m.buf != MAP_FAILED);
}

static void program(int fd)
{
	struct counter clock = counter(PMD_CLOCK, PFM_REGFL_OVFL_NOTIFY,
				       CLOCK_PERIOD);
	struct counter faults = counter(PMD_FAULTS, PFM_REGFL_OVFL_NOTIFY,
					FAULT_PERIOD);

	clock.pmc.reg_value = CPU_CLOCK;
	clock.pmc.reg_smpl_eventid = EVENT_OF(PMD_CLOCK);
	faults.pmc.reg_smpl_eventid = EVENT_OF(PMD_FAULTS);
	pfm_bv_set(clock.pmc.reg_smpl_pmds, PMD_ALL_FAULTS);
	pfm_bv_set(faults.pmc.reg_smpl_pmds, PMD_ALL_FAULTS);
	counter_write(fd, &clock);
	counter_write(fd, &faults);
	ctx_add_counter(fd, PMD_ALL_FAULTS, 0, 0);
}

bool sampler_start(struct sampler *s, const struct kind *kind, pid_t pid)
{
	pfarg_ctx_t ctx = {};

	*s = (struct sampler){ .kind = kind, .pid = pid };
	num_cpus = sysconf(_SC_NPROCESSORS_CONF);
	s->m.fd = kind_create(kind, &ctx);
	if (s->m.fd < 0)
		return false;
	s->m.size = ctx.ctx_smpl_buf_size;
	map(s);
	program(s->m.fd);
	ctx_start_on(s->m.fd, pid);
	return true;
}

/* Restart the context, unless the monitored thread has exited. */
static void restart(struct sampler *s)
{
	if (!pfm_restart(s->m.fd))
		s->restarts++;
	else
		CHECK(errno == EBUSY && s->pid != getpid());
}

static void see_to_message(struct sampler *s)
{
	pfm_msg_t msg = ctx_next_message(s->m.fd);

	if (msg.msg_type == PFM_MSG_END) {
		CHECK(s->pid != getpid());
		s->ended = true;
		return;
	}
	CHECK_EQ(msg.msg_type, PFM_MSG_OVFL);
	CHECK_EQ(msg.ovfl.msg_ovfl_pid, s->pid);
	CHECK_EQ(msg.ovfl.msg_ovfl_tid, s->pid);
	CHECK(s->kind->read_full);
	s->messages++;
	s->kind->read_full(s);
	restart(s);
}

static bool has_message(const struct sampler *s)
{
	struct pollfd p = { .fd = s->m.fd, .events = POLLIN };

	return CHECK_OK(poll(&p, 1, 0));
}

void sampler_drain(struct sampler *s)
{
	if (s->kind->peek)
		s->kind->peek(s);
	while (has_message(s))
		see_to_message(s);
}

void sampler_drain_to_end(struct sampler *s)
{
	while (!s->ended)
		see_to_message(s);
	CHECK(!has_message(s));
}

/*
 * Return by how much the two counters of page faults may differ because of
 * masking. Each time monitoring is masked, one page fault may be in progress,
 * and only one of the counters may count it. NMIs can arrive between the starts
 * or stops of two counters.
 */
static __u64 most_masked(const struct sampler *s)
{
	if (faults_are_nmis())
		return NMI_SKEW * (s->messages + 2);
	return s->kind->masks ? s->messages : 0;
}

/*
 * Check that each page fault belongs to a period that ended with a recorded or
 * a lost sample, or to the current period.
 */
static void check_faults(const struct sampler *s)
{
	__u64 masked = most_masked(s);
	__u64 counted = ctx_read(s->m.fd, PMD_ALL_FAULTS);
	__u64 sampled = s->samples * FAULT_PERIOD +
			ctx_read(s->m.fd, PMD_FAULTS) + FAULT_PERIOD;
	__u64 lost = (ctx_number(s->m.fd, "pfm_lost") + s->overwritten) *
		     FAULT_PERIOD;

	if (!start_together(s))
		return;
	CHECK(sampled <= counted + masked);
	CHECK(counted <= sampled + masked + lost);
}

void sampler_finish(struct sampler *s)
{
	if (!s->ended) {
		ctx_stop(s->m.fd);
		sampler_drain(s);
	}
	CHECK_EQ(ctx_number(s->m.fd, "pfm_msgs_dropped"), 0);
	if (s->kind->read_rest)
		s->kind->read_rest(s);
	if (s->kind->entries)
		check_faults(s);
}

void sampler_close(struct sampler *s)
{
	/* The buffer must be valid until the descriptor is closed. */
	if (s->kind->peek)
		s->kind->peek(s);
	close(s->m.fd);
	if (!s->m.size)
		return;
	CHECK_OK(munmap((void *)s->m.buf, s->m.size));
}
