// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * unwind.c - sets of unwind tables: valid, hostile and damaged tables
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <perfmon/perfmon_unwind.h>

#include "fuzz.h"

#define BLOCKS	256
#define RULES	16
/* SP is the DWARF number of the stack pointer. */
#if defined(__x86_64__)
static const __u16 machine = EM_X86_64;
#define SP	7
#else
static const __u16 machine = EM_AARCH64;
#define SP	31
#endif

/*
 * An unwind table with one row per block of code, so that each address has a
 * rule.
 */
struct table {
	struct pfm_unwind_head	head;
	__u32			index[BLOCKS + 1];
	struct pfm_unwind_rule	rules[RULES];
	__u16			rule[BLOCKS];
	__u8			offset[BLOCKS];
} __attribute__((packed));

/*
 * Make a rule that is usually plausible: the return address is a few words
 * above the stack pointer.
 */
static struct pfm_unwind_rule make_rule(struct fuzz *f)
{
	struct pfm_unwind_rule rule = {
		.kind = PFM_UNWIND_REG,
		.reg = SP,
		.cfa_offset = 8 * (1 + fuzz_below(f, 16)),
		.ra_offset = -8,
		.fp_offset = -16,
	};

	if (fuzz_one_in(f, 3))
		rule.kind = fuzz_below(f, PFM_UNWIND_KINDS);
	if (machine == EM_AARCH64 && (rule.kind == PFM_UNWIND_MEM ||
				      rule.kind == PFM_UNWIND_PLT))
		rule.kind = PFM_UNWIND_NONE;
	if (fuzz_one_in(f, 4))
		rule.reg = fuzz_below(f, 16);
	if (fuzz_one_in(f, 4))
		rule.fp = fuzz_below(f, PFM_UNWIND_FPS);
	if (fuzz_one_in(f, 8))
		rule.cfa_offset = fuzz_edge(f);
	if (fuzz_one_in(f, 8))
		rule.ra_offset = fuzz_edge(f);
	if (fuzz_one_in(f, 8))
		rule.fp_offset = fuzz_edge(f);
	return rule;
}

/* Make a valid table for about 64 KiB of a file. */
static struct table make_table(struct fuzz *f)
{
	struct table t = {
		.head = {
			.magic = PFM_UNWIND_MAGIC,
			.version = PFM_UNWIND_VERSION,
			.machine = machine,
			.start = fuzz_below(f, 16) * BLOCKS * PFM_UNWIND_BLOCK,
			.nr_blocks = BLOCKS,
			.nr_rows = BLOCKS,
			.nr_rules = RULES,
			.size = sizeof(t),
		},
	};

	for (unsigned int i = 0; i < RULES; i++)
		t.rules[i] = make_rule(f);
	for (unsigned int i = 0; i < BLOCKS; i++) {
		t.rule[i] = fuzz_below(f, RULES);
		t.index[i + 1] = i + 1;
	}
	return t;
}

static void flip_bit(struct fuzz *f, void *bytes, size_t size)
{
	unsigned int bit = fuzz_below(f, size * 8);

	((unsigned char *)bytes)[bit / 8] ^= 1 << bit % 8;
}

/*
 * Damage the size, a bit of the head, or any bit of the table. The head is
 * damaged more often, because most of the kernel's checks concern it.
 */
static void damage(struct fuzz *f, struct table *t, __u32 *size)
{
	switch (fuzz_below(f, 4)) {
	case 0:
		*size = fuzz_edge(f);
		break;
	case 1:
		t->head.size = *size = fuzz_below(f, sizeof(*t));
		break;
	case 2:
		flip_bit(f, &t->head, sizeof(t->head));
		break;
	default:
		flip_bit(f, t, sizeof(*t));
	}
}

static const int errors[] = {
	EINVAL, EBADF, EFAULT, EEXIST, ENOMEM, ENOSPC, EPERM, ENOTTY,
};

static void judge(struct fuzz *f, int result, int error)
{
	if (result && result != -1)
		fuzz_fail(f, "PFM_UNWIND_ADD returned %d", result);
	for (unsigned int i = 0; result && error != errors[i]; i++)
		if (i + 1 == ARRAY_SIZE(errors))
			fuzz_fail(f, "PFM_UNWIND_ADD failed with errno %d, which is not permitted",
				  error);
}

/* Usually open the program's own file, because the victims execute it, too. */
static int open_file(struct fuzz *f)
{
	if (fuzz_one_in(f, 4))
		return dup(fuzz_any_fd(f));
	return open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
}

static void open_set(struct fuzz *f)
{
	unsigned int place = fuzz_any_place(f);

	fuzz_tell(f, "open", " a set of tables");
	fuzz_keep_fd(f, place, open(PFM_UNWIND_DEVICE, O_RDONLY | O_CLOEXEC),
		     4096);
}

static void add_table(struct fuzz *f)
{
	struct table t = make_table(f);
	struct pfm_unwind_add add = { .size = sizeof(t) };
	int set = fuzz_any_fd(f), file = open_file(f), result, error;
	void *arg = &add;

	if (fuzz_one_in(f, 2))
		damage(f, &t, &add.size);
	add.table = (uintptr_t)(fuzz_one_in(f, 16) ?
				fuzz_place_badly(f, &t, sizeof(t)) :
				fuzz_place(f, &t, sizeof(t)));
	add.fd = fuzz_one_in(f, 8) ? (int)fuzz_edge(f) : file;
	if (fuzz_one_in(f, 8))
		add.fd = PFM_UNWIND_VDSO;
	if (fuzz_one_in(f, 32))
		arg = (void *)(uintptr_t)fuzz_edge(f);
	fuzz_tell(f, "PFM_UNWIND_ADD", " to %d, file %d, %u bytes", set, add.fd,
		  add.size);
	result = ioctl(set, PFM_UNWIND_ADD, arg);
	error = errno;
	if (f->verbose)
		printf("#   %d, errno %d\n", result, result ? error : 0);
	judge(f, result, error);
	fuzz_check_arena(f, NULL, 0);
	close(file);
}

void fuzz_unwind(struct fuzz *f)
{
	if (fuzz_one_in(f, 4))
		open_set(f);
	else
		add_table(f);
}
