// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * pfm_bench - the cost of a recorded sample, in guest instructions
 *
 * Runs one workload without sampling and with each recorder, all in one boot of
 * a guest. Prints the cost of a sample: the time that sampling adds to the
 * workload, divided by the number of samples.
 *
 * usage: pfm_bench faults|cycles
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <perfmon/perfmon_callstack_smpl.h>
#include <perfmon/perfmon_default_smpl.h>
#include <perfmon/perfmon_histogram_smpl.h>
#include <perfmon/perfmon_nway_smpl.h>
#include <perfmon/perfmon_stacks_smpl.h>
#include "bench.h"
#include "bpf.h"
#include "unwind_set.h"
#include "table/bench_table.h"
#include "../../examples/format_mini/perfmon_mini_smpl.h"

#define CYCLE_PERIOD	20000UL
#define LOOP_STEPS	40000000UL
#define RING_PAGES	1024UL		/* holds all samples of a run */

/* A workload, its event, and another event whose count is recorded. */
struct workload {
	const char	*name;
	void		(*run)(void);
	uint32_t	type;
	uint64_t	config;
	uint64_t	period;
	uint32_t	other_type;
	uint64_t	other_config;
	bool		bounds;
};

static void run_loop(void)
{
	for (unsigned long i = 0; i < LOOP_STEPS; i++)
		__asm__ volatile("" : : "r"(i));
}

#ifdef __aarch64__
#define OTHER_TYPE	PERF_TYPE_HARDWARE
#define OTHER_CONFIG	PERF_COUNT_HW_INSTRUCTIONS
#else
#define OTHER_TYPE	PERF_TYPE_SOFTWARE
#define OTHER_CONFIG	PERF_COUNT_SW_TASK_CLOCK
#endif

static const struct workload workloads[] = {
	{ "faults", run_faults, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS,
	  1, OTHER_TYPE, OTHER_CONFIG, true },
	{ "cycles", run_loop, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES,
	  CYCLE_PERIOD, OTHER_TYPE, OTHER_CONFIG, false },
};

/* A recorder, which is started before the workload and ended after it. */
struct recorder {
	const char	*name;
	void		(*begin)(const struct workload *w, int values);
	uint64_t	(*end)(void);	/* returns the number of samples */
	/*
	 * Recorded PMDs. Formats with call chains: 1 for tables. BPF: 1 for
	 * stacks.
	 */
	int		values;
	double		bound;		/* for page faults; 0 for none */
};

static int fds[2];
static void *map;
static size_t map_size;

static void close_all(void)
{
	if (map)
		munmap(map, map_size);
	map = NULL;
	for (int i = 0; i < 2; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
		fds[i] = -1;
	}
}

static void none_begin(const struct workload *w, int values)
{
	(void)w;
	(void)values;
}

static uint64_t none_end(void)
{
	return 0;
}

static void fill_attr(struct perf_event_attr *attr, uint32_t type,
		      uint64_t config)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = type;
	attr->config = config;
	attr->exclude_hv = 1;
}

static int perf_open(struct perf_event_attr *attr, int group)
{
	int fd = syscall(SYS_perf_event_open, attr, 0, -1, group, 0);

	if (fd < 0)
		die("perf_event_open");
	return fd;
}

static void count_begin(const struct workload *w, int values)
{
	struct perf_event_attr attr;

	(void)values;
	fill_attr(&attr, w->type, w->config);
	fds[0] = perf_open(&attr, -1);
}

static uint64_t count_end(void)
{
	close_all();
	return 0;
}

static void floor_begin(const struct workload *w, int values)
{
	char line[64];
	int n;

	(void)values;
	fds[0] = open("/dev/pfm_floor", O_WRONLY);
	if (fds[0] < 0)
		die("/dev/pfm_floor");
	n = snprintf(line, sizeof(line), "%u %" PRIu64 " %" PRIu64, w->type,
		     w->config, w->period);
	if (write(fds[0], line, n) != n)
		die("/dev/pfm_floor: write");
}

static void start(const struct workload *w, int values)
{
	map_size = RING_PAGES * sysconf(_SC_PAGESIZE);
	map = mmap(NULL, map_size, PROT_READ, MAP_SHARED, fds[0], 0);
	if (map == MAP_FAILED)
		die("mmap of the buffer");
	write_counter(fds[0], 0, 0, PFM_PERF_EVENT(w->type, w->config),
		      -w->period, values);
	if (values)
		write_counter(fds[0], 0, 1,
			      PFM_PERF_EVENT(w->other_type, w->other_config),
			      0, 0);
	start_on(fds[0], syscall(SYS_gettid));
}

static void default_begin(const struct workload *w, int values)
{
	fds[0] = new_default(RING_PAGES * sysconf(_SC_PAGESIZE), 0);
	start(w, values);
}

#if IS_ARM64
static void raw_begin(const struct workload *w, int values)
{
	fds[0] = new_default(RING_PAGES * sysconf(_SC_PAGESIZE),
			     PFM_DFL_SMPL_RAW_TIME);
	start(w, values);
}
#endif

/*
 * No region is ever freed, so all samples must fit into the buffer. Otherwise
 * the last region is overwritten, and nway_end() fails.
 */
static void nway_begin(const struct workload *w, int values)
{
	pfm_nway_smpl_arg_t arg = {
		.buf_size = RING_PAGES * sysconf(_SC_PAGESIZE),
		.num_regions = 16,
	};
	pfarg_ctx_t ctx = { .ctx_smpl_buf_id = PFM_NWAY_SMPL_UUID };

	fds[0] = pfm_create_context(&ctx, &arg, sizeof(arg));
	if (fds[0] < 0)
		die("PFM_CREATE_CONTEXT");
	start(w, values);
}

static uint64_t nway_end(void)
{
	const pfm_nway_smpl_hdr_t *hdr = map;
	const pfm_nway_smpl_rgn_t *rgn = (const void *)(hdr + 1);
	uint64_t n = 0;

	if (pfm_stop(fds[0]))
		die("PFM_STOP");
	if (hdr->hdr_overwritten)
		die("the buffer became full");
	for (uint32_t i = 0; i < hdr->hdr_num_regions; i++)
		n += rgn[i].rgn_count;
	close_all();
	return n;
}

/* Use a format with a sink. All samples must fit into the buffer. */
static void sink_begin(const struct workload *w, int values,
		       const pfm_uuid_t uuid, pfm_sink_arg_t *arg, size_t size)
{
	pfarg_ctx_t ctx = { .ctx_flags = 0 };

	arg->buf_size = RING_PAGES * sysconf(_SC_PAGESIZE);
	memcpy(ctx.ctx_smpl_buf_id, uuid, sizeof(ctx.ctx_smpl_buf_id));
	fds[0] = pfm_create_context(&ctx, arg, size);
	if (fds[0] < 0)
		die("PFM_CREATE_CONTEXT");
	start(w, values);
}

static uint64_t sink_end(void)
{
	const pfm_sink_hdr_t *hdr = map;
	const pfm_sink_rgn_t *rgn = (const void *)(hdr + 1);
	uint64_t n;

	if (pfm_stop(fds[0]))
		die("PFM_STOP");
	if (hdr->hdr_fills || hdr->hdr_lost[PFM_SINK_LOST_TABLE])
		die("the buffer became full");
	n = hdr->hdr_past + rgn->rgn_count;
	close_all();
	return n;
}

static void mini_begin(const struct workload *w, int values)
{
	static const pfm_uuid_t uuid = PFM_MINI_SMPL_UUID;
	pfm_sink_arg_t arg = { .num_regions = 1 };

	sink_begin(w, values, uuid, &arg, sizeof(arg));
}

static void histogram_begin(const struct workload *w, int values)
{
	static const pfm_uuid_t uuid = PFM_HISTOGRAM_SMPL_UUID;
	pfm_sink_arg_t arg = { .num_regions = 1 };

	sink_begin(w, values, uuid, &arg, sizeof(arg));
}

static void table8_begin(const struct workload *w, int values)
{
	static const pfm_uuid_t uuid = PFM_TABLE8_UUID;
	pfm_sink_arg_t arg = { .num_regions = 1 };

	sink_begin(w, values, uuid, &arg, sizeof(arg));
}

static void table128_begin(const struct workload *w, int values)
{
	static const pfm_uuid_t uuid = PFM_TABLE128_UUID;
	pfm_sink_arg_t arg = { .num_regions = 1 };

	sink_begin(w, values, uuid, &arg, sizeof(arg));
}

static void callstack_begin(const struct workload *w, int tables)
{
	static const pfm_uuid_t uuid = PFM_CALLSTACK_SMPL_UUID;
	pfm_callstack_smpl_arg_t arg = {
		.max_depth = PFM_CALLSTACK_MAX_DEPTH,
		.unwind_fd = tables ? own_unwind_set() : 0,
	};

	sink_begin(w, 0, uuid, &arg.sink, sizeof(arg));
}

static void stacks_begin(const struct workload *w, int tables)
{
	static const pfm_uuid_t uuid = PFM_STACKS_SMPL_UUID;
	pfm_stacks_smpl_arg_t arg = {
		.max_depth = PFM_STACKS_MAX_DEPTH,
		.unwind_fd = tables ? own_unwind_set() : 0,
	};

	sink_begin(w, 0, uuid, &arg.sink, sizeof(arg));
}

static uint64_t default_end(void)
{
	const pfm_default_smpl_hdr_t *hdr = map;
	uint64_t n;

	if (pfm_stop(fds[0]))
		die("PFM_STOP");
	n = hdr->hdr_count;
	if (hdr->hdr_overflows)
		die("the buffer became full after %" PRIu64 " samples", n);
	close_all();
	return n;
}

static void ring_open(const struct workload *w, int values, uint64_t fields)
{
	struct perf_event_attr attr;

	fill_attr(&attr, w->type, w->config);
	attr.sample_period = w->period;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			   PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | fields;
	attr.wakeup_events = 1U << 30;
	attr.disabled = 1;
	if (values) {
		attr.sample_type |= PERF_SAMPLE_READ;
		attr.read_format = PERF_FORMAT_GROUP;
	}
	fds[0] = perf_open(&attr, -1);
	map_size = (RING_PAGES + 1) * sysconf(_SC_PAGESIZE);
	map = mmap(NULL, map_size, PROT_READ | PROT_WRITE, MAP_SHARED, fds[0],
		   0);
	if (map == MAP_FAILED)
		die("mmap of the ring buffer");
	if (values) {
		fill_attr(&attr, w->other_type, w->other_config);
		fds[1] = perf_open(&attr, fds[0]);
	}
	if (ioctl(fds[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP))
		die("PERF_EVENT_IOC_ENABLE");
}

static void ring_begin(const struct workload *w, int values)
{
	ring_open(w, values, 0);
}

static void chains_begin(const struct workload *w, int values)
{
	ring_open(w, values, PERF_SAMPLE_CALLCHAIN);
}

static uint64_t ring_end(void)
{
	struct perf_event_mmap_page *mp = map;
	const char *data = (char *)map + mp->data_offset;
	uint64_t n = 0, pos = 0;

	ioctl(fds[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
	while (pos < mp->data_head) {
		const struct perf_event_header *h = (void *)(data + pos);

		n += h->type == PERF_RECORD_SAMPLE;
		pos += h->size;
	}
	close_all();
	return n;
}

static void bpf_begin(const struct workload *w, int stacks)
{
	struct perf_event_attr attr;

	fill_attr(&attr, w->type, w->config);
	attr.sample_period = w->period;
	attr.disabled = 1;
	fds[0] = perf_open(&attr, -1);
	bpf_attach(fds[0], stacks);
	if (ioctl(fds[0], PERF_EVENT_IOC_ENABLE, 0))
		die("PERF_EVENT_IOC_ENABLE");
}

static uint64_t bpf_end(void)
{
	close_all();
	return bpf_detach();
}

static const struct recorder recorders[] = {
	{ "unsampled", none_begin, none_end, 0, 0 },
	{ "counting", count_begin, count_end, 0, 0 },
	{ "empty overflow handler", floor_begin, count_end, 0, 0 },
	{ "perfmon default format", default_begin, default_end, 0,
	  ON_ARM64(115) },
#if IS_ARM64
	{ "perfmon, raw time", raw_begin, default_end, 0, 90 },
	{ "perfmon, raw time, two PMDs", raw_begin, default_end, 2, 0 },
#endif
	{ "perfmon, two PMDs", default_begin, default_end, 2, ON_ARM64(245) },
	{ "perfmon n-way format", nway_begin, nway_end, 0, ON_ARM64(130) },
	{ "perfmon, a sink", mini_begin, sink_end, 0, 0 },
	{ "perfmon histogram format", histogram_begin, sink_end, 0,
	  ON_ARM64(154) },
	{ "perfmon, a table", table8_begin, sink_end, 0, ON_ARM64(154) },
	{ "perfmon, table of long keys", table128_begin, sink_end, 0,
	  ON_ARM64(260) },
	/*
	 * The bound is a quarter of the cost of a sample with perf's call
	 * chains.
	 */
	{ "perfmon callstack format", callstack_begin, sink_end, 0,
	  ON_ARM64(384) },
	/*
	 * The bound is half the cost of a BPF program that does the same work.
	 */
	{ "perfmon stacks format", stacks_begin, sink_end, 0, ON_ARM64(503) },
	{ "perfmon callstack, tables", callstack_begin, sink_end, 1, 0 },
	{ "perfmon stacks, tables", stacks_begin, sink_end, 1, 0 },
	{ "perf ring buffer", ring_begin, ring_end, 0, 0 },
	{ "perf ring buffer, two read", ring_begin, ring_end, 2, 0 },
	{ "perf ring buffer, chains", chains_begin, ring_end, 0, 0 },
	{ "BPF, counts by address", bpf_begin, bpf_end, 0, 0 },
	{ "BPF, counts by user stack", bpf_begin, bpf_end, 1, 0 },
};

#define NUM_RECORDERS	(sizeof(recorders) / sizeof(recorders[0]))

/*
 * Return the smallest time of ROUNDS rounds. Store in *samples the number of
 * samples of the last round.
 */
static uint64_t measure(const struct workload *w, const struct recorder *r,
			uint64_t *samples)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t t;

		r->begin(w, r->values);
		t = now();
		w->run();
		t = now() - t;
		*samples = r->end();
		if (t < best)
			best = t;
	}
	return best;
}

static void bench(const struct workload *w)
{
	uint64_t insns[NUM_RECORDERS], n[NUM_RECORDERS], samples;
	double floor_cost;

	for (size_t i = 0; i < NUM_RECORDERS; i++)
		insns[i] = measure(w, &recorders[i], &n[i]);
	samples = n[3];
	floor_cost = (double)(insns[2] - insns[0]) / samples;
	printf("%s, %" PRIu64 " samples\n", w->name, samples);
	printf("%-28s %10s %12s %12s\n", "recorder", "samples",
	       "insns/sample", "above empty");
	for (size_t i = 1; i < NUM_RECORDERS; i++) {
		uint64_t per = n[i] ? n[i] : samples;
		double cost = ((double)insns[i] - insns[0]) / per;

		printf("%-28s %10" PRIu64 " %12.1f %12.1f", recorders[i].name,
		       n[i], cost, cost - floor_cost);
		end_row(cost - floor_cost,
			w->bounds ? recorders[i].bound : 0);
	}
}

int main(int argc, char **argv)
{
	fds[0] = -1;
	fds[1] = -1;
	for (size_t i = 0; argc == 2 && i < 2; i++) {
		if (strcmp(argv[1], workloads[i].name))
			continue;
		workloads[i].run();
		bench(&workloads[i]);
		return 0;
	}
	fprintf(stderr, "usage: %s faults|cycles\n", argv[0]);
	return 2;
}
