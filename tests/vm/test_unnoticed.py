# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check that programs do not notice pfmon: run each of them alone and under pfmon.

Each program prints, or depends on, something that a tool could change in its process.
It must print the same output and exit with the same status in both cases.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import build_parts
import pytest
from boot import Boot, Target, python_files

TARGET = Target("x86_64", "6.12")
COUNTS = "/tmp/counts"
SAMPLES = "/tmp/samples"
SAMPLE = f"pfmon -o {SAMPLES}"
TOOLS = {
    "pfmon": f"pfmon -e page-faults -o {COUNTS}",
    "again": f"pfmon --repeat=1 --session-timeout=100 -e page-faults -o {COUNTS}",
    "first": f"pfmon --no-inherit -e page-faults -o {COUNTS}",
    "first-samples": f"{SAMPLE} --no-inherit -e page-faults --long-smpl-periods=1",
    "samples": f"{SAMPLE} -e page-faults --long-smpl-periods=1",
    "calls": f"{SAMPLE} -g -e page-faults --long-smpl-periods=1",
    "off-cpu": f"{SAMPLE} --off-cpu",
    "wall-clock": f"{SAMPLE} --wall-clock",
}
DEBUGGERS = ("strace", "gdb")
STATUS = "/proc/self/status"
# Allow users to count their own processes.
PREPARE = """\
echo 1 >/proc/sys/kernel/perf_event_paranoid
echo 0 >/proc/sys/kernel/randomize_va_space
for name in setuid setgid unread; do cp $(command -v noticer) /tmp/$name; done
chmod 4755 /tmp/setuid
chmod 2755 /tmp/setgid
chmod 0711 /tmp/unread"""
LEAK = "#include <stdlib.h>\nint main(void) { return !malloc(77); }\n"
# In a command, {} stands for the pfmon command, or for nothing.
PROGRAMS = {
    "tracer": f"{{}} grep TracerPid {STATUS}",
    "signals": f"{{}} grep ^S..[PBIC] {STATUS}",
    "ignored-signals": f"sh -c \"trap '' PIPE INT CHLD; exec {{}} grep Sig {STATUS}\"",
    "capabilities": f"{{}} grep '^Cap\\|NoNew\\|Secc\\|Specul' {STATUS}",
    "credentials": f"{{}} grep '^[UG]id\\|Groups\\|Umask\\|allowed' {STATUS}",
    "descriptors": "{} sh -c 'ls /proc/$$/fd'",
    "closed-input": 'sh -c "exec {} ls /proc/self/fd <&-"',
    "closed-output": 'sh -c "exec {} ls /proc/self/fd/1 >&-"',
    "closed-error": 'sh -c "exec {} ls /proc/self/fd 2>&-"',
    "limits": "{} cat /proc/self/limits",
    "environment": "{} env",
    "priority": "{} awk '{{ print $18, $19, $38, $40, $41 }}' /proc/self/stat",
    "other-values": "{} sh -c 'cd /proc/self; cat oom_score_adj coredump_filter "
    "personality timerslack_ns cgroup; readlink ns/*; umask'",
    "status": "{} sh -c 'exit 77'",
    "execs": '{} sh -c \'exec sh -c "exec sh -c \\"exit 9\\""\'',
    "missing": "{} sh -c 'exec /none 2>/tmp/why'",
    "terminated": "{} sh -c 'kill -TERM $$'",
    "killed": "{} sh -c 'kill -KILL $$'",
    "aborted": "{} noticer aborts",
    "sanitizer": "{} leak",
    "strace": "{} strace -e trace=exit_group noticer groups",
    "strace-children": "{} strace -qq -f -e signal=none -e trace=exit_group "
    "sh -c '(exit 3); exit 4'",
    "gdb": "{} gdb -nx -batch -ex 'break main' -ex run -ex next -ex detach noticer",
    "setuid": "noticer user {} /tmp/setuid ids",
    "setuid-child": "noticer user {} sh -c '/tmp/setuid ids; /tmp/setgid ids'",
    "setgid": "noticer user {} /tmp/setgid ids",
    "unreadable": "noticer user {} /tmp/unread ids",
    "group": "{} noticer groups",
    "prctl": "{} noticer prctl",
    "debugger": "{} noticer traces",
    "crash-handler": "{} noticer traces-parent",
    "job-control": "{} noticer stops-child",
    "stopped": "{} noticer stops",
    "traps": "{} noticer traps",
    "seccomp": "{} noticer strict",
    "breakpoints": "{} noticer breakpoints",
    "leader-ends": "{} noticer leader-ends",
    "interrupted": "{} noticer interrupted",
    "childless": "{} noticer childless",
}
# pfmon counts nothing in these programs: they are set-user-ID, set-group-ID or
# unreadable, so the kernel removes the events at exec.
UNCOUNTED = ("setuid", "setgid", "unreadable")
NOT_ALL = re.compile(
    r"^pfmon: cannot measure (1 thread|2 threads): they executed programs that .*\n",
    re.M,
)
# pfmon prints this message if compiling takes more than a second.
COMPILING = re.compile(r"^pfmon: compiling unwind tables.*\n", re.M)
# pfmon prints this line after sampling.
SUMMARY = re.compile(r"^pfmon: (\d+) samples?, (\d+) lost, .*\n", re.M)
# Output that some programs must print, which shows that they work.
WORKS = {
    "sanitizer": "LeakSanitizer: detected memory leaks",
    "strace": "exit_group(7)",
    "strace-children": "exit_group(3)",
    "gdb": "[Inferior 1 (process N) detached]",
    "setuid": "uid 1000 0,",
    "setgid": "gid 1000 0,",
}
# Without pfmon, the shell prints such a line about a killed program.
KILLED = re.compile(r"^(Aborted|Killed|Terminated)\n", re.M)
NUMBERS = re.compile(r"(==|process |pid +|getpid\(\) += )\d+")


def _run(program: str, tool: str) -> str:
    """Return a command that runs a program and prints its output."""
    command = PROGRAMS[program].format(tool)
    return (
        f"rm -f {COUNTS} {SAMPLES}; {{ {command} >/tmp/said 2>&1; }} 2>/tmp/shell; "
        "status=$?; cat /tmp/said; (exit $status)"
    )


def _commands() -> dict[str, str]:
    found = {"prepare": PREPARE}
    for program in PROGRAMS:
        found[f"{program}-alone"] = _run(program, "")
        for name, tool in TOOLS.items():
            found[f"{program}-{name}"] = _run(program, tool)
            found[f"{program}-{name}-counts"] = f"cat {COUNTS}"
    return found


def _sanitized(directory: Path) -> Path:
    """Build a program with LeakSanitizer."""
    program = directory / "leak"
    command = ["gcc", "-fsanitize=address", "-x", "c", "-o", str(program), "-"]
    subprocess.run(command, input=LEAK.encode(), check=True)
    return program


def _options(directory: Path) -> Iterator[str]:
    yield f"--program={_sanitized(directory)}"
    for name in DEBUGGERS:
        path = shutil.which(name)
        if path:
            yield f"--program={path}"
    # Add the Python files that gdb needs.
    for file in (*python_files("contextlib", "site", "traceback"), "/usr/share/gdb"):
        if Path(file).exists():
            yield f"--add={file}:{file}"


@pytest.fixture(scope="module", name="guest")
def fixture_guest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Boot]:
    """Boot the guest."""
    out = tmp_path_factory.mktemp("unnoticed")
    options = ("--icount", "--timeout=1200", *_options(out))
    guest = Boot(TARGET, _commands(), out, options)
    yield guest
    guest.close()


def _outcome(guest: Boot, name: str) -> tuple[str, int | None]:
    """Return a command's output without process IDs, and its exit status."""
    printed = NUMBERS.sub(r"\1N", guest.printed(name))
    return KILLED.sub("", printed), guest.command(name)


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_program_does_not_notice_pfmon(guest: Boot, program: str, tool: str) -> None:
    name = program.partition("-")[0]
    reason = build_parts.left_out("debuggers")
    if reason and name in DEBUGGERS:
        pytest.skip(reason)
    assert guest.command("prepare") == 0, guest.printed("prepare")
    alone = _outcome(guest, f"{program}-alone")
    assert (alone[1] == 127) == (program == "missing"), alone
    assert WORKS.get(program, "") in alone[0]
    measured, status = _outcome(guest, f"{program}-{tool}")
    measured, told = NOT_ALL.subn("", COMPILING.sub("", measured))
    found = SUMMARY.search(measured)
    assert (SUMMARY.sub("", measured), status) == alone
    if program == "closed-error":
        return
    assert told == (program in (*UNCOUNTED, "setuid-child"))
    counts = guest.printed(f"{program}-{tool}-counts")
    assert bool(found) != bool(re.search(r"^ +\d+ page-faults$", counts, re.M)), counts
    none = (found[1] if found else counts.split()[0]) == "0"
    assert none == (program in UNCOUNTED)
