# SPDX-License-Identifier: MIT OR GPL-2.0
#
# perfmon: everyday commands. `make help` lists them.

SHELL := /bin/bash
include scripts/cross.mk
PYTHON := /usr/bin/python3
BUILD := build
# Number of jobs that run in parallel.
JOBS ?= $(shell nproc)

# The architecture and kernel (ARCH-KERNEL) of each set of modules.
TARGETS := x86_64-6.1 x86_64-6.12 x86_64-6.12-deb13 x86_64-7.3 x86_64-6.12-rt \
	arm64-6.1 arm64-6.12
# Debian's newest kernels; only `make check-newest` builds for them.
NEWEST_TARGETS := x86_64-backports x86_64-sid
# A PREEMPT_RT kernel for which the build of the modules must fail; tests check that.
REFUSED_TARGETS := x86_64-6.1-rt
# The debug kernels (KASAN, lockdep, ...); `make modules` does not build for them.
DEBUG_TARGET := x86_64-debug
DEBUG_TARGETS := $(DEBUG_TARGET) $(DEBUG_TARGET)-rt
KMOD_DIRS := Kbuild VERSION scripts/modules.mk sdk core pmu unwind formats

RUN_PACKAGES := build-essential bc cpio kmod linux-headers-cloud-amd64 \
	qemu-system-x86 busybox-static libpfm4-dev libjson-c-dev libelf-dev \
	libdeflate-dev libdw-dev uuid-dev python3 python3-numpy
CHECK_PACKAGES := $(RUN_PACKAGES) pkgconf python3-pytest python3-pytest-xdist \
	python3-hypothesis \
	python3-pyelftools python3-setuptools python3-wheel \
	python3-capstone libdebuginfod-dev git xz-utils linux-perf valgrind
# Install Debian's nodejs and npm only if npm is missing: a Node.js from another source
# brings its own npm. Debian has one package of BOLT for each version of LLVM; take the
# oldest.
VIEWER_PACKAGES = $(CHECK_PACKAGES) chromium chromium-driver golang-go autofdo \
	$(shell apt-cache pkgnames bolt- | grep -x 'bolt-[0-9]*' | sort -V | head -1) \
	postgresql protobuf-compiler python3-jsonschema python3-psycopg2 \
	$(if $(shell command -v npm),,nodejs npm)
# The kernel headers depend on linux-kbuild, which contains kernel-doc.
DOCS_PACKAGES = python3-sphinx python3-numpy \
	linux-headers-cloud-$(shell dpkg --print-architecture)

.PHONY: help
help:
	@echo 'make run      sample an example program in a VM and print its profile'
	@echo 'make quick    run the checks that concern the files changed since'
	@echo '              SINCE=COMMIT (HEAD)'
	@echo 'make check    build everything and run all tests'
	@echo 'make check-all  run `make check` from scratch and with more repetitions, then'
	@echo '              the slow checks: mutants, beside-perf, check-debug,'
	@echo '              check-damaged, check-viewers, check-host'
	@echo 'make modules  build the kernel modules for $(TARGETS)'
	@echo 'make modules KDIR=/lib/modules/RELEASE/build'
	@echo '              build the modules for one kernel of this machine;'
	@echo '              modules_install KDIR=... installs them'
	@echo 'make install  install libraries, tools, SDK and manual below PREFIX'
	@echo '              (/usr/local); uninstall removes them'
	@echo 'make debs     build Debian packages into build/debs/; for another release:'
	@echo '              RELEASE=trixie'
	@echo 'make docs     build the API reference as HTML in build/docs/html'
	@echo 'make user     build libperfmon, libpfm2x, libpfm22 and pfmon'
	@echo 'make kunit    run the KUnit suites on User Mode Linux'
	@echo 'make sdk      build out-of-tree formats, run their KUnit suites and test them'
	@echo '              in VMs'
	@echo 'make vm       run the tests in VMs'
	@echo 'make mutants  check that tests find the faults in tests/mutants'
	@echo 'make beside-perf  run whole programs under pfmon and under perf and compare'
	@echo '              the results'
	@echo 'make hosts    run `make run` in a root file system of the other Debian release'
	@echo 'make packages install, upgrade and remove the Debian packages on machines of'
	@echo '              two releases'
	@echo 'make parsers, lib, tools, scripts'
	@echo '              run the tests of pfmparse, the libraries, pfmon, the scripts'
	@echo 'make style    run checkpatch, sparse, kernel-doc, Python style and type checks,'
	@echo '              check the API reference, the number of lines of each format,'
	@echo '              and that a test proves each requirement'
	@echo 'make conformance  write the tables of docs/conformance.md'
	@echo 'make pfmon-docs  generate completion and manual from pfmon'"'"'s option table'
	@echo 'make check-debug  run the VM tests and the KUnit suites on debug kernels, with'
	@echo '              failing allocations and leak detection'
	@echo 'make check-host  run `make check` in a root file system of the other Debian'
	@echo '              release'
	@echo 'make check-newest  build and test on the newest kernels of backports and sid'
	@echo 'make check-damaged  run pfmparse on 20,000 damaged captures for each command'
	@echo 'make check-viewers  load exports in their viewers, which need large packages'
	@echo '              (go, node, chromium)'
	@echo 'make bench    measure guest instructions per sample, per PMD read and per'
	@echo '              context against bounds, the parsing rate of pfmparse and perf,'
	@echo '              symbol lookup, and the compilation of unwind tables'
	@echo 'make clean    remove $(BUILD)/'

# Missing packages are installed if make runs as root; otherwise one line shows how to
# install them. The compiler is installed before `build_parts.py --packages` runs: some
# of the names that it prints contain the compiler's version.
.PHONY: deps-run deps-check deps-bench deps-viewers deps-docs
deps-run:
	@scripts/need-packages $(RUN_PACKAGES)
deps-check: deps-run
	@scripts/need-packages $(CHECK_PACKAGES) -- $$(scripts/build_parts.py --packages)
deps-viewers: deps-run
	@scripts/need-packages $(VIEWER_PACKAGES)
deps-docs:
	@scripts/need-packages $(DOCS_PACKAGES)
deps-bench: deps-run
	@scripts/need-packages $(CHECK_PACKAGES) $$(scripts/build_parts.py --packages)

# Parts that cannot be built here are left out: build_parts.py writes a file to
# build/left-out for each. make expands LEFT_OUT in prerequisites while it reads this
# file, before build_parts.py runs. So goals that need LEFT_OUT first run `parts`, and
# then start another make, which sees the files.
PARTS :=
LEFT_OUT = $(notdir $(wildcard $(BUILD)/left-out/*))
.PHONY: parts
parts:
	@scripts/build_parts.py $(PARTS)

# Modules. kbuild writes beside the sources, so each target has a tree of links to them
# and rebuilds only what has changed. BTF would need the kernel's vmlinux, which the
# packages with the kernel headers do not contain.
NO_BTF := CONFIG_DEBUG_INFO_BTF_MODULES= \
	PAHOLE_VERSION='$$(CONFIG_PAHOLE_VERSION)'
arch = $(firstword $(subst -, ,$1))
kernel = --arch $(arch) --kernel $(patsubst $(arch)-%,%,$1)

# Build the modules below directory $3 of the tree $2 for target $1; $4 has more
# variables for kbuild.
define build-modules
	@echo "modules for $2$(3:%=, %)"
	@mkdir -p $(BUILD)/kmod/$2 && rm -f $(BUILD)/kmod/$2/.key
	@scripts/link-tree $(BUILD)/kmod/$2 $(KMOD_DIRS) $3
	+@scripts/kernels.py $(call kernel,$1) make -s \
		M=$(CURDIR)/$(BUILD)/kmod/$2$(3:%=/%) \
		$(NO_BTF) $4 $(KMOD_FLAGS) modules
endef

ALL_TARGETS := $(TARGETS) $(NEWEST_TARGETS) $(REFUSED_TARGETS) $(DEBUG_TARGETS)
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
# test-modules-* also build the examples, modules for tests and benchmarks, and
# pfm-conform's module. If the same sources were built before, the modules come
# from the cache.
$(ALL_TARGETS:%=test-modules-%): test-modules-%:
	@mkdir -p $(BUILD)/kmod/$*
	@scripts/link-tree $(BUILD)/kmod/$* $(KMOD_DIRS) examples tests/Kbuild \
		$(patsubst %/Kbuild,%,$(wildcard tests/*/*/Kbuild))
	@scripts/module_cache.py $(call kernel,$*) $(BUILD)/kmod/$* $(NO_BTF) $(KMOD_FLAGS) \
		"MORE_MODULES=examples/ tests/ sdk/conform/kernel/"
# Build one module with the KUnit suites and all code that they test, including an
# example.
modules-kunit:
	@scripts/link-tree $(BUILD)/kmod/$(DEBUG_TARGET)-kunit examples
	$(call build-modules,$(DEBUG_TARGET),$(DEBUG_TARGET)-kunit,tests/kunit)

.PHONY: user user-arm64 user-i386 pfmon-docs
user:
	@$(MAKE) -s -f scripts/user.mk UARCH=$(HOST_ARCH) user
# Generate pfmon's completion and the options in its manual page.
pfmon-docs:
	@$(MAKE) -s -f scripts/user.mk UARCH=$(HOST_ARCH) $@
user-arm64 user-i386: user-%:
	@$(MAKE) -s -f scripts/user.mk UARCH=$* user

# The API reference, from kernel-doc of the SDK's headers and docstrings of pfmparse.
# Each build starts anew: Sphinx does not repeat warnings about unchanged pages.
KBUILD_TOOLS := /usr/lib/linux-kbuild-*
KERNEL_DOC = $(or $(lastword $(sort $(wildcard $(KBUILD_TOOLS)/scripts/kernel-doc))), \
	$(error there is no $(KBUILD_TOOLS)/scripts/kernel-doc; run make deps-docs))
.PHONY: docs api-docs
docs: deps-docs
	@$(MAKE) -s api-docs
	@echo '$(BUILD)/docs/html/index.html'
api-docs:
	@rm -rf $(BUILD)/docs && mkdir -p $(BUILD)/docs/rst
	@for header in sdk/include/perfmon/*.h; do \
		$(KERNEL_DOC) -rst -Werror -sphinx-version 5.3.0 $$header \
			>$(BUILD)/docs/rst/$${header##*/}.rst || exit; done
	@$(PYTHON) -B -m sphinx -q -W --keep-going -d $(BUILD)/docs/doctrees \
		docs/api $(BUILD)/docs/html

# Programs for the tests in VMs and for the benchmark.
.PHONY: guest-x86_64 guest-arm64
guest-x86_64: user
	@scripts/build_parts.py user-i386
	@test -e $(BUILD)/left-out/user-i386 || $(MAKE) -s user-i386
	@$(MAKE) -s -f tests/guest/guest.mk UARCH=x86_64
guest-arm64: user-arm64
	@$(MAKE) -s -f tests/guest/guest.mk UARCH=arm64
	@$(MAKE) -s -f tests/bench/bench.mk UARCH=arm64

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
	@tests/bench/unwind/run

# Tests. Each goal can be run alone once its parts are built.
PYTEST := $(PYTHON) -m pytest -q -p no:cacheprovider
# Run test files in parallel. The tests of one file run in sequence (loadfile). The
# tests in VMs run in the groups that tests/vm/conftest.py makes (loadgroup).
SIDE_BY_SIDE := $(PYTEST) -n $(JOBS) --dist

# Everything that is built or booted. The root file system (other-host) comes first,
# because modules are built in it, too.
BUILT_PARTS := other-host $(foreach target,$(TARGETS),modules-$(target) vm-$(target)) \
	user-arm64 user-i386 debuggers
.PHONY: build built style conformance kunit sdk scripts parsers lib tools \
	hosts vm packages check
build: PARTS := $(BUILT_PARTS)
build: parts
	@$(MAKE) -s $(if $(findstring -j,$(MAKEFLAGS)),,-j$(JOBS)) built
built: user guest-x86_64 $(if $(filter user-arm64,$(LEFT_OUT)),,guest-arm64)
built: $(patsubst modules-%,test-modules-%,$(filter-out $(LEFT_OUT),$(TARGETS:%=modules-%)))
# Fast checks come first. tests/style/layers reads the object files that the sparse
# check built.
STYLE_PARTS := checkpatch sparse python-style man-pages api-docs
style: user
	@$(PYTEST) tests/style
	@tests/style/conformance
	@tests/style/format_lines
	@scripts/build_parts.py $(STYLE_PARTS)
	@tests/style/run
	@tests/checks/quick.py --advice
	@$(MAKE) -s -f scripts/user.mk UARCH=$(HOST_ARCH) option-docs
	@test -e $(BUILD)/left-out/sparse || { \
		built=$(BUILD)/sparse/kmod/x86_64-$$(scripts/host.py newest) && \
		tests/style/rooms $(BUILD)/$(HOST_ARCH)/obj $$built && \
		tests/style/layers $$built/core; }
conformance:
	@tests/style/conformance --write
kunit:
	@scripts/build_parts.py kunit
	@test -e $(BUILD)/left-out/kunit || tests/kunit/run
# Build and test out-of-tree formats with the installed SDK.
sdk: user
	@scripts/build_parts.py kunit vm-x86_64-$$(scripts/host.py kernel)
	@$(PYTEST) tests/sdk
scripts: user
	@$(PYTEST) tests/scripts tests/checks
parsers:
	@$(SIDE_BY_SIDE) loadfile tests/parsers
lib tools: user
	@$(PYTEST) tests/$@
hosts:
	@scripts/build_parts.py other-host
	@$(PYTEST) tests/hosts
vm: build
	@scripts/build_parts.py secure-boot $(foreach target,$(REFUSED_TARGETS),modules-$(target) vm-$(target))
	@$(SIDE_BY_SIDE) loadgroup tests/vm
# Insert faults into the code, one at a time: a test must find each of them.
.PHONY: mutants
mutants: deps-check
	@$(MAKE) -s guest-x86_64
	@tests/mutants/run
# Compare pfmon with perf as `make vm` does, with longer programs.
.PHONY: beside-perf
beside-perf: deps-check
	@$(MAKE) -s modules-x86_64-6.12 guest-x86_64
	@BESIDE_SCALE=12 $(PYTEST) tests/vm/test_beside_perf.py
packages:
	@scripts/build_parts.py packages-bookworm packages-trixie
	@$(PYTEST) tests/packages

# Phases of `make check`, in their starting order. JOBS of them run in parallel, since
# most phases do not use all CPUs all the time. A failure does not stop the others.
PHASES := build packages kunit vm sdk style hosts scripts parsers tools lib
AFTER_BUILD := $(filter-out build packages kunit,$(PHASES))
.PHONY: $(PHASES:%=phase-%) phases
phases: $(PHASES:%=phase-%)
$(AFTER_BUILD:%=phase-%): phase-build
phase-sdk: phase-kunit
$(PHASES:%=phase-%): phase-%:
	@tests/checks/bill.py run $* make -s $(if $(filter build,$*),,-o build) $* \
		$(MAKEOVERRIDES)

# With REQUIRE_ALL=1 a part that would be left out is a failure.
check: deps-check
	@tests/checks/bill.py start
	@$(MAKE) -s -k -j$(JOBS) phases || failed=1; \
		tests/checks/bill.py show $(PHASES) || failed=1; \
		scripts/build_parts.py --conclude; \
		test -z "$$failed" && echo "all checks passed"

SINCE ?= HEAD
.PHONY: quick
quick: deps-check
	@tests/checks/quick.py --since '$(SINCE)'

# `make check` from scratch, with the tests and repetitions that it usually leaves out;
# then the slower targets.
.PHONY: check-all
check-all: export CHECK_ALL := 1
check-all: deps-check
	@rm -rf $(BUILD)
	@cache=$$(mktemp -d -p $${TMPDIR:-/var/tmp}) && trap 'rm -rf "$$cache"' EXIT && \
		PERFMON_CACHE=$$cache $(MAKE) -s check
	@$(MAKE) -s mutants beside-perf check-debug check-damaged check-viewers check-host

# `make check` on the other Debian release. It needs only one part, other-host, as
# `hosts` does.
.PHONY: check-host
check-host: deps-check
	@scripts/other_host.py --check

# Build and test on Debian's newest kernels (NEWEST_TARGETS).
.PHONY: check-newest
check-newest: deps-check
	@$(MAKE) -s guest-x86_64
	@tests/vm/newest.py

# Number of calls that the random tests make, and the seed of their random numbers.
FUZZ_CALLS ?= 20000
ifndef FUZZ_SEED
FUZZ_SEED := $(shell date +%s)
endif

.PHONY: check-damaged
check-damaged: deps-check
	@FUZZ_SEED=$(FUZZ_SEED) DAMAGED_CASES=20000 $(SIDE_BY_SIDE) load \
		tests/parsers/exports/test_damaged_captures.py \
		tests/parsers/commands/test_damaged_views.py \
		tests/parsers/web/test_damaged_captures.py

.PHONY: check-debug
check-debug: deps-check
	@echo "FUZZ_SEED=$(FUZZ_SEED) FUZZ_CALLS=$(FUZZ_CALLS)"
	@$(MAKE) -s $(DEBUG_TARGETS:%=test-modules-%) modules-kunit guest-x86_64
	@FUZZ_CALLS=$(FUZZ_CALLS) FUZZ_SEED=$(FUZZ_SEED) \
		$(PYTHON) -m pytest -v -p no:cacheprovider tests/debug
	@echo "no fault found with FUZZ_SEED=$(FUZZ_SEED)"

# npm fetches exactly what the lock file names and runs no install scripts.
VIEWERS := $(BUILD)/viewers
$(VIEWERS)/fetched: tests/viewers/package.json tests/viewers/package-lock.json
	@mkdir -p $(VIEWERS) && cp $^ $(VIEWERS)
	@cd $(VIEWERS) && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

.PHONY: check-viewers viewers
check-viewers: deps-viewers
	@$(MAKE) -s viewers
viewers: $(VIEWERS)/fetched
	@$(PYTEST) tests/viewers

.PHONY: clean
clean:
	rm -rf $(BUILD)
