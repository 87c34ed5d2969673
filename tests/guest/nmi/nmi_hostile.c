// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * nmi_hostile.c - stack walks in NMIs with random unwind tables, stacks,
 *		   registers and mappings
 *
 * A thread spins. Again and again, it fills all its registers with random
 * values, with the stack pointer in pages of random words. A second thread
 * sends NMIs to it. Meanwhile, a third thread changes and remaps the pages. If
 * there are three or more CPUs, it does so even during a stack walk. Each test
 * does at least $WALKS walks that use the tables.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <perfmon/perfmon_read_callstack.h>
#include <perfmon/perfmon_read_stacks.h>

#include "check.h"
#include "ctx.h"
#include "rig.h"
#include "tables.h"
#include "unwind_random.h"

/*
 * A test that has done enough walks continues until it has seen every way in
 * which a chain can end. It gives up, and fails, after this many tables.
 */
#define MOST_TABLES	300
/* Changes of the pages for each table, and NMIs after each change. */
#define CHANGES		25
#define NMIS		"20"
#define PAGE		4096UL
#define PAGES		8
#define PAGE_WORDS	(PAGE / sizeof(__u64))

/* _init is the first function in the mapping of the code. */
extern const char __executable_start[], _init[], etext[];
extern const char spin_start[], spin_end[];

/* The pages of the stack, and words to fill them with. */
static char *pages;
static __u64 words[2 * PAGE_WORDS];
/* Number of bytes of code that the current table describes. */
static __u32 described_size;

/* Values of rsp, rcx, rdx, rsi, rdi, rbp, r8 to r15, rax and rbx. */
struct registers {
	__u64 word[16];
};
enum { RSP = 0, RBP = 5 };

/* The assembly code of spin() refers to these by their names. */
static __attribute__((used)) struct registers registers[256];
static __attribute__((used)) __u64 next, saved_sp;
/* Whether all NMIs for the current table have been sent. */
static __attribute__((used)) bool is_fired;

static __attribute__((noipa, naked)) void spin(void)
{
	asm("push %rbx\n\tpush %rbp\n\tpush %r12\n\tpush %r13\n\t"
	    "push %r14\n\tpush %r15\n\tmov %rsp, saved_sp(%rip)\n"
	    "spin_start:\n\t"
	    "mov next(%rip), %rax\n\tinc %rax\n\tmov %rax, next(%rip)\n\t"
	    "and $255, %eax\n\tshl $7, %eax\n\t"
	    "lea registers(%rip), %rbx\n\tadd %rax, %rbx\n\t"
	    "mov (%rbx), %rsp\n\tmov 8(%rbx), %rcx\n\t"
	    "mov 16(%rbx), %rdx\n\tmov 24(%rbx), %rsi\n\t"
	    "mov 32(%rbx), %rdi\n\tmov 40(%rbx), %rbp\n\t"
	    "mov 48(%rbx), %r8\n\tmov 56(%rbx), %r9\n\t"
	    "mov 64(%rbx), %r10\n\tmov 72(%rbx), %r11\n\t"
	    "mov 80(%rbx), %r12\n\tmov 88(%rbx), %r13\n\t"
	    "mov 96(%rbx), %r14\n\tmov 104(%rbx), %r15\n\t"
	    "mov 112(%rbx), %rax\n\tmov 120(%rbx), %rbx\n\t"
	    "cmpb $0, is_fired(%rip)\n\tje spin_start\n"
	    "spin_end:\n\t"
	    "mov saved_sp(%rip), %rsp\n\tpop %r15\n\tpop %r14\n\t"
	    "pop %r13\n\tpop %r12\n\tpop %rbp\n\tpop %rbx\n\tret");
}

/*
 * Return the address of the code that the random tables describe. This code
 * begins at least one block before the spinning loop.
 */
static __u64 described(void)
{
	return ((uintptr_t)spin_start - PFM_UNWIND_BLOCK) &
	       -(__u64)PFM_UNWIND_BLOCK;
}

/* Return an address on the stack or just outside. */
static __u64 random_stack_address(void)
{
	return (uintptr_t)pages - 16 + 8 * rnd_below(PAGES * PAGE_WORDS + 4);
}

/* Return the start of the mapping of the code. */
static __u64 code_start(void)
{
	return (uintptr_t)_init & -PAGE;
}

static __u64 code_end(void)
{
	return ((uintptr_t)etext + PAGE - 1) & -PAGE;
}

static __u64 random_word(void)
{
	if (!rnd_odd())
		return described() + rnd_below(described_size);
	switch (rnd_below(5)) {
	case 0:
		return rnd() * rnd();
	case 1:
		return random_stack_address() + rnd_below(8);
	case 2:
		return (uintptr_t)words + rnd_below(sizeof(words));
	case 3:
		/*
		 * code_end() can be a return address, but code_end() + 1
		 * cannot.
		 */
		return code_end() + rnd_below(2);
	default:
		return random_stack_address();
	}
}

static void fill_registers(void)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(registers); i++) {
		__u64 *word = registers[i].word;

		for (unsigned int r = 0; r < ARRAY_SIZE(registers->word); r++)
			word[r] = random_word();
		if (!rnd_odd())
			word[RSP] = random_stack_address();
		if (rnd_one_in(2))
			word[RBP] = random_stack_address();
	}
}

static int random_set(void)
{
	static __u64 bytes[RND_MOST / 8];
	struct pfm_unwind_head *head = (void *)bytes;
	static const __u32 odds[] = { 2, 4, 16, 1000 };
	int set = set_new(), fd = own_file();
	__u32 size;

	rnd_odds = odds[rnd_below(ARRAY_SIZE(odds))];
	size = rnd_table(bytes, EM_X86_64);
	described_size = head->nr_blocks * PFM_UNWIND_BLOCK;
	head->start = described() - (uintptr_t)__executable_start;
	CHECK_OK(set_add(set, fd, head, size));
	close(fd);
	return set;
}

/* The other threads */

/*
 * The other threads call this function, because only one thread may call rnd().
 */
static unsigned int random_below(unsigned int n)
{
	return (unsigned int)random() % n;
}

static int random_prot(void)
{
	static const int prots[] = {
		PROT_NONE, PROT_READ, PROT_READ | PROT_EXEC,
		PROT_READ | PROT_WRITE, PROT_READ | PROT_WRITE,
		PROT_READ | PROT_WRITE, PROT_READ | PROT_WRITE,
	};

	return prots[random_below(ARRAY_SIZE(prots))];
}

/*
 * Replace the page by a new mapping, whose page is not present until it is
 * touched.
 */
static int remap(char *page)
{
	int flags = MAP_FIXED | MAP_ANONYMOUS, prot = random_prot();

	flags |= random_below(2) ? MAP_PRIVATE : MAP_SHARED;
	if (!random_below(2))
		CHECK_OK(munmap(page, PAGE));
	CHECK(mmap(page, PAGE, prot, flags, -1, 0) == page);
	return prot;
}

static int protect(char *page)
{
	int prot = random_prot();

	CHECK_OK(mprotect(page, PAGE, prot));
	return prot;
}

/*
 * Change a page. Usually change only its words, because each change of the
 * mappings invalidates the kernel's copy of their list.
 */
static void change(int *prots)
{
	unsigned int n = random_below(PAGES);
	char *page = pages + n * PAGE;

	if (!random_below(32))
		prots[n] = remap(page);
	else if (!random_below(16))
		prots[n] = protect(page);
	if (prots[n] & PROT_WRITE)
		memcpy(page, words + random_below(PAGE_WORDS), PAGE);
}

/*
 * Pipes and their ends. A byte in @begin requests the NMIs for a table. A byte
 * in @to_change requests a change of the pages.
 */
enum { READ, WRITE };
static int begin[2], to_change[2];

static void *change_pages(void *unused)
{
	int prots[PAGES];
	char byte;

	for (unsigned int i = 0; i < PAGES; i++)
		prots[i] = PROT_READ | PROT_WRITE;
	ctx_pin((int)sysconf(_SC_NPROCESSORS_CONF) - 1);
	while (CHECK_OK(read(to_change[READ], &byte, 1)))
		change(prots);
	return NULL;
}

static void *fire(void *unused)
{
	int fd = CHECK_OK(open(RIG_FIRE, O_WRONLY | O_CLOEXEC));
	char byte;

	ctx_pin(1);
	while (CHECK_OK(read(begin[READ], &byte, 1))) {
		for (unsigned int i = 0; i < CHANGES; i++) {
			CHECK_EQ(write(to_change[WRITE], "", 1), 1);
			CHECK(write(fd, "0 " NMIS, strlen("0 " NMIS)) > 0 ||
			      errno == EINTR);
		}
		__atomic_store_n(&is_fired, true, __ATOMIC_RELEASE);
	}
	close(fd);
	close(to_change[WRITE]);
	return NULL;
}

/* Walks */

/*
 * Numbers of chains that begin in the spinning loop. @walks counts those for
 * which tables were used.
 */
struct seen {
	unsigned long	walks;
	unsigned long	guessed;
	unsigned long	ends[PFM_UNWIND_NO_SPACE + 1];
};

/* A chain, and @count, the number of times that it was recorded. */
struct chain {
	const __u64	*user;
	unsigned int	nr;
	unsigned int	end;
	unsigned int	guessed;
	unsigned long	count;
};

/*
 * Return whether an address can be a return address in the code or in the
 * pages. It may be the end of either, if a call is the last instruction.
 */
static bool is_code(__u64 address)
{
	return (address >= code_start() && address <= code_end()) ||
	       address - (uintptr_t)pages <= PAGES * PAGE;
}

static bool is_spinning(const struct chain *c)
{
	return c->nr && c->user[0] >= (uintptr_t)spin_start &&
	       c->user[0] < (uintptr_t)spin_end;
}

/* Count the chain, and check that it contains only addresses of code. */
static void check_chain(struct seen *seen, const struct chain *c)
{
	CHECK(c->nr <= PFM_UNWIND_MAX_FRAMES + 1);
	CHECK(c->end > PFM_UNWIND_MORE && c->end <= PFM_UNWIND_NO_SPACE);
	if (!is_spinning(c))
		return;
	seen->ends[c->end] += c->count;
	if (c->end == PFM_UNWIND_NO_SPACE)
		return;
	for (unsigned int i = 1; i < c->nr; i++)
		CHECK(is_code(c->user[i]));
	CHECK(c->guessed < c->nr);
	seen->walks += c->count;
	seen->guessed += c->guessed ? c->count : 0;
}

static struct mapped stacks_new(int set)
{
	static const pfm_uuid_t uuid = PFM_STACKS_SMPL_UUID;
	pfm_stacks_smpl_arg_t arg = {
		.sink.buf_size = 1 << 16,
		.max_depth = PFM_STACKS_MAX_DEPTH,
		.unwind_fd = set,
	};

	return mapped_new(uuid, 0, &arg, sizeof(arg));
}

static void read_callstack(const struct mapped *m, struct seen *seen)
{
	const pfm_callstack_record_t *record = NULL;
	const __u64 *user;

	while ((record = next_record(m, record, &user)))
		check_chain(seen, &(struct chain){
			user, record->num_user, record->user_end,
			record->user_guessed, 1 });
}

static void read_stacks(const struct mapped *m, struct seen *seen)
{
	struct pfm_read_stacks r;
	int got;

	pfm_read_stacks_init(&r);
	CHECK_EQ(pfm_read_stacks_begin(&r, m->buf, m->size, 0), 0);
	while ((got = pfm_read_stacks_next(&r)) > 0)
		check_chain(seen, &(struct chain){
			r.user, r.record.num_user, r.record.user_end,
			r.record.user_guessed, r.record.count });
	CHECK_EQ(got, 0);
}

/*
 * A format: functions that create a context with a set of tables, and that read
 * its buffer.
 */
struct format {
	struct mapped	(*create)(int set);
	void		(*read)(const struct mapped *m, struct seen *seen);
};

/* Sample each NMI that arrives in user space. */
static void sample_user_level(int fd)
{
	struct counter c = rig_counter(0, 0, 2);

	/*
	 * Use two events per NMI, because not all PMUs support a period of one.
	 */
	c.pmc.reg_value = rig_event(2) | PFM_PERF_EXCL_KERNEL;
	counter_write(fd, &c);
}

static void walk_by_table(const struct format *format, struct seen *seen)
{
	int set = random_set();
	struct mapped m = format->create(set);

	for (unsigned int i = 0; i < ARRAY_SIZE(words); i++)
		words[i] = random_word();
	fill_registers();
	sample_user_level(m.fd);
	ctx_start_on(m.fd, thread_id());
	is_fired = false;
	CHECK_EQ(write(begin[WRITE], "", 1), 1);
	spin();
	ctx_stop(m.fd);
	format->read(&m, seen);
	CHECK_OK(munmap((void *)m.buf, m.size));
	CHECK_OK(close(m.fd));
	CHECK_OK(close(set));
}

static bool has_seen_all(const struct seen *seen)
{
	for (unsigned int end = PFM_UNWIND_WHOLE; end <= PFM_UNWIND_NO_SPACE;
	     end++)
		if (!seen->ends[end])
			return false;
	return seen->guessed;
}

static void print_seen(const struct seen *seen, unsigned int tables)
{
	printf("# %lu walks with %u tables, %lu guessed; ends:", seen->walks,
	       tables, seen->guessed);
	for (unsigned int end = 0; end <= PFM_UNWIND_NO_SPACE; end++)
		printf(" %lu", seen->ends[end]);
	printf("\n");
}

static unsigned long least_walks(void)
{
	const char *text = getenv("WALKS");

	return text ? strtoul(text, NULL, 0) : 1000;
}

/* Use random tables until there were enough walks. */
static void walk_by_tables(const struct format *format)
{
	struct seen seen = {};
	unsigned int tables;

	for (tables = 0; seen.walks < least_walks() ||
			 (tables < MOST_TABLES && !has_seen_all(&seen));
	     tables++)
		walk_by_table(format, &seen);
	print_seen(&seen, tables);
	CHECK(has_seen_all(&seen));
}

static void walk(const struct format *format)
{
	pthread_t changes, fires;

	rig_need();
	ctx_pin(0);
	CHECK_OK(pipe(begin));
	CHECK_OK(pipe(to_change));
	pages = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(pages != MAP_FAILED);
	CHECK(!pthread_create(&changes, NULL, change_pages, NULL));
	CHECK(!pthread_create(&fires, NULL, fire, NULL));
	walk_by_tables(format);
	CHECK_OK(close(begin[WRITE]));
	CHECK(!pthread_join(fires, NULL));
	CHECK(!pthread_join(changes, NULL));
}

/* Proves H31 */
TEST(callstack_of_hostile_thread_reveals_only_code)
{
	walk(&(struct format){ callstack_new, read_callstack });
}

TEST(stacks_of_hostile_thread_reveals_only_code)
{
	walk(&(struct format){ stacks_new, read_stacks });
}
