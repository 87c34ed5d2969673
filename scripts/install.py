#!/usr/bin/python3
# SPDX-License-Identifier: MIT OR GPL-2.0
"""Install the results of `make user` and `make modules KDIR=`, or remove them.

    install.py install [--destdir DIR] [--prefix DIR] [--libdir DIR]
                       [--pythondir DIR]
    install.py uninstall [--destdir DIR] [--prefix DIR]

Everything is installed below the prefix. Each file is added to the list
share/perfmon/installed before it is written. uninstall removes exactly the listed
files, even after an interrupted installation. install first removes the files of an
earlier installation. Modules are installed separately: make modules_install KDIR=...
"""

from __future__ import annotations

import argparse
import compileall
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import module_sources

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = 0o755
DATA = 0o644
COMPLETIONS = (
    *("tools/pfmon/pfmon.bash", "parsers/pfmparse.bash"),
    *("sdk/pfm-new-format.bash", "sdk/conform/pfm-conform.bash"),
)
CONFORM = "sdk/conform/run"
LIST = "share/perfmon/installed"
# The headers for programs; the SDK's other headers are for kernel modules.
USER_HEADERS = re.compile(
    r"perfmon(2x|22|_sink|_time|_unwind|_read|_read_\w+|_\w+_smpl)?\.h"
)
# The scripts that pfm-vm and `make kunit` of a format need.
SDK_SCRIPTS = (
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
# The NAME section of a manual page. All names in it become manual pages: those other
# than the file's own name are links.
NAMES = re.compile(r"^\.SH NAME\n(.*?)\\-", re.MULTILINE | re.DOTALL)


class InstallError(Exception):
    """The installation failed; the message says why."""


@dataclass(frozen=True)
class Layout:
    """The directories to which files are installed, without DESTDIR."""

    destdir: str
    prefix: Path
    libdir: Path
    pythondir: Path

    def real(self, path: Path) -> Path:
        """Return the path at which a file is written, DESTDIR included."""
        return Path(f"{self.destdir}{path}")

    def filled(self, source: str) -> str:
        """Return a file's text with the installation paths inserted."""
        text = (ROOT / source).read_text()
        values = {
            "PREFIX": str(self.prefix),
            "LIBDIR": str(self.libdir),
            "PYTHONDIR": str(self.pythondir),
            "VERSION": (ROOT / "VERSION").read_text().strip(),
        }
        text = re.sub(r"@([A-Z]+)@", lambda match: values[match[1]], text)
        return text.replace("/usr/share/perfmon", f"{self.prefix}/share/perfmon")


@dataclass(frozen=True)
class Item:
    """A file to install: a copy of a source file, a text, or a symbolic link."""

    path: Path
    mode: int = DATA
    source: Path | None = None
    text: str | None = None
    link: str | None = None


def triplet() -> str:
    """Return the host's multiarch name, "" if it has none."""
    return str(sysconfig.get_config_var("MULTIARCH") or "")


def default_pythondir(prefix: Path) -> Path:
    """Return the directory below a prefix where Debian's python3 looks for modules."""
    if prefix == Path("/usr"):
        return prefix / "lib/python3/dist-packages"
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    return prefix / "lib" / version / "dist-packages"


def copies(pattern: str, into: Path, mode: int = DATA) -> Iterator[Item]:
    """Yield the files that match a pattern, for installation in one directory."""
    found = sorted(ROOT.glob(pattern))
    if not found:
        raise InstallError(f"{pattern} is missing: run 'make user' to build it")
    for source in found:
        yield Item(into / source.name, mode, source)


def libraries(layout: Layout, build: str) -> Iterator[Item]:
    """Yield the libraries, the headers for programs and the pkg-config file."""
    for name in ("libperfmon", "libpfm2x", "libpfm22"):
        yield from copies(f"{build}/{name}.so.0", layout.libdir)
        yield from copies(f"{build}/{name}.a", layout.libdir)
        yield Item(layout.libdir / f"{name}.so", link=f"{name}.so.0")
    text = layout.filled("packaging/perfmon.pc.in")
    yield Item(layout.libdir / "pkgconfig/perfmon.pc", text=text)
    for item in copies("sdk/include/perfmon/*.h", layout.prefix / "include/perfmon"):
        if USER_HEADERS.fullmatch(item.path.name):
            yield item


def sdk(layout: Layout) -> Iterator[Item]:
    """Yield the files that are needed to build formats, and the examples."""
    into = layout.prefix / "share/perfmon"
    yield Item(into / "format.mk", text=layout.filled("sdk/format.mk"))
    yield from copies("sdk/include/perfmon/*.h", into / "include/perfmon")
    for kbuild in sorted(ROOT.glob("examples/*/Kbuild")):
        yield from example(layout, kbuild.parent.relative_to(ROOT), into)
    for program in ("hotloops.c", "nway_reader.c"):
        yield from copies(f"examples/{program}", into / "examples")
    yield from scaffold(layout)
    for symvers in sorted(ROOT.glob("build/modules/*/Module.symvers")):
        release = symvers.parent.name
        yield Item(into / "symvers" / release / symvers.name, source=symvers)


def example(layout: Layout, folder: Path, into: Path) -> Iterator[Item]:
    """Yield the files of the example in this folder of the tree."""
    text = layout.filled(f"{folder}/Makefile")
    yield Item(into / folder / "Makefile", text=text)
    parser = ("parser/*.py", "parser/*/*.py", "parser/pyproject.toml")
    for pattern in ("*.[ch]", "Kbuild", *parser):
        for source in sorted((ROOT / folder).glob(pattern)):
            yield Item(into / source.relative_to(ROOT), source=source)
    for link in sorted((ROOT / folder).glob("parser/*/*.h")):
        yield Item(into / link.relative_to(ROOT), link=f"../../{link.name}")


def sources(layout: Layout) -> Iterator[Item]:
    """Yield the modules' sources and the programs that build modules and boot guests.

    The layout is that of the source tree, because the programs need it.
    """
    into = layout.prefix / "share/perfmon/src"
    for path in module_sources.files():
        if not path.is_relative_to(module_sources.HEADERS):
            yield Item(into / path, source=ROOT / path)
    yield Item(into / "sdk/include", link="../../include")
    for name in SDK_SCRIPTS:
        source = ROOT / "scripts" / name
        mode = PROGRAMS if os.access(source, os.X_OK) else DATA
        yield Item(into / "scripts" / name, mode, source)
    for source in sorted((ROOT / "sdk/conform").rglob("*")):
        if source.is_file() and source.suffix not in (".1", ".bash", ".pyc"):
            mode = PROGRAMS if os.access(source, os.X_OK) else DATA
            yield Item(into / source.relative_to(ROOT), mode, source)
    for name, program in (("pfm-vm", "scripts/vm/run"), ("pfm-conform", CONFORM)):
        link = f"../share/perfmon/src/{program}"
        yield Item(layout.prefix / "bin" / name, link=link)


def scaffold(layout: Layout) -> Iterator[Item]:
    """Yield pfm-new-format, its modules and its templates."""
    into = layout.prefix / "share/perfmon"
    program = "pfm-new-format"
    yield Item(into / program, PROGRAMS, source=ROOT / "sdk" / program)
    yield from copies("sdk/format_*.py", into, DATA)
    yield Item(layout.prefix / "bin" / program, link=f"../share/perfmon/{program}")
    for source in sorted((ROOT / "sdk/templates").rglob("*")):
        if source.is_file():
            mode = PROGRAMS if os.access(source, os.X_OK) else DATA
            yield Item(into / source.relative_to(ROOT / "sdk"), mode, source=source)


def manual(layout: Layout) -> Iterator[Item]:
    """Yield the manual pages, and links to them from other names in NAME sections."""
    sdk_pages = ("scripts/vm/*.1", "sdk/*.1", "sdk/conform/*.1")
    programs = ("tools/pfmon/*.1", "parsers/*.1", *sdk_pages)
    for pattern in ("lib/*.[23]", *programs, "docs/*.7"):
        for source in sorted(ROOT.glob(pattern)):
            directory = layout.prefix / f"share/man/man{source.suffix[1:]}"
            page = str(source.relative_to(ROOT))
            yield Item(directory / source.name, text=layout.filled(page))
            names = NAMES.search(source.read_text())
            for name in re.findall(r"[\w-]+", names[1]) if names else ():
                if name != source.stem:
                    link = directory / f"{name}{source.suffix}"
                    yield Item(link, link=source.name)


def tools(layout: Layout, build: str) -> Iterator[Item]:
    """Yield pfmon, pfmparse, pfmparse's package and the completions."""
    programs = layout.prefix / "bin"
    yield from copies(f"{build}/pfmon", programs, PROGRAMS)
    text = layout.filled("packaging/pfmparse.in")
    yield Item(programs / "pfmparse", PROGRAMS, text=text)
    package = ROOT / "parsers/pfmparse"
    kinds = ("*.py", "*.js", "*.css", "*.html", "py.typed")
    for source in sorted(path for kind in kinds for path in package.rglob(kind)):
        path = layout.pythondir / source.relative_to(package.parent)
        yield Item(path, source=source)
    completions = layout.prefix / "share/bash-completion/completions"
    for script in COMPLETIONS:
        yield Item(completions / Path(script).stem, source=ROOT / script)


def system(layout: Layout) -> Iterator[Item]:
    """Yield the configuration of udev, sysusers, modprobe and modules-load."""
    library = layout.prefix / "lib"
    for source, place in (
        ("60-perfmon.rules", "udev/rules.d/60-perfmon.rules"),
        ("sysusers.conf", "sysusers.d/perfmon.conf"),
        ("modprobe.conf", "modprobe.d/perfmon.conf"),
        ("modules-load.conf", "modules-load.d/perfmon.conf"),
    ):
        yield Item(library / place, source=ROOT / "packaging" / source)


def everything(layout: Layout, build: str) -> list[Item]:
    """Return all files to install."""
    return [
        *libraries(layout, build),
        *sdk(layout),
        *sources(layout),
        *manual(layout),
        *tools(layout, build),
        *system(layout),
    ]


class Installed:
    """The files and directories that an installation's list names."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.list = layout.real(layout.prefix / LIST)
        self.lines: list[str] = []

    def begin(self) -> None:
        """Start the list with its own path.

        Files are removed in reverse order, so the list is removed last.
        """
        path = self.layout.prefix / LIST
        self._directory(path.parent)
        self._note(str(path))
        self.list.write_text("".join(f"{line}\n" for line in self.lines))
        self.list.chmod(DATA)

    def _note(self, line: str) -> None:
        """Add a path to the list; called before the path is created."""
        self.lines.append(line)
        if self.list.is_file():
            with open(self.list, "a", encoding="utf-8") as stream:
                stream.write(f"{line}\n")

    def load(self) -> bool:
        """Read the list of an earlier installation; return whether it exists."""
        if self.list.is_file():
            self.lines = self.list.read_text().splitlines()
        return bool(self.lines)

    def _directory(self, path: Path) -> None:
        """Create a directory and its missing parents."""
        self.layout.real(Path("/")).mkdir(parents=True, exist_ok=True)
        missing = []
        while not self.layout.real(path).is_dir():
            missing.append(path)
            path = path.parent
        for made in reversed(missing):
            self._note(f"{made}/")
            self.layout.real(made).mkdir()
            self.layout.real(made).chmod(PROGRAMS)

    def add(self, item: Item) -> None:
        """Write a file, replacing an existing one."""
        self._directory(item.path.parent)
        target = self.layout.real(item.path)
        self._note(str(item.path))
        target.unlink(missing_ok=True)
        if item.link is not None:
            target.symlink_to(item.link)
        else:
            if item.source is not None:
                shutil.copyfile(item.source, target)
            else:
                target.write_text(item.text or "")
            target.chmod(item.mode)

    def byte_compile(self, package: Path) -> None:
        """Compile the package now, so that its first use by root adds no files."""
        real = self.layout.real(package)
        for place in sorted({source.parent for source in real.rglob("*.py")}):
            # With the trailing "/", remove() also deletes byte code of other Python
            # versions.
            self._note(f"{package / place.relative_to(real)}/__pycache__/")
        compileall.compile_dir(real, ddir=str(package), quiet=1, force=True)
        for found in real.rglob("__pycache__"):
            found.chmod(PROGRAMS)
            for file in found.iterdir():
                file.chmod(DATA)

    def remove(self) -> None:
        """Remove the listed files, and the listed directories that are then empty."""
        for line in reversed(self.lines):
            real = self.layout.real(Path(line))
            if not line.endswith("/"):
                real.unlink(missing_ok=True)
            elif real.is_dir():
                self._remove_byte_code(real)
                if not any(real.iterdir()):
                    real.rmdir()
        self.lines = []

    def _remove_byte_code(self, directory: Path) -> None:
        """Remove the byte code that any version of Python compiled from our modules."""
        if directory.name == "__pycache__":
            for compiled in directory.glob("*.pyc"):
                compiled.unlink()


def tell_the_machine(layout: Layout) -> None:
    """As root, update ldconfig, udev and sysusers, unless DESTDIR is set."""
    if layout.destdir or os.geteuid() != 0:
        return
    group = layout.prefix / "lib/sysusers.d/perfmon.conf"
    commands = [["ldconfig"], ["udevadm", "control", "--reload"]]
    if group.is_file():
        commands.insert(0, ["systemd-sysusers", str(group)])
    # su keeps a user's PATH, which lacks the sbin directories.
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    for name, *arguments in commands:
        program = shutil.which(name, path=path)
        if program:
            command = [program, *arguments]
            subprocess.run(command, stderr=subprocess.DEVNULL, check=False)


def install(layout: Layout, build: str) -> None:
    """Install everything."""
    items = everything(layout, build)
    for item in items:
        if item.source is not None and not item.source.is_file():
            raise InstallError(f"{item.source} is missing")
    installed = Installed(layout)
    if installed.load():
        installed.remove()
    installed.begin()
    for item in items:
        installed.add(item)
    installed.byte_compile(layout.pythondir / "pfmparse")
    tell_the_machine(layout)
    print(f"installed {len(items)} files below {layout.real(layout.prefix)}")


def uninstall(layout: Layout) -> None:
    """Remove an earlier installation."""
    installed = Installed(layout)
    if not installed.load():
        raise InstallError(
            f"{installed.list} does not exist: nothing is installed with this PREFIX"
        )
    installed.remove()
    tell_the_machine(layout)
    print(f"removed perfmon from {layout.real(layout.prefix)}")


def main() -> int:
    """Run the requested action; return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["install", "uninstall"])
    parser.add_argument("--destdir", default="", help="prepended to each path")
    parser.add_argument("--prefix", type=Path, default=Path("/usr/local"))
    parser.add_argument("--libdir", type=Path, help="default: PREFIX/lib/MULTIARCH")
    parser.add_argument("--pythondir", type=Path, help="directory of python3's modules")
    parser.add_argument("--build", help="directory with the results of 'make user'")
    arguments = parser.parse_args()
    if arguments.what == "install" and not arguments.build:
        parser.error("install needs --build DIRECTORY, with the results of 'make user'")
    prefix = arguments.prefix
    layout = Layout(
        arguments.destdir.rstrip("/"),
        prefix,
        arguments.libdir or prefix / "lib" / triplet(),
        arguments.pythondir or default_pythondir(prefix),
    )
    try:
        if not prefix.is_absolute():
            raise InstallError(f"PREFIX={prefix} must begin with /")
        if arguments.what == "install":
            install(layout, arguments.build)
        else:
            uninstall(layout)
    except (InstallError, OSError) as error:
        print(f"{arguments.what}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
