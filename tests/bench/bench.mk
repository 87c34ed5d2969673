# SPDX-License-Identifier: MIT OR GPL-2.0
#
# The benchmark's programs, static, for the guest: make -f tests/bench/bench.mk
# UARCH=arm64

UARCH ?= x86_64
UOUT := build/$(UARCH)
UCC := $(if $(filter arm64,$(UARCH)),aarch64-linux-gnu-gcc-12,gcc)
CFLAGS ?= -O2 -g -Wall -Wextra -Werror -std=gnu11

.PHONY: bench
bench: $(UOUT)/pfm_bench $(UOUT)/pfm_reads

$(UOUT)/pfm_%: tests/bench/pfm_%.c $(UOUT)/libperfmon.a \
		$(wildcard sdk/include/perfmon/*.h)
	$(UCC) $(CFLAGS) -Isdk/include -static -o $@ $< $(UOUT)/libperfmon.a
