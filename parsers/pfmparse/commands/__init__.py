# SPDX-License-Identifier: MIT OR GPL-2.0
"""The commands: a module for each, and what they share."""
