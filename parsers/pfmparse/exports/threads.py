# SPDX-License-Identifier: MIT OR GPL-2.0
"""Split profiles into one part for each event and thread."""

from __future__ import annotations

from ..analysis.labels import several_events
from ..analysis.profile import Profile, Row, Thread
from .interface import ExportError

Part = tuple[int, int]  # indices of an event and of a thread


def by_event_and_thread(profile: Profile) -> list[tuple[Part, list[Row]]]:
    """Returns the rows of each event and thread that have samples.

    Raises ExportError if there are no samples, because viewers do not open a file
    without threads.
    """
    if not profile.rows:
        raise ExportError("not written: no sample is selected")
    found: dict[Part, list[Row]] = {}
    for row in profile.rows:
        found.setdefault((row.event, row.thread), []).append(row)
    return sorted(found.items())


class Titles:
    """The titles of the parts of a complete profile."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._several_hosts = len({one.host for one in profile.threads}) > 1
        self._several_events = several_events(profile)

    def of(self, event: int, thread: int) -> str:
        """Returns the thread's name, after event and host if there are several."""
        known = self._profile.threads[thread]
        name = thread_name(known)
        if self._several_hosts:
            name = f"{known.host}: {name}"
        return (
            f"{self._profile.events[event]}, {name}" if self._several_events else name
        )


def thread_name(thread: Thread) -> str:
    """Returns a thread's name, process and thread ID, as far as they are known."""
    numbers = [str(n) for n in (thread.process, thread.thread) if n is not None]
    return f"{thread.name} {'/'.join(numbers)}".rstrip()
