# SPDX-License-Identifier: MIT OR GPL-2.0
#
# What pfm-conform runs in its guest, for the shell of busybox: checks of formats, one
# after the other.
#
#   guest.sh DIR QUICK SEED	in DIR: pfm_conform.ko, and a folder for each format:
#				NUMBER/module, its .ko's name without it
#				NUMBER/checks, the names of what is to be run
#				NUMBER/argument, NAME=VALUE,... or nothing
#
# Each line that it prints begins with "@":
#   @format NUMBER UUID ARGUMENT-BYTES	what a module has registered
#   @begin NUMBER CHECK
#   @ok | @skip WHY | @fail WHAT		how that ended
#   @file NUMBER NAME BASE64		buffer, truth and argument of "records"
set -u

dir=$1 quick=$2 seed=$3
kit=/sys/kernel/debug/pfm_conform
formats=/sys/kernel/perfmon/formats
filters=/sys/kernel/tracing/available_filter_functions
leaks=/sys/kernel/debug/kmemleak
# Times that a format is used and unloaded.
loops=12
[ "$quick" = 0 ] || loops=3

begin() {
	echo "@begin $number $1"
	echo "pfm_conform: begin $number $1" >/dev/kmsg
}

ok() {
	echo "@ok"
}

skip() {
	echo "@skip $*"
}

fail() {
	echo "@fail $*"
}

# What the kernel has said last about $1.
said() {
	dmesg | grep -F "$1" | tail -n 1 | sed 's/^\[[^]]*\] //'
}

registered() {
	ls $formats
}

load() {
	insmod "$folder"/*.ko 2>/tmp/error
}

# Loads the module, and finds the format that it registers.
check_load() {
	# The guest may have loaded one of this name, as its own.
	rmmod "$module" 2>/dev/null
	before=$(registered)
	if ! load; then
		fail "the module cannot be loaded: $(cat /tmp/error); $(said "perfmon: format")"
		return 1
	fi
	find_format
}

find_format() {
	uuid=
	for each in $(registered); do
		case " $(echo $before) " in
		*" $each "*) ;;
		*)
			[ -z "$uuid" ] || {
				fail "the module registers several formats"
				return 1
			}
			uuid=$each
			;;
		esac
	done
	[ -n "$uuid" ] || {
		fail "the module registers no format: pfm_format_module() does that"
		return 1
	}
	name=$(cat $formats/"$uuid"/name)
	echo "@format $number $uuid $(cat $formats/"$uuid"/arg_size)"
	ok
}

# The kit looks at the format, with what tools would give it.
examine() {
	echo "$uuid $argument" >$kit/format 2>/dev/null
}

release() {
	echo >$kit/format
}

# A format that cannot be examined at all has a finding of its own.
check_notrace() {
	if ! examine; then
		fail "$(cat $kit/text)"
		return
	fi
	handler=$(cat $kit/about)
	if [ ! -r $filters ]; then
		skip "this kernel has no tracer of functions"
	elif grep -qxF "$handler" $filters; then
		fail "the handler, ${handler% *}, can be traced, by perf too, which then counts in it: declare it notrace"
	else
		ok
	fi
}

# One of the kit's.
check_inside() {
	if ! examine; then
		fail "$(cat $kit/text)"
	elif forget_leaks "$1" && { echo "$1" >$kit/run; } 2>/tmp/error; then
		[ "$1" = leaks ] && has_leaked || ok
	elif grep -q "not supported" /tmp/error; then
		skip "$(cat $kit/text)"
	elif [ -n "$(cat $kit/text)" ]; then
		fail "$(cat $kit/text)"
	else
		fail "the check could not be made: $(cat /tmp/error)"
	fi
	[ "$1" != records ] || tell_records
	release
}

# What others have left is not this check's.
forget_leaks() {
	if [ "$1" = leaks ] && [ -w $leaks ]; then
		echo scan >$leaks
		echo clear >$leaks
	fi
}

# What the kernel itself has found to be lost, if it looks for that. What looks lost
# at once, or only once, is not.
has_leaked() {
	[ -w $leaks ] || return 1
	sleep 6
	echo scan >$leaks
	echo scan >$leaks
	lost=$(cat $leaks)
	[ -n "$lost" ] || return 1
	echo clear >$leaks
	fail "contexts leave memory behind: fmt_exit is to free what fmt_init takes ($(echo "$lost" | grep -c unreferenced) objects, allocated by $(echo "$lost" | grep -om 1 '[a-z0-9_]*+[^ ]* \['"$module"'\]'))"
}

tell_file() {
	echo "@file $number $2 $(base64 "$1" | tr -d '\n')"
}

tell_records() {
	tell_file $kit/buffer buffer
	tell_file $kit/truth truth
	[ ! -e $formats/"$uuid"/arg_layout ] ||
		tell_file $formats/"$uuid"/arg_layout argument
}

# Samples, as a user would: page faults, or the interrupts of a timer.
record() {
	pfmon "$@" --smpl-module="$name" ${argument:+--smpl-arg "$argument"} \
		-o /tmp/capture -- $command >/tmp/recorded 2>&1
}

record_faults() {
	record -e page-faults,context-switches --long-smpl-periods=1
}

record_timer() {
	record -e cpu-clock --long-smpl-periods=100000
}

# Some need what this guest's PMU does not do.
cannot_record() {
	grep -v "^/lib" /tmp/recorded | grep -q "not supported\|precise"
}

check_recording() {
	command="ls -R /lib"
	for each in $(seq $loops); do
		record_faults && record_timer && continue
		if cannot_record; then
			skip "no PMU here can do it: $(tail -n 1 /tmp/recorded)"
		else
			fail "pfmon cannot record with it: $(tail -n 1 /tmp/recorded)"
		fi
		return
	done
	ok
}

# The command is there, and so is the context; or pfmon could not record.
is_recording() {
	pidof sleep >/dev/null || ! kill -0 $recorder 2>/dev/null
}

end_recording() {
	killall sleep 2>/dev/null
	wait $recorder
}

# While a context exists the module stays; afterwards it goes, and comes again.
check_unload() {
	command="sleep 1000"
	record_faults &
	recorder=$!
	until is_recording; do
		usleep 20000
	done
	if ! pidof sleep >/dev/null; then
		wait $recorder
		reload && skip "pfmon could not record: $(tail -n 1 /tmp/recorded)"
		return
	fi
	if rmmod "$module" 2>/dev/null; then
		fail "the module can be unloaded while a context uses the format: register it by pfm_register_buffer_fmt()"
		end_recording
		return
	fi
	end_recording
	reload && ok
}

reload() {
	for each in $(seq $loops); do
		if ! rmmod "$module" 2>/tmp/error; then
			fail "the module cannot be unloaded when nobody uses the format: $(cat /tmp/error)"
			return 1
		fi
		if [ -d $formats/"$uuid" ]; then
			fail "the format is registered still when its module is gone"
			return 1
		fi
		if ! load; then
			fail "the module cannot be loaded a second time: $(cat /tmp/error)"
			return 1
		fi
	done
}

# Nothing else can be asked of a module that is not there.
check_all() {
	for check in $(cat "$dir/$number/checks"); do
		begin "$check"
		case $check in
		load)
			check_load || {
				rmmod "$module" 2>/dev/null
				return
			}
			;;
		notrace) check_notrace ;;
		recording) check_recording ;;
		unload) check_unload ;;
		*) check_inside "$check" ;;
		esac
	done
	rmmod "$module" 2>/dev/null
}

insmod "$dir/pfm_conform.ko" quick="$quick" seed="$seed" || exit 1
for folder in "$dir"/[0-9]*; do
	number=${folder##*/}
	module=$(tr - _ <"$folder/module")
	argument=$(cat "$folder/argument")
	check_all
done
