# SPDX-License-Identifier: MIT OR GPL-2.0
#
#
# Run pfmon on the threads and processes of the program family, which prints how
# often it has called getppid(). following.py compares the counts.

ALL="pfmon --follow-all -e $E"
SAMPLE="pfmon -e $E -uk --long-smpl-periods=10 --smpl-entries=64"
# The buffers are large enough for all samples.
EACH="pfmon -e $E -uk --long-smpl-periods=1 --smpl-entries=4096"

# Start a program in the background. It prints "ready: PID".
start() {
	"$@" >/tmp/ready &
	started=$!
	read -r word pid </tmp/ready
}

attach() {
	start family waits 5 3
	pfmon --attach-process=$pid -e $E &
	pfmon=$!
	wait_for_start $pfmon 2
	kill -USR1 $pid
	wait $pfmon
}

# Print the CPU time of a process in ticks.
time_of() {
	set -- $(cat /proc/$1/stat)
	echo $((${14} + ${15}))
}

# Wait until a process has run for more than one tick.
wait_for_time() {
	begun=$(time_of $1)
	until [ $(time_of $1) -gt $((begun + 1)) ]; do :; done
}

# End pfmon with SIGINT; the measured process continues.
interrupt() {
	start family spins 2 1
	pfmon --attach-process=$pid --follow-fork -e $E -o /out/interrupted &
	pfmon=$!
	wait_for_start $pfmon
	wait_for_time $pid
	kill -INT $pfmon
	wait $pfmon
	status=$?
	how_it_is
	return $status
}

# Kill processes that a command has left behind, because a spinning process
# would keep a CPU busy during all later tests.
kill_family() {
	for process in /proc/[0-9]*; do
		grep -qs '^family$' $process/comm && kill -9 ${process#/proc/}
	done
}

# Print the threads that are still stopped or traced, then kill all processes of
# family.
how_it_is() {
	for task in /proc/$pid/task/*; do
		grep -q '^State:.[RS]' $task/status || echo stopped: $task
		grep -q '^TracerPid:.0' $task/status || echo traced: $task
	done
	kill_family
}

kill_attached() {
	start family spins 2 1
	pfmon --attach-process=$pid -e $E -o /out/nothing &
	pfmon=$!
	wait_for_start $pfmon
	kill -9 $pfmon
	wait $pfmon
	how_it_is
}

kill_cpu() {
	start pfmon --system-wide -e page-faults -o /out/nothing family spins 2 1
	kill -9 $started
	wait $started
	how_it_is
}

# Kill pfmon when its capture contains some buffers. If pfmon does not trace the
# command, also kill the command.
kill_sampling() {
	capture=$1 follow=$2
	shift 2
	start $SAMPLE $follow -o $capture "$@"
	begun=$(stat -c %s $capture)
	until [ $(stat -c %s $capture) -gt $((begun + 20000)) ]; do
		runs $started || return
	done
	kill -9 $started
	test $follow = --follow-all || kill_family
	while grep -qs '^State:.[^ZX]' /proc/$pid/status; do :; done
}

# Try several times, because the command may end before or after its child
# starts.
orphans() {
	for try in 1 2 3 4 5; do
		$ALL family orphan 1 5
	done
}

# The command's processes continue after pfmon has ended.
timed_out() {
	$ALL --session-timeout=1 sh -c 'sleep 100 & echo $! >/tmp/left; wait'
	status=$?
	kill $(cat /tmp/left) && echo left
	return $status
}

# The command calls exec in a thread other than the one that pfmon started.
signal_after_exec() {
	start $ALL -o /out/signalled family thread-waits
	kill -TERM $started
	wait $started
}

# A signal to pfmon ends the command's children, both in the background and in
# the foreground. The background child must have reset the trap before the
# signal arrives.
terminated() {
	mkfifo /tmp/reset
	start $ALL -o /tmp/terminated sh -c "trap 'echo handled >&2; exit 5' TERM
		sh -c 'echo >/tmp/reset; sleep 20; echo survived >&2' &
		read word </tmp/reset
		sh -c 'echo ready: \$PPID; sleep 20; echo survived >&2'"
	kill -TERM $started
	wait $started
}

# Print the descriptor limit of each run's command.
descriptors() (
	ulimit -Sn 100
	pfmon --follow-all --repeat=2 -e page-faults sh -c 'ulimit -n'
)

# The viewer ends at once; pfmon then ends the command.
watched() {
	mkdir /tmp/viewer
	printf '#!/bin/sh\nexit 0\n' >/tmp/viewer/pfmparse
	chmod 755 /tmp/viewer/pfmparse
	PATH=/tmp/viewer:$PATH pfmon top --batch -e cpu-clock \
		--long-smpl-periods=10000000 sleep 100000
}

limited() {
	ulimit -n 40
	$ALL family threads 60 1
}

few_members() {
	max=/sys/module/perfmon/parameters/family_max
	usual=$(cat $max)
	echo 3 >$max
	pfmon -e $E family threads 10 5
	echo $usual >$max
}

mknod /tmp/ready p
part alone pfmon --no-inherit -e $E family forks 3 5
for way in "forks 10 5" "vforks 10" "threads 300 2" "thread-execs 3 4" \
	"leader-ends 1 4" "killed 1 5" "series 100 3" "bomb 40 3"; do
	part "inherited-${way%% *}" pfmon -e $E family $way
	part "each-${way%% *}" $EACH -o "/out/each-${way%% *}.cap" family $way
done
part many-threads $EACH -o /out/many-threads.cap family threads 64 50
part few-members few_members
part forks $ALL family forks 10 5
part vforks $ALL family vforks 10
part threads $ALL family threads 1000 2
part thread-execs $ALL family thread-execs 3 4
part signal-after-exec signal_after_exec
part terminated terminated
part descriptors descriptors
part watched watched
part leader-ends $ALL family leader-ends 1 4
part killed $ALL family killed 1 5
part stopped $ALL family stopped 1 5
part series $ALL family series 100 3
part bomb $ALL family bomb 40 3
part child $ALL family child 1 5
part orphans orphans
part timed-out timed_out
part daemon $ALL family daemon 30 5
part dies $ALL family dies
part limited limited
part only-threads pfmon --follow-pthread -e $E family forks 3 5
part by-thread $ALL --aggregate=thread family threads 3 2
part killed-by-thread $ALL --aggregate=thread family killed 1 5
part one-by-one $ALL --aggregate=process family series 20 3
part by-process $ALL --aggregate=process family forks 3 2
part excluded $ALL --exclude='family forks' sh -c 'family forks 3 2; family series 4 2'
part chosen $ALL --follow-exec='^family f' sh -c 'family series 3 2; family forks 4 2'
part attached attach
part interrupted interrupt
part kill-attached kill_attached
part kill-sampling kill_sampling /out/kill-sampling.cap --follow-all family spins 3 1
part kill-execed kill_sampling /out/kill-execed.cap --follow-all family thread-spins
part kill-inherited kill_sampling /out/kill-inherited.cap -v family spins 3 1
part too-few $SAMPLE --follow-all -o /out/too-few.cap family series 20 7
part inherited-sampled $SAMPLE -o /out/inherited.cap sh -c 'family forks 3 50; family threads 4 50'
part sampled $SAMPLE --follow-all -o /out/followed.cap sh -c 'family forks 3 50; family threads 4 50'
let_go
# Contexts of CPUs and of threads exclude each other.
TRACER="grep TracerPid /proc/self/status"
part kill-cpu kill_cpu
part tracer-cpu pfmon --system-wide -e page-faults $TRACER
part tracer-cpu-sampling pfmon --system-wide -e page-faults --long-smpl-periods=1000 -o /tmp/untraced.cap $TRACER
