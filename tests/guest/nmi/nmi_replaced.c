// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * nmi_replaced.c - call chains in NMIs while code is replaced: by mmap(), in
 *		    processes after a fork, and by exec
 *
 * The code is in small ELF files, each with a table. Their functions have
 * frames of different sizes, which are filled with a decoy: an address at which
 * a walk ends. With the table of the wrong file, a walk takes a decoy for the
 * return address, and the chain looks complete.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "chains.h"
#include "check.h"
#include "ctx.h"
#include "rig.h"
#include "smpl.h"
#include "tables.h"

#define noipa	__attribute__((noipa))

#define PAGE	4096UL
#define LOOPS	100000U
/* NMIs per second; with more, the processes would make little progress. */
#define RATE	10000U
/* Words on the stack of a program's entry, so that a walk can go too far. */
#define ENTRY_WORDS	16

/* Offsets in a file */
#define ENTRY		0x100U
#define DECOY		0x110U
#define FUNCTION	0x200U
#define PATH		0x300U
#define ARGV		0x340U
/* The offset of the instruction after the entry's call of the function. */
#define AFTER_CALL	(ENTRY + 5 + ENTRY_WORDS + 5)
/* The number of instruction bytes in front of the first push. */
#define BEFORE_FRAME	10U

/**
 * struct code - a file with a program and its function
 * @words: size of the function's frame
 * @pages: number of pages to map
 * @at:    address of the mapping
 * @fd:    the file, which stays open after an exec
 */
struct code {
	unsigned int	words;
	unsigned int	pages;
	uintptr_t	at;
	int		fd;
};

/* Addresses of code that is mapped by the test, and of the programs. */
#define MAPPED		0x20000000UL
#define PROGRAM		0x30000000UL

/*
 * Code to be mapped in turn: at the same address with another number of pages,
 * and at another address with the same number. The kernel does not notice code
 * of the same size at the same address.
 */
static struct code codes[] = {
	{ .words = 5, .pages = 1, .at = MAPPED },
	{ .words = 9, .pages = 2, .at = MAPPED },
	{ .words = 7, .pages = 1, .at = MAPPED + 16 * PAGE },
};

/* Programs of the same size at the same address. Each executes the other. */
static struct code programs[] = {
	{ .words = 5, .at = PROGRAM },
	{ .words = 9, .at = PROGRAM },
};

/* Writing machine code */

static unsigned char *put(unsigned char *to, const void *bytes, size_t size)
{
	return (unsigned char *)memcpy(to, bytes, size) + size;
}

/* Write an instruction that has a 32-bit operand. */
static unsigned char *put_with(unsigned char *to, unsigned char opcode,
			       __u32 operand)
{
	*to = opcode;
	return put(to + 1, &operand, sizeof(operand));
}

/* Fill a frame with the decoy, and loop. Return: the offset of "ret". */
static unsigned int write_function(unsigned char *file, unsigned int words,
				   __u64 decoy)
{
	unsigned char *at = file + FUNCTION;

	at = put(at, "\x48\xb8", 2);		/* movabs $decoy, %rax */
	at = put(at, &decoy, sizeof(decoy));
	memset(at, 0x50, words);		/* push %rax */
	at = put_with(at + words, 0xb9, LOOPS);	/* mov $LOOPS, %ecx */
	at = put(at, "\xff\xc9\x75\xfc", 4);	/* dec %ecx; jnz */
	at = put(at, "\x48\x83\xc4", 3);	/* add $..., %rsp */
	*at++ = words * sizeof(__u64);
	*at = 0xc3;				/* ret */
	return at - file;
}

/* Push decoys, call the function, and execute another program. */
static void write_entry(unsigned char *file, uintptr_t at, int next)
{
	const __u64 argv[2] = { at + PATH };
	unsigned char *to = file + ENTRY;

	to = put_with(to, 0xb8, at + DECOY);	/* mov $decoy, %eax */
	memset(to, 0x50, ENTRY_WORDS);		/* push %rax */
	to = put_with(to + ENTRY_WORDS, 0xe8, FUNCTION - AFTER_CALL);
	CHECK_EQ(to - file, AFTER_CALL);
	to = put_with(to, 0xb8, 59);		/* mov $59, %eax: execve */
	to = put_with(to, 0xbf, at + PATH);	/* mov $PATH, %edi */
	to = put_with(to, 0xbe, at + ARGV);	/* mov $ARGV, %esi */
	put(to, "\x31\xd2\x0f\x05\x0f\x0b", 6);	/* xor %edx; syscall; ud2 */
	sprintf((char *)file + PATH, "/proc/self/fd/%d", next);
	memcpy(file + ARGV, argv, sizeof(argv));
}

static void write_headers(unsigned char *file, uintptr_t at)
{
	const Elf64_Ehdr head = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			     ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_EXEC, .e_machine = EM_X86_64,
		.e_version = EV_CURRENT, .e_entry = at + ENTRY,
		.e_phoff = sizeof(head), .e_ehsize = sizeof(head),
		.e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 1,
	};
	const Elf64_Phdr segment = {
		.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = at,
		.p_filesz = PAGE, .p_memsz = PAGE, .p_align = PAGE,
	};

	memcpy(file, &head, sizeof(head));
	memcpy(file + sizeof(head), &segment, sizeof(segment));
}

/*
 * Add a table. Rule n is for n words in the frame; the last rule is for the
 * entry, where a walk ends.
 */
static void add_table(int set, const struct code *c, unsigned int ret)
{
	__u64 bytes[64];
	struct pfm_unwind_head *head = (void *)bytes;
	__u32 rows = c->words + 3, *index = (void *)(head + 1);
	struct pfm_unwind_rule *rules = (void *)(index + 4);
	__u16 *rule = (void *)(rules + c->words + 2);
	__u8 *offset = (void *)(rule + rows);

	*head = (struct pfm_unwind_head) {
		.magic = PFM_UNWIND_MAGIC, .version = PFM_UNWIND_VERSION,
		.machine = EM_X86_64, .nr_blocks = 3, .nr_rows = rows,
		.nr_rules = c->words + 2,
		.size = (char *)(offset + rows) - (char *)head,
	};
	CHECK(head->size <= sizeof(bytes));
	memcpy(index, (__u32[]){ 0, 0, 1, rows }, 4 * sizeof(*index));
	rules[c->words + 1] = (struct pfm_unwind_rule) {
		.kind = PFM_UNWIND_END,
	};
	rule[0] = c->words + 1;
	offset[0] = 0;
	for (unsigned int n = 0; n <= c->words; n++) {
		rules[n] = (struct pfm_unwind_rule) {
			.kind = PFM_UNWIND_REG, .reg = 7, .ra_offset = -8,
			.cfa_offset = (n + 1) * sizeof(__u64),
		};
		rule[1 + n] = n;
		offset[1 + n] = n ? BEFORE_FRAME + n : 0;
	}
	rule[rows - 1] = 0;
	offset[rows - 1] = ret - FUNCTION;
	CHECK_OK(set_add(set, c->fd, head, head->size));
}

/* Write the file and its table. @next is the program that it executes. */
static void write_code(int set, const struct code *c, __u64 decoy, int next)
{
	unsigned char file[PAGE] = {};
	unsigned int ret = write_function(file, c->words, decoy);

	write_headers(file, c->at);
	write_entry(file, c->at, next);
	CHECK_EQ(pwrite(c->fd, file, sizeof(file), 0), sizeof(file));
	add_table(set, c, ret);
}

static void write_all(int set)
{
	extern const char _start[];

	for (unsigned int i = 0; i < ARRAY_SIZE(codes); i++) {
		codes[i].fd = CHECK_OK(memfd_create("code", 0));
		write_code(set, &codes[i], (uintptr_t)_start + 16, 0);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(programs); i++)
		programs[i].fd = CHECK_OK(memfd_create("program", 0));
	for (unsigned int i = 0; i < ARRAY_SIZE(programs); i++)
		write_code(set, &programs[i], PROGRAM + DECOY,
			   programs[!i].fd);
}

/* Checking chains */

static __u64 caller;
/* The number of complete chains of each program's loop. */
static unsigned int in_program[ARRAY_SIZE(programs)];

extern const char __start_call_text[], __stop_call_text[];

static noipa __section("call_text") void call_code(const struct code *c)
{
	caller = (uintptr_t)__builtin_return_address(0);
	((void (*)(void))(c->at + FUNCTION))();
	no_tail_call();
}

/* A program's complete chain has the function and the entry, or the entry. */
static void check_program(const pfm_callstack_record_t *record,
			  const __u64 *user)
{
	/* The loop has four bytes, and follows the frame's pushes. */
	__u64 at = user[0] - PROGRAM - FUNCTION - BEFORE_FRAME - 5;

	if (user[0] < PROGRAM + FUNCTION) {
		CHECK_EQ(record->num_user, 1);
		return;
	}
	CHECK_EQ(record->num_user, 2);
	CHECK_EQ(user[1], PROGRAM + AFTER_CALL);
	for (unsigned int i = 0; i < ARRAY_SIZE(programs); i++)
		in_program[i] += at - programs[i].words < 4;
}

static void check_mapped(const pfm_callstack_record_t *record,
			 const __u64 *user)
{
	CHECK(record->num_user > 3);
	CHECK(user[1] > (uintptr_t)__start_call_text);
	CHECK(user[1] < (uintptr_t)__stop_call_text);
	CHECK_EQ(user[2], caller);
	CHECK(ends_in_start(record, user));
}

/*
 * Check all complete chains in the buffer. Return whether one of them is of
 * this process's mapped code.
 */
static bool check_chains(const struct mapped *m, const struct code *c)
{
	const pfm_callstack_record_t *record = NULL;
	const __u64 *user;
	bool found = false;

	while ((record = next_record(m, record, &user))) {
		if (record->user_end != PFM_UNWIND_WHOLE)
			continue;
		if (user[0] - PROGRAM < PAGE) {
			check_program(record, user);
		} else if (user[0] - MAPPED < PROGRAM - MAPPED) {
			check_mapped(record, user);
			found |= record->tgid == (__u32)getpid() &&
				 user[0] - c->at < PAGE;
		} else {
			CHECK(ends_in_start(record, user));
		}
	}
	return found;
}

/* Execute mapped code until a chain is complete. */
static noipa void run_code(const struct mapped *m, const struct code *c)
{
	do {
		CHECK_OK(pfm_restart(m->fd));
		call_code(c);
	} while (!check_chains(m, c));
}

static void map_code(const struct code *c)
{
	void *at = (void *)c->at;

	CHECK(mmap(at, c->pages * PAGE, PROT_READ | PROT_EXEC,
		   MAP_PRIVATE | MAP_FIXED_NOREPLACE, c->fd, 0) == at);
}

static void unmap_code(const struct code *c)
{
	CHECK_OK(munmap((void *)c->at, c->pages * PAGE));
}

static const struct code *code_at(unsigned int i)
{
	return &codes[i % ARRAY_SIZE(codes)];
}

/* A child runs code @i, which its parent has mapped, and then code @i + 1. */
struct turn {
	const struct mapped	*m;
	unsigned int		i;
};

/* Run the code that the parent has mapped, and then replace it. */
static void replace_in_child(void *arg)
{
	const struct turn *t = arg;
	const struct code *old = code_at(t->i), *new = code_at(t->i + 1);

	run_code(t->m, old);
	unmap_code(old);
	map_code(new);
	run_code(t->m, new);
}

static void exec_program(void *arg)
{
	fexecve(programs[0].fd, (char *[]){ "program", NULL }, environ);
	CHECK(!"fexecve");
}

/* Sample every second NMI that arrives on CPU 0. */
static struct mapped sampling_cpu(int set)
{
	static const pfm_uuid_t uuid = PFM_CALLSTACK_SMPL_UUID;
	pfm_callstack_smpl_arg_t arg = {
		.sink.buf_size = 1 << 16,
		.max_depth = PFM_CALLSTACK_MAX_DEPTH,
		.unwind_fd = set,
	};
	struct mapped m = mapped_new(uuid, PFM_FL_SYSTEM_WIDE, &arg,
				     sizeof(arg));

	rig_add_counter(m.fd, 0, 0, 2);
	ctx_pin(0);
	return m;
}

TEST(replaced_code_and_programs_have_right_chains)
{
	struct mapped m;
	int set;

	rig_need();
	set = own_set();
	write_all(set);
	m = sampling_cpu(set);
	ctx_start_on(m.fd, thread_id());
	rig_rate(RATE);
	spawn(exec_program, NULL);
	for (unsigned int i = 0; i < rig_rounds() * ARRAY_SIZE(codes) ||
				 !in_program[0] || !in_program[1]; i++) {
		map_code(code_at(i));
		run_code(&m, code_at(i));
		reap(spawn(replace_in_child, &(struct turn){ &m, i }));
		unmap_code(code_at(i));
	}
	rig_rate(0);
	ctx_stop(m.fd);
	printf("# complete chains of the programs: %u, %u\n", in_program[0],
	       in_program[1]);
}
