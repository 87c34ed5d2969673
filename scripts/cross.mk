# SPDX-License-Identifier: MIT OR GPL-2.0
#
# This machine's architecture, as the project calls it.
HOST_ARCH := $(patsubst i%86,i386,$(patsubst aarch64,arm64,$(shell uname -m)))

# The cross compiler for arm64. With the version of the host's compiler, its packages do
# not conflict with those of other compilers.
GCC_VERSION := $(shell gcc -dumpversion 2>/dev/null)
CROSS_GCC := aarch64-linux-gnu-gcc-$(GCC_VERSION)
