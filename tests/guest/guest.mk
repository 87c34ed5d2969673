# SPDX-License-Identifier: MIT OR GPL-2.0
#
# Build the programs that test perfmon inside a guest.
#
#   make -f tests/guest/guest.mk UARCH=x86_64|arm64 (at the top of the tree)
#
# The programs go to build/$(UARCH)/tests/. They are linked statically, except for
# those in DYNAMIC. On x86_64 most of them are also built as 32-bit programs, NAME32,
# and the 32-bit versions of pfmon and hotloops are copied there.

include scripts/cross.mk

UARCH ?= x86_64
GOUT := build/$(UARCH)/tests
GOBJ := build/$(UARCH)/obj
LIBPERFMON := build/$(UARCH)/libperfmon.a
LIBPFM2X := build/$(UARCH)/libpfm2x.a
LIBPFM22 := build/$(UARCH)/libpfm22.a
PFMON_A := build/$(UARCH)/obj/tools/pfmon.a
BUILT32 := build/i386

# The NMI tests need x86.
FOLDERS := interface formats stress $(if $(filter x86_64,$(UARCH)),nmi)
# Each file in these folders is a program; compat/ has two programs.
GUEST_TESTS := $(notdir $(basename $(foreach dir,$(FOLDERS),\
	       $(wildcard tests/guest/$(dir)/*.c)))) compat2x compat22
# These are not built for 32 bits: tests that do not depend on the layout of
# data, tests that take long, and tests for the debug kernel only.
GUEST_TESTS32 := $(filter-out block_stops cpu defect delay fmt inherit inherit_smpl \
		 leftovers levels lockdown main member nmi% nomemory perm pmc_config pmu \
		 pmu_perf races raw_time realtime refused release storm stress suspend sysfs \
		 unwind_dev unwind_user,$(GUEST_TESTS))
HARNESS := tests/guest/harness
HARNESS_SHARED := check ctx faults files modules params refusals rig sim slab \
		  smpl users worker

ifeq ($(UARCH),x86_64)
GCC := gcc
DYNAMIC := $(addprefix $(GOUT)/,dynamic2x dynamic22)
GUEST_TOOLS32 := $(GOUT)/pfmon32 $(GOUT)/hotloops32
DYNAMIC32 := $(addprefix $(GOUT)/,dynamic2x32 dynamic2232)
# Leave out the 32-bit programs if scripts/build_parts.py found that this machine
# cannot build them.
ifeq ($(wildcard build/left-out/user-i386),)
GUEST_PROGRAMS32 := $(GUEST_TESTS32:%=$(GOUT)/%32) $(GUEST_TOOLS32) $(DYNAMIC32)
endif
else ifeq ($(UARCH),arm64)
GCC := $(CROSS_GCC)
else
$(error UARCH=$(UARCH) is neither x86_64 nor arm64)
endif

GCFLAGS := -O2 -g -Wall -Wextra -Wno-unused-parameter -Werror -std=gnu11 \
	   $(ANYWHERE) -Isdk/include -I$(HARNESS) -MMD -MP
# Debian installs <asm/> in the directory of the 64-bit architecture.
GCFLAGS32 = $(GCFLAGS) -m32 -idirafter /usr/include/x86_64-linux-gnu
GUEST_PROGRAMS := $(addprefix $(GOUT)/,$(GUEST_TESTS) fuzz family hotframes keep_events \
		  come_and_go gated kill_at made_code map_briefly noticer retire \
		  run_bpf take_counters triggered waits worker write_twice)
SHARED_OBJ := $(HARNESS_SHARED:%=$(GOBJ)/$(HARNESS)/%.o)
TEST_OBJ := $(SHARED_OBJ) $(GOBJ)/$(HARNESS)/check_main.o
FUZZ_OBJ := $(patsubst %.c,$(GOBJ)/%.o,$(wildcard tests/guest/fuzz/*.c))
# These programs use only the 2.x header and library.
COMPAT := $(GOBJ)/tests/guest/compat
TEST2X_OBJ := $(COMPAT)/compat2x.o \
	      $(addprefix $(GOBJ)/$(HARNESS)/,check.o faults.o check_main.o)
TEST2X_OBJ32 := $(TEST2X_OBJ:.o=.32.o)

.PHONY: guest guest-clean
guest: $(GUEST_PROGRAMS) $(DYNAMIC) $(GUEST_PROGRAMS32)

# These programs need frame pointers, because their call chains are found by following
# them.
FRAMES := -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer
$(addprefix $(GOBJ)/tests/guest/,$(foreach name,formats/callers formats/callstack \
	formats/oprofile formats/stacks harness/chains nmi/nmi_callers nmi/nmi_oprofile, \
	$(name).o $(name).32.o)): GCFLAGS += $(FRAMES)
# These programs have no frame pointers. Instead, they compile unwind tables in the same
# way as pfmon.
$(addprefix $(GOBJ)/tests/guest/,interface/unwind_user.o nmi/nmi_replaced.o \
	nmi/nmi_unwind.o): \
	GCFLAGS += -fomit-frame-pointer
$(GOBJ)/tests/guest/interface/unwind_user.o $(GOBJ)/$(HARNESS)/tables.o: \
	GCFLAGS += -Itools/pfmon
$(GOBJ)/tests/guest/nmi/nmi_hostile.o: GCFLAGS += -Iunwind -Itests/kunit
# Additional harness objects of some programs.
harness-obj = $(addprefix $(GOBJ)/$(HARNESS)/,$1)
$(GOUT)/cpu $(GOUT)/suspend: $(call harness-obj,cpus.o)
$(GOUT)/inherit $(GOUT)/inherit_smpl: $(call harness-obj,calls.o)
$(GOUT)/inherit_smpl: $(call harness-obj,cpus.o)
$(addprefix $(GOUT)/,callers callstack stacks unwind_user nmi_callers): \
	$(call harness-obj,chains.o)
$(addprefix $(GOUT)/,unwind_dev unwind_user nmi_unwind nmi_replaced nmi_hostile \
	nomemory storm stress): \
	$(call harness-obj,tables.o) $(PFMON_A)
$(addprefix $(GOUT)/,callers32 callstack32 stacks32): $(call harness-obj,chains.32.o)
$(GOUT)/oprofile $(GOUT)/nmi_oprofile: \
	$(call harness-obj,bridge.o oprofile_stream.o)
$(GOUT)/oprofile32: $(call harness-obj,bridge.32.o oprofile_stream.32.o)
$(GOUT)/member: $(call harness-obj,bridge.o oprofile_stream.o)
$(GOUT)/stress: $(call harness-obj,cpus.o disturb.o kinds.o oprofile_stream.o)
$(GOUT)/storm: $(call harness-obj,cpus.o disturb.o kinds.o)
$(GOUT)/nomemory: $(call harness-obj,failnth.o kinds.o)

.SECONDARY:

$(GOBJ)/%.o: %.c tests/guest/guest.mk
	@mkdir -p $(@D)
	$(GCC) $(GCFLAGS) -c -o $@ $<

$(GOBJ)/%.32.o: %.c tests/guest/guest.mk
	@mkdir -p $(@D)
	$(GCC) $(GCFLAGS32) -c -o $@ $<

$(LIBPERFMON) $(LIBPFM2X) $(LIBPFM22): $(wildcard lib/*.[ch]) \
		sdk/include/perfmon/perfmon.h sdk/include/perfmon/perfmon2x.h
	@$(MAKE) -s -f scripts/user.mk UARCH=$(UARCH) $@

$(PFMON_A): $(wildcard tools/pfmon/*.[ch] tools/pfmon/*/*.[ch] sdk/include/perfmon/*.h)
	@$(MAKE) -s -f scripts/user.mk UARCH=$(UARCH) $@

$(GOUT)/worker: $(GOBJ)/$(HARNESS)/exec_worker.o $(SHARED_OBJ) $(LIBPERFMON)
	@mkdir -p $(@D)
	$(GCC) -static -o $@ $^ -lpthread

$(GOUT)/fuzz: $(FUZZ_OBJ) $(LIBPERFMON)
	@mkdir -p $(@D)
	$(GCC) -static -o $@ $^ -lpthread

$(addprefix $(GOUT)/,come_and_go family gated keep_events kill_at made_code map_briefly \
		noticer retire run_bpf take_counters triggered waits write_twice): $(GOUT)/%: $(GOBJ)/$(HARNESS)/%.o
	@mkdir -p $(@D)
	$(GCC) -static -o $@ $^ -lpthread

# hotframes is hotloops with frame pointers. It is built without optimisation, because
# otherwise leaf functions would have no frame.
$(GOUT)/hotframes: examples/hotloops.c tests/guest/guest.mk
	@mkdir -p $(@D)
	$(GCC) -O0 -g -Wall -Wextra -Werror -std=gnu11 $(ANYWHERE) $(FRAMES) -static -o $@ $<

# Rules for the programs of folder $1.
define programs-of
$(GOUT)/%: $(GOBJ)/tests/guest/$1/%.o $(TEST_OBJ) $(LIBPERFMON)
	@mkdir -p $$(@D)
	$(GCC) -static -o $$@ $$^ -lpthread

$(GOUT)/%32: $(GOBJ)/tests/guest/$1/%.32.o $(TEST_OBJ:.o=.32.o) \
		$(BUILT32)/libperfmon.a
	@mkdir -p $$(@D)
	$(GCC) -m32 -static -o $$@ $$^ -lpthread
endef
$(foreach dir,$(FOLDERS),$(eval $(call programs-of,$(dir))))

$(GOUT)/compat2x: $(TEST2X_OBJ) $(COMPAT)/create2x.o $(LIBPFM2X)
$(GOUT)/compat22: $(TEST2X_OBJ) $(COMPAT)/create22.o $(LIBPFM22)
$(GOUT)/compat2x $(GOUT)/compat22:
	@mkdir -p $(@D)
	$(GCC) -static -o $@ $^

$(GOUT)/compat2x32: $(TEST2X_OBJ32) $(COMPAT)/create2x.32.o \
		$(BUILT32)/libpfm2x.a
$(GOUT)/compat2232: $(TEST2X_OBJ32) $(COMPAT)/create22.32.o \
		$(BUILT32)/libpfm22.a
$(GOUT)/compat2x32 $(GOUT)/compat2232:
	@mkdir -p $(@D)
	$(GCC) -m32 -static -o $@ $^

# The compat programs are linked dynamically to a stand-in for the old library,
# as old programs are linked to the old library. They run with our library in
# LD_PRELOAD. -z now avoids page faults of lazy binding during the measurements.
$(GOUT)/libold2x.so: $(COMPAT)/old2x.o
$(GOUT)/libold2x32.so: GCC += -m32
$(GOUT)/libold2x32.so: $(COMPAT)/old2x.32.o
$(GOUT)/libold2x.so $(GOUT)/libold2x32.so:
	@mkdir -p $(@D)
	$(GCC) -shared -Wl,-soname,$(@F) -o $@ $^

$(GOUT)/dynamic2x: $(TEST2X_OBJ) $(COMPAT)/create2x.o
$(GOUT)/dynamic22: $(TEST2X_OBJ) $(COMPAT)/create22.o
$(GOUT)/dynamic2x $(GOUT)/dynamic22: $(GOUT)/libold2x.so
$(GOUT)/dynamic2x32: $(TEST2X_OBJ32) $(COMPAT)/create2x.32.o
$(GOUT)/dynamic2232: $(TEST2X_OBJ32) $(COMPAT)/create22.32.o
$(GOUT)/dynamic2x32 $(GOUT)/dynamic2232: GCC += -m32
$(GOUT)/dynamic2x32 $(GOUT)/dynamic2232: $(GOUT)/libold2x32.so
$(DYNAMIC) $(DYNAMIC32):
	@mkdir -p $(@D)
	$(GCC) -Wl,-z,now,-rpath,'$$ORIGIN' -o $@ $^

$(GUEST_TOOLS32): $(GOUT)/%32: $(BUILT32)/%
	@mkdir -p $(@D)
	cp $< $@

guest-clean:
	rm -f $(GUEST_PROGRAMS) $(DYNAMIC) $(GUEST_PROGRAMS32)
	rm -rf $(GOBJ)/tests/guest

-include $(wildcard $(GOBJ)/tests/guest/*/*.d)
