# SPDX-License-Identifier: MIT OR GPL-2.0
"""Selection, grouping and sums of samples, which views and exports share.

A view opens its captures as inputs, selects samples, maps the values of its keys to
dense numbers, and sums by number. Names are looked up once for each number.
"""
