# SPDX-License-Identifier: MIT OR GPL-2.0
"""Install, use, upgrade and purge the packages on a clean machine of each release.

One clean machine builds the packages as in README. Another one installs them as in
README, boots, and uses them. Then it gets the next version of the packages and another
kernel, and boots this kernel. At the end, the packages are removed and purged. The
upgrade is tested on the host's release and, in `make check-all`, also on the other
release. Each test checks one step. A third machine, of the host's release, runs the
steps of the tutorial.
"""

from __future__ import annotations

import contextlib
import re
import shlex
import subprocess
from collections.abc import Container, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import bare_machines
import build_parts
import debfiles
import debs
import machine
import programs
import pytest
import readme
import tutorial
from boot import Boot
from machine import FOLDER, STRANGER, USER, Machine, as_user
from pages import ROOT, Page
from tutorial import Author, Step

# The packages of another kernel.
SECOND_KERNEL = {
    "bookworm": "linux-image-6.12-cloud-amd64 linux-headers-6.12-cloud-amd64",
    "trixie": "-t trixie-backports linux-image-cloud-amd64 linux-headers-cloud-amd64",
}
# The measured program is a shell that counts.
LOOP = "sh -c 'i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done'"
PROFILE = "pfmon -e cpu-clock --long-smpl-periods=1000000"


def refused(command: str, *messages: str) -> str:
    """Return a command that succeeds if `command` fails with all these messages."""
    said = " && ".join(f"grep -qF {shlex.quote(text)} /tmp/said" for text in messages)
    return f"! {command} >/tmp/said 2>&1 && cat /tmp/said && {said}"


PACKAGES = (
    *("perfmon-dkms", "libperfmon0", "libperfmon-dev", "perfmon-tools"),
    *("python3-pfmparse", "perfmon-sdk", "perfmon-doc"),
)
# Build the SDK's example format "count" out of tree, and install it.
FORMAT = (
    "cp -r /usr/share/perfmon/examples/format_count . && make -C format_count && "
    "sudo install -D -t /lib/modules/$(uname -r)/extra format_count/pfm_fmt_count.ko "
    "&& sudo depmod $(uname -r)"
)
# The formats by name, with options. pebs32 is missing, because it records only 32-bit
# programs, and LOOP is a 64-bit program. cgroup_counts has no samples.
FORMATS = (
    *sorted(programs.FORMATS.keys() - {"pebs32", "pebs64", "cgroup_counts"}),
    "pebs64 --smpl-imprecise",
)
READ_COUNTS = """
import pfmparse, struct
with open("count.cap", "rb") as stream:
    (buffer,) = pfmparse.Capture(stream).buffers()
print("counted", *struct.unpack_from("<IIQQ", buffer.data))
"""
# numpy sorts with the CPU's widest loads. The array ends at the end of a page, and the
# next page is not accessible, so a load beyond the array would fault.
SORT = """
import ctypes, mmap, numpy
pages = numpy.frombuffer(mmap.mmap(-1, 2 * mmap.PAGESIZE), numpy.uint64)
second = ctypes.c_void_p(pages[pages.size // 2 :].ctypes.data)
assert ctypes.CDLL(None).mprotect(second, ctypes.c_size_t(mmap.PAGESIZE), 0) == 0
last = pages[: pages.size // 2][-3:]
last[:] = 3, 1, 2
last.sort()
print(last)
"""
# The commands of the first boot, by name. All run as root on the machine.
FIRST_BOOT = {
    "node": " && ".join(
        f'stat -c "%U %G %a" {node} | grep -x "root perfmon 660"'
        for node in ("/dev/perfmon", "/dev/perfmon_unwind")
    ),
    "signer": "modinfo -F signer perfmon",
    "sort": f"python3 -c {shlex.quote(SORT)}",
    # If the command fails, the kernel log may name the program that crashed.
    "record": as_user(USER, f"{PROFILE} -o loop.cap {LOOP} && pfmparse report loop.cap")
    + " | tee /tmp/said; grep dash /tmp/said || { dmesg | grep segfault; false; }",
    "alias": "modprobe -r pfm_fmt_nway; modprobe perfmon-fmt-"
    '$(modinfo -F alias pfm_fmt_nway | sed -n "s/^perfmon-fmt-//p" | head -n 1)'
    ' && grep "^pfm_fmt_nway " /proc/modules',
    "on-demand": "modprobe -r pfm_fmt_nway; "
    + as_user(USER, f"{PROFILE} --smpl-module=nway -o nway.cap {LOOP}")
    + ' && grep "^pfm_fmt_nway " /proc/modules',
    "formats": "modprobe -r -a "
    "$(sed -n 's/^\\(pfm_fmt_[^ ]*\\) .*/\\1/p' /proc/modules); "
    f"(for form in {shlex.join(FORMATS)}; do echo $form; "
    f"{PROFILE} --smpl-module=$form -o all.cap {LOOP} && "
    "pfmparse report all.cap | grep dash || exit 1; done) && "
    f"{PROFILE} --smpl-module=pebs32 --smpl-imprecise -o all.cap {LOOP} && "
    "pfmparse info all.cap | grep '32-bit PEBS'",
    "own-format": as_user(
        USER,
        f"{PROFILE} --smpl-module=count --smpl-arg=0100000000000000 -o count.cap {LOOP}"
        f" && python3 -c {shlex.quote(READ_COUNTS)} && sudo rmmod pfm_fmt_count",
    ),
    "stranger": refused(
        as_user(STRANGER, f"{PROFILE} -o no.cap true"),
        "is restricted to the group perfmon",
        STRANGER,
    ),
    "unload": "modprobe -r -a $(sed -n 's/^\\(pfm_[^ ]*\\) .*/\\1/p' /proc/modules); "
    "modprobe -r perfmon; udevadm settle; "
    "! grep -E '^(perfmon|pfm_)' /proc/modules && test ! -e /dev/perfmon",
    "enforce": "echo 1 >/sys/module/module/parameters/sig_enforce; "
    + refused("modprobe perfmon", "Key was rejected by service"),
}
# The commands of the second boot, with the next version and the other kernel.
SECOND_BOOT = {
    "version": "modinfo -F version perfmon; cat /sys/module/perfmon/version",
    "record": FIRST_BOOT["record"],
    "remove": f"dpkg --remove {' '.join(PACKAGES)}",
    "purge": f"dpkg --purge {' '.join(PACKAGES)} && {{ "
    f"{machine.LIST_FILES} >$OUT/files; cat /var/lib/dpkg/info/*.list >$OUT/owned; "
    f"grep -rlE 'perfmon|pfm_' --exclude='*-' --exclude={machine.APT_KEPT.name} "
    # A file in apparmor.d mentions the capability CAP_PERFMON.
    "--exclude-dir=apparmor.d "
    "/etc /usr/lib/modules/*/modules.* >$OUT/mentioned; "
    "find /run -name '*perfmon*' >$OUT/run; }",
}
# After the purge, no path that matches OURS may be left, unless it was there before,
# another package owns it, or it matches REMAINS: DKMS's key for signing modules, and
# dpkg's data about our dependencies.
OURS = re.compile(r"perfmon|pfm|dkms|/updates\b")
REMAINS = re.compile(
    r"/var/lib/dkms(/mok\.(key|pub))?|/var/lib/dpkg/info/(dkms|libpfm4\b).*"
)


# The names of two fixtures: lintian's result, and the life cycle of a machine with the
# packages.
LINTED, LIFE = "linted", "life"
# The releases on which machines also get the next version and another kernel.
WHOLE = tuple(
    release
    for release in bare_machines.SOURCES
    if programs.ALL or release == debs.host_release()
)
# The release of the machine on which an Author takes the steps of the tutorial. `make
# kunit`, one of these steps, uses the kernel that the cache has for this release.
AUTHORS = debs.host_release()
STEPS = tutorial.steps(Page(tutorial.PAGE, (ROOT / tutorial.PAGE).read_text()))


class Life:
    """The life cycle of a machine. Each step waits for the steps whose results it uses.

    wanted: the names of the fixtures that the tests use. Without LINTED and LIFE, the
    packages are only built.
    """

    def __init__(self, release: str, work: Path, wanted: Container[str]) -> None:
        self.release = release
        self.work = work
        self._builder = contextlib.ExitStack()
        self._machine = contextlib.ExitStack()
        self._boots: list[Boot] = []
        self._pool = ThreadPoolExecutor()
        # A step is submitted after the steps that it waits for, so the pool cannot
        # deadlock.
        self._built = self._pool.submit(self._build)
        if LINTED in wanted:
            self._linted = self._pool.submit(self._lint)
        if LIFE in wanted:
            self._installed = self._pool.submit(self._install)
            self._started = self._pool.submit(self._start)
            self._first = self._pool.submit(self._end_first)
        if LIFE in wanted and release in WHOLE:
            self._upgraded = self._pool.submit(self._upgrade)
            self._second = self._pool.submit(self._boot_second)

    @property
    def debs(self) -> Path:
        """Wait until the packages have been built, and return their directory."""
        self._built.result()
        return self.work / "debs"

    @property
    def linted(self) -> subprocess.CompletedProcess[str]:
        """Return lintian's result for the packages that a clean machine has built."""
        return self._linted.result()

    @property
    def installed(self) -> Machine:
        """Return the machine after the installation commands of README."""
        return self._installed.result()

    @property
    def first(self) -> Boot:
        """Wait until a copy of the machine ends its first boot; return this boot."""
        return self._first.result()

    @property
    def upgraded(self) -> Machine:
        """Return the machine after its upgrade and with another kernel installed."""
        return self._upgraded.result()

    @property
    def second(self) -> Boot:
        """Return the boot with the other kernel. Its last command is the purge."""
        return self._second.result()

    def close(self) -> None:
        """Stop everything that is still running."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._end_guests()
        self._pool.shutdown()
        self._end_guests()
        self._builder.close()
        self._machine.close()

    def _end_guests(self) -> None:
        while self._boots:
            self._boots.pop().close()

    def _build(self) -> Machine:
        builder = self._builder.enter_context(machine.clean(self.release))
        debfiles.build(builder, self.release, self.work / "debs")
        return builder

    def _lint(self) -> subprocess.CompletedProcess[str]:
        try:
            return debfiles.lint(self._built.result(), self.release)
        finally:
            self._builder.close()

    def _install(self) -> Machine:
        root = self._machine.enter_context(machine.clean(self.release))
        (self.kernel,) = root.kernels()
        self.before = root.files()
        debfiles.give(root, self.release, self.debs)
        for line in readme.using():
            if not readme.needs_kernel(line):
                root.run(as_user(USER, line))
        self.format = root.run(as_user(USER, FORMAT), check=False)
        return root

    def _start(self) -> Boot:
        lines = {
            f"readme-{number}": as_user(USER, line)
            for number, line in enumerate(readme.using())
            if readme.needs_kernel(line)
        }
        commands = {"ready": "true", **lines, **FIRST_BOOT}
        guest = self._booted(self.installed, self.kernel, commands, "first")
        # Wait until the guest has copied the root directory.
        guest.command("ready")
        return guest

    def _end_first(self) -> Boot:
        guest = self._started.result()
        guest.status()
        return guest

    def _upgrade(self) -> Machine:
        self._started.result()
        root = self.installed
        root.run(f"rm -r /lib/modules/{self.kernel}/extra && depmod {self.kernel}")
        following = debfiles.follow(self.work / "debs", self.work / "next")
        debfiles.give(root, self.release, following)
        root.run(
            f"apt-get -q install {FOLDER.format(USER)}/build/debs/{self.release}/*.deb"
        )
        root.run(f"apt-get -q install {SECOND_KERNEL[self.release]}")
        return root

    def _boot_second(self) -> Boot:
        (kernel,) = set(self.upgraded.kernels()) - {self.kernel}
        assert self.first
        self.upgraded.runs_on(kernel)
        guest = self._booted(self.upgraded, kernel, SECOND_BOOT, "second")
        guest.status()
        return guest

    def _booted(
        self, root: Machine, kernel: str, commands: Mapping[str, str], name: str
    ) -> Boot:
        guest = root.boot(kernel, commands, self.work / name)
        self._boots.append(guest)
        return guest


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


@pytest.fixture(scope="session")
def lives(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Life]]:
    """Yield the life cycles of the selected machines, which run in parallel."""
    wanted: dict[str, set[str]] = {}
    for item in request.session.items:
        if isinstance(item, pytest.Function) and not item.get_closest_marker("skip"):
            for use in {LINTED, LIFE} & set(item.fixturenames):
                wanted.setdefault(str(item.callspec.params[use]), set()).add(use)
            if "author" in item.fixturenames:
                wanted.setdefault(AUTHORS, set())
    started = {
        release: Life(release, tmp_path_factory.mktemp(release), uses)
        for release, uses in wanted.items()
        if not build_parts.left_out(f"packages-{release}")
    }
    yield started
    for each in started.values():
        each.close()


def _life(request: pytest.FixtureRequest, lives: dict[str, Life]) -> Life:
    reason = build_parts.left_out(f"packages-{request.param}")
    if reason:
        pytest.skip(reason)
    return lives[request.param]


@pytest.fixture(params=bare_machines.SOURCES)
def life(request: pytest.FixtureRequest, lives: dict[str, Life]) -> Life:
    """Return the life cycle of the machine of each release."""
    return _life(request, lives)


@pytest.fixture(params=bare_machines.SOURCES)
def linted(
    request: pytest.FixtureRequest, lives: dict[str, Life]
) -> subprocess.CompletedProcess[str]:
    """Return the result of lintian for the packages of each release."""
    return _life(request, lives).linted


@pytest.fixture(scope="session")
def author(
    lives: dict[str, Life], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Author]:
    """Yield an author who runs the steps of the tutorial."""
    reason = build_parts.left_out(f"packages-{AUTHORS}")
    if reason:
        pytest.skip(reason)
    packages = lives[AUTHORS]
    work = tmp_path_factory.mktemp("author")
    taken = Author(AUTHORS, lambda: packages.debs, STEPS, work)
    yield taken
    taken.close()


to_the_end = pytest.mark.parametrize("life", WHOLE, indirect=True)


def check(guest: Boot, name: str) -> str:
    """Fail if a guest's command has failed; return the command's output."""
    status = guest.command(name)
    assert status == 0, f"{status}\n{guest.printed(name)}{guest.errors()}"
    return guest.printed(name)


# This test is first, so that its machine runs in parallel with the others.
@pytest.mark.parametrize("step", STEPS, ids=[step.where for step in STEPS])
def test_tutorial_step_works(author: Author, step: Step) -> None:
    done = author.outcome(step)
    assert done.status is not None, done.printed
    assert done.status == 0, done.printed
    assert not step.lacks(done.printed), done.printed


def test_lintian_accepts_built_packages(
    linted: subprocess.CompletedProcess[str],
) -> None:
    assert linted.returncode == 0, linted.stdout


def test_readme_commands_record_profile(life: Life) -> None:
    tried = [
        check(life.first, f"readme-{number}")
        for number, line in enumerate(readme.using())
        if readme.needs_kernel(line)
    ]
    assert re.search(r"^ +\d+ +\d+\.\d\d%", tried[-1], re.MULTILINE), tried


def test_modules_are_signed_with_machine_key(life: Life) -> None:
    signer = check(life.first, "signer").strip()
    subject = life.installed.run(
        "openssl x509 -inform der -in /var/lib/dkms/mok.pub -noout -subject"
    ).stdout
    assert signer and subject.strip().endswith(signer)


def test_device_belongs_to_the_group(life: Life) -> None:
    check(life.first, "node")


def test_numpy_sort_reads_within_mapping(life: Life) -> None:
    assert check(life.first, "sort") == "[1 2 3]\n"


def test_group_member_records_and_reports(life: Life) -> None:
    check(life.first, "record")


@pytest.mark.parametrize("name", ["alias", "on-demand"])
def test_format_is_loaded_by_its_uuid(life: Life, name: str) -> None:
    check(life.first, name)


def test_each_format_records_and_reports_by_name(life: Life) -> None:
    check(life.first, "formats")


def test_sdk_format_is_built_and_records(life: Life) -> None:
    assert life.installed and life.format.returncode == 0, life.format.stdout
    said = check(life.first, "own-format")
    # The groups are the header's version, the number of events, the overflows of other
    # events, and the overflows of the measured event.
    counted = re.search(r"^counted (\d+) (\d+) (\d+) (\d+)$", said, re.MULTILINE)
    assert counted, said
    assert counted.groups()[:3] == (str(1 << 16), "1", "0")
    assert int(counted[4]) > 0


def test_user_outside_group_is_refused(life: Life) -> None:
    check(life.first, "stranger")


def test_unloading_modules_removes_device(life: Life) -> None:
    check(life.first, "unload")


def test_module_with_unknown_key_is_refused(life: Life) -> None:
    said = check(life.first, "enforce")
    page = (debfiles.ROOT / "docs/install.md").read_text(encoding="utf-8")
    (reason,) = re.findall(r"Key was rejected by service", said)
    assert reason in page


@to_the_end
def test_upgrade_replaces_dkms_version(life: Life) -> None:
    status = life.upgraded.run("dkms status").stdout
    assert debfiles.next_version() in status
    assert not re.search(rf"{re.escape(debfiles.version())}\b(?!\.1)", status), status


@to_the_end
def test_new_kernel_gets_modules_built(life: Life) -> None:
    for kernel in life.upgraded.kernels():
        version = life.upgraded.run(f"modinfo -k {kernel} -F version perfmon").stdout
        assert version.strip() == debfiles.next_version(), kernel


@to_the_end
def test_new_kernel_runs_the_next_version(life: Life) -> None:
    loaded = check(life.second, "version").split()
    assert loaded == [debfiles.next_version()] * 2
    check(life.second, "record")


@to_the_end
def test_purge_leaves_no_files(life: Life) -> None:
    check(life.second, "remove")
    check(life.second, "purge")
    out = life.work / "second"
    known = life.before | {machine.merged(path) for path in _lines(out / "owned")}
    left = [
        path
        for path in sorted(set(_lines(out / "files")) - known)
        if OURS.search(path) and not REMAINS.fullmatch(path)
    ]
    assert not left
    assert not _lines(out / "mentioned")
    assert not _lines(out / "run")
