# SPDX-License-Identifier: MIT OR GPL-2.0
"""Selection, grouping and sums of samples, which views and exports share.

A view opens its captures as inputs and selects samples. It maps the values of its keys
to dense IDs (0, 1, 2, ...) and sums by ID. Names are looked up once for each ID.
"""
