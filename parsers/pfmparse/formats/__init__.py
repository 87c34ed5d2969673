# SPDX-License-Identifier: MIT OR GPL-2.0
"""Decoders of sampling buffers: a module for each format."""
