# SPDX-License-Identifier: MIT OR GPL-2.0
"""Record processes, and report errors."""

from __future__ import annotations

import json
import os
import re
import subprocess
import zlib
from pathlib import Path
from typing import Any

import pytest
from chunks import chunks_of
from process_events import events_of

SAMPLING = ("-e", "cpu-clock", "--long-smpl-periods=1000")


@pytest.fixture(name="capture")
def fixture_capture(tmp_path: Path) -> Path:
    return tmp_path / "capture"


def recorded(
    programs: Path,
    capture: Path,
    *options: str,
    then: tuple[str, ...] = (),
    **environment: str,
) -> subprocess.CompletedProcess[str]:
    """Run process_recorder with this process's PID and the words of ``then``."""
    program = programs / "process_recorder"
    return subprocess.run(
        [program, *SAMPLING, *options, "-o", capture, str(os.getpid()), *then],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )


def need_perf() -> None:
    """Skip the test if perf does not report all processes' events to this user."""
    level = Path("/proc/sys/kernel/perf_event_paranoid")
    if not level.exists() or (os.geteuid() and int(level.read_text()) > 0):
        pytest.skip("this user is not allowed to observe all processes with perf")


def documents(capture: Path, kind: bytes) -> list[Any]:
    chunks = chunks_of(capture.read_bytes())
    return [json.loads(chunk.payload) for chunk in chunks if chunk.kind == kind]


@pytest.mark.parametrize(
    ("options", "data"),
    [
        ((), False),
        (("--data-maps",), True),
        (("--smpl-pmds=addr",), True),
        (("--smpl-pmds=latency",), False),
        (("--smpl-module=pebs64",), False),
        (("--smpl-module=pebs64", "--smpl-record=nehalem"), True),
        (("--smpl-module=pebs64", "--smpl-record=base", "--data-maps"), True),
        (("--smpl-module=dear-hist",), True),
        (("--smpl-module=pebs32",), False),
    ],
)
def test_data_addresses_need_data_mappings(
    programs: Path, capture: Path, options: tuple[str, ...], data: bool
) -> None:
    recorded(programs, capture, *options)
    (process,) = documents(capture, b"MAPS")
    assert process["tgid"] == os.getpid()
    assert any("x" not in mapping["prot"] for mapping in process["maps"]) is data


def test_process_is_recorded_with_threads(programs: Path, capture: Path) -> None:
    recorded(programs, capture)
    ((thread, *_),) = (chunk["threads"] for chunk in documents(capture, b"THRD"))
    assert (thread["tid"], thread["tgid"]) == (os.getpid(), os.getpid())
    assert thread["ppid"] == os.getppid()


def test_process_without_generated_code_may_have_jitdumps(
    programs: Path, capture: Path
) -> None:
    """After an exec, only a jitdump shows that the process generated code before."""
    need_perf()
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as cat:
        then = str(cat.pid), "last"
        said = recorded(programs, capture, then=then, LOOKS="1").stdout.split()
        cat.kill()
    assert said[::2] == 3 * ["sampled"]
    assert said[1:5:2] == [str(os.getpid()), str(cat.pid)]


def test_unreadable_clock_is_reported_once(programs: Path, capture: Path) -> None:
    if Path("/dev/perfmon").exists():
        pytest.skip("this machine has perfmon, and perf's clock can be read")
    said = recorded(programs, capture).stderr
    assert said.count("perf's clock cannot be read") == 1
    assert documents(capture, b"CLCK") == [] and documents(capture, b"MAPS")


@pytest.mark.parametrize("count", ["0", "1 notification", "2 notifications"])
def test_dropped_notifications_are_reported(
    programs: Path, capture: Path, count: str
) -> None:
    then = f"dropped={count.split()[0]}"
    said = recorded(programs, capture, then=(then,)).stderr
    line = f"context 7: dropped {count} that pfmon did not read in time; use longer per"
    assert (line in said) == ("dropped" in said) == (count != "0")


def test_snapshot_starts_new_capture(programs: Path, capture: Path) -> None:
    done = recorded(programs, capture, then=("divide", str(os.getpid())))
    first = capture.with_name(f"{capture.name}.1")
    assert done.stdout == f"{first}\n"
    for path, kinds in ((first, {b"MAPS", b"DONE"}), (capture, {b"SESS", b"MAPS"})):
        assert kinds <= {chunk.kind for chunk in chunks_of(path.read_bytes())}
    assert documents(first, b"MAPS")[0] == documents(capture, b"MAPS")[0]


@pytest.mark.parametrize("module", ["nway", "default"])
def test_regions_need_processes_of_last_snapshot(
    programs: Path, capture: Path, module: str
) -> None:
    need_perf()
    options = ("--system-wide", f"--smpl-module={module}")
    then = ("cat", "events", "divide", "divide", "divide")
    cat = recorded(programs, capture, *options, then=then).stdout.split()[0]
    paths = [capture.with_name(f"{capture.name}.{i}") for i in (1, 2, 3)]
    for path in (*paths, capture):
        chunks = chunks_of(path.read_bytes())
        events = [e for c in chunks if c.kind == b"PROC" for e in events_of(c.payload)]
        execs = [event["tgid"] for event in events if event["what"] == "exec"]
        carried = path == paths[0] or module == "nway"
        assert execs.count(int(cat)) == int(carried)
        assert (len(documents(path, b"MAPS")) == 1) is carried


# Modules have these columns: name, size, references, users, state, address.
NONE = "modules="
VETH = "modules=veth 4096 0 - Live 0xffffffffc0100000\n"
IN_USE = "modules=veth 4096 1 tun, Live 0xffffffffc0100000\n"
MOVED = "modules=veth 4096 0 - Live 0xffffffffc0200000\n"


@pytest.mark.parametrize(
    "changed,said",
    [
        ("", []),
        ("1", ["symbols"]),
        # Functions that were generated after the first reading must have names, too.
        ("2", ["locked"]),
        ("12", ["symbols", "locked"]),
    ],
)
def test_snapshot_renews_kernel_symbols_after_changes(
    programs: Path, capture: Path, changed: str, said: list[str]
) -> None:
    need_perf()
    then = (NONE, "begin", "divide", "divide", "end")
    options = ("--system-wide", "-k")
    done = recorded(programs, capture, *options, then=then, CHANGED=changed)
    parts = [capture.with_name(f"{capture.name}.{i}") for i in (1, 2)]
    assert done.stdout.split() == [
        "symbols",
        *(word for part in parts for word in (*said, str(part))),
    ]
    for path in (capture, *parts):
        assert b"KSYM" in {chunk.kind for chunk in chunks_of(path.read_bytes())}


@pytest.mark.parametrize(
    "before,after,changed",
    [
        (NONE, NONE, False),
        (NONE, VETH, True),
        (VETH, NONE, True),
        (VETH, IN_USE, False),
        (VETH, MOVED, True),
        (VETH, f"modules=tun 9 0 - Live 0xffffffffc0300000\n{VETH[8:]}", True),
    ],
)
def test_capture_ends_with_symbols_of_new_modules(
    programs: Path, capture: Path, before: str, after: str, changed: bool
) -> None:
    done = recorded(programs, capture, "-k", then=(before, "begin", after, "end"))
    assert done.stdout == "symbols\n" * (1 + changed)
    kinds = [chunk.kind for chunk in chunks_of(capture.read_bytes())]
    assert kinds.count(b"KSYM") == 1
    assert kinds.count(b"KEND") == changed
    assert not changed or kinds.index(b"KEND") < kinds.index(b"DONE")


@pytest.mark.parametrize("inode,count", [("4", 0), ("5", 1)])
def test_module_that_was_loaded_again_is_noticed(
    programs: Path, capture: Path, inode: str, count: int
) -> None:
    """The new module may have the old one's name, size and address, yet other code."""
    then = (VETH, "inode=4", "begin", f"inode={inode}", "end")
    recorded(programs, capture, "-k", then=then)
    kinds = [chunk.kind for chunk in chunks_of(capture.read_bytes())]
    assert kinds.count(b"KEND") == count


def test_view_needs_no_last_symbols(programs: Path, capture: Path) -> None:
    """pfmon top shows nothing after the session, so it needs no symbols then."""
    then = (NONE, "begin", "watch", VETH, "end")
    assert recorded(programs, capture, "-k", then=then).stdout == "symbols\n"
    assert b"KEND" not in {chunk.kind for chunk in chunks_of(capture.read_bytes())}


def test_hidden_addresses_keep_earlier_symbols(programs: Path, capture: Path) -> None:
    then = (NONE, "begin", VETH, "hide", "divide", "end")
    done = recorded(programs, capture, "-k", then=then)
    problem = "samples in new code of the kernel will have no symbols: /proc/kallsyms"
    assert problem in done.stderr
    for path in (capture, capture.with_name(f"{capture.name}.1")):
        kinds = {chunk.kind for chunk in chunks_of(path.read_bytes())}
        assert b"KSYM" in kinds and b"KEND" not in kinds


def test_snapshot_has_symbols_of_new_modules(programs: Path, capture: Path) -> None:
    then = (NONE, "begin", VETH, "divide", "divide", "end")
    done = recorded(programs, capture, "-k", then=then)
    assert done.stdout.count("symbols\n") == 2
    first, second = (capture.with_name(f"{capture.name}.{i}") for i in (1, 2))
    for path, count in ((first, 1), (second, 0), (capture, 0)):
        kinds = [chunk.kind for chunk in chunks_of(path.read_bytes())]
        assert kinds.count(b"KEND") == count


def test_refused_snapshot_keeps_news_of_modules(programs: Path, capture: Path) -> None:
    capture.with_name(f"{capture.name}.1").mkdir()
    then = (NONE, "begin", VETH, "divide", "end")
    done = recorded(programs, capture, "-k", then=then)
    assert done.stdout == "symbols\nsymbols\nrefused\n"
    kinds = [chunk.kind for chunk in chunks_of(capture.read_bytes())]
    assert kinds.count(b"KEND") == 1


def test_user_sessions_ignore_modules(programs: Path, capture: Path) -> None:
    done = recorded(programs, capture, "-u", then=(NONE, "begin", VETH, "end"))
    assert done.stdout == ""
    assert b"KEND" not in {chunk.kind for chunk in chunks_of(capture.read_bytes())}


def test_snapshot_needs_regular_capture_file(programs: Path) -> None:
    done = recorded(programs, Path("/dev/null"), then=("divide",))
    assert done.stdout == "refused\n"
    assert "cannot take a snapshot: /dev/null is not a regular file" in done.stderr


def test_tables_are_loaded_without_the_lock(programs: Path, capture: Path) -> None:
    done = recorded(programs, capture, then=("new", "events"), LOADS="1")
    assert set(done.stdout.split()) == {"load"}


def test_vdso_is_recorded_once(programs: Path, capture: Path) -> None:
    recorded(programs, capture, then=(str(os.getppid()), "divide", str(os.getpid())))
    for path in (capture, *capture.parent.glob("capture.*")):
        chunks = chunks_of(path.read_bytes())
        (image,) = [zlib.decompress(c.payload) for c in chunks if c.kind == b"VDSO"]
        size = int.from_bytes(image[:4], "little")
        mapped = [m for d in documents(path, b"MAPS") for m in d["maps"]]
        ids = {m["build_id"] for m in mapped if m["path"] == "[vdso]"}
        assert ids == {image[8 : 8 + size].hex()}
        assert image[72:].startswith(b"\x7fELF")
        # The image must equal this process's own vDSO.
        own = re.search(r"(\w+)-\w+ .*\[vdso\]", Path("/proc/self/maps").read_text())
        assert own is not None
        with open("/proc/self/mem", "rb", buffering=0) as memory:
            memory.seek(int(own[1], 16))
            assert memory.read(len(image) - 72) == image[72:]


def test_system_wide_session_records_process_events(
    programs: Path, capture: Path
) -> None:
    need_perf()
    recorded(programs, capture, "--system-wide", then=("divide", "new"))
    first = capture.with_name(f"{capture.name}.1")
    ((done,), (maps, *_)) = (documents(first, kind) for kind in (b"DONE", b"MAPS"))
    assert done["process_events"] == {"error": None, "lost": 0}
    assert maps["tgid"] == os.getpid()
    # pfmon does not read /proc again for the second capture.
    assert documents(capture, b"MAPS") == []


def test_refused_process_events_are_reported(programs: Path, capture: Path) -> None:
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as other:
        recorded(
            programs, capture, "--system-wide", then=("divide", "new"), REFUSED="1"
        )
        other.kill()
    (done,) = documents(capture.with_name(f"{capture.name}.1"), b"DONE")
    assert done["process_events"] == {"error": "Permission denied", "lost": 0}
    # pfmon reads /proc to find processes that started before the second capture.
    assert other.pid in {maps["tgid"] for maps in documents(capture, b"MAPS")}


def test_unlisted_processes_are_reported(programs: Path, capture: Path) -> None:
    environment = {"REFUSED": "1", "UNLISTED": "1"}
    with pytest.raises(subprocess.CalledProcessError) as failure:
        recorded(programs, capture, "--system-wide", then=("new",), **environment)
    assert "cannot read /proc: Too many open files" in failure.value.stderr


def test_session_without_times_has_no_process_events(
    programs: Path, capture: Path
) -> None:
    recorded(programs, capture, "--smpl-ip-only", then=("events", "divide"))
    (done,) = documents(capture.with_name(f"{capture.name}.1"), b"DONE")
    assert "process_events" not in done
    assert done["proc"] == "polled"


@pytest.mark.parametrize("options", [(), ("--follow-fork",)])
def test_process_events_of_a_child_need_following(
    programs: Path, capture: Path, options: tuple[str, ...]
) -> None:
    need_perf()
    done = recorded(programs, capture, *options, then=("cat", "events", "divide"))
    child = int(done.stdout.splitlines()[0])
    first = capture.with_name(f"{capture.name}.1")
    (totals,) = documents(first, b"DONE")
    assert totals["process_events"] == {"error": None, "lost": 0}
    assert "proc" not in totals
    found = [event["what"] for event in events_about(first, child)]
    assert found[:2] == (["fork", "exec"] if options else ["fork"])
    assert ("map" in found) is bool(options)


def events_about(capture: Path, tgid: int) -> list[dict[str, Any]]:
    """Return perf's events of a process."""
    return [
        event
        for chunk in chunks_of(capture.read_bytes())
        for event in (events_of(chunk.payload) if chunk.kind == b"PROC" else ())
        if event["tgid"] == tgid
    ]


def test_process_events_tell_what_a_child_did(programs: Path, capture: Path) -> None:
    need_perf()
    done = recorded(
        programs, capture, "--system-wide", then=("cat", "events", "divide")
    )
    child = int(done.stdout.splitlines()[0])
    first = capture.with_name(f"{capture.name}.1")
    events = events_about(first, child)
    assert [event["what"] for event in events[:2]] == ["fork", "exec"]
    assert events[1]["comm"] == b"cat"
    mapped = [event for event in events[2:] if event["what"] == "map"]
    (program,) = [m for m in mapped if m["path"].endswith(b"/cat")]
    assert program["build_id"] and program["prot"] == 5
    assert any(b"/libc" in m["path"] for m in mapped)
    (vdso,) = [m for m in mapped if m["path"] == b"[vdso]"]
    (maps, *_) = documents(first, b"MAPS")
    (own,) = [m["build_id"] for m in maps["maps"] if m["path"] == "[vdso]"]
    assert vdso["build_id"] == own
