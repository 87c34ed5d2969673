# SPDX-License-Identifier: MIT OR GPL-2.0
#
# The compiler for arm64, of the same version as the host's: packages of a version
# collide with no other compiler's.
GCC_VERSION := $(shell gcc -dumpversion 2>/dev/null)
CROSS_GCC := aarch64-linux-gnu-gcc-$(GCC_VERSION)
