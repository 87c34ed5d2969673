# SPDX-License-Identifier: MIT OR GPL-2.0
"""Resolve addresses to functions and source lines."""
