// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * pfm_chains - the cost of a call chain in user space, in guest instructions:
 * with frame pointers, with unwind tables, and with perf
 *
 * Page faults are sampled below a known chain of functions. Each of them has a
 * different frame, and a block of the table to itself: in Debian's libraries, a
 * block has four rows on average, about as many as such a function needs.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <perfmon/perfmon_callstack_smpl.h>
#include "bench.h"
#include "unwind_set.h"

/* The number of callers after the first one that are measured. */
#define FURTHER		16U
/*
 * The maximum cost of a further caller with tables: if its frame has no frame
 * pointer, and if it has one, which is then read, too.
 */
#define BOUND_FRAMELESS	160
#define BOUND_FRAMED	200
#define BUFFER		(4UL << 20)
/* The part of the stack that `perf record --call-graph dwarf` copies. */
#define STACK_COPY	8192U
/* The registers that it records. */
#define REGS		(IS_ARM64 ? 0x1ffffffffULL : 0xff0fffULL)

/* A function of a chain, which calls the function of the next link. */
struct link {
	void (*run)(const struct link *link);
};

#define LINK(chain, n, frames)						\
static void __attribute__((noipa, aligned(PFM_UNWIND_BLOCK),		\
			   optimize(frames)))				\
chain##_##n(const struct link *link)					\
{									\
	char room[16 * (n) + 16];					\
									\
	__asm__ volatile("" : : "r"(room) : "memory");			\
	link[1].run(link + 1);						\
	__asm__ volatile("" : : : "memory");				\
}

#define CHAIN(chain, frames)						\
LINK(chain, 0, frames) LINK(chain, 1, frames) LINK(chain, 2, frames)	\
LINK(chain, 3, frames) LINK(chain, 4, frames) LINK(chain, 5, frames)	\
LINK(chain, 6, frames) LINK(chain, 7, frames) LINK(chain, 8, frames)	\
LINK(chain, 9, frames) LINK(chain, 10, frames) LINK(chain, 11, frames)	\
LINK(chain, 12, frames) LINK(chain, 13, frames) LINK(chain, 14, frames)	\
LINK(chain, 15, frames) LINK(chain, 16, frames)			\
									\
static struct link chain[] = {						\
	{ chain##_0 }, { chain##_1 }, { chain##_2 }, { chain##_3 },	\
	{ chain##_4 }, { chain##_5 }, { chain##_6 }, { chain##_7 },	\
	{ chain##_8 }, { chain##_9 }, { chain##_10 }, { chain##_11 },	\
	{ chain##_12 }, { chain##_13 }, { chain##_14 }, { chain##_15 },	\
	{ chain##_16 }, { fault },					\
}

static void fault(const struct link *link)
{
	(void)link;
	run_faults();
}

/* Debian's programs for arm64 have frame pointers, those for x86_64 do not. */
CHAIN(framed, "no-omit-frame-pointer");
CHAIN(frameless, "omit-frame-pointer");

/* The chain to be measured. */
static const struct link *chain;

static void run_chain(void)
{
	chain->run(chain);
}

/* Map this program's code once more. Return: the distance to the mapping. */
static ptrdiff_t map_code(int exe)
{
	const Elf64_Phdr *p = (void *)getauxval(AT_PHDR);
	const size_t page = sysconf(_SC_PAGESIZE);
	uintptr_t start;
	char *at;

	while (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
		p++;
	start = p->p_vaddr & -page;
	at = mmap(NULL, p->p_vaddr + p->p_filesz - start, PROT_READ | PROT_EXEC,
		  MAP_PRIVATE, exe, p->p_offset & -page);
	if (at == MAP_FAILED)
		die("mmap of the code");
	return at - (char *)start;
}

/* Make each function of a chain run in its own mapping. */
static void spread(struct link *links)
{
	int exe = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	if (exe < 0)
		die("/proc/self/exe");
	for (; links->run != fault; links++)
		links->run = (void *)((char *)links->run + map_code(exe));
	close(exe);
}

static uint64_t count_samples(const pfm_sink_hdr_t *hdr)
{
	const pfm_sink_rgn_t *rgn = (const void *)(hdr + 1);

	return hdr->hdr_overwritten + rgn[0].rgn_count + rgn[1].rgn_count;
}

/*
 * Check that all faults were sampled, and that a chain in the buffer has @depth
 * addresses. All records have the same size.
 */
static void check_chain(int fd, unsigned int depth, int set)
{
	const pfm_sink_hdr_t *hdr = mmap(NULL, BUFFER, PROT_READ, MAP_SHARED,
					 fd, 0);
	const pfm_callstack_record_t *record;
	int end = set ? PFM_UNWIND_FULL : PFM_UNWIND_MORE;

	if (hdr == MAP_FAILED)
		die("mmap of the buffer");
	if (count_samples(hdr) < ROUNDS * FAULTS)
		die("%" PRIu64 " samples", count_samples(hdr));
	record = (void *)hdr + hdr->hdr_region_offs;
	record = (void *)(record + 1) + depth * sizeof(__u64);
	if (record->num_user != depth || record->user_end != end)
		die("a chain has %u of %u addresses, end %u", record->num_user,
		    depth, record->user_end);
	munmap((void *)hdr, BUFFER);
}

static double callstack_cost(unsigned int depth, int set)
{
	pfm_callstack_smpl_arg_t arg = {
		.sink = { .buf_size = BUFFER, .num_regions = 2,
			  .flags = PFM_SINK_OVERWRITE },
		.max_depth = depth,
		.unwind_fd = set,
	};
	pfarg_ctx_t ctx = { .ctx_smpl_buf_id = PFM_CALLSTACK_SMPL_UUID };
	int fd = pfm_create_context(&ctx, &arg, sizeof(arg));
	double cost;

	if (fd < 0)
		die("PFM_CREATE_CONTEXT");
	write_counter(fd, 0, 0, PAGE_FAULTS, -1, 0);
	start_on(fd, syscall(SYS_gettid));
	cost = least(run_chain);
	check_chain(fd, depth, set);
	close(fd);
	return cost / FAULTS;
}

static double frames_cost(unsigned int depth)
{
	return callstack_cost(depth, 0);
}

static double tables_cost(unsigned int depth)
{
	return callstack_cost(depth, own_unwind_set());
}

/* Sample as perf record does, into a buffer that is overwritten. */
static double perf_cost(struct perf_event_attr *attr)
{
	size_t size = BUFFER + sysconf(_SC_PAGESIZE);
	double cost;
	void *map;
	int fd;

	attr->size = sizeof(*attr);
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_PAGE_FAULTS;
	attr->sample_period = 1;
	attr->sample_type |= PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			     PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
			     PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN;
	attr->wakeup_events = 1U << 30;
	fd = syscall(SYS_perf_event_open, attr, 0, -1, -1, 0);
	if (fd < 0)
		die("perf_event_open");
	map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		die("mmap of the ring buffer");
	cost = least(run_chain);
	munmap(map, size);
	close(fd);
	return cost / FAULTS;
}

static double perf_frames_cost(unsigned int depth)
{
	struct perf_event_attr attr = { .sample_max_stack = depth };

	return perf_cost(&attr);
}

static double perf_stack_cost(unsigned int depth)
{
	struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
		.exclude_callchain_user = 1,
		.sample_regs_user = REGS,
		.sample_stack_user = STACK_COPY,
	};

	(void)depth;
	return perf_cost(&attr);
}

/*
 * Print the cost of a sample that has only the interrupted address, and of each
 * caller.
 */
static void print_row(const char *what, const struct link *links,
		      double (*cost)(unsigned int depth), double bound)
{
	double unsampled, none, first, last;

	chain = links;
	run_chain();
	unsampled = (double)least(run_chain) / FAULTS;
	none = cost(1);
	first = cost(2);
	last = cost(2 + FURTHER);
	printf("%-36s %8.0f %12.1f %12.1f", what, none - unsampled,
	       first - none, (last - first) / FURTHER);
	end_row((last - first) / FURTHER, bound);
}

int main(void)
{
	/* perf copies this much of the stack only if it exists. */
	char stack[STACK_COPY];

	memset(stack, 0, sizeof(stack));
	__asm__ volatile("" : : "r"(stack) : "memory");
	lift_cpu_limit();
	printf("call chains in user space, instructions\n%-36s %8s %12s %12s\n",
	       "", "sample", "first caller", "each further");
	print_row("callstack, frame pointers", framed, frames_cost, 0);
	print_row("callstack, tables", framed, tables_cost, BOUND_FRAMED);
	print_row("callstack, tables, no frame pointers", frameless,
		  tables_cost, BOUND_FRAMELESS);
	spread(frameless);
	print_row("callstack, tables, many mappings", frameless, tables_cost,
		  0);
	print_row("perf, frame pointers", framed, perf_frames_cost, 0);
	print_row("perf, a copy of the stack", framed, perf_stack_cost, 0);
	return 0;
}
