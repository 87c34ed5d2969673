# SPDX-License-Identifier: MIT OR GPL-2.0
"""The checks: their names, in the order in which they are made, and what they are."""

from __future__ import annotations

# In the guest.
GUEST = {
    "load": "the module loads and registers one format",
    "notrace": "the handler cannot be traced, by perf too, which would count in it",
    "records": "it records, and nothing that it was lent is changed",
    "full": "a buffer that is full is held, takes nothing more, and can be emptied",
    "levels": "every fill level, then several overflows at once",
    "restart": "active and masked restarts at every fill level",
    "registers": "registers that are there, and NULL; threads that run, and others",
    "sizes": "buffers of each size from the smallest on, filled to the last byte",
    "arguments": "hostile arguments are refused, or work",
    "forged": "headers and buffers that somebody has overwritten",
    "interrupts": "overflows in hard interrupts",
    "nmis": "overflows in NMIs",
    "exit": "nothing is written after fmt_exit",
    "leaks": "thousands of contexts leave no memory behind",
    "recording": "pfmon records with it, again and again",
    "unload": "a context holds the module; without one it goes, and comes again",
}
# On the host: the module's file, and the parser on what "records" has recorded.
HOST = {"alias": "creating a context loads the module by the format's UUID"}
PARSER = {
    "decoded": "the parser finds what was recorded, sample by sample",
    "layout": "the argument is in Python as it is in C",
    "prefixes": "each beginning of a buffer does the parser no harm",
    "damaged": "10,000 damaged buffers do the parser no harm",
}
ALL = {**GUEST, **HOST, **PARSER}
