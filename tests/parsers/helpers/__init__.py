# SPDX-License-Identifier: MIT OR GPL-2.0
"""What several tests of the parsers share."""
