# SPDX-License-Identifier: MIT OR GPL-2.0
"""Resolves addresses to functions and source lines."""
