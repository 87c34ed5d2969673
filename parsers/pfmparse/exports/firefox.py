# SPDX-License-Identifier: MIT OR GPL-2.0
"""Export to Firefox Profiler's processed format.

If there are several events, a thread is exported once for each event.
"""

from __future__ import annotations

from typing import Mapping, Sequence

from ..analysis.inputs import Input
from ..analysis.labels import label
from ..analysis.profile import Frame, Profile, Profiler, Row, Thread, by_place
from ..analysis.stacks import ROOT
from ..capture.session import Session
from ..formats.roles import Role
from ..layout import KERNEL_START
from ..symbols.location import Detail, Location
from ..text import ESCAPED, json_text
from .interface import Export, Job
from .threads import Titles, by_event_and_thread
from .units import NANOSECONDS, weight_unit
from .unsupported import noted

GECKO_VERSION, VERSION = 27, 48  # of the raw format, and of the processed format
ROWS = 100_000  # roughly the maximum number of samples that a browser can handle
SHORTEST = 10**3  # ns, the shortest step, see _step()
MS = 10**6  # ns
LIBRARY = 1  # type of a resource

USER, KERNEL = 0, 1  # indices of categories
CATEGORIES = (("User", "yellow"), ("Kernel", "orange"))

Table = dict[str, object]


def write(job: Job) -> None:
    """Writes the samples of all inputs."""
    step = max(map(_step, job.inputs))
    profiler = Profiler(job.weight, _frames, step)
    for source in job.inputs:
        profiler.add(source, noted(job, source, {Role.THREAD, Role.TIME}))
    profile = profiler.profile
    first = min((row.moment for row in profile.rows), default=0)
    with job.path.open("w", encoding="utf-8", errors=ESCAPED) as out:
        meta = _meta(job.inputs[0].recording.session, step)
        head = {"meta": meta, "libs": [], "pages": []}
        out.write(json_text(head)[:-1] + ', "threads": [')
        titles = Titles(profile)
        for at, ((event, thread), rows) in enumerate(by_event_and_thread(profile)):
            out.write(",\n" if at else "\n")
            rows.sort(key=lambda row: row.moment)
            tables = _Thread(profile)
            stacks = [tables.stack(row.node) for row in rows]
            unit = weight_unit(job, profile.events[event])
            samples = _samples(stacks, rows, _times(rows, step, first), unit)
            described = _described(profile.threads[thread], titles.of(event, thread))
            one: Table = {**described, "samples": samples, **tables.tables()}
            out.write(json_text(one))
        out.write("\n]}\n")


def _step(source: Input) -> int:
    """Returns the resolution of times in ns. Samples of one step become one row.

    The step is so long that there are at most about ROWS rows. Reads the whole
    recording.
    """
    samples, first, last = 0, (1 << 64) - 1, 0
    for batch in source.ahead():
        if batch.samples.count == 0 or batch.samples.name_of(Role.TIME) is None:
            continue
        samples += batch.samples.count
        times = batch.samples.role(Role.TIME)
        first, last = min(first, int(times.min())), max(last, int(times.max()))
        source.stacks.ids(batch)
    if samples <= ROWS:
        return SHORTEST
    moments = max(1, ROWS // len(source.stacks))
    return max(SHORTEST, -(-(last + 1 - first) // moments))


def _frames(location: Location, address: int) -> Sequence[Frame]:
    """Returns a location's functions.

    The address of a frame only says whether it is in the kernel: it is KERNEL_START in
    the kernel, and None in user space.
    """
    level = KERNEL_START if address >= KERNEL_START else None
    return [
        Frame(f.function, f.object, f.file, f.line, level, f.inlined)
        for f in by_place(location, address)
    ]


class _Thread:
    """The tables of one thread, which are not shared with other threads."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        # IDs of strings, objects, functions, frames and stacks in the tables.
        self._strings: dict[str, int] = {}
        self._objects: dict[str, int] = {}
        self._functions: dict[tuple[str, str, str], int] = {}
        self._frames: dict[int, int] = {}
        self._stacks: dict[int, int] = {}

    def stack(self, node: int) -> int:
        """Returns the ID of a stack; the stacks of its callers have smaller IDs."""
        new = []
        while node != ROOT and node not in self._stacks:
            new.append(node)
            node = self._profile.parents[node]
        for one in reversed(new):
            self._stacks[one] = len(self._stacks)
            self._frame(self._profile.frame_of[one])
        return self._stacks[new[0] if new else node]

    def tables(self) -> Table:
        """Returns all tables except the table of samples."""
        tables: Table = {
            "stackTable": self._stack_table(),
            "frameTable": self._frame_table(),
            "funcTable": self._function_table(),
            "resourceTable": self._resource_table(),
            "nativeSymbols": _table(0, "libIndex", "address", "name", "functionSize"),
            "markers": _table(
                0, "data", "name", "startTime", "endTime", "phase", "category"
            ),
        }
        return tables | {"stringArray": list(self._strings)}

    def _string(self, text: str) -> int:
        return self._strings.setdefault(text, len(self._strings))

    def _frame(self, number: int) -> int:
        """Adds a frame and everything that it refers to; returns its ID."""
        frame = self._profile.frames[number]
        self._objects.setdefault(frame.object, len(self._objects))
        key = _function(frame)
        self._functions.setdefault(key, len(self._functions))
        for text in filter(None, key):
            self._string(text)
        return self._frames.setdefault(number, len(self._frames))

    def _stack_table(self) -> Table:
        parents, frames = self._profile.parents, self._profile.frame_of
        return _columns(
            len(self._stacks),
            prefix=[self._stacks.get(parents[node]) for node in self._stacks],
            frame=[self._frames[frames[node]] for node in self._stacks],
            category=[
                _category(self._profile.frames[frames[node]]) for node in self._stacks
            ],
            subcategory=[0] * len(self._stacks),
        )

    def _frame_table(self) -> Table:
        frames = [self._profile.frames[number] for number in self._frames]
        names = "nativeSymbol", "innerWindowID", "implementation", "column"
        return _table(len(frames), *names) | _columns(
            len(frames),
            address=[-1] * len(frames),
            inlineDepth=[0] * len(frames),
            category=[_category(frame) for frame in frames],
            subcategory=[0] * len(frames),
            func=[self._functions[_function(frame)] for frame in frames],
            line=[frame.line for frame in frames],
        )

    def _function_table(self) -> Table:
        count = len(self._functions)
        return _table(count, "lineNumber", "columnNumber") | _columns(
            count,
            isJS=[False] * count,
            relevantForJS=[False] * count,
            name=[self._string(name) for name, _, _ in self._functions],
            resource=[self._objects[where] for _, where, _ in self._functions],
            fileName=[
                self._string(file) if file else None for _, _, file in self._functions
            ],
        )

    def _resource_table(self) -> Table:
        count = len(self._objects)
        return _table(count, "lib", "host") | _columns(
            count,
            name=[self._string(name) for name in self._objects],
            type=[LIBRARY] * count,
        )


def _columns(length: int, **columns: Sequence[object]) -> Table:
    """Returns a table of columns with ``length`` rows."""
    return {**columns, "length": length}


def _table(length: int, *names: str) -> Table:
    """Returns a table whose columns have only null values."""
    return _columns(length, **{name: [None] * length for name in names})


def _function(frame: Frame) -> tuple[str, str, str]:
    """Returns the name, the object and the file of a frame's function."""
    return label(frame), frame.object, frame.file or ""


def _category(frame: Frame) -> int:
    return USER if frame.address is None else KERNEL


def _samples(
    stacks: Sequence[int], rows: Sequence[Row], times: Sequence[float], unit: str
) -> Table:
    """Returns the table of samples, with one weighted row per stack and step."""
    in_time = unit == NANOSECONDS
    return {
        "stack": stacks,
        "time": times,
        "weight": [row.weight / MS if in_time else row.weight for row in rows],
        "weightType": "tracing-ms" if in_time else "samples",
        "length": len(rows),
    }


def _times(rows: Sequence[Row], step: int, first: int) -> list[float]:
    """Returns each row's time in ms from the first row; 0, 1, 2, ... if unknown."""
    if not any(row.moment for row in rows):
        return list(map(float, range(len(rows))))
    return [(row.moment - first) * step / MS for row in rows]


def _described(thread: Thread, title: str) -> Table:
    """Returns the description of a thread, without its tables."""
    process, number = thread.process or 0, thread.thread or 0
    return {
        "processType": "default",
        "processName": thread.name,
        "processStartupTime": 0,
        "processShutdownTime": None,
        "registerTime": 0,
        "unregisterTime": None,
        "pausedRanges": [],
        "name": title,
        "isMainThread": process == number,
        "pid": str(process),
        "tid": number,
    }


def _meta(session: Session, step: int) -> Mapping[str, object]:
    """Returns the description of the recording."""
    return {
        "version": GECKO_VERSION,
        "preprocessedProfileVersion": VERSION,
        "importedFrom": "pfmparse",
        "product": " ".join(session.command or (session.tool,)),
        "interval": step / MS,
        "startTime": session.start_ns / MS,
        "processType": 0,
        "stackwalk": 1,
        "abi": session.machine.arch,
        "oscpu": f"Linux {session.machine.release}",
        "platform": session.machine.host or "",
        "misc": session.tool,
        "logicalCPUs": session.machine.cpus,
        "categories": [
            {"name": name, "color": color, "subcategories": ["Other"]}
            for name, color in CATEGORIES
        ],
        "markerSchema": [],
        "symbolicated": True,
        "usesOnlyOneStackType": True,
        "doesNotUseFrameImplementation": True,
        "sourceCodeIsNotOnSearchfox": True,
    }


EXPORT = Export("firefox", "Firefox Profiler's JSON", write, Detail.INLINES)
