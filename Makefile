# SPDX-License-Identifier: MIT OR GPL-2.0
#
# perfmon: everyday commands. `make help` lists them.

SHELL := /bin/bash
PYTHON := /usr/bin/python3
BUILD := build

# ARCH-KERNEL of each set of modules.
TARGETS := x86_64-6.1 x86_64-6.12 arm64-6.1
KMOD_DIRS := Kbuild sdk core pmu formats tests/bench/floor

RUN_PACKAGES := build-essential bc cpio kmod linux-headers-cloud-amd64 \
	qemu-system-x86 busybox-static libpfm4-dev libjson-c-dev libelf-dev \
	libdw-dev uuid-dev zlib1g-dev python3 python3-numpy
CHECK_PACKAGES := $(RUN_PACKAGES) linux-headers-6.12-cloud-amd64 \
	linux-source-6.12 qemu-system-arm gcc-12-aarch64-linux-gnu \
	libc6-dev-arm64-cross gcc-multilib flex bison libssl-dev sparse groff \
	python3-pytest python3-hypothesis python3-pyelftools mypy black flake8 \
	isort

.PHONY: help
help:
	@echo 'make run      sample a real program in a VM and print its profile'
	@echo 'make check    build everything and run all tests'
	@echo 'make modules  the kernel modules, for: $(TARGETS)'
	@echo 'make user     libperfmon and pfmon'
	@echo 'make kunit    the KUnit suites, on UML'
	@echo 'make vm       the tests in VMs'
	@echo 'make style    checkpatch, sparse, kernel-doc, Python style and types'
	@echo 'make bench    guest instructions per recorded sample'
	@echo 'make clean    remove $(BUILD)/'

# Packages: installed for root, otherwise asked for in one line.
.PHONY: deps-run deps-check
deps-run:
	@tools/need-packages $(RUN_PACKAGES)
deps-check:
	@tools/need-packages $(CHECK_PACKAGES)

# Modules. Each target has a tree of links to the sources: kbuild writes beside
# them. What has not changed is not built again.
kdir = $(shell tests/vm/kernels.py --arch $(firstword $(subst -, ,$1)) \
	--kernel $(lastword $(subst -, ,$1)) kdir)
cross = $(if $(filter arm64-%,$1),ARCH=arm64 \
	CROSS_COMPILE=aarch64-linux-gnu- CC=aarch64-linux-gnu-gcc-12)

.PHONY: modules $(TARGETS:%=modules-%)
modules: $(TARGETS:%=modules-%)
$(TARGETS:%=modules-%): modules-%:
	@echo "modules for $*"
	@mkdir -p $(BUILD)/kmod/$*
	@tools/link-tree $(BUILD)/kmod/$* $(KMOD_DIRS)
	@$(MAKE) -s -C $(call kdir,$*) M=$(CURDIR)/$(BUILD)/kmod/$* \
		$(call cross,$*) $(KMOD_FLAGS) modules

.PHONY: user user-arm64
user:
	@$(MAKE) -s -f tools/user.mk UARCH=x86_64 user user-tests
user-arm64:
	@$(MAKE) -s -f tools/user.mk UARCH=arm64 user

.PHONY: run
run: deps-run
	@$(MAKE) -s modules-x86_64-6.1 user
	@$(PYTHON) examples/profile.py
