# SPDX-License-Identifier: MIT OR GPL-2.0
"""Exports to the formats of other tools, with a module for each format."""
