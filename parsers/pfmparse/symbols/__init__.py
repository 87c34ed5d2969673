# SPDX-License-Identifier: MIT OR GPL-2.0
"""From addresses to functions and source lines."""
