# SPDX-License-Identifier: MIT OR GPL-2.0
"""Export perf.data files, and read them with perf."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any, Iterator

import pytest
from helpers import every_format, perf_file
from helpers.exporting import NAMES, by_symbol, called, exported, reported
from helpers.programs import Program, compiled
from helpers.readers import peak_memory
from helpers.writers import (
    UUID_OPROFILE,
    Json,
    Sample,
    buffer,
    bufr,
    capture,
    captured,
    chunk,
    code_of,
    cook,
    exec_of,
    jitm,
    json_chunk,
    mapping,
    maps,
    maps_file,
    oprofile,
    oprofile_words,
    pmd,
    proc,
    session,
    simple_capture,
    totals,
)
from pfmparse.__main__ import main
from pfmparse.capture.kallsyms import KernelCode
from pfmparse.exports.perf_data import Order
from pfmparse.exports.perf_kernel import Kernel
from pfmparse.exports.perf_records import Words, finished_round


def test_perf_round_ends_after_batch_of_one_context() -> None:
    order = Order(1)
    assert [order.after(0, time) for time in (5, 9)] == [finished_round()] * 2


def test_perf_round_waits_for_slowest_context() -> None:
    order = Order(2)
    assert not order.after(0, 100)
    # perf processes no samples at the end of the first round, so this round can end as
    # soon as each context has delivered samples.
    assert order.after(1, 10)
    # Samples before 100 may still arrive until both contexts have reached 100.
    assert not order.after(1, 50)
    assert not order.after(0, 200)
    assert order.after(1, 100)
    assert not order.after(1, 150)
    assert order.after(1, 201)


def test_perf_unordered_times_have_no_rounds() -> None:
    order = Order(None)
    assert not order.after(0, 5) and not order.after(0, 9)


def test_perf_flush_writes_two_rounds() -> None:
    order = Order(2)
    assert not order.flush()
    order.after(0, 5)
    assert order.flush() == 2 * finished_round()


# Formats whose records each count several samples.
COUNTING = ("histogram", "stacks")
UNKNOWN = re.compile(r"0x[0-9a-f]{16}")


def perf(*argv: str, cwd: Path) -> tuple[str, str]:
    """Run perf and return its standard output and standard error."""
    environment = {**os.environ, "PERF_CONFIG": "/dev/null", "HOME": str(cwd)}
    environment |= {"PAGER": "cat", "DEBUGINFOD_URLS": ""}
    done = subprocess.run(
        ["perf", *argv], env=environment, cwd=cwd, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def on(file: Path) -> list[str]:
    """Return perf's options to read an export with its kernel symbols."""
    kallsyms = Path(f"{file}.kallsyms")
    known = ["--kallsyms", str(kallsyms)] if kallsyms.exists() else []
    return ["-i", str(file), *known]


def rows(text: str) -> Iterator[list[str]]:
    """Yield the fields of each row that `perf report` prints."""
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            yield re.split(r" {2,}", line.strip())


def by_function(file: Path, *options: str, column: str = "sample") -> Counter[str]:
    """Return the sum of samples or periods of each function."""
    argv = ["report", *on(file), "--stdio", "-g", "none", "--no-children"]
    out, _ = perf(*argv, "-F", f"{column},sym", *options, cwd=file.parent)
    counts: Counter[str] = Counter()
    for count, name in rows(out):
        name = name.partition("] ")[2]
        counts["[unknown]" if UNKNOWN.fullmatch(name) else name] += int(count)
    return +counts


@pytest.mark.parametrize("name", NAMES)
def test_perf_report_agrees_with_ours(
    name: str, captures: dict[str, Path], tmp_path: Path
) -> None:
    file = exported(captures[name], "perf-data", tmp_path / "perf.data")
    periods = ("--weight", "period")
    assert by_function(file, column="period") == by_symbol(captures[name], *periods)
    # perf counts records, but a record of a format in COUNTING stands for several
    # samples.
    if name not in COUNTING:
        assert by_function(file) == by_symbol(captures[name])


def test_perf_report_by_tid_and_dso_agrees_with_ours(
    captures: dict[str, Path], program: Program, tmp_path: Path
) -> None:
    file = exported(captures["nway"], "perf-data", tmp_path / "perf.data")
    out, _ = perf("report", *on(file), "--stdio", "-F", "sample,pid", cwd=tmp_path)
    found: Counter[str] = Counter()
    for count, thread in rows(out):
        found[thread.partition(":")[0]] += int(count)
    tids = {
        str(r["key"]): r["count"] for r in reported(captures["nway"], "--by", "tid")
    }
    assert found == tids
    out, _ = perf("report", *on(file), "--stdio", "-F", "sample,dso", cwd=tmp_path)
    found = Counter()
    for count, name in rows(out):
        found[name] += int(count)
    images = {r["key"]: r["count"] for r in reported(captures["nway"], "--by", "image")}
    assert found[program.path.name] == images[str(program.path)]
    kernel = images["[kernel]"] + images["[mod]"]
    assert found["[kernel.kallsyms]"] == kernel


@pytest.mark.parametrize("name", [name for name in NAMES if name not in COUNTING])
def test_perf_script_agrees_with_our_report(
    name: str, captures: dict[str, Path], tmp_path: Path
) -> None:
    file = exported(captures[name], "perf-data", tmp_path / "perf.data")
    argv = ["script", *on(file), "-G", "-F", "event,ip,sym"]
    out, _ = perf(*argv, cwd=tmp_path)
    found: dict[str, Counter[str]] = {}
    for line in out.splitlines():
        event, _, symbol = line.split()
        counts = found.setdefault(event.rstrip(":"), Counter())
        counts[symbol] += 1
    assert set(found) == ({"cycles"} if name == "pebs32" else {"cycles", "loads"})
    for event, counts in found.items():
        assert counts == by_symbol(captures[name], "--event", event)


@pytest.mark.parametrize("name", ["default", "oprofile", "callstack"])
def test_perf_script_has_thread_and_cpu_of_samples(
    name: str, captures: dict[str, Path], tmp_path: Path
) -> None:
    file = exported(captures[name], "perf-data", tmp_path / "perf.data")
    argv = ["script", *on(file), "-G", "-F", "comm,tid,cpu,event,ip,sym"]
    out, _ = perf(*argv, cwd=tmp_path)
    found: Counter[tuple[str, str]] = Counter()
    for line in out.splitlines():
        comm, tid, cpu, event, *_ = line.split()
        assert cpu == f"[00{int(tid) - every_format.TGID}]"
        found[comm, event.rstrip(":")] += 1
    for (comm, event), count in found.items():
        options = ("--comm", comm, "--event", event)
        assert count == sum(by_symbol(captures[name], *options).values())
    assert sum(found.values()) == 100


def test_perf_header_has_events_build_ids_and_machine(
    captures: dict[str, Path], program: Program, tmp_path: Path
) -> None:
    file = exported(captures["flight"], "perf-data", tmp_path / "perf.data")
    assert perf("evlist", "-i", str(file), cwd=tmp_path)[0].split() == [
        "cycles",
        "loads",
    ]
    out, _ = perf("buildid-list", "-i", str(file), cwd=tmp_path)
    assert f"{program.build_id} {program.path}" in out.splitlines()
    out, _ = perf("report", "-i", str(file), "--header-only", cwd=tmp_path)
    for line in (
        "# hostname : build7",
        "# os release : 6.1.0-38-cloud-amd64",
        "# arch : x86_64",
        "# nrcpus online : 2",
        "# cpuid : GenuineExample,6,85,7",
        "# cmdline : ./hotloops --fast ",
        "# time of first sample : 5.000000",
        "# time of last sample : 5.000099",
    ):
        assert line in out.splitlines()


def test_perf_mem_and_c2c_find_recorded_loads(
    captures: dict[str, Path], tmp_path: Path
) -> None:
    file = exported(captures["pebs64"], "perf-data", tmp_path / "perf.data")
    argv = ["mem", "report", "-i", str(file), "--stdio"]
    out, _ = perf(*argv, "-F", "sample,mem,local_weight", cwd=tmp_path)
    found: Counter[tuple[str, str]] = Counter()
    for count, level, latency in rows(out):
        found[level, latency] += int(count)
    assert found == {("L1 hit", "7"): 58, ("L3 hit", "300"): 32, ("N/A", "0"): 10}
    sources = reported(captures["pebs64"], "--by", "latency")
    assert {str(r["key"]): r["count"] for r in sources} == {"7": 58, "300": 32, "0": 10}
    out, _ = perf("c2c", "report", "-i", str(file), "--stats", cwd=tmp_path)
    for what, number in (("Load L1D hit", 58), ("Load LLC hit", 32)):
        assert re.search(rf"^ *{what} +: +{number}$", out, re.M)
    assert re.search(r"Total records +: +100$", out, re.M)


@pytest.mark.parametrize("name", NAMES)
def test_perf_annotate_diff_and_convert_read_formats(
    name: str, captures: dict[str, Path], tmp_path: Path
) -> None:
    file = exported(captures[name], "perf-data", tmp_path / "perf.data")
    argv = ["annotate", "-i", str(file), "--stdio", "-s", "warm"]
    samples = 30 if name == "pebs32" else 12
    assert f"({samples} samples" in perf(*argv, cwd=tmp_path)[0]
    out, _ = perf("diff", str(file), str(file), cwd=tmp_path)
    assert re.search(r"% +\+0.00% .* hot$", out, re.M)
    argv = ["data", "convert", "-i", str(file), "--to-json", str(tmp_path / "j")]
    perf(*argv, cwd=tmp_path)
    found: Counter[str] = Counter()
    for sample in json.loads((tmp_path / "j").read_text())["samples"]:
        found[sample["callchain"][0].get("symbol", "")] += 1
    assert (found["hot"], found["warm"]) == (60, 30)


def test_perf_convert_has_call_chains(
    captures: dict[str, Path], tmp_path: Path
) -> None:
    file = exported(captures["callstack"], "perf-data", tmp_path / "perf.data")
    argv = ["data", "convert", "-i", str(file), "--to-json", str(tmp_path / "j")]
    perf(*argv, cwd=tmp_path)
    chains: Counter[tuple[str, ...]] = Counter()
    for sample in json.loads((tmp_path / "j").read_text())["samples"]:
        chains[tuple(e.get("symbol", "") for e in sample["callchain"])] += 1
    assert chains["hot", "main"] == 60 and chains["warm", "main"] == 30


def test_perf_script_resolves_callers_of_cookies(
    program: Program, tmp_path: Path
) -> None:
    shift = program.mapping["offset"] - program.mapping["start"]
    hot, main = (program.ip(name) + shift for name in ("hot", "main"))
    work = every_format.KERNEL + 0x110
    steps: list[tuple[Any, ...]] = [("cpu", 0), ("ctx", 100, 5), ("tgid", 100)]
    steps += [("cookie", 5), ("trace",), ("at", hot, 60), ("at", main, 60), ("end",)]
    steps += [("trace",), ("kernel",), ("at", work, 60), ("user",), ("at", hot, 60)]
    steps += [("at", main, 60), ("end",)]
    source = tmp_path / "x.pfm"
    described = every_format.session(UUID_OPROFILE)
    described["format"]["arg"] = ""
    chunks = [
        json_chunk("SESS", described),
        chunk("KSYM", every_format.KALLSYMS),
        cook([(5, str(program.path), program.build_id)]),
        bufr(oprofile(oprofile_words(steps))),
        json_chunk("DONE", totals(2, 0)),
    ]
    source.write_bytes(capture(*chunks))
    file = exported(source, "perf-data", tmp_path / "perf.data")
    out, _ = perf("script", *on(file), "-F", "ip,sym", cwd=tmp_path)
    chains = [block.split()[1::2] for block in out.strip().split("\n\n")]
    assert chains == [["hot", "main"], ["do_work", "hot", "main"]]


def test_perf_export_writes_a_kallsyms_file(
    captures: dict[str, Path], tmp_path: Path
) -> None:
    file = exported(captures["default"], "perf-data", tmp_path / "perf.data")
    known = tmp_path / "perf.data.kallsyms"
    assert "do_work" in known.read_text()
    known.unlink()
    # Without this file, perf must not use the running kernel's symbols.
    assert by_function(file)["[unknown]"] == 7


def test_perf_data_has_a_lost_record(captures: dict[str, Path], tmp_path: Path) -> None:
    file = exported(captures["flight"], "perf-data", tmp_path / "perf.data")
    assert not [r for r in perf_file.records(file) if r.kind == 2]
    source = tmp_path / "lost.pfm"
    source.write_bytes(simple_capture([Sample()]))
    file = exported(source, "perf-data", tmp_path / "perf.data")
    (record,) = (r for r in perf_file.records(file) if r.kind == 2)
    assert int.from_bytes(record.body[8:16], "little") == 7


def test_perf_sorts_samples_of_two_contexts(tmp_path: Path) -> None:
    sess = session()
    sess["contexts"].append({**sess["contexts"][0], "id": 1})
    chunks = [
        bufr(buffer([Sample(tstamp=t) for t in range(at, at + 4000, 2)]), context)
        for at in (10**9, 10**9 + 4000, 10**9 + 8000)
        for context, at in ((0, at), (1, at + 1))
    ]
    source = tmp_path / "x.pfm"
    source.write_bytes(
        capture(json_chunk("SESS", sess), *chunks, json_chunk("DONE", totals(12000, 0)))
    )
    file = exported(source, "perf-data", tmp_path / "perf.data")
    assert any(record.kind == 68 for record in perf_file.records(file))
    out, err = perf("script", "-i", str(file), "--ns", "-F", "time", cwd=tmp_path)
    times = [float(line.rstrip(": ")) for line in out.split()]
    assert len(times) == 12000 and times == sorted(times)
    assert "out of order" not in err


def replaced_by(other: Program, program: Program) -> Json:
    """Return the mapping of another program at the addresses of ``program``."""
    return mapping(
        program.mapping["start"],
        program.mapping["end"],
        other.mapping["offset"] + 0x1000,
        str(other.path),
    )


def test_perf_applies_mappings_to_later_samples(
    program: Program, tmp_path: Path
) -> None:
    other = compiled(tmp_path / "other")
    moved = replaced_by(other, program)
    chunks = []
    for where, time in ((program.mapping, 1), (moved, 2), (program.mapping, 3)):
        samples = [Sample(ip=program.ip("hot"), tstamp=time * 10**9)] * time
        # Each MAPS chunk precedes its buffer and replaces the previous mappings.
        chunks += [json_chunk("MAPS", maps(100, [where])), bufr(buffer(samples))]
    source = tmp_path / "x.pfm"
    done = json_chunk("DONE", totals(6, 0))
    source.write_bytes(capture(json_chunk("SESS", session()), *chunks, done))
    file = exported(source, "perf-data", tmp_path / "perf.data")
    out, _ = perf(
        "report", "-i", str(file), "--stdio", "-F", "sample,dso", cwd=tmp_path
    )
    found = {name: int(count) for count, name in rows(out)}
    assert found == {program.path.name: 4, other.path.name: 2}


def test_perf_applies_process_events_at_their_times(
    program: Program, tmp_path: Path
) -> None:
    other = compiled(tmp_path / "other")
    moved = replaced_by(other, program)
    events = []
    for time, where in ((10, program.mapping), (20, moved), (30, program.mapping)):
        events += [exec_of(time, 100, "x"), maps_file(time + 1, 100, where)]
    # The two buffers overlap in time: each begins before the other ends.
    first, second = (15, 25, 35), (16, 26, 36, 26)
    buffers = [
        bufr(buffer([Sample(ip=program.ip("hot"), tstamp=time) for time in times]))
        for times in (first, second)
    ]
    source = tmp_path / "x.pfm"
    done = json_chunk("DONE", totals(7, 0))
    chunks = (json_chunk("SESS", session()), proc(*events), *buffers, done)
    source.write_bytes(capture(*chunks))
    file = exported(source, "perf-data", tmp_path / "perf.data")
    out, _ = perf(
        "report", "-i", str(file), "--stdio", "-F", "sample,dso", cwd=tmp_path
    )
    found = {name: int(count) for count, name in rows(out)}
    assert found == {program.path.name: 4, other.path.name: 3}


def test_perf_data_merges_captures(captures: dict[str, Path], tmp_path: Path) -> None:
    out = tmp_path / "perf.data"
    argv = ["export", str(captures["pebs64"]), str(captures["callstack"])]
    status, _, err = called(*argv, "--to", "perf-data", "-o", str(out))
    assert status == 0 and "the machine" not in err
    found = by_function(out)
    twice = by_symbol(captures["callstack"]) + by_symbol(captures["pebs64"])
    assert found == twice


def test_perf_data_separates_processes_with_equal_ids(tmp_path: Path) -> None:
    files: list[Path] = []
    for name, count in (("a", 1), ("b", 2), ("b", 4)):
        where = mapping(0x400000, 0x500000, 0, f"/no/{name}")
        data = captured(
            [Sample(ip=0x400010)] * count + [Sample(pid=0, tgid=0)],
            json_chunk("MAPS", maps(100, [where], name)),
        )
        files.append(tmp_path / f"{len(files)}.pfm")
        files[-1].write_bytes(data)
    out = tmp_path / "perf.data"
    argv = ["export", *map(str, files), "--to", "perf-data", "-o", str(out), "--json"]
    lacks = json.loads(called(*argv)[1])["not_carried"]
    assert "the original IDs of different processes that have the same ID" in lacks
    text, _ = perf("script", *on(out), "-F", "comm,pid,ip,dso", cwd=tmp_path)
    found = Counter(tuple(line.split()) for line in text.splitlines() if line)
    assert found == {
        ("a", "100", "400010", "(/no/a)"): 1,
        ("b", str((1 << 22) + 100), "400010", "(/no/b)"): 2,
        ("b", str((2 << 22) + 100), "400010", "(/no/b)"): 4,
        ("swapper", "0", "401000", "([unknown])"): 3,
    }


@pytest.mark.parametrize(
    "hosts,jit,lacks",
    [
        (["a", "a"], b"", []),
        (["a", "b"], b"", ["the machine of each sample"]),
        (["a"], jitm(100, "5000 10 f\n"), []),
    ],
    ids=["one-host", "two-hosts", "jit"],
)
def test_perf_data_names_data_of_some_captures(
    hosts: list[str], jit: bytes, lacks: list[str], tmp_path: Path
) -> None:
    files = []
    for number, host in enumerate(hosts):
        sess = session()
        sess["machine"]["host"] = host
        data = capture(json_chunk("SESS", sess), jit, bufr(buffer([Sample()])))
        files.append(tmp_path / f"{number}.pfm")
        files[-1].write_bytes(data + json_chunk("DONE", totals(1, 0)))
    argv = ["--to", "perf-data", "-o", str(tmp_path / "perf.data"), "--json"]
    _, out, _ = called("export", *map(str, files), *argv)
    assert json.loads(out)["not_carried"] == lacks


@pytest.mark.parametrize(
    "offset,known,lacks",
    [
        *((0xFF, "", True), (0x100, "", False)),
        *((0xFF, "x", False), (0xFF, "y", True)),
    ],
)
def test_perf_data_lacks_names_of_generated_kernel_code(
    offset: int, known: str, lacks: bool, tmp_path: Path
) -> None:
    """A name is not missing if the kernel's symbols (KSYM) have it for the address."""
    bpf = 0xFFFFFFFFC0000000
    chunks = [proc(code_of(1, bpf, bpf + 0x100, "x"))]
    if known:
        chunks.insert(0, chunk("KSYM", f"{bpf:x} t {known}\n".encode()))
    source = tmp_path / "x.pfm"
    source.write_bytes(captured(2 * [Sample(ip=bpf + offset)], *chunks))
    argv = ["--to", "perf-data", "-o", str(tmp_path / "perf.data"), "--json"]
    (_, out, _) = called("export", str(source), *argv)
    missing = ["names of functions that the kernel generated"] if lacks else []
    assert json.loads(out)["not_carried"] == missing


def test_known_lack_is_not_searched_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    bpf, searched = 0xFFFFFFFFC0000000, list[int]()

    def misnames(_kernel: Kernel, _code: KernelCode, addresses: Words) -> bool:
        searched.append(addresses.size)
        return True

    monkeypatch.setattr(Kernel, "misnames", misnames)
    source = tmp_path / "x.pfm"
    code = proc(code_of(1, bpf, bpf + 0x100, "x"))
    source.write_bytes(captured([Sample(ip=bpf)], code))
    argv = [str(source), str(source), "--to", "perf-data"]
    called("export", *argv, "-o", str(tmp_path / "perf.data"))
    assert searched == [1]


def test_perf_data_has_names_of_generated_functions(
    program: Program, tmp_path: Path
) -> None:
    at = 0x7F0000000000
    where = [
        mapping(at, at + 0x20000, 0, "", prot="rwxp"),
        {**program.mapping, "path": "/no/program", "build_id": None},
    ]
    hot = program.ip("hot")
    names = {"made one": at + 0x20, "two": at + 0x40, "far": at + 0x10010}
    text = "".join(f"{start:x} 20 {name}\n" for name, start in names.items())
    text += f"{at + 0x40:x} 20 void again<int>()\n{hot:x} 20 hidden\n20000 10 alone\n"
    ips = [at + 0x21, at + 0x41, at + 0x41, at + 0x10011, at + 0x8000, hot, 0x20001]
    data = capture(
        json_chunk("SESS", session()),
        json_chunk("MAPS", maps(100, where)),
        bufr(buffer([Sample(ip=ip, pid=100, tgid=100) for ip in ips])),
        jitm(100, text),
        json_chunk("DONE", totals(len(ips), 0)),
    )
    (tmp_path / "x.pfm").write_bytes(data)
    out = tmp_path / "perf.data"
    argv = ["export", str(tmp_path / "x.pfm"), "--to", "perf-data", "-o", str(out)]
    assert called(*argv)[0] == 0
    told, _ = perf("script", *on(out), "-F", "ip,sym", cwd=tmp_path)
    assert [line.split(maxsplit=1)[1] for line in told.splitlines()] == [
        *("made one", "void again<int>()", "void again<int>()", "far"),
        *("[unknown]", "[unknown]", "alone"),
    ]
    assert (tmp_path / "perf.data.jit0.so").exists()


def test_32_bit_generated_functions_have_no_names(tmp_path: Path) -> None:
    session32 = session()
    session32["machine"]["arch"] = "i686"
    source = tmp_path / "x.pfm"
    chunks = bufr(buffer([Sample()])), jitm(100, "1000 20 made\n")
    done = json_chunk("DONE", totals(1))
    source.write_bytes(capture(json_chunk("SESS", session32), *chunks, done))
    argv = ["export", str(source), "--to", "perf-data", "-o", str(tmp_path / "x")]
    said = "pfmparse: perf-data does not store names of JIT-compiled functions\n"
    assert said in called(*argv)[2]


@pytest.mark.parametrize("to", ["perf-data", "sql"])
def test_export_without_selected_samples_is_valid(
    to: str, captures: dict[str, Path], tmp_path: Path
) -> None:
    argv = ["export", str(captures["default"]), "--to", to, "--cpu", "99"]
    status, out, err = called(*argv, "-o", str(tmp_path / "x"))
    assert (status, out) == (0, f"{tmp_path / 'x'}: 0 samples\n"), err


def test_perf_data_names_lacking_data(
    captures: dict[str, Path], tmp_path: Path
) -> None:
    argv = ["--to", "perf-data", "-o", str(tmp_path / "perf.data")]
    _, _, err = called("export", str(captures["flight"]), *argv)
    assert err == (
        "pfmparse: perf-data does not store the modules of kernel functions\n"
    )
    _, _, err = called("export", str(captures["histogram"]), *argv)
    assert "counts of merged samples, except as factors of the period\n" in err


def test_perf_data_memory_is_independent_of_samples(tmp_path: Path) -> None:
    def peak(buffers: int) -> int:
        samples = [Sample(tstamp=n, ip=n % 64) for n in range(2000)]
        chunks = [bufr(buffer(samples))] * buffers
        source = tmp_path / f"{buffers}.pfm"
        done = json_chunk("DONE", totals(2000 * buffers, 0))
        source.write_bytes(capture(json_chunk("SESS", session()), *chunks, done))
        argv = ["export", str(source), "--to", "perf-data", "-o", str(tmp_path / "out")]
        used, status = peak_memory(lambda: main(argv))
        assert status == 0
        return used

    peak(1)
    assert peak(500) < peak(250) + (1 << 20)


def test_perf_script_has_branches(program: Program, tmp_path: Path) -> None:
    hot, main = program.ip("hot"), program.ip("main")
    taken = ((272, hot), (273, main), (280, main), (281, hot), (288, 2), (289, 0x31))
    none = ((272, 0), (273, 0), (280, 0), (281, 0), (288, 0), (289, 0))
    pmds = [number for number, _ in taken]
    data = capture(
        json_chunk("SESS", session({0: [pmd(0, pmds)]})),
        json_chunk("MAPS", maps(100, [program.mapping])),
        bufr(buffer([Sample(ip=hot, tgid=100, pmds=p) for p in (taken, none)])),
        json_chunk("DONE", totals(2)),
    )
    file = tmp_path / "x.pfm"
    file.write_bytes(data)
    out = exported(file, "perf-data", tmp_path / "perf.data")
    told, _ = perf("script", *on(out), "-F", "ip,brstack", cwd=tmp_path)
    first, second = told.splitlines()
    newest = f"{hot:#x}/{main:#x}/P/-/-/0"
    oldest = f"{main:#x}/{hot:#x}/M/-/-/3"
    assert [word[: len(newest)] for word in first.split()[1:]] == [newest, oldest]
    assert second.split() == [f"{hot:x}"]
    report = ["report", *on(out), "--stdio", "-b", "-F", "sample,symbol_to"]
    told, _ = perf(*report, cwd=tmp_path)
    assert sorted(" ".join(row) for row in rows(told)) == ["1 [.] hot", "1 [.] main"]
