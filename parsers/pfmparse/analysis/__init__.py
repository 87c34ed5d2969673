# SPDX-License-Identifier: MIT OR GPL-2.0
"""What views and exports share: samples of captures as dense numbers of things.

A view opens its captures as inputs, selects samples, numbers what it groups them
by, and sums by these numbers; names are looked up once for each number.
"""
