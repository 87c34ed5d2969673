# SPDX-License-Identifier: MIT OR GPL-2.0
#
# Builds a format or a PMU description outside perfmon's tree. Use it in a Makefile:
#
#   obj-m := pfm_fmt_mine.o
#   include /usr/share/perfmon/format.mk
#
#   make [KDIR=/lib/modules/RELEASE/build]	build for this kernel (the running one)
#   make modules_install, make clean		as in kbuild
#   make kunit [KUNIT='pfm_mine*']		run the suites in *_kunit.c on UML (all)
#
# PERFMON_SYMVERS=FILE is the Module.symvers of perfmon's modules for this kernel.
# Set it only if the file is in neither of the two places where it is looked for
# below.

# kbuild reads the Makefile, too, but needs only obj-m.
ifeq ($(KERNELRELEASE),)

KDIR ?= /lib/modules/$(shell uname -r)/build
perfmon-sdk := $(patsubst %/,%,$(dir $(abspath $(lastword $(MAKEFILE_LIST)))))
# On Debian, include/config/kernel.release has another version number.
perfmon-release := $(shell sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' \
	$(KDIR)/include/generated/utsrelease.h 2>/dev/null)
PERFMON_SYMVERS ?= $(firstword $(wildcard \
	/var/lib/dkms/perfmon/kernel-$(perfmon-release)-*/Module.symvers \
	$(perfmon-sdk)/symvers/$(perfmon-release)/Module.symvers))
perfmon-kbuild = $(MAKE) -C $(KDIR) M=$(CURDIR) CONFIG_DEBUG_INFO_BTF_MODULES= \
	KCFLAGS="$(KCFLAGS) -I$(perfmon-sdk)/include"

# The directory of the scripts, in the installed SDK or in perfmon's tree
perfmon-scripts := $(firstword $(wildcard $(perfmon-sdk)/src/scripts \
	$(perfmon-sdk)/../scripts))

.DEFAULT_GOAL := modules
.PHONY: modules modules_install clean kunit perfmon-headers perfmon-symvers
perfmon-headers:
	@test -n "$(perfmon-release)" || { echo "there are no kernel headers in $(KDIR):" \
		"install linux-headers-RELEASE, or set KDIR=" >&2; exit 1; }
perfmon-symvers: perfmon-headers
	@test -n "$(PERFMON_SYMVERS)" || { echo "perfmon's modules have not been built" \
		"for $(perfmon-release): install perfmon-dkms, or set" \
		"PERFMON_SYMVERS= to the Module.symvers of their build" >&2; exit 1; }
modules: perfmon-symvers
	$(perfmon-kbuild) KBUILD_EXTRA_SYMBOLS=$(abspath $(PERFMON_SYMVERS)) $@ || \
		{ $(perfmon-scripts)/format_hints.py $(CURDIR); exit 1; }
modules_install clean: perfmon-headers
	$(perfmon-kbuild) CONFIG_MODULE_SIG_ALL= $@
kunit:
	@$(perfmon-scripts)/kunit_format.py $(CURDIR) $(if $(KUNIT),-- '$(KUNIT)')

endif
