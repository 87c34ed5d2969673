# SPDX-License-Identifier: MIT OR GPL-2.0
"""Exports to the formats of other tools: a module for each, found by its name."""
