# SPDX-License-Identifier: MIT OR GPL-2.0
"""Helpers that several tests of the parsers share."""
