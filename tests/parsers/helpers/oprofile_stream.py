# SPDX-License-Identifier: MIT OR GPL-2.0
"""Build a stream of the OProfile format, and decode it with a reference decoder."""

from __future__ import annotations

from typing import Any, Sequence

from helpers.writers import UUID_OPROFILE, Json, session

NOBODY = (1 << 32) - 1
NAMES = ["offset", "event", "cpu", "pid", "tgid", "app_cookie", "cookie", "kernel"]

Step = tuple[Any, ...]


def with_callers(samples: Sequence[Json]) -> list[Json]:
    """Return samples from a chunk without traces, with empty lists of callers added."""
    return [{"callers": [], "caller_cookies": [], **sample} for sample in samples]


def without_callers(samples: Sequence[Json]) -> list[Json]:
    """Return samples without empty lists of callers."""
    return [
        {name: value for name, value in sample.items() if value != []}
        for sample in samples
    ]


STREAM: list[Step] = [
    ("cpu", 1),
    ("ctx", 101, 7),
    ("tgid", 100),
    ("cookie", 5),
    ("at", 0x1000, 1),
    ("at", 0x1008, 2),
    ("kernel",),
    ("at", 0xFFFFFFFF81000010, 1),
    ("user",),
    ("cookie", 6),
    ("at", 0x2000, 1),
    ("cpu", 0),
    ("ctx", 201, 8),
    ("tgid", 200),
    ("cookie", 0),
    ("at", 0x7F0000001000, 1),
]


def sess(arch: str = "x86_64") -> Json:
    """Return the JSON of a session of this format, which has no argument."""
    described = session(uuid=UUID_OPROFILE)
    described["machine"]["arch"] = arch
    described["format"]["arg"] = ""
    return described


def expected(steps: Sequence[Step], bits: int = 64) -> list[Json]:
    """Decode a stream step by step; return the samples.

    A trace without an end is omitted.
    """
    top = (1 << bits) - 1
    now = dict(zip(NAMES[2:], [NOBODY, NOBODY, NOBODY, top, top, 0]))
    found: list[Json] = []
    trace, whole = 0, 0
    for name, *numbers in steps:
        if name == "at":
            if trace == 2:
                found[-1]["callers"].append(numbers[0])
                found[-1]["caller_cookies"].append(
                    0 if now["kernel"] else now["cookie"]
                )
            else:
                sample: Json = {**dict(zip(NAMES, numbers)), **now, "pmds": {}}
                found += with_callers([sample])
            trace = 2 if trace else 0
        elif name == "ctx":
            now["pid"], now["app_cookie"] = numbers[0] & NOBODY, numbers[1]
        elif name in ("cpu", "tgid"):
            now[name] = numbers[0] & NOBODY
        elif name == "cookie":
            now[name] = numbers[0]
        elif name in ("kernel", "user"):
            now["kernel"] = int(name == "kernel")
        elif name in ("trace", "end"):
            trace, whole = int(name == "trace"), len(found)
    return found[:whole] if trace else found
