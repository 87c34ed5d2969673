# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test the command line: files, usage and exit status."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.cli import PARSERS, importing, program, run, told
from helpers.three_samples import SAMPLES, SETS
from helpers.writers import Sample, buffer, session, simple_capture
from pfmparse.__main__ import COMMANDS, main


@pytest.mark.parametrize("command", ["info", "dump", "report"])
def test_truncated_capture_gives_samples_and_warning(
    command: str, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    data = Path(file).read_bytes()
    cut = data.index(buffer(SAMPLES)) + 128 + 2 * 48
    Path(file).write_bytes(data[:cut])
    status, out, err = run(capsys, command, "--json", file)
    assert status == 0
    assert f"pfmparse: {file}: offset {cut:#x}: " in err
    if command == "dump":
        assert len(out.splitlines()) == 2
    else:
        found = json.loads(out)
        assert found["truncated"] and found["lost"] is None
        assert found["problems"][0]["offset"] == cut
        assert found["total" if command == "report" else "samples"] == 2


def test_damaged_capture_without_samples_fails(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    data = bytearray(Path(file).read_bytes())
    data[data.index(buffer(SAMPLES)) + 200] ^= 1
    Path(file).write_bytes(data)
    status, _, err = run(capsys, "report", file)
    assert status == 1
    assert "BUFR has a wrong checksum" in err


@pytest.mark.parametrize("command", ["info", "dump", "report"])
def test_non_capture_fails_with_name_and_offset(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "text"
    path.write_text("just text")
    assert run(capsys, command, str(path)) == (
        1,
        "",
        f"pfmparse: {path}: offset 0x0: not a capture\n",
    )


def test_missing_file_fails(capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = run(capsys, "info", "/nonexistent")
    assert (status, err) == (1, "pfmparse: /nonexistent: No such file or directory\n")


@pytest.mark.parametrize(
    "argv",
    [
        [],
        ["report"],
        ["frobnicate", "x"],
        ["report", "x", "--top", "0"],
        ["report", "x", "--top", "one"],
        ["info", "x", "--symfs", "y"],
        ["dump", "x", "--raw"],
        ["dump", "x", "--session", "y"],
    ],
)
def test_wrong_usage_exits_with_2(
    argv: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(argv)
    assert stopped.value.code == 2


def test_unknown_option_shows_usage_of_the_command(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["report", file, "--callees", "--frob"])
    err = capsys.readouterr().err
    assert err.startswith("usage: pfmparse report ") and "--callees" in err
    assert err.endswith("pfmparse report: error: unrecognized arguments: --frob\n")


def raw_arguments(tmp_path: Path, data: bytes) -> list[str]:
    """Write a raw buffer and its session; return arguments that read them."""
    image, described = tmp_path / "buffer.bin", tmp_path / "session.json"
    image.write_bytes(data)
    described.write_text(json.dumps(session(SETS)))
    return ["--raw", "--session", str(described), str(image)]


@pytest.mark.parametrize("size", [None, 65536])
def test_raw_buffer_is_decoded(
    size: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = buffer(SAMPLES)
    arguments = raw_arguments(tmp_path, data.ljust(size or len(data), b"\xa5"))
    assert told(capsys, "report", *arguments)["total"] == 3
    assert told(capsys, "info", *arguments)["samples"] == 3
    status, out, _ = run(capsys, "dump", *arguments, "--json")
    assert [json.loads(line) for line in out.splitlines()] == [
        sample.as_dict() for sample in SAMPLES
    ]


def test_truncated_raw_buffer_gives_samples(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = raw_arguments(tmp_path, buffer(SAMPLES)[:-1])
    status, out, err = run(capsys, "dump", *arguments)
    assert status == 0 and len(out.splitlines()) == 2
    assert "2 of 3 entries are whole" in err


def test_damaged_raw_buffer_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = raw_arguments(tmp_path, bytes(4096))
    status, out, err = run(capsys, "dump", *arguments)
    assert (status, out) == (1, "")
    assert "offset 0x28: hdr_version" in err


def test_package_runs_as_a_program(file: str) -> None:
    done = program("report", "--json", file)
    assert json.loads(done.stdout)["total"] == 3
    assert (done.returncode, done.stderr) == (0, "")


def loaded(*argv: str) -> set[str]:
    """Return the names of the modules that a command line imports."""
    code = (
        "import sys\n"
        "from pfmparse.__main__ import main\n"
        "try:\n    main(sys.argv[1:])\n"
        "except SystemExit:\n    pass\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *argv],
        env=importing(PARSERS),
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stderr.split())


# Modules that every command line needs.
OURS = ("__main__", "commands", "commands.outcome", "errors", "text")
# Modules that the options of commands need.
OPTIONS = (
    *("commands.arguments", "commands.options", "analysis", "analysis.requests"),
    *("formats", "formats.roles"),
)
EXPORTS = ("exports", "exports.registry")
SLOW = ("numpy", "json", "dataclasses", "traceback", "importlib.metadata")


@pytest.mark.parametrize(
    "line,modules",
    [(["--version"], OURS), (["--help"], OURS)]
    + [(["report", "x", "--top", "x"], OURS + OPTIONS)]
    + [([name, "--help"], OURS + OPTIONS) for name in COMMANDS if name != "export"]
    + [(["export", "--help"], OURS + OPTIONS + EXPORTS)],
)
def test_help_does_not_load_what_commands_need(
    line: list[str], modules: tuple[str, ...]
) -> None:
    found = loaded(*line)
    ours = {name for name in found if name.startswith("pfmparse.")}
    assert ours == {f"pfmparse.{name}" for name in modules}
    assert found.isdisjoint(SLOW)


def test_report_loads_only_what_it_needs(file: str) -> None:
    ours = {name for name in loaded("report", file) if name.startswith("pfmparse.")}
    assert not {name for name in ours if name.startswith("pfmparse.exports")}
    # Not needed: modules for other formats and commands, source lines and templates.
    others = {f"formats.{name}" for name in ("sink", "unknown", "nway", "pebs", "ear")}
    others |= {"symbols.debug_info", "symbols.functions", "symbols.disassembly"}
    others |= {"capture.live", "capture.template", "analysis.profile", "pipeline"}
    others |= {"analysis.subset", "capture.cookies"}
    others |= {"formats.raw_time", "formats.data_source", "formats.branches"}
    others |= {"formats.thread_state", "analysis.statistics"}
    others |= {"analysis.names", "analysis.off_cpu", "analysis.stacks"}
    others |= {"analysis.thread_times"}
    others |= {"capture.clocks", "capture.kallsyms", "capture.process_events"}
    others |= {"analysis.spread"}
    assert not {f"pfmparse.{name}" for name in others} & ours
    assert "pfmparse.symbols.elf_file" in ours
    assert len(ours) <= 61
    empty = {name for name in loaded("report", "/nonexistent")}
    assert "pfmparse.symbols.elf_file" not in empty


def test_closed_output_pipe_is_not_an_error(tmp_path: Path) -> None:
    path = tmp_path / "x.pfm"
    path.write_bytes(simple_capture([Sample()] * 20_000))
    process = subprocess.Popen(
        [sys.executable, "-m", "pfmparse", "dump", str(path)],
        env=importing(PARSERS),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.wait() == 0
    assert process.stderr.read() == b""
    process.stderr.close()


def test_output_outside_the_locale_is_escaped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.pfm"
    path.write_bytes(simple_capture([], {**session(), "tool": "mäh"}))
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    assert "tool: m\\xe4h" in program("info", str(path)).stdout.splitlines()


def test_top_accepts_one_row(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(told(capsys, "report", "--by", "ip", "--top", "1", file)["rows"]) == 1


def test_bad_session_error_lists_all_faults(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = raw_arguments(tmp_path, buffer(SAMPLES))
    Path(arguments[2]).write_text('{"version": 1, "tool": 5, "sets": [{"id": "x"}]}')
    assert main(["dump", *arguments]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"pfmparse: {arguments[2]}: offset 0x0: ")
    for wrong in ("SESS.tool: not a string", "SESS: missing member 'mode'"):
        assert wrong in said
    assert "SESS.sets[0].id: not an integer" in said


def test_files_may_precede_and_follow_options(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told(capsys, "report", file, "--by", "cpu", file)["total"] == 6
    with pytest.raises(SystemExit) as stopped:
        main(["info", file, file])
    assert stopped.value.code == 2


def test_unwritable_output_is_named(file: str) -> None:
    environment = importing(PARSERS)
    for command in ("report", "dump"):
        with open("/dev/full", "w") as full:
            done = subprocess.run(
                [sys.executable, "-m", "pfmparse", command, file],
                env=environment,
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
            )
        assert done.returncode == 1
        assert "pfmparse: standard output: No space left" in done.stderr
    closed = f"exec {sys.executable} -m pfmparse report {file} >&-"
    done = subprocess.run(["sh", "-c", closed], env=environment, stderr=-1, text=True)
    assert (done.returncode, done.stderr) == (
        1,
        "pfmparse: standard output is closed\n",
    )


@pytest.mark.parametrize(
    "command,closed",
    [
        ("report --json {cut}", "2>&-"),
        ("report --json {cut}", "2>/dev/full"),
        ("export {file} --to speedscope -o -", "2>&-"),
        ("export {file} --to speedscope -o -", "<&- 2>&-"),
    ],
)
def test_unwritable_messages_do_not_reach_the_data(
    command: str, closed: str, file: str, tmp_path: Path
) -> None:
    short = tmp_path / "cut.pfm"
    short.write_bytes(Path(file).read_bytes()[:-20])
    command = command.format(cut=short, file=file)
    words = f"exec {sys.executable} -m pfmparse {command} {closed}"
    done = subprocess.run(["sh", "-c", words], env=importing(PARSERS), stdout=-1)
    assert done.returncode == 0
    assert json.loads(done.stdout)


def test_closed_streams_do_not_become_files(file: str, tmp_path: Path) -> None:
    code = (
        "import os, sys; from pfmparse.__main__ import _open_missing_streams as fill\n"
        "fill(); print(*(os.readlink(f'/proc/self/fd/{n}') for n in (0, 2)))\n"
        "print(sys.stdin.read() + str(sys.stderr.name))"
    )
    words = f'exec {sys.executable} -c "$0" <&- 2>&-'
    done = subprocess.run(
        ["sh", "-c", words, code], env=importing(PARSERS), stdout=-1, text=True
    )
    assert done.stdout == "/dev/null /dev/null\n2\n"


def test_usage_errors_have_no_control_characters(file: str) -> None:
    for words in (["report", file, "--\x1b[2J"], ["\x1b[2J"]):
        done = program(*words)
        assert done.returncode == 2
        assert all(line.isprintable() for line in done.stderr.split("\n"))


def test_signals_leave_no_partial_output(file: str, tmp_path: Path) -> None:
    fifo, out = tmp_path / "fifo", tmp_path / "out"
    os.mkfifo(fifo)
    for number in (signal.SIGTERM, signal.SIGINT):
        running = subprocess.Popen(
            [sys.executable, "-m", "pfmparse", "export", str(fifo)]
            + ["--to", "folded", "-o", str(out)],
            env=importing(PARSERS),
            stderr=subprocess.PIPE,
            text=True,
        )
        # Opening the pipe waits until the program is running.
        with open(fifo, "wb"):
            running.send_signal(number)
            _, err = running.communicate()
        assert (running.returncode, err) == (128 + number, "")
        assert {path.name for path in tmp_path.iterdir()} == {"fifo", Path(file).name}
