# SPDX-License-Identifier: MIT OR GPL-2.0
#
# Build the programs that the tests in tests/lib and tests/tools run on the
# host: one for each C file there, in addition to what scripts/user.mk builds.
# Run this command at the top of the tree:
#
#   make -f tests/programs.mk

.PHONY: programs
programs:

include scripts/user.mk

LIB_TESTS := $(patsubst tests/lib/%.c,$(UOUT)/%,$(wildcard tests/lib/*.c))
TOOL_TESTS := $(patsubst tests/tools/%.c,$(UOUT)/%,$(wildcard tests/tools/*.c))

# Guest programs that the tests also run on the host.
GUEST_TOO := $(UOUT)/tests/family $(UOUT)/tests/made_code

programs: user $(OPTION_DOCS) $(LIB_TESTS) $(TOOL_TESTS) $(GUEST_TOO)

.PHONY: $(GUEST_TOO)
$(GUEST_TOO):
	@$(MAKE) -s -f tests/guest/guest.mk UARCH=$(UARCH) $@

$(UOBJ)/tests/tools/%: UCFLAGS += -Itools/pfmon -Iunwind

$(TOOL_TESTS): $(UOUT)/%: $(UOBJ)/tests/tools/%.o $(PFMON_A) $(LIBPERFMON_A)
	$(UCC) $(CFLAGS) $(ULDFLAGS) $(WRAPPED) -o $@ $^ $(ULIBS)

# This program contains the kernel's code that reads unwind tables.
$(UOUT)/unwind_trials: $(UOBJ)/unwind/unwind_table.o

# In these programs, the test's own functions replace functions of libraries.
$(UOUT)/buffer_saver: WRAPPED := -Wl,--wrap=pfm_restart
$(UOUT)/period_adapter: WRAPPED := -Wl,--wrap=pfm_read_pmds,--wrap=pfm_write_pmds
$(UOUT)/period_adapter: WRAPPED += -Wl,--wrap=pfm_getinfo_evtsets,--wrap=pfm_stop
$(UOUT)/period_adapter: WRAPPED += -Wl,--wrap=pfm_start,--wrap=fdinfo_stats
$(UOUT)/event_reader: WRAPPED := -Wl,--wrap=cpus_online,--wrap=perf_ring_open
$(UOUT)/event_reader: WRAPPED += -Wl,--wrap=perf_ring_close,--wrap=cpu_watch_open
$(UOUT)/event_reader: WRAPPED += -Wl,--wrap=cpu_watch_next,--wrap=perf_ring_add
$(UOUT)/event_reader: WRAPPED += -Wl,--wrap=table_set_add,--wrap=table_set_changed
$(UOUT)/event_reader: WRAPPED += -Wl,--wrap=table_set_looks_up,--wrap=jit_add_dump
$(UOUT)/event_reader: WRAPPED += -Wl,--wrap=jit_ended
$(UOUT)/maps_printer: WRAPPED := -Wl,--wrap=table_set_add,--wrap=table_set_looks_up
$(UOUT)/table_adder: WRAPPED := -Wl,--wrap=open,--wrap=ioctl,--wrap=unwind_compile
$(UOUT)/table_adder: WRAPPED += -Wl,--wrap=clock_ns
$(UOUT)/process_recorder: WRAPPED := -Wl,--wrap=perf_ring_open
$(UOUT)/process_recorder: WRAPPED += -Wl,--wrap=table_set_load,--wrap=jit_look_at
$(UOUT)/process_recorder: WRAPPED += -Wl,--wrap=read_file,--wrap=stat,--wrap=opendir
$(UOUT)/process_recorder: WRAPPED += -Wl,--wrap=process_events_code_changed
$(UOUT)/process_recorder: WRAPPED += -Wl,--wrap=process_events_read
$(UOUT)/trial_runner: WRAPPED := -Wl,--wrap=pfm_create_context,--wrap=poll
$(UOUT)/trial_runner: WRAPPED += -Wl,--wrap=ioctl
$(UOUT)/thread_counter: WRAPPED := -Wl,--wrap=pfm_create_context
$(UOUT)/thread_counter: WRAPPED += -Wl,--wrap=pfm_write_pmcs
$(UOUT)/context_refuser: WRAPPED := -Wl,--wrap=pfm_create_context
$(UOUT)/context_refuser: WRAPPED += -Wl,--wrap=pfm_create_evtsets
$(UOUT)/context_refuser: WRAPPED += -Wl,--wrap=pfm_load_context
$(UOUT)/context_refuser: WRAPPED += -Wl,--wrap=pfm_write_pmcs,--wrap=pfm_write_pmds
$(UOUT)/family_refuser: WRAPPED := -Wl,--wrap=open,--wrap=access,--wrap=ioctl
$(UOUT)/family_refuser: WRAPPED += -Wl,--wrap=mmap,--wrap=cpus_online,--wrap=read
$(UOUT)/stream_reader: WRAPPED := -Wl,--wrap=open,--wrap=ioctl,--wrap=scandir

$(UOUT)/unwind_trials $(UOUT)/unwind_stops: $(UOBJ)/unwind/unwind_table.o

# This program compares chains with the unwinder of elfutils.
$(UOUT)/unwind_stops: ULIBS += -ldw

$(UOUT)/perfmonctl_errors: $(LIBPERFMON_A)
$(UOUT)/perfmon2x_errors: $(LIBPFM2X_A)
$(LIB_TESTS): $(UOUT)/%: $(UOBJ)/tests/lib/%.o
	$(UCC) $(CFLAGS) $(ULDFLAGS) -o $@ $< $(filter %.a,$^)

-include $(wildcard $(UOBJ)/tests/lib/*.d $(UOBJ)/tests/tools/*.d $(UOBJ)/unwind/*.d)
