# SPDX-License-Identifier: GPL-2.0
# Flags of all modules, included by each Kbuild in which a build starts. $(perfmon) is
# the top of the tree.
#
# -Wextra, without the warnings that the kernel's own headers cause.
subdir-ccflags-y := -I$(perfmon)/sdk/include -Wextra -Wno-unused-parameter \
		    -Wno-missing-field-initializers -Wno-sign-compare \
		    -Wno-type-limits -Wno-shift-negative-value \
		    -DPFM_PROJECT_VERSION='"$(shell cat $(perfmon)/VERSION)"'
