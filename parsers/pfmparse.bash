# SPDX-License-Identifier: MIT OR GPL-2.0
#
# Bash completion for pfmparse, to be sourced. Options come from the output of --help.

_pfmparse_keys='function ip line image data-address data-symbol caller tid process
	comm cgroup pmd event kernel latency data-source branch-from branch-to branch-flags
	state file host address weight thread cpu time set period'
_pfmparse_pers='address function symbol line cacheline page level latency'
_pfmparse_commands='info dump report annotate diff timeline mem top show serve export extract session-template'

_pfmparse()
{
	local command= word
	local option=${COMP_WORDS[COMP_CWORD - 1]} text=${2#=}

	# bash splits "--option=value" at the "=".
	[[ $option == = ]] && option=${COMP_WORDS[COMP_CWORD - 2]}
	for word in "${COMP_WORDS[@]:1:COMP_CWORD - 1}"; do
		if [[ " $_pfmparse_commands " == *" $word "* ]]; then
			command=$word
			break
		fi
	done

	case $option in
	--by) mapfile -t COMPREPLY < <(compgen -W "$_pfmparse_keys" -- "$text") ;;
	--symfs)
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -d -- "$text") ;;
	--view) mapfile -t COMPREPLY < <(compgen -W 'inst data level tlb' -- "$text") ;;
	--per) mapfile -t COMPREPLY < <(compgen -W "$_pfmparse_pers" -- "$text") ;;
	--sort) mapfile -t COMPREPLY < <(compgen -W 'count value level' -- "$text") ;;
	--rows) mapfile -t COMPREPLY < <(compgen -W 'location sample' -- "$text") ;;
	--top | --cum | --l2 | --l3 | --frequency | --min-percent | --weight | --event | \
		--pid | --tid | --comm | --cgroup | --container | --cpu | --set | --object | --symbol | --time | \
		--window | --iterations | --to | --dsn | --function | -s | --debuginfod) COMPREPLY=() ;;
	*)
		if [[ $2 == -* ]]; then
			mapfile -t COMPREPLY < <(compgen -W "$(_pfmparse_options)" -- "$2")
		elif [[ ! $command ]]; then
			mapfile -t COMPREPLY < <(compgen -W "$_pfmparse_commands" -- "$2")
		else
			compopt -o filenames
			mapfile -t COMPREPLY < <(compgen -f -- "$text")
		fi ;;
	esac
}

# Prints the long options, and -o, of the current command.
_pfmparse_options()
{
	"${COMP_WORDS[0]}" $command --help 2> /dev/null |
		sed -nE 's/^  (-.*)/\1/p' | sed 's/  .*//' |
		grep -oE '(^|[ ,])--?[a-z][a-z0-9-]*' | tr -d ' ,' | grep -v '^-h$'
}

complete -F _pfmparse pfmparse
