# SPDX-License-Identifier: MIT OR GPL-2.0
#
# pfm-conform runs this in its guest, in busybox's shell: checks of formats, one after
# the other.
#
#   guest.sh DIR QUICK SEED	DIR has pfm_conform.ko, and a folder for each format:
#				NUMBER/module, name of its .ko file without .ko
#				NUMBER/checks, names of the checks to run
#				NUMBER/argument, NAME=VALUE,... or empty
#
# Each line of output begins with "@":
#   @format NUMBER UUID ARGUMENT-BYTES	format that a module has registered
#   @begin NUMBER CHECK
#   @ok | @skip WHY | @fail WHAT		outcome of that check
#   @file NUMBER NAME BASE64		buffer, truth and argument of "records"
set -u

dir=$1 quick=$2 seed=$3
kit=/sys/kernel/debug/pfm_conform
formats=/sys/kernel/perfmon/formats
filters=/sys/kernel/tracing/available_filter_functions
leaks=/sys/kernel/debug/kmemleak
# Number of times to use and unload a format.
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

# Prints "; " and the last kernel message about a format since the check began, if any.
said() {
	line=$(dmesg | sed -n "/pfm_conform: begin $number $check\$/,\$s/.*\(perfmon: format\)/\1/p" | tail -n 1)
	echo "${line:+; $line}"
}

registered() {
	ls $formats
}

load() {
	insmod "$folder"/*.ko 2>/tmp/error
}

# Loads the module, and finds the format that it registers.
check_load() {
	# The guest may already have loaded an installed module of this name.
	rmmod "$module" 2>/dev/null
	before=$(registered)
	if ! load; then
		fail "the module cannot be loaded: $(cat /tmp/error)$(said)"
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
		fail "the module registers no format: use pfm_format_module()"
		return 1
	}
	name=$(cat $formats/"$uuid"/name)
	echo "@format $number $uuid $(cat $formats/"$uuid"/arg_size)"
	ok
}

# Makes pfm_conform open the format, with the default argument as changed by
# --arg.
examine() {
	echo "$uuid $argument" >$kit/format 2>/dev/null
}

release() {
	echo >$kit/format
}

# Also fails if pfm_conform cannot open the format: usually this is the first
# check that opens it.
check_notrace() {
	if ! examine; then
		fail "$(cat $kit/text)"
		return
	fi
	handler=$(cat $kit/about)
	if [ ! -r $filters ]; then
		skip "this kernel has no function tracer"
	elif grep -qxF "$handler" $filters; then
		fail "the handler, ${handler% *}, can be traced, and perf could count inside it: declare it notrace"
	else
		ok
	fi
}

# Runs a check that pfm_conform.ko implements.
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
		fail "the check could not run: $(cat /tmp/error)"
	fi
	[ "$1" != records ] || tell_records
	release
}

# Clears kmemleak's list of leaks, to ignore those from before this check.
forget_leaks() {
	if [ "$1" = leaks ] && [ -w $leaks ]; then
		echo scan >$leaks
		echo clear >$leaks
	fi
}

# Reports a failure and returns 0 if kmemleak finds leaks. Waits and scans twice, because
# objects that kmemleak reports too early, or in only one scan, are false positives.
has_leaked() {
	[ -w $leaks ] || return 1
	sleep 6
	echo scan >$leaks
	echo scan >$leaks
	lost=$(cat $leaks)
	[ -n "$lost" ] || return 1
	echo clear >$leaks
	fail "contexts leak memory: fmt_exit must free what fmt_init allocates ($(echo "$lost" | grep -c unreferenced) objects, allocated by $(echo "$lost" | grep -om 1 '[a-z0-9_]*+[^ ]* \['"$module"'\]'))"
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

# Runs $command under pfmon, which records with the format.
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

# Returns 0 if the format needs a feature that this guest's PMU lacks.
cannot_record() {
	grep -v "^/lib" /tmp/recorded | grep -q "not supported\|precise"
}

check_recording() {
	command="ls -R /lib"
	for each in $(seq $loops); do
		record_faults && record_timer && continue
		if cannot_record; then
			skip "this guest's PMU does not support the format: $(tail -n 1 /tmp/recorded)"
		else
			fail "pfmon cannot record with the format: $(tail -n 1 /tmp/recorded)$(said)"
		fi
		return
	done
	ok
}

# Returns 0 if the command runs, which means that the context exists, or if
# pfmon has failed.
is_recording() {
	pidof sleep >/dev/null || ! kill -0 $recorder 2>/dev/null
}

end_recording() {
	killall sleep 2>/dev/null
	wait $recorder
}

# Checks that the module cannot be unloaded while a context exists, and can be afterwards.
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
		# Do not call said() first: meanwhile the unloaded handler could crash the guest.
		fail "the module can be unloaded while a context uses the format: register it with pfm_register_buffer_fmt()"
		end_recording
		return
	fi
	end_recording
	reload && ok
}

reload() {
	for each in $(seq $loops); do
		if ! rmmod "$module" 2>/tmp/error; then
			fail "the module cannot be unloaded although no context uses the format: $(cat /tmp/error)$(said)"
			return 1
		fi
		if [ -d $formats/"$uuid" ]; then
			fail "the format is still registered after its module was unloaded$(said)"
			return 1
		fi
		if ! load; then
			fail "the module cannot be loaded a second time: $(cat /tmp/error)$(said)"
			return 1
		fi
	done
}

# Runs the checks of a format. If the module cannot be loaded, skips all other checks.
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

# Formats may need pfm_unwind, which older installations lack.
modprobe pfm_unwind 2>/dev/null || :
insmod "$dir/pfm_conform.ko" quick="$quick" seed="$seed" || exit 1
for folder in "$dir"/[0-9]*; do
	number=${folder##*/}
	module=$(tr - _ <"$folder/module")
	argument=$(cat "$folder/argument")
	check_all
done
