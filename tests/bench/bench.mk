# SPDX-License-Identifier: MIT OR GPL-2.0
#
#
# Link the benchmark's programs statically for the guest: make -f
# tests/bench/bench.mk UARCH=arm64

include scripts/cross.mk

UARCH ?= x86_64
UOUT := build/$(UARCH)
UCC := $(if $(filter arm64,$(UARCH)),$(CROSS_GCC),gcc)
CFLAGS ?= -O2 -g -Wall -Wextra -Werror -std=gnu11 -fno-omit-frame-pointer
SHARED := tests/bench/bench.c tests/bench/bpf.c tests/bench/sleepers.c \
	  tests/bench/unwind_set.c
LIBRARIES := $(UOUT)/libperfmon.a $(UOUT)/obj/tools/pfmon.a
PROGRAMS := $(notdir $(basename $(wildcard tests/bench/pfm_*.c)))

.PHONY: bench
bench: $(PROGRAMS:%=$(UOUT)/%)

$(UOUT)/pfm_%: tests/bench/pfm_%.c $(SHARED) $(LIBRARIES) \
		$(wildcard tests/bench/*.h sdk/include/perfmon/*.h)
	$(UCC) $(CFLAGS) $(ANYWHERE) -Isdk/include -Itools/pfmon \
		-static -o $@ $< $(SHARED) $(LIBRARIES)
