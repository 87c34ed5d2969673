# SPDX-License-Identifier: MIT OR GPL-2.0
"""Run pfmon doctor on simulated machines: findings and remedies."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest
from machines import (
    CERT,
    EXTRA,
    FIRMWARE_KEYS,
    LOCKDOWN,
    NEW_KEYS,
    OWNERS_KEYS,
    RELEASE,
    SECURE_BOOT,
    Machine,
)
from pfmon import ERROR, USAGE, Pfmon, without_kernel

BUILD = f"KDIR=/lib/modules/{RELEASE}/build"
FROM_SOURCES = [
    f"make modules {BUILD}   # in perfmon's source directory",
    f"sudo make modules_install {BUILD}",
]
LOAD = ["sudo modprobe pfm_pmu_perf"]
DKMS_LOG = "var/lib/dkms/perfmon/0.9.0/build/make.log"
ENROLL = [
    f"sudo mokutil --import /{CERT}",
    "sudo reboot   # and choose to enroll the key",
]


@pytest.fixture(name="machine")
def fixture_machine(programs: Path, tmp_path: Path) -> Machine:
    return Machine(programs / "machine_examiner", tmp_path)


def test_doctor_finds_no_problem_on_healthy_machine(machine: Machine) -> None:
    findings = machine.examine()
    assert (findings.status, findings.works) == (0, True)
    assert findings.of("problem") == findings.of("note") == []
    assert {"kernel", "module", "loaded", "version", "pmu", "formats", "access"} <= set(
        findings.of("ok")
    )
    assert {"memory", "counters", "sample", "cycles"} <= set(findings.of("ok"))


def only_problem(machine: Machine, check: str, *facts: str) -> tuple[str, list[str]]:
    """Run doctor and return this check's text and remedy.

    Asserts that this check has found a problem, and no other check has.
    """
    findings = machine.examine(*facts)
    assert findings.of("problem") == [check]
    assert (findings.status, findings.works) == (ERROR, False)
    assert findings.checks["sample"]["status"] in ("skipped", "problem")
    return findings.text(check), findings.remedy(check)


def only_note(machine: Machine, check: str, *facts: str) -> tuple[str, list[str]]:
    """Run doctor and return this check's text and remedy.

    Asserts that this check has a note, and that there are no other findings.
    """
    findings = machine.examine(*facts)
    assert findings.of("problem") == []
    assert findings.of("note") == [check]
    assert (findings.status, findings.works) == (0, True)
    return findings.text(check), findings.remedy(check)


def test_perfmon_that_is_not_loaded(machine: Machine) -> None:
    machine.unload()
    assert only_problem(machine, "loaded") == ("perfmon is not loaded", LOAD)


def test_root_needs_no_sudo(machine: Machine) -> None:
    machine.unload()
    _, remedy = only_problem(machine, "loaded", "uid=0")
    assert remedy == ["modprobe pfm_pmu_perf"]


def test_missing_modules_are_built_from_source(
    machine: Machine,
) -> None:
    machine.unload()
    machine.remove(EXTRA)
    machine.depmod()
    text, remedy = only_problem(machine, "module")
    assert (
        text == f"perfmon's modules are not installed for the running kernel, {RELEASE}"
    )
    assert remedy == FROM_SOURCES


def test_missing_modules_are_installed_by_package(
    machine: Machine,
) -> None:
    machine.unload()
    machine.remove(EXTRA)
    machine.depmod()
    machine.write("usr/share/doc/perfmon-tools/copyright", "")
    _, remedy = only_problem(machine, "module")
    assert remedy == [
        "make debs   # in perfmon's source directory",
        "sudo apt install ./build/debs/*/perfmon-dkms_*.deb",
    ]


def test_missing_modules_are_built_by_dkms(machine: Machine) -> None:
    machine.unload()
    machine.remove(EXTRA)
    machine.depmod()
    machine.write("var/lib/dkms/perfmon/0.9.0/source/dkms.conf", "")
    _, remedy = only_problem(machine, "module")
    assert remedy == [f"sudo dkms autoinstall -k {RELEASE}"]


@pytest.mark.parametrize(
    "head",
    [
        "DKMS make.log for perfmon-0.9.0 for kernel {} (x86_64)",
        "DKMS (dkms-3.2.2) make.log for perfmon/0.9.0 for kernel {} (x86_64)",
    ],
)
def test_failed_dkms_build_is_reported(machine: Machine, head: str) -> None:
    machine.unload()
    machine.remove(EXTRA)
    machine.depmod()
    machine.write(DKMS_LOG, f"{head.format(RELEASE)}\nerror\n")
    text, remedy = only_problem(machine, "module")
    assert f": see /{DKMS_LOG}" in text
    assert remedy == [f"sudo dkms autoinstall -k {RELEASE}"]
    machine.write(DKMS_LOG, f"{head.format(RELEASE + '-other')}\nerror\n")
    text, remedy = only_problem(machine, "module")
    assert "not installed for the running kernel" in text
    assert remedy == [f"sudo dkms autoinstall -k {RELEASE}"]


def test_modules_missing_from_depmod_need_depmod(machine: Machine) -> None:
    machine.unload()
    listed = machine.root / "lib/modules" / RELEASE
    for index in listed.glob("modules.*"):
        index.unlink()
    text, remedy = only_problem(machine, "module")
    assert f"/{EXTRA}/perfmon.ko is not in depmod's index" in text
    assert remedy == [f"sudo depmod {RELEASE}"]
    machine.depmod()
    only_problem(machine, "loaded")


def test_modules_of_another_kernel(machine: Machine) -> None:
    machine.unload()
    machine.install(release="6.11.1-test")
    text, remedy = only_problem(machine, "module")
    assert "was not built for the running kernel" in text
    assert remedy == FROM_SOURCES


def test_loaded_modules_that_are_not_installed(machine: Machine) -> None:
    machine.remove(EXTRA)
    machine.depmod()
    machine.remove(f"lib/modules/{RELEASE}/build")
    machine.write(
        "sys/kernel/perfmon/formats/d139b29e-62e8-40e4-b402-73078792e937/name", ""
    )
    findings = machine.examine()
    assert findings.status == 0
    assert findings.of("note") == ["module", "formats", "unwind"]
    assert "missing after a reboot" in findings.text("module")
    assert findings.remedy("module") == FROM_SOURCES


def test_missing_headers_precede_missing_modules(machine: Machine) -> None:
    machine.unload()
    machine.remove(EXTRA)
    machine.depmod()
    machine.remove(f"lib/modules/{RELEASE}/build")
    text, remedy = only_problem(machine, "headers")
    assert f"headers of the kernel {RELEASE} are missing" in text
    newest = "sudo apt install linux-image-amd64 linux-headers-amd64"
    assert remedy == [
        f"sudo apt install linux-headers-{RELEASE}",
        f"# or, if that package is gone: {newest}, and reboot",
    ]


def test_headers_are_needed_only_for_builds(
    machine: Machine,
) -> None:
    machine.remove(f"lib/modules/{RELEASE}/build")
    assert machine.examine().status == 0
    machine.unload()
    only_problem(machine, "loaded")


def test_removed_running_kernel_needs_reboot(machine: Machine) -> None:
    machine.unload()
    machine.remove(f"lib/modules/{RELEASE}")
    text, remedy = only_problem(machine, "headers")
    assert "boot an installed kernel" in text
    assert remedy == ["sudo reboot"]


REALTIME = "#1 SMP PREEMPT_RT Debian\n"


def test_newer_realtime_kernel_is_supported(machine: Machine) -> None:
    machine.write("proc/sys/kernel/version", REALTIME)
    assert machine.examine().status == 0


def test_old_realtime_kernel_precedes_other_problems(machine: Machine) -> None:
    machine.unload()
    machine.remove(EXTRA)
    machine.depmod()
    machine.remove(f"lib/modules/{RELEASE}/build")
    machine.write("proc/sys/kernel/osrelease", "6.1.0-56-rt-amd64\n")
    machine.write("proc/sys/kernel/version", REALTIME)
    text, remedy = only_problem(machine, "kernel")
    assert "PREEMPT_RT kernel before 6.12" in text
    assert remedy == [
        "sudo apt install linux-image-amd64 linux-headers-amd64",
        "sudo reboot   # and choose that kernel",
    ]


def test_kernel_that_is_too_old(machine: Machine) -> None:
    machine.unload()
    machine.write("proc/sys/kernel/osrelease", "5.10.0-30-arm64\n")
    machine.write("proc/sys/kernel/arch", "aarch64\n")
    text, remedy = only_problem(machine, "kernel")
    assert "too old: boot 6.1 or later" in text
    assert remedy[0] == "sudo apt install linux-image-arm64 linux-headers-arm64"


def test_kernel_without_perf_events(machine: Machine) -> None:
    machine.unload()
    machine.remove("proc/sys/kernel/perf_event_paranoid")
    text, _ = only_problem(machine, "kernel")
    assert "CONFIG_PERF_EVENTS" in text


def test_unsigned_modules_with_secure_boot(machine: Machine) -> None:
    machine.unload()
    machine.boot_securely()
    text, remedy = only_problem(machine, "signature")
    assert text.startswith("Secure Boot is on")
    assert "perfmon's are not signed" in text
    build, folder, key, sign, install, *enroll = remedy
    assert [build, install] == FROM_SOURCES
    assert folder == "sudo mkdir -p /var/lib/dkms"
    assert key.startswith("sudo openssl req ") and key.endswith(f" -out /{CERT}")
    assert sign.startswith(f"sudo find build/modules/{RELEASE} ")
    assert f"sign-file sha256 /var/lib/dkms/mok.key /{CERT} " in sign
    assert enroll == ENROLL
    machine.write(CERT, b"certificate")
    _, remedy = only_problem(machine, "signature")
    assert remedy == [build, sign, install, *ENROLL]
    machine.write("var/lib/dkms/perfmon/0.9.0/source/dkms.conf", "")
    _, remedy = only_problem(machine, "signature")
    assert remedy[0] == f"sudo dkms unbuild perfmon/0.9.0 -k {RELEASE}"


def test_module_key_not_enrolled(machine: Machine) -> None:
    machine.unload()
    machine.boot_securely()
    machine.install(signer="DKMS module signing key")
    certificate = b"0DKMS module signing key1"
    machine.write(CERT, certificate)
    machine.write(OWNERS_KEYS, b"other keys")
    text, remedy = only_problem(machine, "signature")
    assert '"DKMS module signing key", whose key is not enrolled' in text
    assert remedy == ENROLL
    machine.write(OWNERS_KEYS, b"other keys" + certificate + b"more")
    findings = machine.examine()
    assert findings.checks["signature"]["status"] == "ok"
    assert findings.of("problem") == ["loaded"]


def test_module_key_enrollment_pending(machine: Machine) -> None:
    machine.unload()
    machine.boot_securely()
    machine.install(signer="a key")
    machine.write(CERT, b"0a key1")
    machine.write(OWNERS_KEYS, b"other keys")
    machine.write(NEW_KEYS, b"new 0a key1")
    text, remedy = only_problem(machine, "signature")
    assert '"a key", whose key you have to confirm' in text
    assert remedy == ENROLL[-1:]


def test_debian_kernels_trust_firmware_keys(machine: Machine) -> None:
    machine.unload()
    machine.boot_securely()
    machine.install(signer="a key")
    machine.write(CERT, b"0a key1")
    machine.write(OWNERS_KEYS, b"other keys")
    machine.write(FIRMWARE_KEYS, b"Microsoft's, and 0a key1")
    assert machine.examine().checks["signature"]["status"] == "ok"
    machine.remove("etc/debian_version")
    assert machine.examine().checks["signature"]["status"] == "problem"


@pytest.mark.parametrize("keys", [None, b"", b"0of another1"])
def test_module_key_lookup_impossible(machine: Machine, keys: bytes | None) -> None:
    machine.unload()
    machine.boot_securely()
    machine.install(signer="a key")
    if keys is not None:
        machine.write(CERT, b"0of another1")
        machine.write(OWNERS_KEYS, keys)
    findings = machine.examine()
    assert findings.of("problem") == ["loaded"]
    assert findings.of("note") == ["signature"]


@pytest.mark.parametrize("level", ["integrity", "confidentiality"])
def test_unsigned_modules_with_lockdown(machine: Machine, level: str) -> None:
    machine.unload()
    levels = "none integrity confidentiality".replace(level, f"[{level}]")
    machine.write(LOCKDOWN, f"{levels}\n")
    text, remedy = only_problem(machine, "signature")
    assert text.startswith("the kernel is locked down")
    assert remedy[0].startswith("sudo reboot")


def test_unsigned_modules_with_sig_enforce(machine: Machine) -> None:
    machine.unload()
    machine.write("sys/module/module/parameters/sig_enforce", "Y\n")
    text, _ = only_problem(machine, "signature")
    assert text.startswith("module.sig_enforce is on")


def test_secure_boot_without_lockdown_is_no_problem(
    machine: Machine,
) -> None:
    machine.unload()
    machine.boot_securely()
    machine.write(LOCKDOWN, "[none] integrity confidentiality\n")
    findings = machine.examine()
    assert findings.checks["signature"]["status"] == "ok"


def test_lockdown_without_secure_boot_needs_reboot(machine: Machine) -> None:
    machine.unload()
    machine.boot_securely()
    machine.write(SECURE_BOOT, b"\6\0\0\0\0")
    text, remedy = only_problem(machine, "signature")
    assert text.startswith("the kernel is locked down")
    assert remedy[0].startswith("sudo reboot")


def test_loaded_modules_need_no_signature(machine: Machine) -> None:
    machine.boot_securely()
    assert machine.examine().status == 0


def test_modules_disabled_needs_reboot(machine: Machine) -> None:
    machine.unload()
    machine.write("proc/sys/kernel/modules_disabled", "1\n")
    text, remedy = only_problem(machine, "signature")
    assert "kernel.modules_disabled" in text
    assert remedy == ["sudo reboot"]


def test_loaded_perfmon_with_wrong_interface(machine: Machine) -> None:
    machine.load(interface="0.7", version="2.0.0")
    text, remedy = only_problem(machine, "version")
    assert "the loaded perfmon 2.0.0 has interface 0.7" in text
    assert text.endswith("needs interface 0.6")
    assert remedy == [
        "sudo modprobe -r pfm_pmu_perf perfmon",
        "sudo modprobe pfm_pmu_perf",
    ]


def test_no_installed_perfmon_with_right_interface(
    machine: Machine,
) -> None:
    machine.load(interface="0.7")
    _, remedy = only_problem(machine, "version")
    assert remedy == []
    machine.write("usr/share/doc/perfmon-tools/copyright", "")
    _, remedy = only_problem(machine, "version")
    assert remedy == [
        "make debs   # in perfmon's source directory",
        "sudo apt install ./build/debs/*/*.deb",
    ]


def test_upgraded_perfmon_needs_reload(machine: Machine) -> None:
    machine.load(version="0.8.0")
    text, remedy = only_note(machine, "version")
    assert text.startswith("perfmon 0.8.0 is loaded, but ")
    assert remedy[0] == "sudo modprobe -r pfm_pmu_perf perfmon"


def test_missing_unwind_module_is_noted(machine: Machine) -> None:
    machine.remove(f"{EXTRA}/pfm_unwind.ko")
    machine.depmod()
    text, remedy = only_note(machine, "unwind")
    assert "call chains of pfmon -g follow frame pointers" in text
    assert remedy == FROM_SOURCES
    machine.write("dev/perfmon_unwind", "")
    assert machine.examine().of("note") == []


def test_loaded_unwind_module_is_reloaded(machine: Machine) -> None:
    machine.load(version="0.8.0")
    machine.write("proc/modules", "pfm_unwind 1 0 -\npfm_pmu_perf 1 0 -\n")
    _, remedy = only_note(machine, "version")
    assert remedy == [
        "sudo modprobe -r pfm_unwind pfm_pmu_perf",
        "sudo modprobe -a pfm_unwind pfm_pmu_perf",
    ]


DEFECTS = "sys/kernel/perfmon/defects"
REFUSED = "pfm_pmu_perf is not loaded: this kernel's clock events differ"


def test_refused_pmu_description_has_no_remedy(machine: Machine) -> None:
    machine.remove("sys/kernel/perfmon/pmu_desc/name")
    machine.write(DEFECTS, f"{REFUSED}\n")
    assert only_problem(machine, "pmu") == (REFUSED, [])


def test_defects_are_repeated(machine: Machine) -> None:
    machine.write(DEFECTS, f"one part\n{REFUSED}\nanother part\n")
    assert only_note(machine, "defects") == ("one part; another part", [])


def test_older_core_reports_no_defects(machine: Machine) -> None:
    machine.remove(DEFECTS)
    assert machine.examine().checks["defects"]["status"] == "skipped"


def test_missing_pmu_description(machine: Machine) -> None:
    machine.remove("sys/kernel/perfmon/pmu_desc/name")
    text, remedy = only_problem(machine, "pmu")
    assert "no PMU description" in text
    assert remedy == LOAD


def test_simulated_pmu_is_replaced(machine: Machine) -> None:
    machine.write("sys/kernel/perfmon/pmu_desc/name", "simulated\n")
    _, remedy = only_problem(machine, "pmu")
    assert remedy == ["sudo modprobe -r pfm_pmu_sim", *LOAD]


def test_missing_default_format(machine: Machine) -> None:
    machine.remove(f"{EXTRA}/pfm_fmt_default.ko")
    machine.depmod()
    text, remedy = only_problem(machine, "formats")
    assert text == "neither registered nor installed: default, dear-hist"
    assert remedy == FROM_SOURCES


def test_formats_missing_from_depmod_need_depmod(machine: Machine) -> None:
    module = machine.root / EXTRA / "pfm_fmt_default.ko"
    content = module.read_bytes()
    module.unlink()
    machine.depmod()
    module.write_bytes(content)
    _, remedy = only_problem(machine, "formats")
    assert remedy == [f"sudo depmod {RELEASE}"]


def test_missing_optional_formats_are_a_note(machine: Machine) -> None:
    machine.remove(f"{EXTRA}/pfm_fmt_nway.ko")
    machine.depmod()
    text, _ = only_note(machine, "formats")
    assert text.endswith(": nway")


@pytest.mark.parametrize("fact", ["node", "group"])
def test_user_who_is_not_in_the_group(machine: Machine, fact: str) -> None:
    text, remedy = only_problem(machine, "access", f"{fact}=closed")
    assert "is restricted to the group perfmon" in text
    assert remedy == [
        "sudo usermod -aG perfmon $(id -un)",
        "su - $USER   # or log in again",
    ]


@pytest.mark.parametrize("fact", ["node", "group"])
def test_new_group_membership_needs_login(machine: Machine, fact: str) -> None:
    text, remedy = only_problem(machine, "access", f"{fact}=later")
    assert "which you joined after you logged in" in text
    assert remedy == ["su - $USER   # or log in again"]


def test_paranoid_level_that_denies_measuring(machine: Machine) -> None:
    text, remedy = only_problem(machine, "access", "level=3")
    assert text.startswith("kernel.perf_event_paranoid is 3")
    assert remedy == [
        "sudo sh -c 'echo 2 >/sys/module/perfmon/parameters/paranoid'",
    ]


def test_missing_node(machine: Machine) -> None:
    text, remedy = only_problem(machine, "access", "node=missing")
    assert text.startswith("/dev/perfmon does not exist")
    assert remedy == []
    machine.write("sys/class/misc/perfmon/dev", "10:123\n")
    _, remedy = only_problem(machine, "access", "node=missing")
    assert remedy == [
        "sudo mknod -m 660 /dev/perfmon c 10 123",
        "sudo groupadd -rf perfmon",
        "sudo chgrp perfmon /dev/perfmon",
    ]


def test_independent_problems_are_reported_together(machine: Machine) -> None:
    machine.remove("sys/kernel/perfmon/pmu_desc/name")
    findings = machine.examine("level=3", "memlock=4096")
    assert findings.of("problem") == ["pmu", "access", "memory"]


def test_memlock_limit_too_low(machine: Machine) -> None:
    text, remedy = only_problem(machine, "memory", "memlock=65536")
    assert "RLIMIT_MEMLOCK" in text
    assert remedy == ["ulimit -S -l 8192"]
    _, remedy = only_problem(machine, "memory", "memlock=1", "memlock_max=1000000000")
    assert remedy == ["ulimit -S -l 8192"]
    _, remedy = only_problem(machine, "memory", "memlock=1", "memlock_max=1")
    assert remedy == ["sudo prlimit --memlock=8388608 --pid $$"]


def test_memlock_limit_too_low_for_a_buffer_of_each_cpu(machine: Machine) -> None:
    fits = 250_000
    assert machine.examine(f"memlock={fits}").status == 0
    machine.write("sys/devices/system/cpu/online", "0-1,4\n")
    text, remedy = only_problem(machine, "memory", f"memlock={fits}")
    assert "one for each CPU" in text
    assert remedy == ["ulimit -S -l 8192"]
    machine.write("sys/devices/system/cpu/online", "0-127\n")
    text, remedy = only_problem(machine, "memory", "memlock=8388608")
    needed = int(text.split(" need ")[1].split()[0])
    assert needed % (128 * 4096) == 0
    assert remedy == [f"sudo prlimit --memlock={needed} --pid $$"]


def test_cap_ipc_lock_ignores_memlock_limit(machine: Machine) -> None:
    assert machine.examine("memlock=0", "caps=0x4000").status == 0


def test_perfmon_memory_limit_too_low(machine: Machine) -> None:
    machine.write("sys/kernel/perfmon/smpl_buf_size_max", "4096\n")
    text, remedy = only_problem(machine, "memory")
    assert "the limit for all buffers is 4096" in text
    path = "/sys/kernel/perfmon/smpl_buf_size_max"
    assert remedy == [f"sudo sh -c 'echo 268435456 >{path}'"]


def test_missing_cpu_pmu_leaves_software_events(
    machine: Machine,
) -> None:
    machine.remove("sys/bus/event_source/devices/cpu")
    machine.write("sys/bus/event_source/devices/software/type", "1\n")
    machine.write("proc/sys/kernel/nmi_watchdog", "1\n")
    text, remedy = only_note(machine, "counters")
    assert "can be measured" in text
    assert remedy == []


def test_hybrid_cpu_pmus_have_counters(machine: Machine) -> None:
    machine.remove("sys/bus/event_source/devices/cpu")
    machine.write("sys/bus/event_source/devices/armv8_pmuv3_0/cpus", "0-3\n")
    assert machine.examine().of("note") == []


def test_nmi_watchdog_uses_counter(machine: Machine) -> None:
    machine.write("proc/sys/kernel/nmi_watchdog", "1\n")
    _, remedy = only_note(machine, "watchdog")
    assert remedy == ["sudo sysctl kernel.nmi_watchdog=0"]
    machine.write("proc/sys/kernel/nmi_watchdog", "0\n")
    assert machine.examine().of("note") == []


def test_rdpmc_disabled_is_a_note(machine: Machine) -> None:
    machine.write("proc/sys/kernel/perf_user_access", "0\n")
    _, remedy = only_note(machine, "user-reads")
    assert remedy == ["sudo sysctl kernel.perf_user_access=1"]


def test_lockdown_hides_sampled_registers(machine: Machine) -> None:
    machine.write(LOCKDOWN, "none integrity [confidentiality]\n")
    text, remedy = only_note(machine, "registers")
    assert "pebs32 and pebs64 do not work" in text
    assert remedy == []


def hold(machine: Machine, pid: int, kind: str) -> None:
    """Simulate a process that holds open files of this kind."""
    place = machine.root / f"proc/{pid}/fd"
    place.mkdir(parents=True)
    os.symlink("/dev/null", place / "0")
    os.symlink(f"anon_inode:[{kind}]", place / "3")
    os.symlink(f"anon_inode:[{kind}]", place / "4")


def test_counters_used_by_other_processes(machine: Machine) -> None:
    hold(machine, 123, "perf_event")
    hold(machine, 456, "perf_event")
    assert machine.examine().of("note") == []
    text, remedy = only_note(machine, "cycles", "cycles=no free counters")
    said, pids = text.split("; perf events are open in processes ")
    assert said.endswith(": no free counters")
    assert set(pids.split()) == {"123", "456"}
    assert remedy == []


def test_missing_trial_sample_is_separate_problem(
    machine: Machine,
) -> None:
    hold(machine, 123, "perfmon")
    reason = "thread 7 or a CPU is being measured already"
    text, remedy = only_problem(machine, "sample", f"sample={reason}")
    assert text.endswith(f": {reason}")
    assert remedy == ["kill 123   # or wait until they end"]
    _, remedy = only_problem(machine, "sample", "sample=no memory")
    assert remedy == []
    assert machine.examine("sample=x").checks["cycles"]["status"] == "skipped"


@pytest.mark.parametrize(
    ("kernel", "reason"),
    [
        ("hang", "the trial did not end within 30 seconds; see the kernel log\n"),
        ("kill", "signal 9 ended the trial\n"),
        ("refuse", "perfmon has no PMU description: load one with modprobe "),
        ("count", "the kernel reported no error, but counted nothing\n"),
        (
            "sample",
            "the kernel reported no error, but sampled none of 16 page faults\n",
        ),
    ],
)
def test_failed_trial_has_a_reason(programs: Path, kernel: str, reason: str) -> None:
    trial = [str(programs / "trial_runner"), kernel]
    run = subprocess.run(trial, capture_output=True, text=True, check=False, timeout=60)
    assert run.returncode == ERROR
    assert run.stdout.startswith(reason)


def ignore_children() -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)


def test_trial_with_unknown_status_fails(programs: Path) -> None:
    run = subprocess.run(
        [programs / "trial_runner", "refuse"],
        preexec_fn=ignore_children,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert run.returncode == ERROR
    assert run.stdout.startswith("cannot get the exit status of the trial")


def test_doctor_works_with_sigchld_ignored(machine: Machine) -> None:
    run = subprocess.run(
        [machine.examiner, machine.root],
        preexec_fn=ignore_children,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert run.returncode == 0
    assert run.stdout == machine.run().stdout


@pytest.mark.parametrize(
    ("mark", "removed"),
    [
        (".dockerenv", EXTRA),
        ("run/.containerenv", EXTRA),
        ("run/systemd/container", EXTRA),
        ("etc/hostname", "lib"),
    ],
)
def test_container_gets_commands_for_its_host(
    machine: Machine, mark: str, removed: str
) -> None:
    machine.unload()
    machine.remove(removed)
    machine.write(mark, "")
    findings = machine.examine()
    assert findings.of("note") == ["container"]
    assert findings.of("problem") == ["loaded"]
    assert findings.remedy("loaded") == [
        "modprobe pfm_pmu_perf   # on the container's host"
    ]
    machine.load()
    findings = machine.examine("node=missing")
    assert findings.of("problem") == ["access"]
    assert findings.remedy("access") == ["docker run --device /dev/perfmon ..."]
    assert machine.examine().status == 0


def test_doctor_prints_finding_then_remedy(machine: Machine) -> None:
    machine.unload()
    run = machine.run("output=text")
    assert run.returncode == ERROR
    lines = run.stdout.splitlines()
    at = lines.index("problem  loaded: perfmon is not loaded")
    assert lines[at + 1] == f"             {LOAD[0]}"
    assert lines[-1].startswith("Samples cannot be recorded: fix the first problem")
    assert "skipped" not in run.stdout
    machine.load()
    run = machine.run("output=text")
    assert run.returncode == 0
    assert run.stdout.splitlines()[-1] == "Samples can be recorded."


def test_doctor_json_lists_all_checks_in_order(machine: Machine) -> None:
    said = json.loads(machine.run("uid=0").stdout)
    assert list(said) == ["doctor", "pfmon", "kernel", "works", "checks"]
    assert (said["doctor"], said["kernel"], said["works"]) == (1, RELEASE, True)
    assert [check["check"] for check in said["checks"]] == [
        *("container", "kernel", "headers", "module", "signature", "loaded"),
        *("version", "pmu", "defects", "formats", "unwind", "access", "memory"),
        "counters",
        *("watchdog", "user-reads", "registers", "sample", "cycles"),
    ]
    for check in said["checks"]:
        assert list(check) == ["check", "status", "text", "remedy", "root_sees_more"]
        assert (check["text"] is None) == (check["status"] == "skipped")


def test_doctor_works_without_any_files(programs: Path, tmp_path: Path) -> None:
    machine = Machine(programs / "machine_examiner", tmp_path)
    machine.remove("")
    (tmp_path / "empty").mkdir(parents=True)
    findings = machine.examine()
    assert findings.status == ERROR


def test_doctor_without_perfmon_reports_problems(pfmon: Pfmon) -> None:
    without_kernel()
    run = pfmon("doctor")
    assert (run.returncode, run.stderr) == (ERROR, "")
    assert "problem" in run.stdout
    assert json.loads(pfmon("doctor", "--json").stdout)["works"] is False


def test_doctor_rejects_command_and_session_options(
    pfmon: Pfmon,
) -> None:
    for words in (("ls",), ("-e", "cpu-clock"), ("--json", "ls")):
        run = pfmon("doctor", *words)
        assert (run.returncode, run.stdout) == (USAGE, "")
    assert "pfmon [options] -- doctor" in pfmon("doctor", "ls").stderr


def test_doctor_after_an_event_is_a_command(pfmon: Pfmon) -> None:
    without_kernel()
    for words in (("doctor",), ("--", "doctor")):
        run = pfmon("-e", "cpu-clock", *words)
        assert run.returncode == ERROR
        assert "perfmon is not loaded" in run.stderr
        assert run.stdout == ""
