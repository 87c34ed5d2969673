# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test formats that pfm-new-format has made: build, test, record and report."""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
from pathlib import Path

import build_parts
import debian
import host
import kernels
import module_sources
import programs
import pytest
from installed_sdk import Sdk

ROOT = Path(__file__).resolve().parents[2]
MODELS = ("linear", "regions", "table", "device")
# Fields of each size. The generated handler fills in some of them, and leaves the
# others to the author.
FIELDS = (
    *("--field=set:u16", "--field=ovfl_pmd:u8", "--field=period:u64"),
    *("--field=latency:u32", "--field=source:u64", "--field=addr:u64"),
    *("--field=delta:s64", "--field=chain:u64x3", "--field=hits:s8"),
    *("--field=comm:charx16", "--field=physical:u64", "--field=weight3:u16"),
)
# Fields that together are too large for a stack frame in the kernel. There are so many
# that the generated parser's test must take its values modulo 128 to fit them into s8.
LARGE = ("--field=words:u64x490", *(f"--field=a{number}:s8" for number in range(60)))
# Fields of a table, with each way of merging.
TABLE = (
    *("--field=addr:u64", "--field=chain:u64x3", "--field=hits:s8=min,max"),
    *("--field=comm:charx6", "--field=latency:u16=sum,min,max,first,last"),
    *("--field=cpu:u8=log2,last", "--field=source:u32=sum,log2"),
)
ARGUMENTS = (
    *("--arg=least:u8=5,cycles,live", "--arg=most:u64=0xffffffffffffffff"),
    "--arg=limit:u32=7,live",
)
# The options of pfm-new-format for each format that is built, tested and run.
MADE: dict[str, tuple[str, ...]] = {
    **{f"my_{model}": (model,) for model in MODELS},
    "my_fields": ("linear", *FIELDS, *ARGUMENTS),
    "my_stream": ("device", *FIELDS),
    "my_merged": ("table", *TABLE, *ARGUMENTS),
    "my_large": ("linear", *LARGE),
    "my_packets": ("device", *LARGE[1:]),
}
# The shortest and the longest possible name.
NAMES = ("a", "abcdefghij_klmnopqrs")
# The warning options of scripts/modules.mk.
WARNINGS = (
    "-Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers "
    "-Wno-sign-compare -Wno-type-limits -Wno-shift-negative-value"
)
# An open device excludes other readers, and pins the module until it is closed.
UNLOADED = """
exec 3< /dev/pfm_my_device
if (: < /dev/pfm_my_device) || rmmod pfm_fmt_my_device; then exit 1; fi
exec 3<&-
rmmod pfm_fmt_my_device
test ! -e /dev/pfm_my_device
"""
# `make check` builds formats for the oldest and the newest x86_64 kernel, and for one
# arm64 kernel.
FEW = [("x86_64", "6.1"), ("x86_64", "7.3"), ("arm64", "6.1")]
KERNELS = [
    (arch, name)
    for arch, names in kernels.SUPPORTED.items()
    for name in names
    if programs.ALL or (arch, name) in FEW
]
# Kernels that need another compiler or other headers than this machine has.
OTHERS = [
    (arch, name)
    for arch, name in KERNELS
    if arch != "x86_64" or debian.base(kernels.KERNELS[name].release) != debian.host()
]
# A program that writes a buffer with one record, and the session for pfmparse --raw.
ONE_RECORD = """
import pathlib
import numpy, pfmparse, sink_buffer
from pfmparse_mine import FORMAT, RECORD
record = numpy.zeros(1, RECORD)
record["addr"] = 0x5000
if "count" in RECORD.names:
    record["count"] = 1
pathlib.Path("buffer").write_bytes(sink_buffer.buffer(record.tobytes()))
pathlib.Path("session").write_bytes(pfmparse.session_template(FORMAT.uuid))
"""
# A replacement for pfm-vm. It writes its arguments to a file, and copies recorded files
# from a folder.
STAND_IN = """#!/bin/sh -e
printf '%s\\n' "$*" > "$WORDS"
mkdir -p vm
cp "$RECORDED"/* vm/
"""


def new_format(
    sdk: Sdk, where: Path, *words: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run pfm-new-format in a directory."""
    return sdk.run([sdk.prefix / "bin/pfm-new-format", *words], where, environment)


def made(sdk: Sdk, where: Path, name: str, model: str, *options: str) -> Path:
    """Make a format with pfm-new-format; return its folder."""
    done = new_format(sdk, where, name, "--model", model, *options)
    assert done.returncode == 0, done.stderr
    return where / name


@pytest.fixture(scope="module", name="formats")
def fixture_formats(sdk: Sdk, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make all formats of MADE, and a Makefile for all of them; return their folder."""
    folder = tmp_path_factory.mktemp("formats")
    for name, options in MADE.items():
        made(sdk, folder, name, *options)
    use_argument(folder / "my_fields")
    modules = " ".join(f"{name}/pfm_fmt_{name}.o" for name in MADE)
    (folder / "Kbuild").write_text(f"obj-m := {modules}\n")
    (folder / "Makefile").write_text(f"include {sdk.share}/format.mk\n")
    return folder


def use_argument(folder: Path) -> None:
    """Make the handler record a field of the argument, as an author would."""
    for name, before, after in (
        ("pfm_fmt_my_fields.c", "0, /* set your value here */", "{}_arg(buf)->least,"),
        ("my_fields_kunit.c", "0,", "5,"),
    ):
        text = (folder / name).read_text()
        line = f"\t.hits = {before}\n"
        assert text.count(line) == 1
        new = f"\t.hits = {after.format('my_fields')}\n"
        (folder / name).write_text(text.replace(line, new))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        *((name, "invalid name") for name in ("A", "1a", "a-b", "_a", "a_")),
        *((name, "invalid name") for name in ("a__b", "", "a" * 21, "../a")),
        *((name, "is taken") for name in ("nway", "default", "pebs64", "sink", "fmt")),
        ("there", "already exists"),
    ],
)
def test_invalid_format_name_is_rejected(
    sdk: Sdk, tmp_path: Path, name: str, said: str
) -> None:
    (tmp_path / "there").touch()
    done = new_format(sdk, tmp_path, name)
    assert done.returncode == 1
    assert said in done.stderr
    assert os.listdir(tmp_path) == ["there"]


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("latency", "'latency': use NAME:TYPE or NAME:TYPExN, such as latency:u64"),
        ("a:u64x", "unknown type 'u64x'"),
        ("a:int", "unknown type 'int'; use u8, u16, u32, u64, s8, "),
        ("a:uint32_t", "unknown type 'uint32_t'; did you mean 'u32'?"),
        ("a:__s8", "unknown type '__s8'; did you mean 's8'?"),
        ("a:int64_t", "unknown type 'int64_t'; did you mean 's64'?"),
        ("A:u8", "invalid name 'A': use at most 31 lower-case letters"),
        (f"{'a' * 32}:u8", "use at most 31 lower-case letters"),
        ("class:u8", "'class' is reserved in C or C++, or is a macro in the kernel"),
        ("fallthrough:u8", "'fallthrough' is reserved in C or C++, or is a macro"),
        (f"a:u8x{'9' * 20}", "unknown type 'u8x99999999999999999999'"),
        ("a:u8x\u0663", "unknown type"),
        ("pad0:u8", "pfmparse does not show columns such as 'pad0'"),
        ("pmd4:u8", "pfmparse does not show columns such as 'pmd4'"),
        ("a:u8x0", "an array needs at least one element"),
        ("a:char", "use u8 or s8 for a number, or charxN for text"),
        ("ip:u64", "there are two fields 'ip'"),
        ("a:u8x5000", "the fields have 5040 bytes together: use at most 4096"),
    ],
)
def test_invalid_field_is_rejected(
    sdk: Sdk, tmp_path: Path, field: str, said: str
) -> None:
    done = new_format(sdk, tmp_path, "mine", "--field", field)
    assert done.returncode == 1
    assert said in done.stderr
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("argument", "said"),
    [
        ("a:u64", "--arg 'a:u64': use NAME:TYPE=DEFAULT[,UNIT][,live], such as min:"),
        ("a:u8=1,live,cycles", "invalid unit 'live,cycles': use one word"),
        ("a:s64=0", "unknown type 's64'; use u8, u16, u32, u64"),
        ("a:u64x2=0", "unknown type 'u64x2'; use u8,"),
        ("a:u8=256", "default '256' is not a number from 0 to 255"),
        ("a:u8=-1", "default '-1' is not a number"),
        ("a:u8=few", "default 'few' is not a number"),
        ("a:u8=1,per cent", "invalid unit 'per cent': use one word of at most 31"),
        ("a:u64=4096,Byte", "unit 'Byte': did you mean 'bytes'?"),
        ("int:u8=1", "'int' is reserved in C or C++, or is a macro in the kernel"),
        ("flags:u32=1", "there are two fields 'flags'"),
        ("sink:u32=1", "there are two fields 'sink'"),
    ],
)
def test_invalid_argument_is_rejected(
    sdk: Sdk, tmp_path: Path, argument: str, said: str
) -> None:
    done = new_format(sdk, tmp_path, "mine", "--arg", argument)
    assert done.returncode == 1
    assert said in done.stderr
    assert os.listdir(tmp_path) == []


def test_number_of_arguments_is_limited(sdk: Sdk, tmp_path: Path) -> None:
    many = [f"--arg=a{number}:u8=0" for number in range(30)]
    assert new_format(sdk, tmp_path, "mine", *many[1:]).returncode == 0
    done = new_format(sdk, tmp_path, "more", *many)
    assert "--arg is given 30 times: use at most 29" in done.stderr


def test_device_has_no_argument(sdk: Sdk, tmp_path: Path) -> None:
    done = new_format(sdk, tmp_path, "mine", "--model=device", "--arg=a:u8=0")
    assert done.returncode == 1
    assert "formats of the model 'device' have no buffer, and so no" in done.stderr


def test_fields_with_one_column_are_rejected(sdk: Sdk, tmp_path: Path) -> None:
    done = new_format(sdk, tmp_path, "mine", "--field=a:u8x2", "--field=a1:u8")
    assert "two fields 'a1'" in done.stderr


@pytest.mark.parametrize(
    ("field", "said"),
    [
        (
            "a:u64=mean",
            "unknown merge 'mean'; use one of sum, min, max, first, last, log2",
        ),
        ("a:u64=log2", "log2 cannot be used alone: add another merge, such as a:u64="),
        ("a:s64=max,log2", "a histogram by powers of two needs an unsigned type"),
        ("a:u64=", "unknown merge ''"),
        ("a:u64=sum,sum", "each way to merge can be given only once"),
        ("a:u8x2=sum", "an array cannot be merged: leave out '=MERGE'"),
        ("count:u64=sum", "'count' is reserved for the number of samples: use ano"),
        ("a:s64=sum", "a sum must not decrease: use an unsigned type"),
        ("event:u32", "there are two fields 'event'"),
        ("count:u64", "there are two fields 'count'"),
        ("a:u64x70", "a record has 576 bytes, but the handler's stack has room"),
    ],
)
def test_invalid_field_of_table_is_rejected(
    sdk: Sdk, tmp_path: Path, field: str, said: str
) -> None:
    done = new_format(sdk, tmp_path, "mine", "--model=table", "--field", field)
    assert done.returncode == 1
    assert said in done.stderr
    assert os.listdir(tmp_path) == []


def test_histogram_is_another_name_of_table(sdk: Sdk, tmp_path: Path) -> None:
    folder = made(sdk, tmp_path, "mine", "histogram", "--field=a:u64=sum")
    assert "DEFINE_PFM_TABLE" in (folder / "pfm_fmt_mine.c").read_text()


@pytest.mark.parametrize("model", ["linear", "regions", "device"])
def test_merge_needs_a_table(sdk: Sdk, tmp_path: Path, model: str) -> None:
    done = new_format(sdk, tmp_path, "mine", f"--model={model}", "--field=a:u64=sum")
    assert done.returncode == 1
    said = "'a:u64=sum': only formats of the model 'table' merge fields"
    assert said in done.stderr
    assert os.listdir(tmp_path) == []


def test_table_has_key_then_merged_values(sdk: Sdk, formats: Path) -> None:
    program = (
        "import pfmparse_my_merged as mine; print(*mine.RECORD.names);"
        "print(*(f'{role.value}:{names}' for role, names in mine.ROLES.items()))"
    )
    names, roles = printed(sdk, formats / "my_merged", program).splitlines()
    assert names.split() == [
        *("addr", "chain", "event", "comm", "key_pad", "count", "latency_sum"),
        *("source_sum", "cpu_hist", "source_hist"),
        *("latency_min", "latency_max", "latency_first", "latency_last"),
        *("hits_min", "hits_max", "cpu_last", "pad"),
    ]
    both = "'hits': 'hits_{0}', 'latency': 'latency_{0}'"
    assert roles == " ".join(
        ["weight:count", "sum:{'latency': 'latency_sum', 'source': 'source_sum'}"]
        + [f"{merge}:{{{both.format(merge)}}}" for merge in ("min", "max")]
        + ["hist:{'cpu': 'cpu_hist', 'source': 'source_hist'}"]
    )


def test_fields_are_columns(sdk: Sdk, formats: Path) -> None:
    for name in ("my_fields", "my_stream"):
        folder = formats / name
        text = (folder / f"pfm_fmt_{name}.c").read_text()
        assert "\t\t.set = arg->active_set,\n" in text
        for column in ("latency", "physical", "weight3"):
            pmd = f"PFM_PMD_{column.upper()}"
            assert f"\t\t.{column} = pfm_smpl_value_or(arg, {pmd}, 0)," in text
        program = (
            f"import numpy, pfmparse, pfmparse_{name} as mine;"
            "print(*pfmparse.record_columns(numpy.zeros(1, mine.RECORD)))"
        )
        columns = printed(sdk, folder, program).split()
        assert columns[:7] == "ip tstamp event period source addr delta".split()
        assert columns[7:10] == ["chain0", "chain1", "chain2"]
        assert columns[10:14] == ["physical", "tid", "tgid", "cpu"]
        assert columns[15:] == ["latency", "set", "weight3", "ovfl_pmd", "hits"]


def test_argument_is_published_and_described(sdk: Sdk, formats: Path) -> None:
    folder = formats / "my_fields"
    header = (folder / "perfmon_my_fields_smpl.h").read_text()
    assert '\tPFM_ARG_LIVE(pfm_my_fields_arg_t, least, 5, "cycles"), \\\n' in header
    assert '\tPFM_ARG_LIVE(pfm_my_fields_arg_t, limit, 7, "number") }\n' in header
    most = f'\tPFM_ARG(pfm_my_fields_arg_t, most, {(1 << 64) - 1}ULL, "number"), \\\n'
    assert most in header
    program = (
        "from pfmparse_my_fields import FORMAT; print(*FORMAT.describe_arg(bytes(32)))"
    )
    names = printed(sdk, folder, program).split()
    assert names == ["buf_size", "num_regions", "flags", "most", "limit", "least"]


def test_live_argument_has_set_arg(sdk: Sdk, formats: Path, tmp_path: Path) -> None:
    """The core refuses a format that has a live field but not fmt_set_arg."""
    for name in ("my_fields", "my_merged"):
        text = (formats / name / f"pfm_fmt_{name}.c").read_text()
        assert f"\t.fmt_set_arg\t= {name}_set_arg,\n" in text
    plain = made(sdk, tmp_path, "plain", "linear", "--arg=least:u8=5")
    assert "set_arg" not in (plain / "pfm_fmt_plain.c").read_text()


def test_write_error_leaves_no_folder(sdk: Sdk, tmp_path: Path) -> None:
    done = subprocess.run(
        [sdk.prefix / "bin/pfm-new-format", "mine"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000)),
    )
    assert done.returncode == 1
    assert "File too large" in done.stderr and "Traceback" not in done.stderr
    assert os.listdir(tmp_path) == []


def test_each_format_has_a_uuid_of_its_own(sdk: Sdk, tmp_path: Path) -> None:
    headers = [
        (made(sdk, tmp_path, name, "linear") / f"perfmon_{name}_smpl.h").read_text()
        for name in NAMES
    ]
    uuids = [header.partition('\t"')[2].partition('"')[0] for header in headers]
    assert len(set(uuids)) == len(NAMES)
    assert all(len(uuid) == 36 and uuid[14] == "4" for uuid in uuids)


def test_author_comes_from_environment(sdk: Sdk, tmp_path: Path) -> None:
    who = {"DEBFULLNAME": "A. Uthor", "DEBEMAIL": "a@example.org"}
    assert new_format(sdk, tmp_path, "mine", **who).returncode == 0
    control = (tmp_path / "mine/debian/control").read_text()
    assert "Maintainer: A. Uthor <a@example.org>\n" in control
    assert "A. Uthor\n" in (tmp_path / "mine/pfm_fmt_mine.c").read_text()


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", NAMES)
def test_lines_are_aligned_and_not_too_long(
    sdk: Sdk, tmp_path: Path, name: str, model: str
) -> None:
    folder = made(sdk, tmp_path, name, model)
    long = [
        (path.name, line)
        for path in folder.rglob("*")
        if path.suffix in (".c", ".h", ".py")
        for line in path.read_text().expandtabs().splitlines()
        if len(line) > (88 if path.suffix == ".py" else 80)
    ]
    assert not long
    module = (folder / f"pfm_fmt_{name}.c").read_text().expandtabs().splitlines()
    at = next(i for i, line in enumerate(module) if "_handler(void" in line)
    assert module[at].index("void") == module[at + 1].index("struct")
    assert not [line for line in module if "newfmt" in line.lower()]


@pytest.mark.parametrize("model", MODELS)
def test_no_placeholder_is_left(sdk: Sdk, tmp_path: Path, model: str) -> None:
    folder = made(sdk, tmp_path, "mine", model)
    text = "".join(
        f"{path.relative_to(folder)} {path.read_text()}"
        for path in folder.rglob("*")
        if path.is_file()
    )
    words = ("newfmt", "NEWFMT", "DASHED", "NUM_REGIONS,", "ABOUT", "DATE", "YEAR")
    for word in (*words, "REPORT", "TABLE_MERGES", "SAMPLED_VALUES", "SAMPLES"):
        assert word not in text
    assert f"PERFMON_SDK ?= {sdk.share.resolve()}\n" in text


def test_readme_records_addresses_in_vm(
    sdk: Sdk, tools: dict[str, str], tmp_path: Path
) -> None:
    folder = made(sdk, tmp_path, "mine", "table", "--field=addr:u64")
    readme = (folder / "README.md").read_text()
    (options,) = re.findall(r"^make vm OPTIONS='(.*)'$", readme, re.MULTILINE)
    sdk.make(folder, "vm", f"OPTIONS={options}", **tools)
    words = Path(tools["WORDS"]).read_text()
    assert f"pfmon {options} -o $OUT/mine.cap" in words
    assert options.endswith(" --smpl-module=mine --smpl-pmds=addr")


@pytest.mark.parametrize("model", ["linear", "table"])
def test_commands_of_readme_show_data_addresses(
    sdk: Sdk, tmp_path: Path, model: str
) -> None:
    folder = made(sdk, tmp_path, "mine", model, "--field=addr:u64")
    printed(sdk, folder, ONE_RECORD)
    sdk.make(folder, "parser/pfmparse_mine.egg-info/entry_points.txt")
    readme = " ".join((folder / "README.md").read_text().split())
    commands = re.findall(r"pfmparse ((?:report|mem)[^`]*?) my\.cap", readme)
    assert len(commands) == 2
    for command in commands:
        words = [*command.split(), "--raw", "--session", "session", "buffer"]
        program = f"from pfmparse.__main__ import main; assert main({words}) == 0"
        output = printed(sdk, folder, program)
        assert ("\nsamples: 1\n" if command == "report" else "5000") in output


def test_parsers_tests_pass(sdk: Sdk, formats: Path) -> None:
    for name in MADE:
        done = sdk.make(formats / name, "check", **sdk.python)
        assert done.returncode == 0, done.stdout + done.stderr
        assert " passed" in done.stdout and "skipped" not in done.stdout


@pytest.mark.parametrize("model", MODELS)
def test_parser_follows_header(sdk: Sdk, tmp_path: Path, model: str) -> None:
    """Change a member to a type of the same size, then to a smaller one (padding)."""
    folder = made(sdk, tmp_path, "mine", model)
    header = folder / "perfmon_mine_smpl.h"
    text = header.read_text()
    assert kind_of(sdk, folder, "tgid") == "uint32"
    header.write_text(text.replace("__u32\ttgid;", "__s32\ttgid;"))
    assert kind_of(sdk, folder, "tgid") == "int32"
    done = sdk.make(folder, "check", **sdk.python)
    assert done.returncode == 0, done.stdout + done.stderr
    header.write_text(text.replace("__u32\ttgid;", "__u16\ttgid;"))
    done = sdk.make(folder, "check", **sdk.python)
    assert "bytes of padding " in done.stdout
    command: list[str | Path] = ["cc", "-fsyntax-only", f"-I{sdk.share}/include"]
    done = sdk.run([*command, header], folder, {})
    assert "-Werror=padded" in done.stderr


def kind_of(sdk: Sdk, folder: Path, field: str) -> str:
    """Return the numpy type of a field in the format's parser."""
    program = f"import pfmparse_mine as mine; print(mine.RECORD['{field}'])"
    return printed(sdk, folder, program)


def printed(sdk: Sdk, folder: Path, program: str) -> str:
    """Return the output of a Python program that can import a format's parser."""
    path = f"{folder}/parser:{sdk.python['PYTHONPATH']}"
    command: list[str | Path] = ["/usr/bin/python3", "-B", "-c", program]
    done = sdk.run(command, folder, {"PYTHONPATH": path})
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_suites_pass(sdk: Sdk, formats: Path) -> None:
    reason = build_parts.left_out("kunit")
    if reason:
        pytest.skip(reason)
    done = sdk.make(formats, "kunit")
    assert done.returncode == 0, done.stdout + done.stderr
    cases = sum(
        path.read_text().count("KUNIT_CASE(") for path in formats.rglob("*_kunit.c")
    )
    assert f"{cases} passed, 0 failed, 0 skipped" in done.stdout
    assert "warning:" not in done.stdout


def test_suite_finds_wrong_merge(sdk: Sdk, tmp_path: Path) -> None:
    reason = build_parts.left_out("kunit")
    if reason:
        pytest.skip(reason)
    folder = made(sdk, tmp_path, "mine", "table", "--field=latency:u64=sum")
    module = folder / "pfm_fmt_mine.c"
    text, right = module.read_text(), "PFM_TABLE_SUM(latency_sum)"
    assert right in text
    module.write_text(text.replace(right, "PFM_TABLE_FIRST(latency_sum)"))
    done = sdk.make(folder, "kunit")
    assert done.returncode != 0
    assert "every_byte_of_a_record_is_written" in done.stdout
    assert ", 1 failed, 0 skipped" in done.stdout


def test_modules_build_without_a_warning(sdk: Sdk, formats: Path) -> None:
    """Build for the kernels of this Debian release for which perfmon has been built."""
    built = []
    for name in [name for arch, name in KERNELS if arch == "x86_64"]:
        symvers = ROOT / f"build/kmod/x86_64-{name}/Module.symvers"
        kernel = kernels.resolve("x86_64", name) if symvers.is_file() else None
        if kernel is None or not kernel.native:
            continue
        where = (f"KDIR={kernels.kdir(kernel)}", f"PERFMON_SYMVERS={symvers}")
        done = sdk.make(formats, *where, f"KCFLAGS={WARNINGS}")
        assert done.returncode == 0, done.stderr
        assert "warning" not in done.stderr
        sdk.make(formats, *where, "clean")
        built.append(name)
    if not built:
        pytest.skip("perfmon's modules were built for no kernel of this Debian release")


@pytest.mark.parametrize(("arch", "name"), OTHERS)
def test_modules_build_for_other_kernels(
    sdk: Sdk, formats: Path, arch: str, name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    symvers = ROOT / f"build/kmod/{arch}-{name}/Module.symvers"
    if not symvers.is_file():
        pytest.skip(f"perfmon's modules have not been built for {arch}-{name}")
    with module_sources.workspace() as work:
        shutil.copytree(formats, work, dirs_exist_ok=True)
        shutil.copytree(sdk.share / "include", Path(work) / "include")
        flags = f"KCFLAGS={WARNINGS} -I{work}/include"
        symbols = f"KBUILD_EXTRA_SYMBOLS={symvers}"
        kernel = kernels.resolve(arch, name)
        module_sources.build(kernel, work, "formats", symbols, flags)
        assert len(list(Path(work).rglob("*.ko"))) == len(MADE)
    # The pattern does not match warnings about pahole.
    assert not re.search(r"\.[ch]:\d+.* warning", capfd.readouterr().err)


@pytest.fixture(name="tools")
def fixture_tools(sdk: Sdk, tmp_path: Path) -> dict[str, str]:
    """Return an environment with the SDK's tools and a replacement for pfm-vm."""
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "pfm-vm").write_text(STAND_IN)
    (programs / "pfm-vm").chmod(0o755)
    path = f"{programs}:{sdk.prefix}/bin:{os.environ['PATH']}"
    (tmp_path / "recorded").mkdir()
    return {
        **sdk.python,
        "PATH": path,
        "WORDS": str(tmp_path / "words"),
        "RECORDED": str(tmp_path / "recorded"),
    }


def test_formats_record_and_are_reported(
    sdk: Sdk, formats: Path, tools: dict[str, str], tmp_path: Path
) -> None:
    """Run the commands of `make vm` for all formats in one guest."""
    reason = build_parts.left_out(f"vm-x86_64-{host.kernel()}")
    if reason:
        pytest.skip(reason)
    commands = []
    for name in MADE:
        folder = formats / name
        sdk.make(folder, "vm", "KERNEL=6.1", **tools)
        words = Path(tools["WORDS"]).read_text().strip()
        options = f"--kernel 6.1 --format {folder} --out vm -- sh -c "
        assert words.startswith(options)
        commands.append(words.removeprefix(options))
    done = sdk.vm(
        *("--kernel", host.kernel(), "--format", formats, "--out", tmp_path / "out"),
        *("--", "sh", "-ec", "\n".join([*commands, UNLOADED])),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "warning:" not in done.stderr
    for name in MADE:
        capture = f"{name}.cap"
        shutil.copyfile(tmp_path / "out" / capture, f"{tools['RECORDED']}/{capture}")
        reported = sdk.make(formats / name, "vm", **tools)
        assert reported.returncode == 0, reported.stdout + reported.stderr
        column = "addr" if name == "my_merged" else "busybox"
        assert column in reported.stdout
        (said,) = re.findall(rf"pfmon: (\d+) samples, .*/{name}\.cap", done.stdout)
        (found,) = re.findall(r"^samples: (\d+)$", reported.stdout, re.MULTILINE)
        assert found == said != "0"
