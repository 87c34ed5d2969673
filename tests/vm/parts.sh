# SPDX-License-Identifier: MIT OR GPL-2.0
#
# The common beginning of scripts that count calls of getppid(). following.py
# puts it before each of them. Each part of such a script begins with "-- NAME"
# and ends with "=> STATUS". Scripts call let_go at the end.

E=syscalls:sys_enter_getppid

part() {
	echo "-- $1"
	shift
	"$@" 2>&1
	echo "=> $?"
}

# Print the reference counts of perfmon's modules.
references() {
	sed -n 's/^\(perfmon\|pfm_[^ ]*\) [0-9]* \([0-9]*\) .*/references: \1 \2/p' /proc/modules
}

# Return whether a process is running. A process that has ended has no
# descriptors.
runs() {
	test -e /proc/$1/fdinfo/0
}

# Wait until pfmon is measuring one thread, or the N threads to which it has
# attached. Stop waiting if pfmon fails.
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
	# Wait until this process has ended, because the next measurement may be
	# of a whole CPU.
	wait $kept || true
}

mkdir -p /sys/kernel/tracing
mount -t tracefs none /sys/kernel/tracing 2>/tmp/mounted
# Keep an event open, so that the kernel does not patch its code again: see
# keep_events.c.
pfmon -e $E -o /tmp/kept sleep 100000 &
kept=$!
wait_for_start $kept
