/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* machine.h - the architectures for which unwind tables are compiled */
#ifndef PFMON_UNWIND_MACHINE_H
#define PFMON_UNWIND_MACHINE_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>

/* A machine; registers are numbered as in DWARF. */
struct unwind_machine {
	uint16_t elf_machine;
	uint8_t sp, fp;
	uint8_t ra;		/* arm64: the link register */
	uint8_t rbx;		/* number of rbx, or 0 */
	uint8_t nr_regs;	/* general registers that samples record */
	bool links;		/* calls store the return address in @ra */
};

static const struct unwind_machine UNWIND_MACHINES[] = {
	{ .elf_machine = EM_X86_64, .sp = 7, .fp = 6, .ra = 16,
	  .rbx = 3, .nr_regs = 16 },
	{ .elf_machine = EM_AARCH64, .sp = 31, .fp = 29, .ra = 30,
	  .nr_regs = 32, .links = true },
};

#endif /* PFMON_UNWIND_MACHINE_H */
