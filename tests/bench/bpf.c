// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * bpf.c - BPF programs that count samples in a hash map, to compare with
 * formats
 *
 * The programs are what a compiler makes of "counts[key] += 1": they look up
 * the element, and increment or insert it.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "bench.h"
#include "bpf.h"

#define ENTRIES		65536	/* more than there are keys */
#define MAX_DEPTH	127

#ifdef __aarch64__
#define IP_OFFSET	offsetof(struct bpf_perf_event_data, regs.pc)
#else
#define IP_OFFSET	offsetof(struct bpf_perf_event_data, regs.rip)
#endif

#define INSN(c, d, s, o, i) \
	{ .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) }
#define MOVE(d, s)	INSN(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define SET(d, i)	INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define ADD(d, i)	INSN(BPF_ALU64 | BPF_ADD | BPF_K, d, 0, 0, i)
#define LOAD(d, s, o)	INSN(BPF_LDX | BPF_MEM | BPF_DW, d, s, o, 0)
#define STORE(d, o, s)	INSN(BPF_STX | BPF_MEM | BPF_DW, d, s, o, 0)
#define CALL(f)		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_##f)
/* This instruction takes two slots, so UPPER must follow it. */
#define MAP(d, fd)	INSN(BPF_LD | BPF_DW | BPF_IMM, d, \
			     BPF_PSEUDO_MAP_FD, 0, fd)
#define UPPER		INSN(0, 0, 0, 0, 0)

static int counts = -1, stacks_seen = -1, program = -1;

static int bpf(int cmd, union bpf_attr *attr)
{
	return syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

static int new_map(uint32_t type, uint32_t key, uint32_t value)
{
	union bpf_attr attr = { .map_type = type, .key_size = key,
				.value_size = value, .max_entries = ENTRIES };
	int fd = bpf(BPF_MAP_CREATE, &attr);

	if (fd < 0)
		die("BPF_MAP_CREATE");
	return fd;
}

/*
 * Check that the program was compiled, because an interpreted program would
 * cost much more.
 */
static void check_compiled(void)
{
	struct bpf_prog_info info = { .type = 0 };
	union bpf_attr attr = { .info = { .bpf_fd = program,
					  .info_len = sizeof(info),
					  .info = (uintptr_t)&info } };

	if (bpf(BPF_OBJ_GET_INFO_BY_FD, &attr))
		die("BPF_OBJ_GET_INFO_BY_FD");
	if (!info.jited_prog_len)
		die("the BPF program was not compiled");
}

/*
 * Load a program that runs the instructions @key, which put the key into r0,
 * and then counts the key.
 */
static void load(const struct bpf_insn *key, size_t length)
{
	const struct bpf_insn count[] = {
		STORE(BPF_REG_10, -8, BPF_REG_0),
		MAP(BPF_REG_1, counts), UPPER,
		MOVE(BPF_REG_2, BPF_REG_10),
		ADD(BPF_REG_2, -8),
		CALL(map_lookup_elem),
		INSN(BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_0, 0, 4, 0),
		SET(BPF_REG_1, 1),
		INSN(BPF_STX | BPF_ATOMIC | BPF_DW, BPF_REG_0, BPF_REG_1, 0,
		     BPF_ADD),
		SET(BPF_REG_0, 0),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
		SET(BPF_REG_1, 1),
		STORE(BPF_REG_10, -16, BPF_REG_1),
		MAP(BPF_REG_1, counts), UPPER,
		MOVE(BPF_REG_2, BPF_REG_10),
		ADD(BPF_REG_2, -8),
		MOVE(BPF_REG_3, BPF_REG_10),
		ADD(BPF_REG_3, -16),
		SET(BPF_REG_4, BPF_ANY),
		CALL(map_update_elem),
		SET(BPF_REG_0, 0),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
	struct bpf_insn insns[64];
	union bpf_attr attr = { .prog_type = BPF_PROG_TYPE_PERF_EVENT,
				.insn_cnt = length + ARRAY_SIZE(count),
				.insns = (uintptr_t)insns,
				.license = (uintptr_t)"Dual MIT/GPL" };

	memcpy(insns, key, length * sizeof(*key));
	memcpy(insns + length, count, sizeof(count));
	program = bpf(BPF_PROG_LOAD, &attr);
	if (program < 0)
		die("BPF_PROG_LOAD");
	check_compiled();
}

static void load_by_address(void)
{
	const struct bpf_insn key[] = {
		LOAD(BPF_REG_0, BPF_REG_1, IP_OFFSET),
	};

	load(key, ARRAY_SIZE(key));
}

static void load_by_stack(void)
{
	stacks_seen = new_map(BPF_MAP_TYPE_STACK_TRACE, sizeof(uint32_t),
			      MAX_DEPTH * sizeof(uint64_t));
	const struct bpf_insn key[] = {
		MAP(BPF_REG_2, stacks_seen), UPPER,
		SET(BPF_REG_3, BPF_F_USER_STACK),
		CALL(get_stackid),
	};

	load(key, ARRAY_SIZE(key));
}

void bpf_attach(int event, int stacks)
{
	counts = new_map(BPF_MAP_TYPE_HASH, sizeof(uint64_t), sizeof(uint64_t));
	if (stacks)
		load_by_stack();
	else
		load_by_address();
	if (ioctl(event, PERF_EVENT_IOC_SET_BPF, program))
		die("PERF_EVENT_IOC_SET_BPF");
}

static void close_one(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

uint64_t bpf_detach(void)
{
	uint64_t key = UINT64_MAX, value, sum = 0;
	union bpf_attr next = { .map_fd = counts, .key = (uintptr_t)&key,
				.next_key = (uintptr_t)&key };
	union bpf_attr look = { .map_fd = counts, .key = (uintptr_t)&key,
				.value = (uintptr_t)&value };

	while (!bpf(BPF_MAP_GET_NEXT_KEY, &next)) {
		if (bpf(BPF_MAP_LOOKUP_ELEM, &look))
			die("BPF_MAP_LOOKUP_ELEM");
		sum += value;
	}
	close_one(&program);
	close_one(&counts);
	close_one(&stacks_seen);
	return sum;
}
