# SPDX-License-Identifier: MIT OR GPL-2.0
"""The commands, one module each, and modules that several commands use."""
