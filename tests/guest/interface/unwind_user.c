// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * unwind_user.c - call chains of code without frame pointers, found with the
 *		   program's own unwind table
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include <perfmon/perfmon_callstack_smpl.h>
#include <perfmon/perfmon_read_stacks.h>
#include <perfmon/perfmon_unwind.h>

#include "chains.h"
#include "check.h"
#include "ctx.h"
#include "faults.h"
#include "smpl.h"
#include "tables.h"
#include "unwind/compile.h"

#define noipa	__attribute__((noipa))

static const pfm_uuid_t uuid = PFM_CALLSTACK_SMPL_UUID;

static char *pages[2];

static noipa void fault(void)
{
	for (unsigned int i = 0; i < 2; i++)
		__atomic_store_n(pages[i], 1, __ATOMIC_RELAXED);
}

/* The return addresses, innermost first. */
#define CALLERS	4
static __u64 callers[CALLERS];

#define NOTE(n) \
	(callers[n] = (uintptr_t)__builtin_return_address(0))

static noipa int innermost(int n)
{
	NOTE(0);
	fault();
	return n + 1;
}

/*
 * A variable-length array makes the compiler address the frame through a
 * register other than the stack pointer.
 */
static noipa int with_array(int n)
{
	volatile char array[n * 8];

	NOTE(1);
	array[n] = 1;
	return innermost(n) + array[n];
}

static noipa int many_registers(int a, int b, int c, int d, int e, int f)
{
	NOTE(2);
	return with_array(a) + a * b * c * d * e * f;
}

static noipa int outermost(int n)
{
	NOTE(3);
	return many_registers(n, n, n, n, n, n) + n;
}

static noipa void sample_two_more(const struct mapped *m)
{
	for (unsigned int i = 0; i < 2; i++)
		pages[i] = fresh_page();
	CHECK_OK(pfm_start(m->fd, NULL));
	outermost(8);
	ctx_stop(m->fd);
}

/*
 * Take two samples. After the first one, the kernel copies the list of the
 * process's mappings.
 */
static void sample_two(const struct mapped *m)
{
	ctx_add_counter(m->fd, 0, 0, 1);
	ctx_load_self(m->fd);
	faults_prepare();
	sample_two_more(m);
}

static void expect_callers(const pfm_callstack_record_t *record,
			   const __u64 *user)
{
	CHECK_EQ(record->user_end, PFM_UNWIND_WHOLE);
	CHECK_EQ(record->user_guessed, 0);
	CHECK_EQ(user[0], record->ip);
	CHECK(record->num_user > 2 + CALLERS);
	for (unsigned int i = 0; i < CALLERS; i++)
		CHECK_EQ(user[2 + i], callers[i]);
}

static void expect_whole(const pfm_callstack_record_t *record,
			 const __u64 *user)
{
	CHECK_EQ(record->user_end, PFM_UNWIND_WHOLE);
	CHECK_EQ(record->user_guessed, 0);
	CHECK(ends_in_start(record, user));
}

TEST(chain_reaches_start_without_frame_pointers)
{
	struct mapped m = callstack_new(own_set());
	const pfm_callstack_record_t *record;
	const __u64 *user;

	sample_two(&m);
	record = last_record(&m, &user);
	expect_callers(record, user);
	expect_whole(record, user);
}

/* Create a context with the format "stacks" and this program's table. */
static struct mapped stacks_new(size_t buf_size)
{
	static const pfm_uuid_t stacks = PFM_STACKS_SMPL_UUID;
	pfm_stacks_smpl_arg_t arg = {
		.sink.buf_size = buf_size,
		.max_depth = 32,
		.unwind_fd = own_set(),
	};

	return mapped_new(stacks, 0, &arg, sizeof(arg));
}

TEST(stacks_counts_whole_chains)
{
	struct mapped m = stacks_new(1 << 16);
	struct pfm_read_stacks r;

	sample_two(&m);
	/*
	 * i is volatile, so that the loop is not unrolled and both calls are
	 * made by the same instruction.
	 */
	for (volatile unsigned int i = 0; i < 2; i++)
		sample_two_more(&m);
	pfm_read_stacks_init(&r);
	CHECK_EQ(pfm_read_stacks_begin(&r, m.buf, m.size, 0), 0);
	do {
		CHECK_EQ(pfm_read_stacks_next(&r), 1);
	} while (r.record.user_end != PFM_UNWIND_WHOLE);
	CHECK(r.record.num_user > 2 + CALLERS);
	for (unsigned int i = 0; i < CALLERS; i++)
		CHECK_EQ(r.user[2 + i], callers[i]);
	while (r.record.count != 2)
		CHECK_EQ(pfm_read_stacks_next(&r), 1);
	CHECK_EQ(r.record.user_end, PFM_UNWIND_WHOLE);
	CHECK_EQ(r.record.user_guessed, 0);
}

static void *sample_thread(void *of_set)
{
	struct mapped m = callstack_new(*(const int *)of_set);
	const pfm_callstack_record_t *record;
	const __u64 *user;

	sample_two(&m);
	record = last_record(&m, &user);
	expect_callers(record, user);
	return NULL;
}

/*
 * Start a thread whose stack is mapped after the kernel has copied the list of
 * the process's mappings.
 */
TEST(chain_of_later_thread_is_whole)
{
	int set = own_set();
	struct mapped m = callstack_new(set);
	pthread_attr_t small;
	pthread_t thread;

	sample_two(&m);
	CHECK(!pthread_attr_init(&small));
	CHECK(!pthread_attr_setstacksize(&small, 1 << 20));
	CHECK(!pthread_create(&thread, &small, sample_thread, &set));
	CHECK(!pthread_join(thread, NULL));
}

/* On PREEMPT_RT, samples do not look up mappings. */
static bool samples_look_up(void)
{
	return access("/sys/kernel/realtime", F_OK) != 0;
}

/*
 * When the first sample is taken, the kernel has not yet copied the list of
 * mappings. The sample can look them up itself, because it is not taken in an
 * interrupt.
 */
TEST(first_fault_of_a_process_has_mappings)
{
	struct mapped m = callstack_new(own_set());
	const pfm_sink_hdr_t *hdr = m.buf;
	const pfm_callstack_record_t *first = m.buf + hdr->hdr_region_offs;

	sample_two(&m);
	CHECK_EQ(first->user_end, samples_look_up() ? PFM_UNWIND_WHOLE :
						      PFM_UNWIND_NO_SPACE);
}

TEST(chain_without_set_says_nothing)
{
	struct mapped m = callstack_new(0);
	const __u64 *user;

	sample_two(&m);
	CHECK_EQ(last_record(&m, &user)->user_end, PFM_UNWIND_MORE);
}

TEST(chain_without_table_says_so)
{
	struct mapped m = callstack_new(set_new());
	const __u64 *user;

	sample_two(&m);
	CHECK_EQ(last_record(&m, &user)->user_end, PFM_UNWIND_NO_TABLE);
}

TEST(context_keeps_its_set)
{
	int set = own_set();
	struct mapped m = callstack_new(set);
	const pfm_callstack_record_t *record;
	const __u64 *user;

	CHECK_OK(close(set));
	sample_two(&m);
	record = last_record(&m, &user);
	expect_whole(record, user);
}

TEST(argument_must_name_a_set)
{
	pfm_callstack_smpl_arg_t arg = {
		.sink.buf_size = 1 << 16,
		.max_depth = 8,
		.unwind_fd = own_file(),
	};
	pfarg_ctx_t ctx = { .ctx_flags = 0 };

	memcpy(ctx.ctx_smpl_buf_id, uuid, sizeof(uuid));
	CHECK_ERRNO(pfm_create_context(&ctx, &arg, sizeof(arg)), EINVAL);
	arg.unwind_fd = 999;
	CHECK_ERRNO(pfm_create_context(&ctx, &arg, sizeof(arg)), EBADF);
}

/*
 * Return a set that also has the table of the vDSO, which signal frames of
 * arm64 need.
 */
static int set_with_vdso(void)
{
	const Elf64_Ehdr *vdso = (void *)getauxval(AT_SYSINFO_EHDR);
	struct pfm_unwind_head *table;
	const char *why = "";
	int set = own_set();
	size_t size;

	CHECK(vdso);
	size = vdso->e_shoff + vdso->e_shnum * sizeof(Elf64_Shdr);
	table = unwind_compile_image(vdso, size, &why);
	CHECK(table);
	CHECK_OK(set_add(set, PFM_UNWIND_VDSO, table, table->size));
	free(table);
	return set;
}

static void handler(int signal)
{
	outermost(8);
}

/* Take two samples in a signal handler. */
static void sample_in_handler(const struct mapped *m, int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	ctx_add_counter(m->fd, 0, 0, 1);
	CHECK_OK(sigaction(SIGUSR1, &action, NULL));
	faults_prepare();
	for (unsigned int i = 0; i < 2; i++)
		pages[i] = fresh_page();
	ctx_start_on(m->fd, thread_id());
	raise(SIGUSR1);
	ctx_stop(m->fd);
}

TEST(chain_passes_signal_handler)
{
	struct mapped m = callstack_new(set_with_vdso());
	const __u64 *user;
	const pfm_callstack_record_t *record;

	sample_in_handler(&m, 0);
	record = last_record(&m, &user);
	CHECK_EQ(user[2], callers[0]);
	expect_whole(record, user);
}

TEST(chain_leaves_alternate_stack)
{
	static char stack[1 << 16];
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct mapped m = callstack_new(set_with_vdso());
	const pfm_callstack_record_t *record;
	const __u64 *user;

	memset(stack, 1, sizeof(stack));
	CHECK_OK(sigaltstack(&alternate, NULL));
	sample_in_handler(&m, SA_ONSTACK);
	record = last_record(&m, &user);
	expect_whole(record, user);
}

/*
 * Sample a page fault in the kernel, caused by a read() of /dev/zero. If
 * @known, sample a page fault in user space first, so that the mappings are
 * known. Return: the last record.
 */
static const pfm_callstack_record_t *
sample_in_kernel(struct mapped *m, bool known, const __u64 **user)
{
	int fd = CHECK_OK(open("/dev/zero", O_RDONLY));
	const pfm_callstack_record_t *record;
	char *page;

	ctx_add_counter(m->fd, 0, 0, 1);
	faults_prepare();
	page = fresh_page();
	for (unsigned int i = 0; i < 2; i++)
		pages[i] = fresh_page();
	ctx_start_on(m->fd, thread_id());
	if (known)
		fault();
	CHECK_EQ(read(fd, page, 1), 1);
	ctx_stop(m->fd);
	close(fd);
	record = last_record(m, user);
	CHECK(record->num_kernel > 0);
	return record;
}

TEST(first_sample_in_the_kernel_has_mappings)
{
	struct mapped m = callstack_new(own_set());
	const pfm_callstack_record_t *record;
	const __u64 *user;

	record = sample_in_kernel(&m, false, &user);
	if (samples_look_up())
		expect_whole(record, user);
	else
		CHECK_EQ(record->user_end, PFM_UNWIND_NO_SPACE);
}

#define SWITCHES	300
#define CHANGERS	3
#define MANY_MAPPINGS	400

static pthread_t changers[CHANGERS];
static bool all_slept;

/* Change the process's mappings repeatedly, which often waits for mmap_lock. */
static void *change_mappings(void *unused)
{
	size_t size = sysconf(_SC_PAGESIZE);

	while (!__atomic_load_n(&all_slept, __ATOMIC_RELAXED)) {
		char *page = fresh_page();

		CHECK_OK(munmap(page, size));
	}
	return NULL;
}

static void sleep_often(void)
{
	const struct timespec nap = { .tv_nsec = 10000 };

	/* Sleep because the context switches are sampled. */
	for (unsigned int i = 0; i < SWITCHES; i++)
		CHECK_OK(nanosleep(&nap, NULL));
}

/* Sample while the mappings change, and then while they do not. */
static void *sample_switches(void *fd)
{
	ctx_start_on(*(int *)fd, thread_id());
	sleep_often();
	__atomic_store_n(&all_slept, true, __ATOMIC_RELAXED);
	for (unsigned int i = 0; i < CHANGERS; i++)
		CHECK(!pthread_join(changers[i], NULL));
	sleep_often();
	ctx_stop(*(int *)fd);
	return NULL;
}

/*
 * Create many mappings, so that looking up the process's mappings takes long.
 */
static void map_much(void)
{
	long size = sysconf(_SC_PAGESIZE);

	for (unsigned int i = 0; i < MANY_MAPPINGS; i++) {
		void *page = mmap(NULL, size, i % 2 ? PROT_READ : PROT_NONE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);

		CHECK(page != MAP_FAILED);
	}
}

/*
 * Return the number of complete chains. Check that all others are incomplete
 * because the process's mappings were not known.
 */
static __u64 whole_chains(const struct mapped *m)
{
	__u64 counts[2] = {};
	struct pfm_read_stacks r;

	pfm_read_stacks_init(&r);
	CHECK_EQ(pfm_read_stacks_begin(&r, m->buf, m->size, 0), 0);
	while (pfm_read_stacks_next(&r) == 1) {
		if (r.record.user_end != PFM_UNWIND_WHOLE)
			CHECK_EQ(r.record.user_end, PFM_UNWIND_NO_SPACE);
		counts[r.record.user_end == PFM_UNWIND_WHOLE] += r.record.count;
	}
	CHECK(counts[0] + counts[1]);
	return counts[1];
}

/*
 * The samples are taken while a lock of the scheduler is held and other threads
 * wait for mmap_lock.
 */
TEST(switches_look_up_mappings_that_change)
{
	struct mapped m = stacks_new(1 << 18);
	struct counter c = counter(0, 0, 1);
	pthread_t sampled;

	c.pmc.reg_value = PFM_PERF_EVENT(PERF_TYPE_SOFTWARE,
					 PERF_COUNT_SW_CONTEXT_SWITCHES);
	counter_write(m.fd, &c);
	map_much();
	for (unsigned int i = 0; i < CHANGERS; i++)
		CHECK(!pthread_create(&changers[i], NULL, change_mappings,
				      NULL));
	CHECK(!pthread_create(&sampled, NULL, sample_switches, &m.fd));
	CHECK(!pthread_join(sampled, NULL));
	CHECK_EQ(whole_chains(&m) > 0, samples_look_up());
}

TEST(chain_leads_into_the_kernel)
{
	struct mapped m = callstack_new(own_set());
	const pfm_callstack_record_t *record;
	const __u64 *user;

	record = sample_in_kernel(&m, true, &user);
	expect_whole(record, user);
}

/* A table with one row. Its members need no padding between them. */
#define BLOCKS	0x10000
struct one_row {
	struct pfm_unwind_head	head;
	__u32			index[BLOCKS + 1];
	struct pfm_unwind_rule	rule;
	__u16			rule_of_row;
	__u8			offset_of_row;
};

/*
 * Return a set whose table treats the word at @offset on the stack as a return
 * address.
 */
static int hostile_set(__s32 offset)
{
	struct one_row *table = calloc(1, sizeof(*table));
	__u32 size = offsetof(struct one_row, offset_of_row) + 1;
	struct pfm_unwind_head *real = own_table();
	int set = set_new(), fd = own_file();

	CHECK(table);
	table->head = *real;
	table->head.start = 0;
	table->head.nr_blocks = BLOCKS;
	table->head.nr_rows = 1;
	table->head.nr_rules = 1;
	table->head.size = size;
	for (__u32 i = 1; i <= BLOCKS; i++)
		table->index[i] = 1;
	table->rule = (struct pfm_unwind_rule) {
		.kind = PFM_UNWIND_REG,
		.reg = real->machine == EM_X86_64 ? 7 : 31,
		.cfa_offset = offset + 8,
		.ra_offset = -8,
	};
	CHECK_OK(set_add(set, fd, &table->head, size));
	close(fd);
	free(table);
	free(real);
	return set;
}

/*
 * Return whether an address is in an executable mapping or directly behind one.
 * The address behind a mapping is a return address if a call is the mapping's
 * last instruction.
 */
static bool is_code(__u64 address)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long start, end;
	char line[512], exec;
	bool found = false;

	CHECK(maps);
	while (!found && fgets(line, sizeof(line), maps))
		found = sscanf(line, "%lx-%lx %*2c%c", &start, &end,
			       &exec) == 3 &&
			exec == 'x' && address > start && address <= end;
	fclose(maps);
	return found;
}

#define SECRET	0x5ec2e75ec2e7ULL
#define WORDS	64

/* Proves H31 */
TEST(hostile_table_reveals_only_addresses_of_code)
{
	volatile __u64 secrets[WORDS];
	unsigned int chains = 0;

	for (unsigned int i = 0; i < WORDS; i++)
		secrets[i] = SECRET + i;
	for (unsigned int i = 0; i < 2 * WORDS; i++) {
		int set = hostile_set(8 * i);
		struct mapped m = callstack_new(set);
		const pfm_callstack_record_t *record;
		const __u64 *user;

		sample_two(&m);
		record = last_record(&m, &user);
		CHECK(record->user_end != PFM_UNWIND_NO_SPACE);
		for (unsigned int n = 0; n < record->num_user; n++)
			CHECK(is_code(user[n]));
		chains += record->num_user > 1;
		/*
		 * Unmap the buffer and the pages, because faults_prepare()
		 * expects few mappings.
		 */
		CHECK_OK(munmap((void *)m.buf, m.size));
		CHECK_OK(munmap(pages[0], sysconf(_SC_PAGESIZE)));
		CHECK_OK(munmap(pages[1], sysconf(_SC_PAGESIZE)));
		CHECK_OK(close(m.fd));
		CHECK_OK(close(set));
	}
	/*
	 * Check that the table has an effect: some words were accepted as
	 * return addresses.
	 */
	CHECK(chains > 2);
	CHECK_EQ(secrets[WORDS - 1], SECRET + WORDS - 1);
}
