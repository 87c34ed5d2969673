# SPDX-License-Identifier: MIT OR GPL-2.0
"""The capture file (docs/capture.md): a module for each type of chunk."""
