# SPDX-License-Identifier: MIT OR GPL-2.0
#
# Bash completion for pfmon; source this file. Generated from
# option_table.c by `make pfmon-docs`.

_pfmon_options='
	-e --events=
	-u --user-level
	-k --kernel-level
	--priv-levels=
	-o --outfile=
	--with-header
	--session-timeout=
	--duration=
	--delay=
	--trigger-start=
	--trigger-stop=
	--snapshot=
	--control=
	--switch-timeout=
	--attach-task=
	--attach-process=
	--follow-fork
	--follow-vfork
	--follow-pthread
	--follow-exec
	--follow-all
	--exclude=
	--no-inherit
	--aggregate=
	--system-wide
	--excl-idle
	--cpu-list=
	--cgroup=
	--pin-command
	--aggregate-results
	-r --repeat=
	-I --print-interval=
	-j --json
	--csv
	--table
	--show-time
	--us-counter-format
	--eu-counter-format
	--hex-counter-format
	--append
	--long-smpl-periods=
	--short-smpl-periods=
	-F --smpl-freq=
	--smpl-periods-random=
	--smpl-notify=
	--switch-overflow=
	--smpl-entries=
	--smpl-pmds=
	--reset-non-smpl-periods
	--smpl-module=
	--smpl-arg=
	-g --call-graph
	--off-cpu
	--wall-clock
	--data-maps
	--overflow-block
	--smpl-ip-only
	--smpl-no-hdr
	--smpl-raw-time
	--smpl-regions=
	--smpl-mask-when-full
	--smpl-record=
	--smpl-imprecise
	--smpl-show-func
	--smpl-show-top=
	--smpl-inst-view
	--smpl-data-view
	--smpl-level-view
	-l --list-events
	-i --event-info=
	--check-events-only
	--dry-run
	--list-formats
	-v --verbose
	--version
	-h --help
	--interval=
	--window=
	--batch
	--iterations=
	--rows=
	--sort=
'
_pfmon_doctor_options='
	--help
	--json
'

# Complete the last element of a comma-separated list.
_pfmon_words()
{
	local before=

	[[ $2 == *,* ]] && before=${2%,*},
	mapfile -t COMPREPLY < <(compgen -P "$before" -W "$1" -- "${2##*,}")
}

_pfmon_files()
{
	compopt -o filenames
	mapfile -t COMPREPLY < <(compgen -f -- "$1")
}

# Complete $2 to one of the options in $1.
_pfmon_option_names()
{
	mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
	[[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace
}

# Complete $2, the argument of option $1.
_pfmon_argument()
{
	case $1 in
	-e | --events) _pfmon_words "$(pfmon --list-events='^[^:]*$' 2>/dev/null | cut -d' ' -f1)" "$2" ;;
	-o | --outfile | --smpl-outfile) _pfmon_files "$2" ;;
	--aggregate) _pfmon_words "thread process all" "$2" ;;
	--smpl-pmds | --extra-smpl-pmds) _pfmon_words "state elapsed tid resident clock addr latency weight2 weight3 source physical transaction branch-from branch-to branch-flags branches" "$2" ;;
	--smpl-module) _pfmon_words "default nway pebs32 pebs64 dear-hist oprofile callstack flight histogram stacks cgroup_counts" "$2" ;;
	-g | --call-graph) _pfmon_words "fp" "$2" ;;
	--off-cpu) _pfmon_words "sum" "$2" ;;
	--smpl-record) _pfmon_words "base nehalem haswell skylake" "$2" ;;
	-i | --event-info) _pfmon_words "$(pfmon --list-events='^[^:]*$' 2>/dev/null | cut -d' ' -f1)" "$2" ;;
	--sort) _pfmon_words "samples function object comm" "$2" ;;
	esac
}

_pfmon()
{
	local at=1 option= first=

	if ((COMP_CWORD > 1)) && [[ ${COMP_WORDS[1]} == doctor ]]; then
		_pfmon_option_names "$_pfmon_doctor_options" "$2"
		return
	fi
	((COMP_CWORD == 1)) && first=doctor
	# Bash makes "=" a separate word.
	while ((at < COMP_CWORD)); do
		option=
		case ${COMP_WORDS[at]} in
		-e | --events | \
		--priv-levels | \
		-o | --outfile | --smpl-outfile | \
		--session-timeout | -t | \
		--duration | \
		--delay | \
		--trigger-start | \
		--trigger-stop | \
		--snapshot | \
		--control | \
		--switch-timeout | \
		--attach-task | \
		--attach-process | \
		--exclude | --follow-exec-exclude | \
		--aggregate | \
		--cpu-list | \
		--cgroup | \
		-r | --repeat | \
		-I | --print-interval | \
		--long-smpl-periods | \
		--short-smpl-periods | \
		-F | --smpl-freq | \
		--smpl-periods-random | \
		--smpl-notify | \
		--switch-overflow | \
		--smpl-entries | \
		--smpl-pmds | --extra-smpl-pmds | \
		--smpl-module | \
		--smpl-arg | \
		--smpl-regions | \
		--smpl-record | \
		--smpl-show-top | \
		-i | --event-info | \
		--interval | \
		--window | \
		--iterations | \
		--rows | \
		--sort)
			option=${COMP_WORDS[at]}
			[[ ${COMP_WORDS[at + 1]} == = ]] && ((at++))
			((at += 2)) ;;
		--)
			((at++))
			break ;;
		-*) ((at++)) ;;
		=) ((at += 2)) ;;
		*) break ;;
		esac
	done
	if ((at > COMP_CWORD)); then
		_pfmon_argument "$option" "${2#=}"
	elif ((at < COMP_CWORD)); then
		_pfmon_files "$2"
	elif [[ $2 == -* ]]; then
		_pfmon_option_names "$_pfmon_options" "$2"
	else
		mapfile -t COMPREPLY < <(compgen -W "$first" -c -- "$2")
	fi
}

complete -F _pfmon pfmon
