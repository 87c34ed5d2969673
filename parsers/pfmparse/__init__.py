# SPDX-License-Identifier: MIT OR GPL-2.0
"""Parsers for perfmon captures and sampling buffers (docs/parsers.md)."""
