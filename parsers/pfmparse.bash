# SPDX-License-Identifier: MIT OR GPL-2.0
#
# Completion of pfmparse's command line in bash; to be sourced.

_pfmparse_keys='function ip line image data-address caller tid pmd event kernel latency
	data-source address weight process thread cpu time set period file'

_pfmparse()
{
	local command= word options='--json --raw --session --help'
	local option=${COMP_WORDS[COMP_CWORD - 1]} text=${2#=}

	# An "=" is a word of its own.
	[[ $option == = ]] && option=${COMP_WORDS[COMP_CWORD - 2]}
	for word in "${COMP_WORDS[@]:1:COMP_CWORD - 1}"; do
		case $word in
		info | dump | report | extract | session-template)
			command=$word
			break ;;
		esac
	done
	case $command in
	report) options+=' --by --top --symfs' ;;
	extract) options='--json --help' ;;
	session-template) options='--help' ;;
	esac

	case $option in
	--by) mapfile -t COMPREPLY < <(compgen -W "$_pfmparse_keys" -- "$text") ;;
	--symfs)
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -d -- "$text") ;;
	--top) COMPREPLY=() ;;
	*)
		if [[ ! $command && $2 != -* ]]; then
			mapfile -t COMPREPLY < <(compgen -W \
				'info dump report extract session-template' -- "$2")
		elif [[ ! $command ]]; then
			mapfile -t COMPREPLY < <(compgen -W '--version --help' -- "$2")
		elif [[ $2 == -* ]]; then
			mapfile -t COMPREPLY < <(compgen -W "$options" -- "$2")
		else
			compopt -o filenames
			mapfile -t COMPREPLY < <(compgen -f -- "$text")
		fi ;;
	esac
}

complete -F _pfmparse pfmparse
