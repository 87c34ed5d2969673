# SPDX-License-Identifier: MIT OR GPL-2.0
#
# What scripts begin with that count calls of getppid(): followed.py puts it before them.
# Each of their parts begins with "-- NAME", and ends with "=> STATUS"; at last they call
# let_go.

E=syscalls:sys_enter_getppid

part() {
	echo "-- $1"
	shift
	"$@" 2>&1
	echo "=> $?"
}

# What has ended has no descriptors.
runs() {
	test -e /proc/$1/fdinfo/0
}

# When one thread, or N, that pfmon has attached to is measured, unless it fails.
wait_for_start() {
	until [ $(started $1) -ge ${2:-1} ]; do
		runs $1 || return
	done
}

started() {
	grep -ls 'pfm_state:.started' /proc/$1/fdinfo/* | wc -l
}

let_go() {
	kill $kept
	# What is measured next may be a whole CPU.
	wait $kept || true
}

mkdir -p /sys/kernel/tracing
mount -t tracefs none /sys/kernel/tracing 2>/tmp/mounted
# While somebody counts it, the kernel need not patch its code: see keep_events.c.
pfmon -e $E -o /tmp/kept sleep 100000 &
kept=$!
wait_for_start $kept
