# SPDX-License-Identifier: MIT OR GPL-2.0
"""Simulate machines for pfmon doctor: each is a directory with the machine's files."""

from __future__ import annotations

import functools
import json
import struct
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

RELEASE = "6.12.1-test"
EFIVARS = "sys/firmware/efi/efivars"
SECURE_BOOT = f"{EFIVARS}/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
OWNERS_KEYS = f"{EFIVARS}/MokListRT-605dab50-e046-4300-abb6-3dd810dd8b23"
NEW_KEYS = f"{EFIVARS}/MokNew-605dab50-e046-4300-abb6-3dd810dd8b23"
FIRMWARE_KEYS = f"{EFIVARS}/db-d719b2cb-3d3a-4596-a3bc-dad00e67656f"
LOCKDOWN = "sys/kernel/security/lockdown"
CERT = "var/lib/dkms/mok.pub"
EXTRA = f"lib/modules/{RELEASE}/extra"
PROJECT = Path(__file__).resolve().parents[2]
HEADERS = sorted(PROJECT.glob("sdk/include/perfmon/perfmon_*_smpl.h"))
FORMATS = [path.stem[len("perfmon_") : -len("_smpl")] for path in HEADERS]


@dataclass(frozen=True)
class Findings:
    """The JSON output of pfmon doctor, and its exit status."""

    status: int
    works: bool
    checks: dict[str, dict[str, Any]]

    def of(self, status: str) -> list[str]:
        """Return the names of the checks that have this status."""
        found = self.checks.items()
        return [name for name, check in found if check["status"] == status]

    def text(self, check: str) -> str:
        """Return the text of a check."""
        return str(self.checks[check]["text"])

    def remedy(self, check: str) -> list[str]:
        """Return the commands that a check suggests as remedy."""
        return list(self.checks[check]["remedy"])


class Machine:
    """A simulated machine. At first, perfmon is loaded and there are no problems."""

    def __init__(self, examiner: Path, root: Path) -> None:
        self.examiner = examiner
        self.root = root
        self.write("proc/sys/kernel/osrelease", f"{RELEASE}\n")
        self.write("proc/sys/kernel/version", "#1 SMP PREEMPT_DYNAMIC Debian\n")
        self.write("proc/sys/kernel/arch", "x86_64\n")
        self.write("proc/sys/kernel/perf_event_paranoid", "2\n")
        self.write("etc/debian_version", "13.1\n")
        self.write(LOCKDOWN, "[none] integrity confidentiality\n")
        self.write(f"lib/modules/{RELEASE}/build/Makefile", "")
        self.write("sys/bus/event_source/devices/cpu/type", "4\n")
        self.install()
        self.load()

    def write(self, path: str, content: str | bytes) -> None:
        """Write a file into the machine's directory."""
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        data = content.encode() if isinstance(content, str) else content
        place.write_bytes(data)

    def remove(self, path: str) -> None:
        """Remove a file or a directory from the machine's directory."""
        subprocess.run(["rm", "-r", self.root / path], check=True)

    def install(self, signer: str = "", release: str = RELEASE) -> None:
        """Install the modules, and run depmod."""
        for name, alias in MODULES.items():
            module = _module(name, alias, release) + _signature(signer)
            self.write(f"{EXTRA}/{name}.ko", module)
        self.depmod()

    def depmod(self) -> None:
        """Update depmod's index."""
        subprocess.run(
            ["/usr/sbin/depmod", "-b", self.root, RELEASE],
            check=True,
            stderr=subprocess.DEVNULL,
        )

    def load(self, interface: str = "0.6", version: str | None = None) -> None:
        """Load the core and the PMU description."""
        said = version or VERSION
        self.write("sys/module/perfmon/version", f"{said}\n")
        self.write("sys/kernel/perfmon/version", f"{interface}\n")
        self.write("sys/kernel/perfmon/defects", "")
        self.write("sys/kernel/perfmon/pmu_desc/name", "perf_events\n")
        self.write("proc/modules", "pfm_pmu_perf 1 0 -\nperfmon 1 1 -\next4 1 0 -\n")

    def unload(self) -> None:
        """Unload all modules."""
        self.remove("sys/module")
        self.remove("sys/kernel/perfmon")

    def boot_securely(self) -> None:
        """Turn on Secure Boot, which puts the kernel in lockdown."""
        self.write(SECURE_BOOT, b"\6\0\0\0\1")
        self.write(LOCKDOWN, "none [integrity] confidentiality\n")

    def run(self, *facts: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.examiner, self.root, *facts],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    def examine(self, *facts: str) -> Findings:
        """Return the findings of pfmon doctor on the machine."""
        run = self.run(*facts)
        assert run.stderr == ""
        said = json.loads(run.stdout)
        checks = {check.pop("check"): check for check in said["checks"]}
        return Findings(run.returncode, said["works"], checks)


def _alias(name: str) -> str:
    """Return the module alias that the kernel uses to request a format."""
    header = PROJECT / f"sdk/include/perfmon/perfmon_{name}_smpl.h"
    lines = header.read_text("utf-8").splitlines()
    (line,) = [line for line in lines if "_SMPL_UUID_STR " in line]
    uuid = line.split('"')[1]
    return f"perfmon-fmt-{uuid}"


VERSION = (PROJECT / "VERSION").read_text().strip()
MODULES = {
    "perfmon": "",
    "pfm_unwind": "",
    **{f"pfm_fmt_{name}": _alias(name) for name in FORMATS},
}


@functools.cache
def _module(name: str, alias: str, release: str) -> bytes:
    """Return an object file with the modinfo of a module."""
    fields = {"name": name, "version": VERSION, "vermagic": f"{release} SMP "}
    if alias:
        fields["alias"] = alias
    info = "".join(f"{key}={value}\\0" for key, value in fields.items())
    source = f'__attribute__((section(".modinfo"))) const char info[] = "{info}";'
    with tempfile.NamedTemporaryFile(suffix=".o") as made:
        command = ["gcc", "-c", "-x", "c", "-", "-o", made.name]
        subprocess.run(command, input=source.encode(), check=True)
        return Path(made.name).read_bytes()


def _signature(signer: str) -> bytes:
    """Return a fake signature to append to a module; the tests do not verify it."""
    if not signer:
        return b""
    key, value, name = b"key!", b"signed!!", signer.encode()
    # The fields are RSA, SHA-256, X.509 and three lengths.
    info = struct.pack(">BBBBB3xI", 1, 4, 1, len(name), len(key), len(value))
    return name + key + value + info + b"~Module signature appended~\n"
