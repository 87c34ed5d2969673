# SPDX-License-Identifier: MIT OR GPL-2.0
"""Captures in the formats of other tools: a module for each, found by its name."""
