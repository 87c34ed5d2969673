# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test make install with a DESTDIR, and make uninstall."""

from __future__ import annotations

import compileall
import contextlib
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import install
import pytest

ROOT = Path(__file__).resolve().parents[2]
VERSION = (ROOT / "VERSION").read_text().strip()
PREFIX = Path("/usr/local")
LIBDIR = f"lib/{sysconfig.get_config_var('MULTIARCH')}"
PYTHONDIR = f"lib/python{sys.version_info.major}.{sys.version_info.minor}/dist-packages"
# The name of this machine's architecture in scripts/cross.mk.
HOST_ARCH = {"aarch64": "arm64"}.get(platform.machine(), platform.machine())
USER_HEADERS = (
    *("perfmon", "perfmon22", "perfmon2x", "perfmon_default_smpl"),
    *("perfmon_nway_smpl", "perfmon_oprofile_smpl"),
    *("perfmon_pebs32_smpl", "perfmon_pebs64_smpl", "perfmon_sink"),
    *("perfmon_callstack_smpl", "perfmon_cgroup_counts_smpl", "perfmon_flight_smpl"),
    *("perfmon_histogram_smpl", "perfmon_stacks_smpl", "perfmon_time"),
    "perfmon_unwind",
    *("perfmon_read", "perfmon_read_default", "perfmon_read_nway"),
    *("perfmon_read_oprofile", "perfmon_read_pebs", "perfmon_read_pebs32"),
    *("perfmon_read_pebs64", "perfmon_read_regions", "perfmon_read_sink"),
    *("perfmon_read_callstack", "perfmon_read_flight", "perfmon_read_histogram"),
    "perfmon_read_stacks",
)
KERNEL_HEADERS = (
    *("perfmon_defect", "perfmon_ds", "perfmon_fmt", "perfmon_fmt_callers"),
    "perfmon_fmt_device",
    *("perfmon_fmt_entry", "perfmon_fmt_kunit", "perfmon_fmt_ring"),
    *("perfmon_fmt_sdk", "perfmon_fmt_sink", "perfmon_fmt_table"),
    "perfmon_fmt_threads",
    "perfmon_fmt_unwind",
    *("perfmon_irq_work", "perfmon_kprobe", "perfmon_pmu", "perfmon_user_regs"),
    "perfmon_work",
)
FUNCTIONS = (
    *("create_context", "write_pmcs", "write_pmds", "read_pmds", "load_context"),
    *("start", "stop", "restart", "unload_context", "create_evtsets"),
    *("delete_evtsets", "getinfo_evtsets", "getinfo_pmcs", "getinfo_pmds"),
    *("set_config", "get_config", "set_fmt_arg"),
    *("map_set", "read_mapped", "unmap_set"),
    *("bv_set", "bv_isset"),
)
SDK = "share/perfmon"
EXPECTED = {
    *("bin/pfmon", "bin/pfmparse", "bin/pfm-vm", "bin/pfm-new-format"),
    "bin/pfm-conform",
    *(f"include/perfmon/{name}.h" for name in USER_HEADERS),
    *(
        f"{LIBDIR}/{name}.{end}"
        for name in ("libperfmon", "libpfm2x", "libpfm22")
        for end in ("a", "so", "so.0")
    ),
    f"{LIBDIR}/pkgconfig/perfmon.pc",
    "lib/modprobe.d/perfmon.conf",
    "lib/modules-load.d/perfmon.conf",
    "lib/sysusers.d/perfmon.conf",
    "lib/udev/rules.d/60-perfmon.rules",
    "share/bash-completion/completions/pfmon",
    "share/bash-completion/completions/pfmparse",
    "share/bash-completion/completions/pfm-new-format",
    "share/bash-completion/completions/pfm-conform",
    *(f"share/man/man1/{name}.1" for name in ("pfmon", "pfmparse", "pfm-vm")),
    *(f"share/man/man1/{name}.1" for name in ("pfm-new-format", "pfm-conform")),
    *("share/man/man2/perfmonctl.2", "share/man/man3/libperfmon.3"),
    *(f"share/man/man3/pfm_{name}.3" for name in FUNCTIONS),
    "share/man/man7/perfmon.7",
    *(f"{SDK}/{name}" for name in ("format.mk", "installed", "pfm-new-format")),
    *(f"{SDK}/format_{name}.py" for name in ("arguments", "members", "tables")),
    *(f"{SDK}/include/perfmon/{name}.h" for name in (*USER_HEADERS, *KERNEL_HEADERS)),
    *(f"{SDK}/examples/{name}" for name in ("hotloops.c", "nway_reader.c")),
    *(
        f"{SDK}/examples/format_{example}/parser/test_pfmparse_{example}.py"
        for example in ("count", "mini")
    ),
    *(
        f"{SDK}/examples/format_{example}/{name}"
        for example in (
            *("cgroups", "count", "lines", "mini", "mispredicts", "requests"),
            *("chains", "intervals", "sharing", "slowest", "spans", "threshold"),
        )
        for name in (
            *("Kbuild", "Makefile", "parser/pyproject.toml"),
            *(f"perfmon_{example}_smpl.h", f"pfm_fmt_{example}.c"),
            f"parser/pfmparse_{example}/__init__.py",
            f"parser/pfmparse_{example}/perfmon_{example}_smpl.h",
        )
    ),
    *(
        f"{SDK}/examples/pmu_usage/{name}"
        for name in ("Kbuild", "Makefile", "pfm_pmu_usage.c")
    ),
}
# The files from scripts/ that pfm-vm, and `make kunit` in a format's folder, need.
SCRIPTS = (
    *("cache.py", "counted.py", "debian.py", "debug.config", "debug-rt.config"),
    "debug_kernel.py",
    *("cache_entries.py", "firmware.py", "format_folder.py", "format_hints.py"),
    *("host.py", "kernel_source.py"),
    *("kernels.py", "kunit.config"),
    *("kunit.py", "kunit_format.py", "module_sources.py", "packages.py", "roots.py"),
    *("vm/command_line.py", "vm/cpio.py", "vm/guest.py", "vm/init"),
    *("vm/initramfs.py", "vm/kept_runs.py", "vm/libraries.py", "vm/qemu.py"),
    *("vm/rootdisk.py", "vm/run"),
    *("vm/stream.py", "vm/supply.py", "vm/verdict.py"),
)
PROGRAM = """
#include <errno.h>
#include <stdio.h>
#include <perfmon/perfmon.h>
#include <perfmon/perfmon_read_default.h>

int main(void)
{
    pfarg_config_t cfg = {};

    printf("%d\\n", pfm_get_config(&cfg) ? errno : 0);
    return 0;
}
"""


def make(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run make in the tree, without variables of an outer make."""
    env = {name: text for name, text in os.environ.items() if "MAKE" not in name}
    return subprocess.run(
        ["make", "-s", *words],
        cwd=ROOT,
        env={**env, **environment},
        capture_output=True,
        text=True,
    )


def files(directory: Path) -> set[str]:
    """Return the relative paths of all files below a directory."""
    return {
        str(path.relative_to(directory))
        for path in directory.rglob("*")
        if path.is_symlink() or path.is_file()
    }


def installed(dest: Path) -> Path:
    """Install into ``dest``; return the installed prefix."""
    done = make("install", f"DESTDIR={dest}")
    assert done.returncode == 0, done.stderr
    return Path(f"{dest}{PREFIX}")


@pytest.fixture(scope="module", name="prefix")
def fixture_prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install once for all tests that do not change the files; return the prefix."""
    return installed(tmp_path_factory.mktemp("dest"))


def test_install_writes_expected_files(prefix: Path) -> None:
    python = {
        f"{PYTHONDIR}/{source.relative_to(ROOT / 'parsers')}"
        for source in (ROOT / "parsers/pfmparse").rglob("*")
        if source.suffix in (".py", ".js", ".css", ".html") or source.name == "py.typed"
    }
    sources = {
        f"{SDK}/src/{path.relative_to(ROOT)}"
        for top in ("core", "pmu", "unwind", "formats")
        for path in (ROOT / top).rglob("*")
        if path.is_file()
    }
    sources |= {
        f"{SDK}/{path.relative_to(ROOT / 'sdk')}"
        for path in (ROOT / "sdk/templates").rglob("*")
        if path.is_file()
    }
    sources |= {
        f"{SDK}/src/{path.relative_to(ROOT)}"
        for path in (ROOT / "sdk/conform").rglob("*")
        if path.suffix in ("", ".c", ".h", ".py", ".sh") and path.is_file()
    }
    sources |= {f"{SDK}/src/{name}" for name in ("Kbuild", "VERSION", "sdk/include")}
    sources |= {f"{SDK}/src/scripts/{name}" for name in ("modules.mk", *SCRIPTS)}
    found = {
        name
        for name in files(prefix)
        if not name.endswith(".pyc") and not name.startswith(f"{SDK}/symvers/")
    }
    assert found == EXPECTED | python | sources


def test_library_soname_is_installed(prefix: Path) -> None:
    for name in ("libperfmon", "libpfm2x", "libpfm22"):
        library = prefix / LIBDIR / f"{name}.so"
        shown = subprocess.run(
            ["objdump", "-p", library], capture_output=True, text=True, check=True
        ).stdout
        assert os.readlink(library) == f"{name}.so.0"
        assert f"{name}.so.0" in [
            line.split()[1] for line in shown.splitlines() if "SONAME" in line
        ]


@pytest.mark.parametrize("extra", [[], ["-static"]], ids=["shared", "static"])
def test_a_program_is_built_by_pkg_config(
    prefix: Path, tmp_path: Path, extra: list[str]
) -> None:
    dest = str(prefix).removesuffix(str(PREFIX))
    flags = subprocess.run(
        ["pkg-config", "--cflags", "--libs", f"perfmon = {VERSION}"],
        env={
            **os.environ,
            "PKG_CONFIG_LIBDIR": str(prefix / LIBDIR / "pkgconfig"),
            "PKG_CONFIG_SYSROOT_DIR": dest,
        },
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    (tmp_path / "program.c").write_text(PROGRAM)
    program = str(tmp_path / "program")
    command = ["gcc", "-Wall", "-Werror", "-o", program, f"{program}.c"]
    subprocess.run([*command, *extra, *flags], check=True)
    done = subprocess.run(
        [program],
        env={"LD_LIBRARY_PATH": str(prefix / LIBDIR)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip().isdigit()


@pytest.mark.parametrize("command", ["pfmon", "pfmparse"])
def test_the_commands_run_and_say_the_version(prefix: Path, command: str) -> None:
    done = subprocess.run(
        [prefix / "bin" / command, "--version"],
        cwd="/",
        env={"PYTHONPATH": str(prefix / PYTHONDIR)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"{command} {VERSION}\n"


def test_pfmparse_needs_no_search_path(prefix: Path) -> None:
    text = (prefix / "bin/pfmparse").read_text()
    assert f'"{PREFIX / PYTHONDIR}"' in text


@pytest.mark.parametrize("command", ["pfmon", "pfmparse", "pfm-new-format"])
def test_completions_can_be_sourced(prefix: Path, command: str) -> None:
    script = prefix / "share/bash-completion/completions" / command
    subprocess.run(
        ["bash", "-euc", f"source {script}; complete -p {command}"],
        check=True,
        capture_output=True,
    )


def check_modules_install(root: Path, headers: Path, release: str) -> None:
    """Check the files of modules_install; check that modules_uninstall removes them."""
    where = (f"KDIR={headers}", f"INSTALL_MOD_PATH={root}")
    done = make("modules_install", *where)
    assert done.returncode == 0, done.stderr
    place = root / "lib/modules" / release
    # Some kernels use compressed modules.
    assert list(place.glob("updates/perfmon/core/perfmon.ko*"))
    aliases = (place / "modules.alias").read_text()
    headers_of_formats = [*ROOT.glob("sdk/include/perfmon/perfmon_*_smpl.h")]
    assert aliases.count("alias perfmon-fmt-") == len(headers_of_formats)
    assert make("modules_uninstall", *where).returncode == 0
    assert not list(place.rglob("*.ko*"))


def test_modules_and_a_format_are_built_for_a_kernel(
    prefix: Path, tmp_path: Path
) -> None:
    headers = sorted(Path("/usr/src").glob("linux-headers-*-amd64"))
    if not headers:
        pytest.skip("no kernel headers are installed")
    release = headers[0].name.removeprefix("linux-headers-")
    built = make("modules", f"KDIR={headers[0]}")
    assert built.returncode == 0, built.stderr
    assert f"build/modules/{release}/core/perfmon.ko" in built.stdout.split()
    check_modules_install(tmp_path / "root", headers[0], release)
    # The modules are built now, so `make install` also installs their Module.symvers.
    installed(tmp_path / "dest")
    share = Path(f"{tmp_path}/dest{PREFIX}/{SDK}")
    assert (share / "symvers" / release / "Module.symvers").is_file()
    example = tmp_path / "example"
    shutil.copytree(share / "examples/format_count", example)
    subprocess.run(
        ["make", "-s", f"PERFMON_SDK={share}", f"KDIR={headers[0]}"],
        cwd=example,
        env={"PATH": os.environ["PATH"]},
        check=True,
    )
    module = (example / "pfm_fmt_count.ko").read_bytes()
    assert b"depends=perfmon\0" in module
    assert f"vermagic={release} ".encode() in module


def test_format_build_without_modules_gives_advice(
    prefix: Path, tmp_path: Path
) -> None:
    generated = tmp_path / "kdir/include/generated"
    generated.mkdir(parents=True)
    (generated / "utsrelease.h").write_text('#define UTS_RELEASE "1.2-none"\n')
    makefile = tmp_path / "Makefile"
    makefile.write_text(f"obj-m := mine.o\ninclude {prefix / SDK}/format.mk\n")
    done = subprocess.run(
        ["make", "-s", f"KDIR={tmp_path}/kdir"],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
    )
    assert done.returncode != 0
    assert "have not been built for 1.2-none: install perfmon-dkms" in done.stderr


@pytest.mark.parametrize("target", ["modules", "modules_install"])
def test_missing_headers_are_named_by_make(target: str) -> None:
    done = make(target, "KDIR=/nonexistent")
    assert done.returncode != 0
    assert "linux-headers-" in done.stderr


def test_uninstall_leaves_nothing(tmp_path: Path) -> None:
    installed(tmp_path)
    assert make("uninstall", f"DESTDIR={tmp_path}").returncode == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("step", ["copyfile", "compile_dir"])
def test_uninstall_after_interrupted_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    assert make("user").returncode == 0
    calls = 0

    def interrupt(source: Path, target: Path = Path(), **_: object) -> None:
        nonlocal calls
        calls += 1
        if step == "compile_dir":
            (source / "__pycache__").mkdir()
            (source / "__pycache__/half.pyc").touch()
        else:
            target.touch()
        if calls == 20 or step == "compile_dir":
            raise KeyboardInterrupt

    where = compileall if step == "compile_dir" else shutil
    monkeypatch.setattr(where, step, interrupt)
    built = f"build/{HOST_ARCH}"
    words = ["install.py", "install", "--destdir", str(tmp_path), "--build", built]
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(KeyboardInterrupt):
        install.main()
    assert files(tmp_path)
    done = make("uninstall", f"DESTDIR={tmp_path}")
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.iterdir()) == []


def test_interrupted_uninstall_can_be_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(tmp_path)
    unlink = Path.unlink

    def interrupt(path: Path, missing_ok: bool = False) -> None:
        unlink(path, missing_ok)
        if path.name == "pfmon":
            raise KeyboardInterrupt

    words = ["install.py", "uninstall", "--destdir", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", words)
    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", interrupt)
        with pytest.raises(KeyboardInterrupt):
            install.main()
    assert install.main() == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--prefix=usr", "--build=build"], "install: PREFIX=usr must begin with /"),
        (["--build=nonexistent"], "is missing: run 'make user' to build it"),
        ([], "error: install needs --build DIRECTORY"),
    ],
)
def test_impossible_install_writes_nothing(
    words: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    argv = ["install.py", "install", "--destdir", str(tmp_path), *words]
    monkeypatch.setattr(sys, "argv", argv)
    with contextlib.suppress(SystemExit):
        assert install.main() == 1
        assert words
    assert said in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_sbin_programs_are_found_with_user_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[str] = []
    monkeypatch.setattr(
        shutil, "which", lambda name, path: f"/sbin/{name}" if "/sbin" in path else None
    )
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.setattr(subprocess, "run", lambda command, **_: ran.append(command[0]))
    install.tell_the_machine(install.Layout("", tmp_path, tmp_path, tmp_path))
    assert "ldconfig" in [Path(program).name for program in ran]
    (tmp_path / "lib/sysusers.d").mkdir(parents=True)
    (tmp_path / "lib/sysusers.d/perfmon.conf").touch()
    ran.clear()
    install.tell_the_machine(install.Layout("", tmp_path, tmp_path, tmp_path))
    assert Path(ran[0]).name == "systemd-sysusers"
    ran.clear()
    install.tell_the_machine(install.Layout("/dest", tmp_path, tmp_path, tmp_path))
    assert ran == []


def test_uninstall_keeps_foreign_files(tmp_path: Path) -> None:
    other = Path(f"{tmp_path}{PREFIX}/include/perfmon/pfmlib.h")
    empty = Path(f"{tmp_path}{PREFIX}/share/man/man3")
    other.parent.mkdir(parents=True)
    empty.mkdir(parents=True)
    other.touch()
    installed(tmp_path)
    assert make("uninstall", f"DESTDIR={tmp_path}").returncode == 0
    assert files(tmp_path) == {str(other.relative_to(tmp_path))}
    assert empty.is_dir()


def test_reinstall_removes_obsolete_files(tmp_path: Path) -> None:
    prefix = installed(tmp_path)
    old = prefix / "bin/old-tool"
    old.touch()
    with open(prefix / SDK / "installed", "a", encoding="ascii") as stream:
        stream.write(f"{PREFIX}/bin/old-tool\n")
    installed(tmp_path)
    assert not old.exists()
    assert (prefix / "bin/pfmon").exists()


def test_uninstall_without_installation_fails(tmp_path: Path) -> None:
    done = make("uninstall", f"DESTDIR={tmp_path}")
    assert done.returncode != 0
    assert "nothing is installed with this PREFIX" in done.stderr
