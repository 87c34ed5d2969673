# SPDX-License-Identifier: MIT OR GPL-2.0
"""KUnit suites in a User Mode Linux kernel that is built from Debian's source.

The source of the package linux-source-6.12 is unpacked into the cache once. Builds run
in a workspace, which has a build directory and a clone of the source made of hard
links. Below drivers/perfmon of the clone, each caller has a directory for its suites.
All callers share the workspace, so the whole kernel is compiled only once; later builds
compile only changed files. A new version of the package gets a new workspace. When a
workspace is made, others that were not used for two weeks are deleted.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import cache
import cache_entries
import counted
import kernel_source
import packages
import verdict

CONFIG = Path(__file__).resolve().parent / "kunit.config"
BUILT = "obj-$(CONFIG_PERFMON_KUNIT) += {}/\n"
KCONFIG = (
    "config PERFMON_KUNIT\n"
    '\tbool "KUnit suites of perfmon"\n'
    "\tdepends on KUNIT=y\n"
)
# With gcc 13 and later, KASAN expects the compiler to call __asan_memcpy() and so on.
# On User Mode Linux, the compiler would call the plain functions, which check nothing;
# these flags rename the calls.
WATCHED = (
    "subdir-ccflags-$(CONFIG_CC_HAS_KASAN_MEMINTRINSIC_PREFIX) += "
    "-Dmemcpy=__asan_memcpy -Dmemmove=__asan_memmove -Dmemset=__asan_memset\n"
)
MACHINE = "x86_64"
# Programs that are needed to build the kernel, and their packages.
PROGRAMS = {"make": "make", "gcc": "gcc", "flex": "flex", "bison": "bison", "bc": "bc"}
SUMMARY = re.compile(r"Testing complete\. Ran \d+ tests?: (.*)")
COUNT = re.compile(r"(\w+): (\d+)")
# All exceptions that run() raises.
ERRORS = (kernel_source.SourceError, OSError, subprocess.CalledProcessError)


def run(
    folder: str,
    files: Mapping[Path, bytes],
    extra: list[str],
    show: Callable[[str], str] = lambda line: line,
) -> int:
    """Build and run suites; return the exit status, 0 on success.

    folder: name of the suites' folder below drivers/perfmon. Only this folder is built.
    Concurrent callers wait for each other. files: the contents of the folder's files,
    by path below the folder. extra: arguments of kunit.py run. show: converts each line
    of kunit.py's report before it is printed. Raises one of ERRORS.
    """
    _need_programs()
    pristine = kernel_source.pristine()
    workspace = _workspace(pristine.name)
    build = workspace / "build"
    log = build / "test.log"
    with cache.locked(f"kunit/{workspace.name}/run"):
        source = _hooked_source(workspace, pristine, folder)
        update(source / "drivers/perfmon" / folder, files)
        log.unlink(missing_ok=True)
        if not (build / "vmlinux").exists():
            print("building a kernel with KUnit (several minutes)", flush=True)
            counted.count(counted.KERNEL)
        report = _run_suites(source, build, extra, show)
        kernel_log = log.read_text(errors="replace") if log.exists() else ""
    return _conclude(report, kernel_log, log)


def update(directory: Path, files: Mapping[Path, bytes]) -> None:
    """Make a directory contain exactly these files; rewrite only changed files."""
    for path in sorted(directory.rglob("*"), reverse=True):
        if path.is_dir():
            if not any(path.iterdir()):
                path.rmdir()
        elif path.relative_to(directory) not in files:
            path.unlink()
    for name, content in files.items():
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        cache.replace(directory / name, content)


def _need_programs() -> None:
    if platform.machine() != MACHINE:
        raise kernel_source.SourceError(
            f"User Mode Linux runs on {MACHINE} only, not on {platform.machine()}"
        )
    missing = [PROGRAMS[name] for name in PROGRAMS if shutil.which(name) is None]
    if packages.installed_version(kernel_source.PACKAGE) is None:
        missing.append(kernel_source.PACKAGE)
    if missing:
        raise kernel_source.SourceError(
            f"packages are missing: run 'apt-get install {' '.join(missing)}'"
        )


def _workspace(name: str) -> Path:
    """Return the directory of a workspace; if it is new, delete unused workspaces."""
    workspace = cache.root() / "kunit" / name
    cache_entries.use(workspace, [name])
    if not workspace.is_dir():
        workspace.mkdir(exist_ok=True)
        cache_entries.prune(workspace, shutil.rmtree)
    return workspace


def _hooked_source(workspace: Path, pristine: Path, folder: str) -> Path:
    """Return a clone of the source in which kbuild builds drivers/perfmon/`folder`.

    The caller holds the workspace's lock.
    """
    clone = workspace / "source"
    if not clone.is_dir():
        with cache.filling(clone) as tree:
            subprocess.run(["cp", "-al", f"{pristine}/.", str(tree)], check=True)
    drivers = clone / "drivers"
    (drivers / "perfmon").mkdir(exist_ok=True)
    kconfig = (pristine / "drivers/Kconfig").read_text().rpartition("endmenu")[0]
    kconfig += 'source "drivers/perfmon/Kconfig"\n\nendmenu\n'
    makefiles = (pristine / "drivers/Makefile").read_text() + "\nobj-y += perfmon/\n"
    for path, text in (
        ("perfmon/Kconfig", KCONFIG),
        ("perfmon/Makefile", BUILT.format(folder) + WATCHED),
        ("Kconfig", kconfig),
        ("Makefile", makefiles),
    ):
        cache.replace(drivers / path, text.encode())
    # The suites need none of the devices that kunit.py adds for UML.
    cache.replace(clone / "tools/testing/kunit/configs/arch_uml.config", b"")
    return clone


def _run_suites(
    source: Path, build: Path, extra: list[str], show: Callable[[str], str]
) -> str:
    """Build and run the suites; print and return kunit.py's report."""
    command = [sys.executable, str(source / "tools/testing/kunit/kunit.py"), "run"]
    command += ["--arch=um", f"--build_dir={build}", f"--jobs={os.cpu_count()}"]
    command += [f"--kunitconfig={CONFIG}", *extra]
    process = subprocess.Popen(
        command,
        env=kernel_source.build_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    lines = []
    try:
        assert process.stdout is not None
        for line in process.stdout:
            print(show(line), end="", flush=True)
            lines.append(line)
        process.wait()
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    return "".join(lines)


def _count(report: str) -> tuple[int, int, int]:
    """Return how many tests passed, failed (or crashed) and were skipped."""
    summaries = SUMMARY.findall(report)
    counts = {
        name: int(number)
        for name, number in COUNT.findall(summaries[-1] if summaries else "")
    }
    failed = sum(counts.get(name, 0) for name in ("failed", "crashed", "errors"))
    return counts.get("passed", 0), failed, counts.get("skipped", 0)


def _conclude(report: str, kernel_log: str, log: Path) -> int:
    """Print the result; return the exit status."""
    passed, failed, skipped = _count(report)
    splat = verdict.find_splat(kernel_log, stamped=False)
    if splat:
        print(f"the kernel reported an error: {splat} (see {log})")
    if passed + failed == 0:
        print("no test ran")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 0 if passed and not failed and not splat else 1
