# SPDX-License-Identifier: MIT OR GPL-2.0
#
# Installation, and modules for one kernel of this machine:
#
#   make modules KDIR=/lib/modules/RELEASE/build
#   make modules_install KDIR=... [INSTALL_MOD_PATH=DIR]	modules_uninstall
#   make install [DESTDIR=DIR] [PREFIX=/usr/local] [LIBDIR=DIR] [PYTHONDIR=DIR]
#   make uninstall [DESTDIR=DIR] [PREFIX=/usr/local]
#
# Included by the top Makefile.

PREFIX ?= /usr/local
INSTALL_WHERE := --prefix "$(PREFIX)" $(if $(DESTDIR),--destdir "$(DESTDIR)")
INSTALL_PLACES := $(INSTALL_WHERE) $(if $(LIBDIR),--libdir "$(LIBDIR)") \
	$(if $(PYTHONDIR),--pythondir "$(PYTHONDIR)")

.PHONY: install uninstall
install: user
	@scripts/install.py install --build $(BUILD)/$(HOST_ARCH) $(INSTALL_PLACES)
uninstall:
	@scripts/install.py uninstall $(INSTALL_WHERE)

ifdef KDIR
# The kernel's release. (In Debian's headers, include/config/kernel.release is wrong.)
KDIR_RELEASE := $(shell sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' \
	$(KDIR)/include/generated/utsrelease.h 2>/dev/null)
KDIR_OUT := $(BUILD)/modules/$(KDIR_RELEASE)
KDIR_MODULES := lib/modules/$(KDIR_RELEASE)/updates/perfmon
kdir-kbuild = $(MAKE) -s -C $(KDIR) M=$(CURDIR)/$(KDIR_OUT) \
	$(NO_BTF)
endif

.PHONY: modules-kdir modules_install modules_uninstall kdir-headers kdir-modules
kdir-headers:
	@test -n "$(KDIR)" || { echo "KDIR is not set: use" \
		"KDIR=/lib/modules/$$(uname -r)/build" >&2; exit 1; }
	@test -n "$(KDIR_RELEASE)" || { echo "KDIR=$(KDIR) has no kernel headers:" \
		"install linux-headers-RELEASE" >&2; exit 1; }
modules-kdir: kdir-headers
	@echo "modules for $(KDIR_RELEASE)"
	@mkdir -p $(KDIR_OUT)
	@scripts/link-tree $(KDIR_OUT) $(KMOD_DIRS)
	@$(kdir-kbuild) modules
	@find $(KDIR_OUT) -name '*.ko'
kdir-modules: kdir-headers
	@test -e $(KDIR_OUT)/Module.symvers || { echo "no modules are built for" \
		"$(KDIR_RELEASE): run make modules KDIR=$(KDIR)" >&2; exit 1; }
# Modules are not signed, because only the kernel's builder has the key. depmod(8) is
# called below because kbuild calls it only with System.map, which headers lack.
modules_install: kdir-modules
	@$(kdir-kbuild) CONFIG_MODULE_SIG_ALL= INSTALL_MOD_DIR=updates/perfmon \
		INSTALL_MOD_PATH=$(INSTALL_MOD_PATH) DEPMOD=: modules_install 2>&1 | \
		{ grep -v 'System.map' >&2 || :; }; exit $${PIPESTATUS[0]}
	@PATH=$$PATH:/usr/sbin:/sbin depmod -b "$(INSTALL_MOD_PATH)/" $(KDIR_RELEASE)
	@find "$(INSTALL_MOD_PATH)/$(KDIR_MODULES)" -name '*.ko*'
modules_uninstall: kdir-headers
	rm -r "$(INSTALL_MOD_PATH)/$(KDIR_MODULES)"
	@PATH=$$PATH:/usr/sbin:/sbin depmod -b "$(INSTALL_MOD_PATH)/" $(KDIR_RELEASE)
# Copy the sources that DKMS builds to DESTDIR.
.PHONY: modules-sources
modules-sources:
	mkdir -p "$(DESTDIR)"
	cp -r --parents $(KMOD_DIRS) scripts/keep-symvers "$(DESTDIR)"

# Debian packages, for this release or RELEASE=trixie, in build/debs/. RELEASE is used
# only from the command line: in the environment, it may mean something else.
DEBS_RELEASE := $(if $(filter command,$(origin RELEASE)),$(RELEASE))
DEBS_PACKAGES = $(DOCS_PACKAGES) build-essential debhelper dh-dkms dh-python \
	libdeflate-dev libelf-dev libjson-c-dev libpfm4-dev pybuild-plugin-pyproject python3-all \
	python3-setuptools uuid-dev
.PHONY: deps-debs debs
deps-debs:
	@scripts/need-packages git $(DEBS_PACKAGES) $(if $(LINTIAN),lintian)
debs: $(if $(DEBS_RELEASE),,deps-debs)
	@scripts/debs.py $(if $(DEBS_RELEASE),--release "$(DEBS_RELEASE)") \
		$(if $(LINTIAN),--lintian) $(DEBS_PACKAGES)
