# SPDX-License-Identifier: GPL-2.0
# Flags of all modules; included by each Kbuild that a build starts in. The place
# of the tree's top in $(perfmon).
#
# -Wextra, less what the kernel's own headers set off.
subdir-ccflags-y := -I$(perfmon)/sdk/include -Wextra -Wno-unused-parameter \
		    -Wno-missing-field-initializers -Wno-sign-compare \
		    -Wno-type-limits -Wno-shift-negative-value \
		    -DPFM_PROJECT_VERSION='"$(shell cat $(perfmon)/VERSION)"'
