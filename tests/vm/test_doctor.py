# SPDX-License-Identifier: MIT OR GPL-2.0
"""Run pfmon doctor in guests with each obstacle that can be provoked in a guest.

Doctor must report the obstacle, and the commands that it prints must remove it. Needs
`make modules`, `make user user-arm64` and tests/guest/guest.mk for both architectures.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import obstacles
import pytest
from boot import ROOT, Boot, Boots, Target, need
from obstacles import SCRIPT, Obstacle, check_mended, check_named, findings, followed

X86_64 = Target("x86_64", "6.12")
ARM64 = Target("arm64", "6.1")
REALTIME = Target("x86_64", "6.1-rt")
TIMEOUT = 1200
REBOOT = "+ reboot"


MODULES = "pfm_fmt_default pfm_pmu_perf perfmon"
MISSING = "mv $extra /tmp/extra; depmod"
# Shell commands with the effects of installing the package of kernel headers and of
# building the modules.
HEADERS = "pfmon doctor --json; mkdir $lib/build; : >$lib/build/Makefile"
INSTALL = "pfmon doctor --json; mv /tmp/extra $extra; depmod"
UNLISTED = "rm $lib/modules.dep* $lib/modules.alias*"
FORMAT = "$extra/formats/default/pfm_fmt_default.ko"
UNLISTED_FORMAT = f"mv {FORMAT} /tmp; depmod; mv /tmp/pfm_fmt_default.ko {FORMAT}"
OLD = "pretend /sys/module/perfmon/version 0.8.0"
OTHER = f"{OLD}; pretend /sys/kernel/perfmon/version 0.7"
FOR_GROUP = "chgrp perfmon /dev/perfmon; chmod 660 /dev/perfmon"
JOINED = "leave_group perfmon; begin_session; usermod -aG perfmon nobody; end_session"
FOR_ROOT = "chgrp 0 /dev/perfmon; chmod 600 /dev/perfmon"
TASK_GROUP = "/sys/kernel/perfmon/task_group"
ONLY_GROUP = f"chmod 666 /dev/perfmon; leave_group perfmon; echo 77 >{TASK_GROUP}"
LOCKED_MEMORY = (
    'ulimit -S -l 16; found=$(pfmon doctor --json); echo "$found"; echo "$found" | '
    "commands_for memory >/tmp/limit; . /tmp/limit; pfmon doctor --json"
)
SHELL_OF_NOBODY = f"as_nobody '. /perfmon/add/{SCRIPT.name}; {LOCKED_MEMORY}'"

# Obstacles in a guest whose modules are installed but not loaded, in the order in which
# they are provoked.
OBSTACLES = {
    "headers": Obstacle(
        "headers",
        "headers of the kernel",
        f"{MISSING}; {HEADERS}; pfmon doctor --json",
        works=False,
    ),
    "module": Obstacle(
        "module",
        "not installed for the running kernel",
        f"{INSTALL}; pfmon doctor --json",
        works=False,
    ),
    "unlisted": Obstacle(
        "module", "is not in depmod's index", f"{UNLISTED}; mend module", works=False
    ),
    "unloaded": Obstacle("loaded", "perfmon is not loaded", "mend loaded"),
    "pmu": Obstacle("pmu", "no PMU description", "rmmod pfm_pmu_perf; mend pmu"),
    "format": Obstacle(
        "formats",
        "neither registered nor installed: default",
        f"rmmod pfm_fmt_default; {UNLISTED_FORMAT}; mend formats",
    ),
    "old": Obstacle(
        "version", "perfmon 0.8.0 is loaded, but", f"{OLD}; mend version", "note"
    ),
    "interface": Obstacle("version", "has interface 0.7", f"{OTHER}; mend version"),
    "level": Obstacle(
        "access", "kernel.perf_event_paranoid is 3", "mend_for_nobody access"
    ),
    "node": Obstacle(
        "access",
        "/dev/perfmon is restricted to the group perfmon",
        f"{FOR_GROUP}; mend_for_nobody access",
    ),
    # Without udev's rule, the device has the kernel's default mode.
    "mode": Obstacle(
        "access",
        "you have no access to /dev/perfmon: it has mode 0600 and group root",
        f"{FOR_ROOT}; mend_for_nobody access",
    ),
    "missing": Obstacle(
        "access",
        "/dev/perfmon does not exist, although perfmon is loaded",
        "rm /dev/perfmon; mend_for_nobody access",
    ),
    "session": Obstacle(
        "access",
        "which you joined after you logged in",
        f"{JOINED}; as_nobody 'pfmon doctor --json'",
    ),
    "group": Obstacle(
        "access",
        "(/sys/kernel/perfmon/task_group) is restricted to the group perfmon",
        f"{ONLY_GROUP}; mend_for_nobody access; echo any >{TASK_GROUP}",
    ),
    "memlock": Obstacle("memory", "RLIMIT_MEMLOCK", SHELL_OF_NOBODY),
    "memory": Obstacle(
        "memory",
        "the limit for all buffers is 4096",
        "echo 4096 >/sys/kernel/perfmon/smpl_buf_size_max; mend memory",
    ),
    "busy": Obstacle(
        "sample",
        "is being measured already",
        "measure_cpus; mend sample; kill $other 2>/dev/null; wait $other",
    ),
}
# Obstacles that last until a reboot, in the order of their tests.
LASTING = {
    "enforced": Obstacle(
        "signature",
        "module.sig_enforce is on",
        f"rmmod {MODULES}; echo 1 >/sys/module/module/parameters/sig_enforce",
    ),
    "integrity": Obstacle(
        "signature",
        "the kernel is locked down",
        "echo integrity >/sys/kernel/security/lockdown",
    ),
    "confidentiality": Obstacle(
        "registers",
        "kernel lockdown is in confidentiality mode",
        "echo confidentiality >/sys/kernel/security/lockdown",
        "note",
    ),
    "disabled": Obstacle(
        "signature",
        "kernel.modules_disabled",
        "echo 1 >/proc/sys/kernel/modules_disabled",
    ),
}
# Obstacles in a guest with hardware counters and loaded modules.
COUNTERS = {
    "watchdog": Obstacle(
        "watchdog",
        "the NMI watchdog uses one",
        "pretend /proc/sys/kernel/nmi_watchdog 1; mend watchdog",
        "note",
    ),
    "reads": Obstacle(
        "user-reads", "cannot read their running counters", "mend user-reads", "note"
    ),
    "taken": Obstacle(
        "cycles",
        "not enough free counters",
        "take_counters; end_holders",
        "note",
    ),
}

# This obstacle lasts until another kernel is booted.
REALTIME_KERNEL = Obstacle(
    "kernel", "because it is a PREEMPT_RT kernel before 6.12", ""
)


def _commands() -> dict[Target, dict[str, str]]:
    """Return the commands of each guest: name -> shell command."""
    tools = f". /perfmon/add/{SCRIPT.name}"
    provoked = {name: obstacle.provoke for name, obstacle in OBSTACLES.items()}
    for name, obstacle in LASTING.items():
        ask = 'found=$(pfmon doctor --json); echo "$found"'
        provoked[name] = f"{obstacle.provoke}; {ask}"
        if obstacle.status == "problem":
            show = f"commands_for {obstacle.check} | sed 's/^/+ /'"
            provoked[name] += f'; echo "$found" | {show}'
    # The modules were built for the same kernel version without PREEMPT_RT, so the
    # kernel refuses them.
    refused = "modprobe perfmon; dmesg | tail -n 1; pfmon doctor --json"
    counters = {name: obstacle.provoke for name, obstacle in COUNTERS.items()}
    return {
        X86_64: {
            "keep_events": "keep_events",
            "prepare": f"{tools}; prepare",
            **provoked,
        },
        REALTIME: {"prepare": f"{tools}; prepare", "kernel": refused},
        ARM64: {"prepare": tools, "free": "pfmon doctor --json", **counters},
    }


def _options(target: Target) -> Iterator[str]:
    """Yield the harness's options for a guest."""
    yield from (f"--timeout={TIMEOUT}", f"--add={SCRIPT}")
    if target == REALTIME:
        yield f"--modules-dir={ROOT}/build/kmod/{Target('x86_64', '6.1')}"
    if target != ARM64:
        yield "--no-modules"
        yield from obstacles.kmod_options()
        yield "--add=/usr/sbin/groupadd:/usr/sbin/groupadd"


@pytest.fixture(scope="module", name="boots")
def boots_fixture(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Boots[Target]]:
    def boot(target: Target) -> Boot:
        out = tmp_path_factory.mktemp(str(target))
        return Boot(target, _commands()[target], out, list(_options(target)))

    guests = Boots(boot)
    yield guests
    guests.close()


@pytest.mark.parametrize("name", OBSTACLES)
def test_doctor_remedy_removes_obstacle(name: str, boots: Boots[Target]) -> None:
    check_mended(boots[X86_64], name, OBSTACLES[name])


@pytest.mark.parametrize("name", LASTING)
def test_doctor_names_obstacle_until_reboot(name: str, boots: Boots[Target]) -> None:
    printed = boots[X86_64].printed(name)
    (said,) = findings(printed)
    check_named(LASTING[name], said)
    if LASTING[name].status == "problem":
        assert followed(printed)[-1].startswith(REBOOT)


def test_doctor_names_old_realtime_kernel(boots: Boots[Target]) -> None:
    printed = boots[REALTIME].printed("kernel")
    assert "Invalid module format" in printed or "Exec format error" in printed, printed
    (said,) = findings(printed)
    check_named(REALTIME_KERNEL, said)
    install, reboot = said["checks"]["kernel"]["remedy"]
    assert install.startswith("apt install linux-image-amd64 ")
    assert reboot.startswith("reboot ")


def test_modules_are_not_built_for_old_realtime_kernel() -> None:
    need(REALTIME)
    done = subprocess.run(
        ["make", "-s", f"modules-{REALTIME}"],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "cannot be built for PREEMPT_RT kernels before 6.12" in done.stderr


def test_doctor_finds_no_obstacle_after_boot(boots: Boots[Target]) -> None:
    said = findings(boots[X86_64].printed("unlisted"))[-1]
    assert said["checks"]["kernel"]["status"] == "ok"
    assert said["checks"]["module"]["text"].startswith("/lib/modules/")
    assert said["checks"]["signature"]["status"] == "ok"
    assert said["checks"]["registers"]["status"] == "skipped"


def test_doctor_works_without_hardware_counters(boots: Boots[Target]) -> None:
    said = findings(boots[X86_64].printed("unloaded"))[-1]
    assert said["works"]
    assert said["checks"]["counters"]["status"] == "note"
    assert said["checks"]["cycles"]["status"] == "skipped"


@pytest.mark.parametrize("name", COUNTERS)
def test_doctor_remedy_frees_counters(name: str, boots: Boots[Target]) -> None:
    check_mended(boots[ARM64], name, COUNTERS[name])


def test_free_counters_count_cycles(boots: Boots[Target]) -> None:
    (said,) = findings(boots[ARM64].printed("free"))
    assert said["works"]
    assert said["checks"]["cycles"]["status"] == "ok"


@pytest.mark.parametrize("target", [X86_64, REALTIME, ARM64], ids=str)
def test_kernel_is_content(target: Target, boots: Boots[Target]) -> None:
    assert boots[target].status() == 0, boots[target].errors()
