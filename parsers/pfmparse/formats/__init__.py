# SPDX-License-Identifier: MIT OR GPL-2.0
"""Decoders of sampling buffers, with a module for each format."""
