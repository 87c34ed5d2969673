# SPDX-License-Identifier: MIT OR GPL-2.0
#
# What this machine is, as the project calls it.
HOST_ARCH := $(patsubst i%86,i386,$(patsubst aarch64,arm64,$(shell uname -m)))

# The compiler for arm64, of the same version as the host's: packages of a version
# collide with no other compiler's.
GCC_VERSION := $(shell gcc -dumpversion 2>/dev/null)
CROSS_GCC := aarch64-linux-gnu-gcc-$(GCC_VERSION)
