# SPDX-License-Identifier: MIT OR GPL-2.0
"""Follow pfmon doctor on a machine with Secure Boot, from unsigned modules to a sample.

The machine boots twice, with Debian's shim, GRUB and kernel. Between the boots, the
owner enrols the key as doctor's remedy says. The test needs the same files as
test_doctor.py for x86_64.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import build_parts
import kernels
import mok_manager
import obstacles
import pytest
from boot import Boot, Target
from obstacles import Obstacle, check_mended, check_named, findings, followed

TARGET = Target("x86_64", "6.12")
SCRIPT = Path(__file__).with_name("secure_boot.sh")
TIMEOUT = 1200
PASSWORD = "secret"
TOOLS = f". /perfmon/add/{obstacles.SCRIPT.name}; . /perfmon/add/{SCRIPT.name}"
SETUP = {"keep_events": "keep_events", "tools": f"{TOOLS}; prepare; prepare_firmware"}

UNSIGNED = Obstacle("signature", "Secure Boot is on, so the kernel accepts only", "")
NOT_ENROLLED = Obstacle("signature", '"module signing key", whose key is not', "")
NOT_CONFIRMED = Obstacle("signature", "whose key you have to confirm at the next", "")
UNLOADED = Obstacle("loaded", "perfmon is not loaded", "")
REBOOT = ["+ reboot   # and choose to enroll the key"]
ENROLL = ["+ mokutil --import /var/lib/dkms/mok.pub", *REBOOT]
FIRST_BOOT = {
    "refused": "modprobe perfmon",
    "unsigned": "mend signature",
    "unknown": "modprobe perfmon",
    "withdrawn": "/usr/bin/mokutil --revoke-import; mend signature",
    "keep": "keep",
}
SECOND_BOOT = {"enrolled": "mend loaded"}


@dataclass
class Owned:
    """A machine with Secure Boot and perfmon's modules, booted twice.

    Between the boots, its owner confirms the enrolment of a key.
    """

    work: Path
    _boots: list[Boot] = field(default_factory=list)

    @cached_property
    def first(self) -> Boot:
        """Return the first boot, which signs the modules."""
        return self._boot("first", {**SETUP, **FIRST_BOOT})

    @cached_property
    def second(self) -> Boot:
        """Return the second boot, with signed modules and the enrolled key."""
        assert self.first.status() == 0, self.first.errors()
        mok_manager.confirm(self._variables, self.work / "owner", PASSWORD)
        kept = self.work / "first"
        signed = (
            f"--modules-dir={kept}/modules",
            f"--add={kept}/dkms:/var/lib/dkms",
        )
        return self._boot("second", {**SETUP, **SECOND_BOOT}, *signed)

    def close(self) -> None:
        """Stop the running guests."""
        for boot in self._boots:
            boot.close()

    @property
    def _variables(self) -> Path:
        return self.work / "variables"

    def _boot(self, name: str, commands: dict[str, str], *options: str) -> Boot:
        out = self.work / name
        out.mkdir()
        boot = Boot(TARGET, commands, out, [*self._options(), *options])
        self._boots.append(boot)
        return boot

    def _options(self) -> Iterator[str]:
        """Yield the options of scripts/vm/run."""
        kernel = kernels.resolve(TARGET.arch, TARGET.series)
        build = f"/lib/modules/{kernel.release}/build"
        sign_file = "scripts/sign-file"
        yield from ("--no-modules", "--smp=1", f"--timeout={TIMEOUT}")
        yield from (f"--secure-boot={self._variables}", *obstacles.kmod_options())
        yield from (f"--add={obstacles.SCRIPT}", f"--add={SCRIPT}")
        yield f"--add={kernels.kdir(kernel)}/{sign_file}:{build}/{sign_file}"
        for path in ("/usr/bin/openssl", "/usr/bin/mokutil"):
            yield f"--add={path}:{path}"
        yield "--add=/etc/ssl/openssl.cnf:/usr/lib/ssl/openssl.cnf"


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Owned]:
    reason = build_parts.left_out("secure-boot")
    if reason:
        pytest.skip(reason)
    owned = Owned(tmp_path_factory.mktemp("machine"))
    yield owned
    owned.close()


def test_secure_boot_refuses_unsigned_modules(machine: Owned) -> None:
    assert "Key was rejected by service" in machine.first.printed("refused")
    printed = machine.first.printed("unsigned")
    check_named(UNSIGNED, findings(printed)[0])
    assert followed(printed)[-2:] == ENROLL


def test_signed_modules_need_key_confirmation(
    machine: Owned,
) -> None:
    printed = machine.first.printed("unsigned")
    said = findings(printed)[-1]
    check_named(NOT_CONFIRMED, said)
    remedy = said["checks"]["signature"]["remedy"]
    assert [f"+ {command}" for command in remedy] == REBOOT
    assert "Key was rejected by service" in machine.first.printed("unknown")


def test_key_without_enroll_request_is_named(machine: Owned) -> None:
    printed = machine.first.printed("withdrawn")
    before, after = findings(printed)
    check_named(NOT_ENROLLED, before)
    assert followed(printed) == ENROLL
    check_named(NOT_CONFIRMED, after)


def test_enrolled_key_allows_sampling(
    machine: Owned,
) -> None:
    check_mended(machine.second, "enrolled", UNLOADED)
    before, after = findings(machine.second.printed("enrolled"))
    signature = before["checks"]["signature"]
    assert (signature["status"], after["works"]) == ("ok", True)
    assert signature["text"].endswith("whose key is enrolled")


def test_kernel_is_content(machine: Owned) -> None:
    assert machine.second.status() == 0, machine.second.errors()
