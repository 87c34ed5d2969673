# SPDX-License-Identifier: MIT OR GPL-2.0
"""The web page of ``pfmparse serve``: sums of samples, JSON, and the server.

``session`` reads captures into ``cells``: sums by stack, event, thread and step of
time. ``choice`` selects cells. ``graph``, ``table`` and ``steps`` describe the selected
cells for a view. ``api`` answers requests in JSON, and ``server`` serves these answers
and the files in static/.
"""
