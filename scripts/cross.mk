# SPDX-License-Identifier: MIT OR GPL-2.0
#
# This machine's architecture, as the project calls it.
HOST_ARCH := $(patsubst i%86,i386,$(patsubst aarch64,arm64,$(shell uname -m)))

# The cross compiler for arm64, in the same version as the host's compiler, so that its
# packages do not conflict with packages of other compilers.
GCC_VERSION := $(shell gcc -dumpversion 2>/dev/null)
CROSS_GCC := aarch64-linux-gnu-gcc-$(GCC_VERSION)

# With this option, programs do not contain the path of the checkout.
ANYWHERE := -ffile-prefix-map=$(CURDIR)=.
