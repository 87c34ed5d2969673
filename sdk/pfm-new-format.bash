# SPDX-License-Identifier: MIT OR GPL-2.0
#
# Bash completion of pfm-new-format; source this file.

_pfm_new_format()
{
	local option=${COMP_WORDS[COMP_CWORD - 1]} text=${2#=}

	# Bash makes "=" a word of its own.
	[[ $option == = ]] && option=${COMP_WORDS[COMP_CWORD - 2]}
	case $option in
	--model) mapfile -t COMPREPLY < <(compgen -W 'linear regions table device' -- "$text") ;;
	--field)
		mapfile -t COMPREPLY < <(compgen -W 'set:u16 ovfl_pmd:u16 period:u64 addr:u64
			latency:u64 latency:u64=sum,max source:u64' -- "$text")
		;;
	*) mapfile -t COMPREPLY < <(compgen -W '--model --field --arg --help' -- "$2") ;;
	esac
}

complete -F _pfm_new_format pfm-new-format
