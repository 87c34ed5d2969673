/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/**
 * DOC: Unwind tables
 *
 * A table describes one 64-bit little-endian ELF file. For each address of the
 * file's code, it describes how to find the caller's frame. A program compiles
 * the table from the file's unwind information, and the kernel walks user
 * stacks with it::
 *
 *	struct pfm_unwind_head
 *	__u32 index[nr_blocks + 1]
 *	struct pfm_unwind_rule rules[nr_rules]
 *	__u16 row_rules[nr_rows]
 *	__u8 row_offsets[nr_rows]
 *
 * The table ends there. All numbers are in the byte order of the machine.
 *
 * Addresses are offsets in the file, so the start and the file offset of a
 * mapping suffice to translate an address of a process. The addresses of the
 * vDSO are relative to its start. The code from pfm_unwind_head.start on is
 * divided into blocks of PFM_UNWIND_BLOCK bytes.
 *
 * A row names the rule that applies from the row's address up to the next row's
 * address. The rows are sorted by address. row_rules has the number of each
 * row's rule, and row_offsets the row's offset in its block, which rises
 * strictly within a block. index has each block's first row: the first one
 * whose address is not below the start of the block. The last element of index
 * is nr_rows.
 *
 * To find the rule of address A, let R be A - start and B be R / 256. Consider
 * the rows index[B] to index[B + 1] - 1 whose row_offsets is at most R % 256.
 * The last of these rows applies. If no row of the block is at or below A, row
 * index[B] - 1 applies, which begins in an earlier block. If index[B] is 0, no
 * earlier row exists. In this case, or if B is not below nr_blocks, no rule
 * applies: treat the address as one with a rule of kind PFM_UNWIND_NONE.
 *
 * For a return address, look up the address minus 1, which belongs to the call.
 * Look up the address of the innermost frame, and of a frame interrupted by a
 * signal, unchanged.
 */
#ifndef PERFMON_UNWIND_H
#define PERFMON_UNWIND_H

#include <perfmon/perfmon.h>

#define PFM_UNWIND_MAGIC	0x776e7570U	/* "punw" */
#define PFM_UNWIND_VERSION	2

#define PFM_UNWIND_BLOCK	256	/* bytes of code */
#define PFM_UNWIND_MAX_RULES	65536

/**
 * struct pfm_unwind_head - first bytes of a table
 * @magic:     PFM_UNWIND_MAGIC
 * @version:   PFM_UNWIND_VERSION
 * @machine:   EM_X86_64 or EM_AARCH64
 * @start:     first described offset in the file, a multiple of
 *             PFM_UNWIND_BLOCK
 * @nr_blocks: number of blocks of code
 * @nr_rows:   number of rows
 * @nr_rules:  number of rules, at most PFM_UNWIND_MAX_RULES
 * @size:      bytes of the table, this structure included
 */
struct pfm_unwind_head {
	__u32	magic;
	__u16	version;
	__u16	machine;
	__u64	start;
	__u32	nr_blocks;
	__u32	nr_rows;
	__u32	nr_rules;
	__u32	size;
};

PFM_STATIC_ASSERT(sizeof(struct pfm_unwind_head) == 32);
PFM_ASSERT_FIELD(struct pfm_unwind_head, magic, 0, 4);
PFM_ASSERT_FIELD(struct pfm_unwind_head, version, 4, 2);
PFM_ASSERT_FIELD(struct pfm_unwind_head, machine, 6, 2);
PFM_ASSERT_FIELD(struct pfm_unwind_head, start, 8, 8);
PFM_ASSERT_FIELD(struct pfm_unwind_head, nr_blocks, 16, 4);
PFM_ASSERT_FIELD(struct pfm_unwind_head, nr_rows, 20, 4);
PFM_ASSERT_FIELD(struct pfm_unwind_head, nr_rules, 24, 4);
PFM_ASSERT_FIELD(struct pfm_unwind_head, size, 28, 4);

/**
 * enum pfm_unwind_kind - the way in which a rule finds the caller's frame
 * @PFM_UNWIND_NONE:   unknown, because the file has no information; the walker
 *                     may try the frame pointer
 * @PFM_UNWIND_END:    this is the outermost frame
 * @PFM_UNWIND_BAD:    no rule can express the file's information; the walker
 *                     must not try the frame pointer
 * @PFM_UNWIND_REG:    cfa = reg + cfa_offset
 * @PFM_UNWIND_MEM:    x86_64: cfa = [reg + cfa_offset] + 8 + ra_offset. The
 *                     return address is just below: at cfa - 8
 * @PFM_UNWIND_PLT:    x86_64: cfa = sp + cfa_offset, plus 8 if the low four
 *                     bits of the address are at least ra_offset. The return
 *                     address is at cfa - 8
 * @PFM_UNWIND_SIGNAL: trampoline of a signal handler: the interrupted frame's
 *                     sp is [sp + cfa_offset], its address [sp + ra_offset],
 *                     its frame pointer [sp + fp_offset]. arm64: its link
 *                     register is [sp + fp_offset + 8]
 * @PFM_UNWIND_KINDS:  number of kinds
 *
 * "cfa" is the canonical frame address: sp in the caller's frame. "reg" is the
 * register pfm_unwind_rule.reg, and "[x]" the word at address x. NONE, END and
 * BAD use no other field.
 */
enum pfm_unwind_kind {
	PFM_UNWIND_NONE,
	PFM_UNWIND_END,
	PFM_UNWIND_BAD,
	PFM_UNWIND_REG,
	PFM_UNWIND_MEM,
	PFM_UNWIND_PLT,
	PFM_UNWIND_SIGNAL,
	PFM_UNWIND_KINDS,
};

/**
 * enum pfm_unwind_ra - location of the return address, for PFM_UNWIND_REG
 * @PFM_UNWIND_RA_CFA: at cfa + ra_offset. On x86_64, rbx is unchanged
 * @PFM_UNWIND_RA_REG: in the register whose DWARF number is ra_offset, such as
 *                     arm64's link register. The walker knows only the
 *                     registers of the innermost frame, and the link register
 *                     of a frame interrupted by a signal
 * @PFM_UNWIND_RA_RBX: x86_64: at cfa - 8; the caller's rbx is at cfa +
 *                     ra_offset. The walker needs rbx to unwind the dynamic
 *                     linker's code for lazy binding, whose cfa depends on it
 * @PFM_UNWIND_RAS:    number of locations
 *
 * With another kind of rule, pfm_unwind_rule.ra is PFM_UNWIND_RA_CFA. On arm64
 * the walker removes the pointer authentication code from the return address.
 */
enum pfm_unwind_ra {
	PFM_UNWIND_RA_CFA,
	PFM_UNWIND_RA_REG,
	PFM_UNWIND_RA_RBX,
	PFM_UNWIND_RAS,
};

/**
 * enum pfm_unwind_fp - location of the caller's frame pointer
 * @PFM_UNWIND_FP_SAME: in the register: it is unchanged
 * @PFM_UNWIND_FP_CFA:  at cfa + fp_offset
 * @PFM_UNWIND_FP_FP:   at fp_offset from the frame's own frame pointer
 * @PFM_UNWIND_FP_LOST: unknown, until another rule finds it
 * @PFM_UNWIND_FPS:     number of locations
 *
 * With PFM_UNWIND_SIGNAL, pfm_unwind_rule.fp is PFM_UNWIND_FP_SAME.
 */
enum pfm_unwind_fp {
	PFM_UNWIND_FP_SAME,
	PFM_UNWIND_FP_CFA,
	PFM_UNWIND_FP_FP,
	PFM_UNWIND_FP_LOST,
	PFM_UNWIND_FPS,
};

/**
 * struct pfm_unwind_rule - a rule that finds the caller's frame
 * @kind:       an enum pfm_unwind_kind
 * @reg:        DWARF number of a register; sp is 7 on x86_64 and 31 on arm64,
 *              the frame pointer is 6 on x86_64 and 29 on arm64
 * @ra:         an enum pfm_unwind_ra
 * @fp:         an enum pfm_unwind_fp
 * @cfa_offset: bytes
 * @ra_offset:  bytes, or the number of a register
 * @fp_offset:  bytes
 *
 * Fields that a rule does not use are 0.
 */
struct pfm_unwind_rule {
	__u8	kind;
	__u8	reg;
	__u8	ra;
	__u8	fp;
	__s32	cfa_offset;
	__s32	ra_offset;
	__s32	fp_offset;
};

PFM_STATIC_ASSERT(sizeof(struct pfm_unwind_rule) == 16);
PFM_ASSERT_FIELD(struct pfm_unwind_rule, kind, 0, 1);
PFM_ASSERT_FIELD(struct pfm_unwind_rule, reg, 1, 1);
PFM_ASSERT_FIELD(struct pfm_unwind_rule, ra, 2, 1);
PFM_ASSERT_FIELD(struct pfm_unwind_rule, fp, 3, 1);
PFM_ASSERT_FIELD(struct pfm_unwind_rule, cfa_offset, 4, 4);
PFM_ASSERT_FIELD(struct pfm_unwind_rule, ra_offset, 8, 4);
PFM_ASSERT_FIELD(struct pfm_unwind_rule, fp_offset, 12, 4);

/**
 * enum pfm_unwind_why - reason for the end of a chain
 * @PFM_UNWIND_MORE:       in a sample: the chain was found without tables, by
 *                         frame pointers; while a stack is being walked: the
 *                         chain continues
 * @PFM_UNWIND_WHOLE:      at the outermost frame
 * @PFM_UNWIND_FULL:       the buffer is full, or the chain has
 *                         PFM_UNWIND_MAX_FRAMES
 * @PFM_UNWIND_NO_MAPPING: the return address is in no executable mapping
 * @PFM_UNWIND_NO_TABLE:   the mapped file has no table, and the frame pointer
 *                         does not lead to a caller
 * @PFM_UNWIND_NO_RULE:    no rule of the table can be followed, and the frame
 *                         pointer does not lead to a caller
 * @PFM_UNWIND_UNREADABLE: a word that a rule needs is not on the stack or not
 *                         in memory, or the stack pointer did not rise
 * @PFM_UNWIND_NO_SPACE:   the mappings of the process's address space are not
 *                         known yet; the chain was found by frame pointers
 */
enum pfm_unwind_why {
	PFM_UNWIND_MORE,
	PFM_UNWIND_WHOLE,
	PFM_UNWIND_FULL,
	PFM_UNWIND_NO_MAPPING,
	PFM_UNWIND_NO_TABLE,
	PFM_UNWIND_NO_RULE,
	PFM_UNWIND_UNREADABLE,
	PFM_UNWIND_NO_SPACE,
};

/* The device. Each open() creates a set of tables. */
#define PFM_UNWIND_DEVICE	"/dev/perfmon_unwind"

/* pfm_unwind_add.fd of the vDSO, which has no file */
#define PFM_UNWIND_VDSO		(-1)

/**
 * struct pfm_unwind_add - argument of PFM_UNWIND_ADD
 * @fd:    descriptor of the ELF file, open for reading; or PFM_UNWIND_VDSO
 * @size:  bytes of the table
 * @table: address of the table
 */
struct pfm_unwind_add {
	__s32	fd;
	__u32	size;
	__u64	table;
};

PFM_STATIC_ASSERT(sizeof(struct pfm_unwind_add) == 16);
PFM_ASSERT_FIELD(struct pfm_unwind_add, fd, 0, 4);
PFM_ASSERT_FIELD(struct pfm_unwind_add, size, 4, 4);
PFM_ASSERT_FIELD(struct pfm_unwind_add, table, 8, 8);

/*
 * Add a table to a set. The set must not already have a table for this file.
 * When a process maps a file, the kernel finds the table by the file's inode,
 * size and time of last change. The table counts as locked memory
 * (RLIMIT_MEMLOCK) until the set is closed and no context uses it.
 *
 * Errors: EINVAL: @fd is not a regular file open for reading, or the table is
 * damaged, is too large (PFM_UNWIND_MAX_SIZE), or has another version or
 * machine; EEXIST: the set already has a table for the file; ENOMEM: memory, or
 * RLIMIT_MEMLOCK, is exhausted; ENOSPC: the set has PFM_UNWIND_MAX_TABLES;
 * EPERM: another process opened this descriptor, so the set belongs to that
 * process; or the caller is not allowed to open the device; EBADF; EFAULT.
 */
#define PFM_UNWIND_ADD \
	_IOW(PFM_IOC_MAGIC, 0x90, struct pfm_unwind_add)

/*
 * Read the mappings of a process now; the argument is its ID. Without this
 * command, the kernel reads the mappings only after the first sample of the
 * process in user space, so the samples until then cannot use them.
 *
 * Errors: ESRCH: the process does not exist; EBUSY: the process is changing its
 * mappings; EPERM: as for PFM_UNWIND_ADD; or the process belongs to another
 * user, and the caller has no CAP_PERFMON; ENOMEM; ENOSPC: there are too many
 * mappings; EFAULT.
 */
#define PFM_UNWIND_COPY	_IOW(PFM_IOC_MAGIC, 0x91, __s32)

#define PFM_UNWIND_MAX_TABLES	4096
#define PFM_UNWIND_MAX_SIZE	(64 << 20)

#endif /* PERFMON_UNWIND_H */
