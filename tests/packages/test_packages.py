# SPDX-License-Identifier: MIT OR GPL-2.0
"""A machine's life with the packages, on each release: from bare to nothing left.

A clean machine gets them as README says, boots, and is used; it gets the next version
and another kernel, boots that, and the packages are removed and purged. Each test looks
at one thing on the way.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property
from pathlib import Path

import debfiles
import machine
import pytest
import readme
from boot import Boot
from machine import STRANGER, USER, Machine

RELEASES = ("bookworm", "trixie")
# Where their packages come from, and how to get another kernel from there.
SOURCES = {"bookworm": "bookworm", "trixie": "trixie-backports"}
SECOND_KERNEL = {
    "bookworm": "linux-image-6.12-cloud-amd64 linux-headers-6.12-cloud-amd64",
    "trixie": "-t trixie-backports linux-image-cloud-amd64 linux-headers-cloud-amd64",
}
# Where users have the project.
FOLDER = "/home/{}/perfmon"
# What a user measures: a shell that counts.
LOOP = "sh -c 'i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done'"
PROFILE = "pfmon -e cpu-clock --long-smpl-periods=1000000"


def as_user(name: str, command: str) -> str:
    """Return the command that does the same after a new login of this user."""
    folder = FOLDER.format(name)
    return f"su - {name} -c {shlex.quote(f'mkdir -p {folder}; cd {folder}; {command}')}"


def refused(command: str, *messages: str) -> str:
    """Return a command that succeeds if this one fails and says all of that."""
    said = " && ".join(f"grep -qF {shlex.quote(text)} /tmp/said" for text in messages)
    return f"! {command} >/tmp/said 2>&1 && cat /tmp/said && {said}"


PACKAGES = (
    *("perfmon-dkms", "libperfmon0", "libperfmon-dev", "perfmon-tools"),
    *("python3-pfmparse", "perfmon-sdk", "perfmon-doc"),
)
# Names of commands and what they are; all run in the machine as root.
FIRST_BOOT = {
    "node": 'stat -c "%U %G %a" /dev/perfmon | grep -x "root perfmon 660"',
    "signer": "modinfo -F signer perfmon",
    "record": as_user(USER, f"{PROFILE} -o loop.cap {LOOP} && pfmparse report loop.cap")
    + " | tee /tmp/said; grep dash /tmp/said",
    "alias": "modprobe -r pfm_fmt_nway; modprobe perfmon-fmt-"
    '$(modinfo -F alias pfm_fmt_nway | sed -n "s/^perfmon-fmt-//p" | head -n 1)'
    ' && grep "^pfm_fmt_nway " /proc/modules',
    "on-demand": "modprobe -r pfm_fmt_nway; "
    + as_user(USER, f"{PROFILE} --smpl-module=nway -o nway.cap {LOOP}")
    + ' && grep "^pfm_fmt_nway " /proc/modules',
    "stranger": refused(
        as_user(STRANGER, f"{PROFILE} -o no.cap true"),
        "is for the group perfmon",
        STRANGER,
    ),
    "unload": "modprobe -r -a $(sed -n 's/^\\(pfm_[^ ]*\\) .*/\\1/p' /proc/modules); "
    "modprobe -r perfmon; udevadm settle; "
    "! grep -E '^(perfmon|pfm_)' /proc/modules && test ! -e /dev/perfmon",
    "enforce": "echo 1 >/sys/module/module/parameters/sig_enforce; "
    + refused("modprobe perfmon", "Key was rejected by service"),
}
# In the second boot, with the next version, on the other kernel.
SECOND_BOOT = {
    "version": "modinfo -F version perfmon; cat /sys/module/perfmon/version",
    "record": FIRST_BOOT["record"],
    "remove": f"dpkg --remove {' '.join(PACKAGES)}",
    "purge": f"dpkg --purge {' '.join(PACKAGES)} && {{ "
    f"{machine.LIST_FILES} >$OUT/files; cat /var/lib/dpkg/info/*.list >$OUT/owned; "
    f"grep -rlE 'perfmon|pfm_' --exclude='*-' --exclude={machine.APT_CONFIG.name} "
    # It names a capability.
    "--exclude-dir=apparmor.d "
    "/etc /usr/lib/modules/*/modules.* >$OUT/mentioned; "
    "find /run -name '*perfmon*' >$OUT/run; }",
}
# What would be left of ours: paths that no package owns, but for what DKMS signs all
# modules with, and what dpkg knows of packages that ours needed.
OURS = re.compile(r"perfmon|pfm|dkms|/updates\b")
REMAINS = re.compile(
    r"/var/lib/dkms(/mok\.(key|pub))?|/var/lib/dpkg/info/(dkms|libpfm4\b).*"
)


class Life:
    """What happens to a machine, each step once, when it is first asked for."""

    def __init__(
        self, root: Machine, release: str, built: Future[Path], work: Path
    ) -> None:
        self.work = work
        self.release = release
        self._debs = f"build/debs/{release}"
        self._root = root
        self._built = built
        self._boots: list[Boot] = []
        self._pool = ThreadPoolExecutor(max_workers=1)
        self.kernel = root.kernels()[0]
        self.before = root.files()

    @cached_property
    def installed(self) -> Machine:
        """The machine after those lines of README that install."""
        self._give(self._built.result())
        for line in readme.lines():
            if not readme.needs_kernel(line):
                self._root.run(as_user(USER, line))
        return self._root

    @cached_property
    def first(self) -> Boot:
        """The machine booted; meanwhile its root gets the next version."""
        lines = {
            f"readme-{number}": as_user(USER, line)
            for number, line in enumerate(readme.lines())
            if readme.needs_kernel(line)
        }
        commands = {"ready": "true", **lines, **FIRST_BOOT}
        guest = self._booted(self.installed, self.kernel, commands, "first")
        # It has the copy that it was booted from.
        guest.command("ready")
        self._upgrading = self._pool.submit(self._upgrade)
        return guest

    @property
    def upgraded(self) -> Machine:
        """The machine with the next version, then with another kernel."""
        assert self.first
        self._upgrading.result()
        return self._root

    @cached_property
    def second(self) -> Boot:
        """The machine booted with the other kernel, until everything is purged."""
        (kernel,) = set(self.upgraded.kernels()) - {self.kernel}
        self.first.status()
        self.upgraded.runs_on(kernel)
        return self._booted(self.upgraded, kernel, SECOND_BOOT, "second")

    def close(self) -> None:
        """End what still goes on."""
        for guest in self._boots:
            guest.close()
        self._pool.shutdown()

    def _upgrade(self) -> None:
        self._give(debfiles.follow(self._built.result(), self.work / "next"))
        folder = FOLDER.format(USER)
        self._root.run(f"cd {folder}; apt-get -q install ./{self._debs}/*.deb")
        self._root.run(f"apt-get -q install {SECOND_KERNEL[self.release]}")

    def _booted(
        self, root: Machine, kernel: str, commands: Mapping[str, str], name: str
    ) -> Boot:
        guest = root.boot(kernel, commands, self.work / name)
        self._boots.append(guest)
        return guest

    def _give(self, folder: Path) -> None:
        """Put packages where README's lines expect them."""
        place = self._root.tree / FOLDER.format(USER).strip("/") / self._debs
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        for package in folder.glob("*.deb"):
            shutil.copy(package, place)
        self._root.run(f"chown -R {USER}: /home/{USER}")


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


@pytest.fixture(scope="session")
def possible() -> None:
    """Skip all of this if this user cannot make a machine."""
    if os.geteuid() != 0:
        pytest.skip("only root can write the disk of a machine")


@pytest.fixture(scope="session")
def built(possible: None) -> Iterator[dict[str, Future[Path]]]:
    """Build the packages of one release after the other, while tests use the first."""
    with ThreadPoolExecutor(max_workers=1) as pool:
        yield {release: pool.submit(debfiles.build, release) for release in RELEASES}
        pool.shutdown(cancel_futures=True)


@pytest.fixture(scope="module", params=RELEASES)
def life(
    request: pytest.FixtureRequest,
    built: dict[str, Future[Path]],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Life]:
    """Give the life of a machine of each release."""
    release = request.param
    work = tmp_path_factory.mktemp(release)
    with machine.clean(SOURCES[release]) as installed:
        lived = Life(installed, release, built[release], work)
        yield lived
        lived.close()


def check(guest: Boot, name: str) -> str:
    """Fail if a command of a guest failed; return what it printed."""
    status = guest.command(name)
    assert status == 0, f"{status}\n{guest.printed(name)}{guest.errors()}"
    return guest.printed(name)


def test_readme_leads_from_a_bare_machine_to_a_profile(life: Life) -> None:
    tried = [
        check(life.first, f"readme-{number}")
        for number, line in enumerate(readme.lines())
        if readme.needs_kernel(line)
    ]
    assert re.search(r"^ +\d+ +\d+\.\d\d%", tried[-1], re.MULTILINE), tried


def test_modules_are_signed_with_the_key_of_the_machine(life: Life) -> None:
    signer = check(life.first, "signer").strip()
    subject = life.installed.run(
        "openssl x509 -inform der -in /var/lib/dkms/mok.pub -noout -subject"
    ).stdout
    assert signer and subject.strip().endswith(signer)


def test_device_belongs_to_the_group(life: Life) -> None:
    check(life.first, "node")


def test_member_of_the_group_records_and_reports(life: Life) -> None:
    check(life.first, "record")


@pytest.mark.parametrize("name", ["alias", "on-demand"])
def test_format_is_loaded_by_its_uuid(life: Life, name: str) -> None:
    check(life.first, name)


def test_stranger_is_told_of_the_group(life: Life) -> None:
    check(life.first, "stranger")


def test_modules_can_be_unloaded_and_the_device_goes(life: Life) -> None:
    check(life.first, "unload")


def test_module_of_an_unknown_key_is_refused_as_the_page_says(life: Life) -> None:
    said = check(life.first, "enforce")
    page = (debfiles.ROOT / "docs/install.md").read_text(encoding="utf-8")
    (reason,) = re.findall(r"Key was rejected by service", said)
    assert reason in page


def test_upgrade_builds_the_next_version_and_drops_the_last(life: Life) -> None:
    status = life.upgraded.run("dkms status").stdout
    assert debfiles.next_version() in status
    assert not re.search(rf"{re.escape(debfiles.version())}\b(?!\.1)", status), status


def test_new_kernel_gets_its_modules_by_itself(life: Life) -> None:
    for kernel in life.upgraded.kernels():
        version = life.upgraded.run(f"modinfo -k {kernel} -F version perfmon").stdout
        assert version.strip() == debfiles.next_version(), kernel


def test_new_kernel_runs_the_next_version(life: Life) -> None:
    loaded = check(life.second, "version").split()
    assert loaded == [debfiles.next_version()] * 2
    check(life.second, "record")


def test_purge_leaves_nothing(life: Life) -> None:
    check(life.second, "remove")
    check(life.second, "purge")
    life.second.status()
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
