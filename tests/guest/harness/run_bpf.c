// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * run_bpf - run a BPF program and unload it
 *
 * usage: run_bpf NAME RUNS
 *
 * The kernel's name of the program ends with NAME.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LENGTH	2000	/* instructions */
#define FRAME	64	/* bytes of the packet, at least an Ethernet header */

static int bpf(int command, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, command, attr, sizeof(*attr));
}

/* Load a socket filter that increments a register many times. */
static int load(const char *name)
{
	struct bpf_insn code[LENGTH];
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_SOCKET_FILTER,
		.insn_cnt = LENGTH,
		.insns = (uintptr_t)code,
		.license = (uintptr_t)"Dual MIT/GPL",
	};

	for (int i = 0; i < LENGTH; i++)
		code[i] = (struct bpf_insn){
			.code = BPF_ALU64 | BPF_ADD | BPF_K,
			.imm = 1,
		};
	code[0].code = BPF_ALU64 | BPF_MOV | BPF_K;
	code[LENGTH - 1] = (struct bpf_insn){ .code = BPF_JMP | BPF_EXIT };
	snprintf(attr.prog_name, sizeof(attr.prog_name), "%s", name);
	return bpf(BPF_PROG_LOAD, &attr);
}

int main(int argc, char **argv)
{
	char packet[FRAME] = "";
	union bpf_attr attr = {
		.test = {
			.data_size_in = sizeof(packet),
			.data_in = (uintptr_t)packet,
		},
	};

	if (argc != 3)
		return 2;
	attr.test.prog_fd = (uint32_t)load(argv[1]);
	attr.test.repeat = (uint32_t)strtoul(argv[2], NULL, 10);
	if ((int)attr.test.prog_fd >= 0 && !bpf(BPF_PROG_TEST_RUN, &attr))
		return 0;
	fprintf(stderr, "run_bpf: %s\n", strerror(errno));
	return 1;
}
