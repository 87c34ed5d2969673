# SPDX-License-Identifier: MIT OR GPL-2.0
#
# perfmon: everyday commands. `make help` lists them.

SHELL := /bin/bash
include scripts/cross.mk
PYTHON := /usr/bin/python3
BUILD := build
# What may run at the same time.
JOBS ?= $(shell nproc)

# ARCH-KERNEL of each set of modules.
TARGETS := x86_64-6.1 x86_64-6.12 x86_64-6.12-deb13 x86_64-7.3 \
	arm64-6.1 arm64-6.12
# Whatever Debian offers today; only `make check-newest` builds for them.
NEWEST_TARGETS := x86_64-backports x86_64-sid
# A kernel that they cannot be built for, which the tests see.
REFUSED_TARGETS := x86_64-6.12-rt
# The kernel that looks for faults; its modules are no part of `make modules`.
DEBUG_TARGET := x86_64-debug
KMOD_DIRS := Kbuild VERSION scripts/modules.mk sdk core pmu formats

RUN_PACKAGES := build-essential bc cpio kmod linux-headers-cloud-amd64 \
	qemu-system-x86 busybox-static libpfm4-dev libjson-c-dev libelf-dev \
	libdw-dev uuid-dev zlib1g-dev python3 python3-numpy
CHECK_PACKAGES := $(RUN_PACKAGES) pkgconf python3-pytest python3-pytest-xdist \
	python3-hypothesis \
	python3-pyelftools python3-setuptools python3-wheel \
	python3-capstone libdebuginfod-dev git xz-utils linux-perf valgrind
BENCH_PACKAGES := $(CHECK_PACKAGES) libdeflate0
# npm comes with node where that is not Debian's.
VIEWER_PACKAGES := $(CHECK_PACKAGES) chromium chromium-driver golang-go \
	postgresql python3-jsonschema python3-psycopg2 \
	$(if $(shell command -v npm),,nodejs npm)

.PHONY: help
help:
	@echo 'make run      sample a real program in a VM and print its profile'
	@echo 'make quick    what belongs to the files that have changed; SINCE=COMMIT'
	@echo 'make check    build everything and run all tests'
	@echo 'make check-all  the same without caches, with all repetitions, and the slow ones'
	@echo 'make modules  the kernel modules, for: $(TARGETS)'
	@echo 'make modules KDIR=/lib/modules/RELEASE/build'
	@echo '              the same for one kernel of this machine; modules_install KDIR='
	@echo 'make install  libraries, tools, SDK, manual below PREFIX (/usr/local); uninstall'
	@echo 'make debs     Debian packages in build/debs/; of another release: RELEASE=trixie'
	@echo 'make user     libperfmon, libpfm2x, libpfm22 and pfmon'
	@echo 'make kunit    the KUnit suites, on UML'
	@echo 'make sdk      formats outside the tree: their suites and VMs'
	@echo 'make vm       the tests in VMs'
	@echo 'make beside-perf  whole programs under pfmon and under perf, which must agree'
	@echo 'make hosts    make run on the other release of Debian, in a root of it'
	@echo 'make packages the life of the Debian packages on machines of two releases'
	@echo 'make parsers, lib, tools, scripts'
	@echo '              the tests of pfmparse, the libraries, pfmon, fetched packages'
	@echo 'make style    checkpatch, sparse, kernel-doc, Python style and types,'
	@echo '              length of the formats, proofs of the demands'
	@echo 'make conformance  write these proofs and the page, from tags of tests'
	@echo 'make pfmon-docs  write what is made of the table of pfmon'"'"'s options'
	@echo 'make check-debug  the tests in VMs and the KUnit suites on a kernel that looks'
	@echo '              for faults; failing allocations; leaks'
	@echo 'make check-host  make check on the other release of Debian, in a root of it'
	@echo 'make check-newest  build for the newest kernels of backports and sid, and test'
	@echo '              there'
	@echo 'make check-viewers  exports in the tools that they are for, where those are large:'
	@echo '              go, node, chromium; 20,000 damaged captures for each command'
	@echo 'make bench    guest instructions per sample, per read of a PMD, per context, with'
	@echo '              bounds; samples a second that the parsers and perf read; symbols'
	@echo 'make clean    remove $(BUILD)/'

# Packages: installed for root, otherwise asked for in one line. Those that only a
# part of the tests needs depend on the release's compiler, which comes first.
.PHONY: deps-run deps-check deps-bench deps-viewers
deps-run:
	@scripts/need-packages $(RUN_PACKAGES)
deps-check: deps-run
	@scripts/need-packages $(CHECK_PACKAGES) -- $$(scripts/parts.py --packages)
deps-viewers: deps-run
	@scripts/need-packages $(VIEWER_PACKAGES)
deps-bench: deps-run
	@scripts/need-packages $(BENCH_PACKAGES) $$(scripts/parts.py --packages)

# What cannot be built here is left out: a file for each part. Read when a recipe
# starts, so by a make of its own after `parts`.
PARTS :=
LEFT_OUT = $(notdir $(wildcard $(BUILD)/left-out/*))
.PHONY: parts
parts:
	@scripts/parts.py $(PARTS)

# Modules. Each target has a tree of links to the sources: kbuild writes beside
# them. What has not changed is not built again. BTF would need the kernel's
# vmlinux, which no package has.
NO_BTF := CONFIG_DEBUG_INFO_BTF_MODULES= \
	PAHOLE_VERSION='$$(CONFIG_PAHOLE_VERSION)'
arch = $(firstword $(subst -, ,$1))
kernel = --arch $(arch) --kernel $(patsubst $(arch)-%,%,$1)

# Build the modules below directory $3 of the tree $2 for target $1; $4 are more
# variables for kbuild.
define build-modules
	@echo "modules for $2$(3:%=, %)"
	@mkdir -p $(BUILD)/kmod/$2 && rm -f $(BUILD)/kmod/$2/.key
	@scripts/link-tree $(BUILD)/kmod/$2 $(KMOD_DIRS) $3
	+@scripts/kernels.py $(call kernel,$1) make -s \
		M=$(CURDIR)/$(BUILD)/kmod/$2$(3:%=/%) \
		$(NO_BTF) $4 $(KMOD_FLAGS) modules
endef

ALL_TARGETS := $(TARGETS) $(NEWEST_TARGETS) $(REFUSED_TARGETS) $(DEBUG_TARGET)
.PHONY: modules modules-all built-modules modules-kunit \
	$(ALL_TARGETS:%=modules-%) $(ALL_TARGETS:%=test-modules-%)
modules: $(if $(KDIR),modules-kdir,modules-all)
include scripts/install.mk
modules-all: PARTS := $(TARGETS:%=modules-%)
modules-all: parts
	@$(MAKE) -s built-modules
built-modules: $(filter-out $(LEFT_OUT),$(TARGETS:%=modules-%))
$(ALL_TARGETS:%=modules-%): modules-%:
	$(call build-modules,$*,$*)
# Besides, the examples, what only tests and benchmarks load, and pfm-conform's module.
# The cache has what was built of the same sources.
$(ALL_TARGETS:%=test-modules-%): test-modules-%:
	@mkdir -p $(BUILD)/kmod/$*
	@scripts/link-tree $(BUILD)/kmod/$* $(KMOD_DIRS) examples tests/Kbuild \
		$(patsubst %/Kbuild,%,$(wildcard tests/*/*/Kbuild))
	@scripts/module_cache.py $(call kernel,$*) $(BUILD)/kmod/$* $(NO_BTF) $(KMOD_FLAGS) \
		"MORE_MODULES=examples/ tests/ sdk/conform/kernel/"
# The suites with what they test, an example too, as one module.
modules-kunit:
	@scripts/link-tree $(BUILD)/kmod/$(DEBUG_TARGET)-kunit examples
	$(call build-modules,$(DEBUG_TARGET),$(DEBUG_TARGET)-kunit,tests/kunit)

.PHONY: user user-arm64 user-i386 pfmon-docs
user:
	@$(MAKE) -s -f scripts/user.mk UARCH=$(HOST_ARCH) user
# pfmon's completion, and the options in its manual page.
pfmon-docs:
	@$(MAKE) -s -f scripts/user.mk UARCH=$(HOST_ARCH) $@
user-arm64 user-i386: user-%:
	@$(MAKE) -s -f scripts/user.mk UARCH=$* user
# Programs of the tests in VMs, and of the benchmark.
.PHONY: guest-x86_64 guest-arm64
guest-x86_64: user
	@scripts/parts.py user-i386
	@test -e $(BUILD)/left-out/user-i386 || $(MAKE) -s user-i386
	@$(MAKE) -s -f tests/guest/guest.mk UARCH=x86_64
guest-arm64: user-arm64
	@$(MAKE) -s -f tests/guest/guest.mk UARCH=arm64

.PHONY: run
run: deps-run
	@kernel=$$(scripts/host.py kernel) && \
		$(MAKE) -s modules-x86_64-$$kernel user && \
		$(PYTHON) examples/profile.py --kernel $$kernel

.PHONY: bench
bench: deps-bench
	@$(MAKE) -s test-modules-x86_64-6.1 test-modules-arm64-6.1 \
		modules-x86_64-6.12 user user-arm64
	@$(MAKE) -s -f tests/bench/bench.mk UARCH=x86_64
	@$(MAKE) -s -f tests/bench/bench.mk UARCH=arm64
	@tests/bench/run
	@tests/bench/reading/run
	@tests/bench/symbols/run

# Tests. Each can be run by itself once its parts are built.
PYTEST := $(PYTHON) -m pytest -q -p no:cacheprovider
# Several at a time. One after the other (loadfile, loadgroup): what is in one file; in
# VMs, what tests/vm/conftest.py says.
SIDE_BY_SIDE := $(PYTEST) -n $(JOBS) --dist

# What is built, or boots what is built. First a root that serves modules, too.
BUILT_PARTS := other-host $(foreach target,$(TARGETS),modules-$(target) vm-$(target)) \
	user-arm64 user-i386
.PHONY: build built style conformance kunit sdk scripts parsers lib tools \
	hosts vm packages check
build: PARTS := $(BUILT_PARTS)
build: parts
	@$(MAKE) -s $(if $(findstring -j,$(MAKEFLAGS)),,-j$(JOBS)) built
built: user guest-x86_64 $(if $(filter user-arm64,$(LEFT_OUT)),,guest-arm64)
built: $(patsubst modules-%,test-modules-%,$(filter-out $(LEFT_OUT),$(TARGETS:%=modules-%)))
# What takes seconds comes first; the floors are read from what sparse has built.
STYLE_PARTS := checkpatch sparse python-style man-pages
style:
	@$(PYTEST) tests/style
	@tests/style/conformance
	@tests/style/format_lines
	@scripts/parts.py $(STYLE_PARTS)
	@tests/style/run
	@tests/checks/quick.py --advice
	@test -e $(BUILD)/left-out/sparse || \
		tests/style/layers $(BUILD)/sparse/kmod/x86_64-$$(scripts/host.py newest)/core
conformance:
	@tests/style/conformance --write
kunit:
	@scripts/parts.py kunit
	@test -e $(BUILD)/left-out/kunit || tests/kunit/run
# Formats outside the tree, with the installed SDK.
sdk: user
	@scripts/parts.py kunit vm-x86_64-$$(scripts/host.py kernel)
	@$(PYTEST) tests/sdk
scripts: user
	@$(PYTEST) tests/scripts tests/checks
parsers:
	@$(SIDE_BY_SIDE) loadfile tests/parsers
lib tools: user
	@$(PYTEST) tests/$@
hosts:
	@scripts/parts.py other-host
	@$(PYTEST) tests/hosts
vm: build
	@scripts/parts.py secure-boot $(foreach target,$(REFUSED_TARGETS),modules-$(target) vm-$(target))
	@$(SIDE_BY_SIDE) loadgroup tests/vm
# What `make vm` compares in short programs, in longer ones.
.PHONY: beside-perf
beside-perf: deps-check
	@$(MAKE) -s modules-x86_64-6.12 guest-x86_64
	@BESIDE_SCALE=12 $(PYTEST) tests/vm/test_beside_perf.py
packages:
	@scripts/parts.py packages-bookworm packages-trixie
	@$(PYTEST) tests/packages

# Phases of `make check`, in the order in which they begin: JOBS at a time, since hardly
# one uses all CPUs from its start to its end. One that fails does not stop the others.
PHASES := build packages kunit vm sdk style hosts scripts parsers tools lib
AFTER_BUILD := $(filter-out build packages kunit,$(PHASES))
.PHONY: $(PHASES:%=phase-%) phases
phases: $(PHASES:%=phase-%)
$(AFTER_BUILD:%=phase-%): phase-build
phase-sdk: phase-kunit
$(PHASES:%=phase-%): phase-%:
	@tests/checks/bill.py run $* make -s $(if $(filter build,$*),,-o build) $* \
		$(MAKEOVERRIDES)

# With REQUIRE_ALL=1 it fails where something would be left out.
check: deps-check
	@tests/checks/bill.py start
	@$(MAKE) -s -k -j$(JOBS) phases || failed=1; \
		tests/checks/bill.py show $(PHASES) || failed=1; \
		scripts/parts.py --conclude; \
		test -z "$$failed" && echo "all checks passed"

SINCE ?= HEAD
.PHONY: quick
quick: deps-check
	@tests/checks/quick.py --since '$(SINCE)'

# All repetitions, and nothing of earlier runs.
.PHONY: check-all
check-all: export CHECK_ALL := 1
check-all: deps-check
	@rm -rf $(BUILD)
	@cache=$$(mktemp -d -p $${TMPDIR:-/var/tmp}) && trap 'rm -rf "$$cache"' EXIT && \
		PERFMON_CACHE=$$cache $(MAKE) -s check
	@$(MAKE) -s beside-perf check-debug check-viewers check-host

# All of it on the other release. What it needs is there: see `hosts`.
.PHONY: check-host
check-host: deps-check
	@scripts/other_host.py --check

# Kernels that are newer than those above, or may be.
.PHONY: check-newest
check-newest: deps-check
	@$(MAKE) -s guest-x86_64
	@tests/vm/newest.py

# Calls that the random ones make, and the start of their series.
FUZZ_CALLS ?= 20000
ifndef FUZZ_SEED
FUZZ_SEED := $(shell date +%s)
endif

.PHONY: check-debug
check-debug: deps-check
	@echo "FUZZ_SEED=$(FUZZ_SEED) FUZZ_CALLS=$(FUZZ_CALLS)"
	@$(MAKE) -s test-modules-$(DEBUG_TARGET) modules-kunit guest-x86_64
	@FUZZ_CALLS=$(FUZZ_CALLS) FUZZ_SEED=$(FUZZ_SEED) \
		$(PYTHON) -m pytest -v -p no:cacheprovider tests/debug
	@echo "nothing found with FUZZ_SEED=$(FUZZ_SEED)"

# What npm fetches is what the lock names; nothing of it runs when it is installed.
VIEWERS := $(BUILD)/viewers
$(VIEWERS)/fetched: tests/viewers/package.json tests/viewers/package-lock.json
	@mkdir -p $(VIEWERS) && cp $^ $(VIEWERS)
	@cd $(VIEWERS) && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

.PHONY: check-viewers viewers
check-viewers: deps-viewers
	@$(MAKE) -s viewers
	@DAMAGED_CASES=20000 $(SIDE_BY_SIDE) load tests/parsers/exports/test_damaged_captures.py \
		tests/parsers/commands/test_damaged_views.py
viewers: $(VIEWERS)/fetched
	@$(PYTEST) tests/viewers

.PHONY: clean
clean:
	rm -rf $(BUILD)
