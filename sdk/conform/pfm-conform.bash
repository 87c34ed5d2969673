# SPDX-License-Identifier: MIT OR GPL-2.0
#
# Bash completion of pfm-conform; source this file.

_pfm_conform()
{
	local option=${COMP_WORDS[COMP_CWORD - 1]} text=${2#=} words

	# Bash makes "=" a word of its own.
	[[ $option == = ]] && option=${COMP_WORDS[COMP_CWORD - 2]}
	case $option in
	--check) words=$(pfm-conform --list 2>/dev/null | cut -d' ' -f1) ;;
	--kernel) words='6.1 6.12 6.12-deb13 7.3 6.12-rt debug' ;;
	--arch) words='x86_64 arm64' ;;
	--modules-dir | --out)
		mapfile -t COMPREPLY < <(compgen -d -- "$text")
		return
		;;
	--arg | --seed | --timeout) return ;;
	*)
		if [[ $text != -* ]]; then
			mapfile -t COMPREPLY < <(compgen -f -- "$text")
			return
		fi
		words='--arch --arg --check --debug --help --kernel --list --modules-dir
			--out --quick --seed --timeout'
		;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$text")
}

complete -F _pfm_conform pfm-conform
