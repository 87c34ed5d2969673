# SPDX-License-Identifier: MIT OR GPL-2.0
"""The commands, with one module for each, and the modules that they share."""
