# SPDX-License-Identifier: MIT OR GPL-2.0
#
# The user-space programs: libperfmon, libpfm2x, libpfm22, pfmon, the example
# workload.
#
#   make -f scripts/user.mk [UARCH=ARCH]	from the top of the tree
#
# The output directory is build/$(UARCH)/. UARCH is this machine's architecture by
# default. On x86_64, it may also be arm64 or i386: the programs are then linked
# statically with libraries that scripts/sysroot.py fetches.

include scripts/cross.mk

UARCH ?= $(HOST_ARCH)
UOUT := build/$(UARCH)
UOBJ := $(UOUT)/obj

ifeq ($(UARCH),$(HOST_ARCH))
UCC := $(if $(filter default,$(origin CC)),gcc,$(CC))
UAR := ar
USHARED := y
else ifeq ($(UARCH),arm64)
UCC := $(CROSS_GCC)
UAR := aarch64-linux-gnu-ar
UTRIPLET := aarch64-linux-gnu
else ifeq ($(UARCH),i386)
UCC := gcc -m32
UAR := ar
UTRIPLET := i386-linux-gnu
USHARED := y
else
$(error UARCH=$(UARCH) cannot be built on $(HOST_ARCH), only $(HOST_ARCH), arm64 and i386)
endif

CFLAGS ?= -O2 -g -Wall -Wextra -Werror -std=gnu11
UCFLAGS = $(CPPFLAGS) $(CFLAGS) $(ANYWHERE) -Isdk/include -MMD -MP
ULDFLAGS = $(LDFLAGS)
ULIBS := -lpfm -ljson-c -ldeflate -lelf -luuid -lm -lpthread

# USYSROOT is expanded at its first use, so that packages are fetched only if something
# is compiled.
ifdef UTRIPLET
USYSROOT = $(eval USYSROOT := $$(shell scripts/sysroot.py $(UARCH)))$(or $(USYSROOT),$(error scripts/sysroot.py failed))
UCFLAGS += -isystem $(USYSROOT)/usr/include \
	-isystem $(USYSROOT)/usr/include/$(UTRIPLET)
ULDFLAGS += -static -L$(USYSROOT)/usr/lib/$(UTRIPLET)
# libelf.a uses zlib.
ULIBS += -lz
endif
ifeq ($(UARCH),i386)
# Debian keeps <asm/> in the directory of the 64-bit architecture. Captures can exceed 2
# GB, so off_t has 64 bits.
UCFLAGS += -idirafter /usr/include/x86_64-linux-gnu -D_FILE_OFFSET_BITS=64
endif

LIBPERFMON_SO := $(UOUT)/libperfmon.so.0
LIBPERFMON_A := $(UOUT)/libperfmon.a
LIBPFM2X_SO := $(UOUT)/libpfm2x.so.0
LIBPFM2X_A := $(UOUT)/libpfm2x.a
LIBPFM22_SO := $(UOUT)/libpfm22.so.0
LIBPFM22_A := $(UOUT)/libpfm22.a
PFMON := $(UOUT)/pfmon
HOTLOOPS := $(UOUT)/hotloops
OPTION_DOCS := $(UOUT)/option_docs

PFMON_SRC := $(wildcard tools/pfmon/*.c tools/pfmon/*/*.c)
# The breakpoints for UARCH, or none.c if pfmon has none for it.
PFMON_SRC += $(firstword $(wildcard tools/pfmon/process/breakpoints/$(UARCH).c) \
	tools/pfmon/process/breakpoints/none.c)
PFMON_OBJ := $(PFMON_SRC:%.c=$(UOBJ)/%.o)
$(PFMON_OBJ): UCFLAGS += -DPFM_PROJECT_VERSION='"$(shell cat VERSION)"'
$(PFMON_OBJ): VERSION
# pfmon uses an unwind table from its cache only if the same code, identified by this
# digest, compiled the table.
TABLES_SRC := $(sort $(wildcard tools/pfmon/unwind/*)) sdk/include/perfmon/perfmon_unwind.h
TABLES := $(UOBJ)/tools/pfmon/stacks/table_cache.o
$(TABLES): UCFLAGS += -DPFM_UNWIND_COMPILER='"$(shell cat $(TABLES_SRC) | sha256sum | cut -c1-16)"'
$(TABLES): $(TABLES_SRC)
# All objects of pfmon except main(), as a library, so that the linker takes only what a
# program uses.
PFMON_A := $(UOBJ)/tools/pfmon.a
LIB_OBJ := $(addprefix $(UOBJ)/lib/,perfmonctl.o ioctl.o setmap.o \
	counter.o)
LIB2X_SHARED := perfmon2x.o mmap2x.o ioctl.o
LIB2X_OBJ := $(addprefix $(UOBJ)/lib/,create2x.o $(LIB2X_SHARED))
LIB22_OBJ := $(addprefix $(UOBJ)/lib/,create22.o $(LIB2X_SHARED))

.PHONY: user user-clean
user: $(LIBPERFMON_A) $(LIBPFM2X_A) $(LIBPFM22_A) $(PFMON) $(HOTLOOPS)
ifdef USHARED
user: $(LIBPERFMON_SO) $(UOUT)/libperfmon.so $(LIBPFM2X_SO) $(LIBPFM22_SO)
endif

# Some files contain text that is generated from pfmon's tables of options and formats,
# between two marks. $(call insert,TEXT) FILE replaces this text.
insert = sed -i -e '/by make pfmon-docs\( -->\)\?$$/,/end of what is made/{//!d}' \
	-e '/by make pfmon-docs\( -->\)\?$$/r $1'
.PHONY: option-docs pfmon-docs
option-docs: $(OPTION_DOCS)
pfmon-docs: $(OPTION_DOCS)
	$< bash > tools/pfmon/pfmon.bash
	$< man > $(UOUT)/options.man
	$(call insert,$(UOUT)/options.man) tools/pfmon/pfmon.1
	$< formats docs/formats/ > $(UOUT)/formats.md
	$(call insert,$(UOUT)/formats.md) README.md
	$< formats "" > $(UOUT)/formats.md
	$(call insert,$(UOUT)/formats.md) docs/formats/README.md

$(LIB_OBJ) $(LIB2X_OBJ) $(LIB22_OBJ): UCFLAGS += -fPIC -fvisibility=hidden -Wpedantic

# Files below tools/pfmon include pfmon's headers by paths relative to tools/pfmon.
$(UOBJ)/tools/%: UCFLAGS += -Itools/pfmon

$(UOBJ)/%.o: %.c scripts/user.mk
	@mkdir -p $(@D)
	$(UCC) $(UCFLAGS) -c -o $@ $<

$(LIBPERFMON_SO): $(LIB_OBJ) lib/libperfmon.map
	$(UCC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(@F) \
		-Wl,--version-script=lib/libperfmon.map -o $@ $(LIB_OBJ)

$(UOUT)/libperfmon.so: $(LIBPERFMON_SO)
	ln -sf $(<F) $@

$(LIBPERFMON_A): $(LIB_OBJ)
	rm -f $@
	$(UAR) rcs $@ $^

$(LIBPFM2X_SO): $(LIB2X_OBJ)
$(LIBPFM22_SO): $(LIB22_OBJ)
$(LIBPFM2X_SO) $(LIBPFM22_SO): lib/libpfm2x.map
	$(UCC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(@F) \
		-Wl,--version-script=lib/libpfm2x.map -o $@ $(filter %.o,$^)

$(LIBPFM2X_A): $(LIB2X_OBJ)
$(LIBPFM22_A): $(LIB22_OBJ)
$(LIBPFM2X_A) $(LIBPFM22_A):
	rm -f $@
	$(UAR) rcs $@ $^

$(PFMON_A): $(filter-out $(UOBJ)/tools/pfmon/main.o,$(PFMON_OBJ))
	rm -f $@
	$(UAR) rcs $@ $^

$(PFMON): $(UOBJ)/tools/pfmon/main.o $(PFMON_A) $(LIBPERFMON_A)
$(OPTION_DOCS): $(UOBJ)/tools/pfmon/options/docs/option_docs.o $(PFMON_A) $(LIBPERFMON_A)
$(PFMON) $(OPTION_DOCS):
	$(UCC) $(CFLAGS) $(ULDFLAGS) -o $@ $^ $(ULIBS)

$(HOTLOOPS): $(UOBJ)/examples/hotloops.o
	$(UCC) $(CFLAGS) $(ULDFLAGS) -o $@ $^

user-clean:
	rm -rf $(UOBJ) $(LIBPERFMON_SO) $(UOUT)/libperfmon.so $(LIBPERFMON_A) \
		$(LIBPFM2X_SO) $(LIBPFM2X_A) $(LIBPFM22_SO) $(LIBPFM22_A) \
		$(PFMON) $(HOTLOOPS) $(OPTION_DOCS)

-include $(PFMON_OBJ:.o=.d) $(sort $(LIB_OBJ:.o=.d) $(LIB2X_OBJ:.o=.d) \
	$(LIB22_OBJ:.o=.d)) $(UOBJ)/examples/hotloops.d \
	$(UOBJ)/tools/pfmon/options/docs/option_docs.d
