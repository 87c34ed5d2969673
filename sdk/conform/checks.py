# SPDX-License-Identifier: MIT OR GPL-2.0
"""The checks of pfm-conform, in the order in which they run."""

from __future__ import annotations

# These checks run in the guest.
GUEST = {
    "load": "the module loads and registers one format",
    "notrace": "the handler cannot be traced, and perf cannot count inside it",
    "records": "the handler records, and writes only to the format's own memory",
    "full": "a full buffer masks monitoring, rejects samples, and can be emptied",
    "levels": "at every fill level, several counters can overflow at once",
    "restart": "at every fill level, restarts while monitoring is active or masked",
    "registers": "overflows with or without CPU registers, in running or other threads",
    "sizes": "buffers of the smallest size and up, each filled to its end",
    "arguments": "hostile arguments are rejected, or work",
    "live": "live fields of the argument change while samples are recorded",
    "forged": "the handler survives overwritten headers and buffers",
    "interrupts": "overflows in hard interrupts",
    "nmis": "overflows in NMIs",
    "exit": "nothing is written after fmt_exit",
    "leaks": "thousands of contexts leak no memory",
    "recording": "pfmon records with the format, several times",
    "unload": "a context pins the module; later it can be unloaded and reloaded",
}
# These checks run on the host. HOST examines the module's file. PARSER runs the parser
# on data of the check "records".
HOST = {"alias": "creating a context loads the module by the format's UUID"}
PARSER = {
    "decoded": "the parser finds what was recorded, sample by sample",
    "layout": "the argument has the same layout in Python as in C",
    "prefixes": "the parser handles each prefix of a buffer",
    "damaged": "the parser handles 10,000 damaged buffers",
}
ALL = {**GUEST, **HOST, **PARSER}
