# SPDX-License-Identifier: MIT OR GPL-2.0
"""Run commands in a guest as a user without privileges."""

from __future__ import annotations

# A user and a group without privileges.
ID = 1000
# The command that runs another command as this user. Busybox's setpriv lacks these
# options.
AS_USER = f"/perfmon/bin/setpriv --reuid={ID} --regid={ID} --clear-groups"


def options() -> list[str]:
    """Return the harness's options that add the program for AS_USER."""
    return ["--program=/usr/bin/setpriv"]
