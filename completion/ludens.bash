# SPDX-License-Identifier: GPL-3.0-or-later
# bash completion for ludens(1). The program itself knows what fits: `ludens complete WORD...`.

_ludens() {
    local words=() word rest typed kept line first
    # bash splits words at = and :, the program does not: put together again what stands together on the line
    rest=${COMP_LINE:0:COMP_POINT}
    for word in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
        first=${rest%%[![:space:]]*}
        rest=${rest#"$first"}
        rest=${rest#"$word"}
        if [[ -z $first && ${#words[@]} -gt 0 ]]; then
            words[-1]+=$word
        else
            words+=("$word")
        fi
    done
    typed=${words[-1]}
    kept=${typed%"${typed##*[=:]}"} # bash replaces only what stands after the last = or :

    COMPREPLY=()
    while IFS= read -r line; do
        case $line in
        $'\tfiles') mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "${typed#"$kept"}") ;;
        $'\tfolders') mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "${typed#"$kept"}") ;;
        *)
            line=${line%%$'\t'*}
            COMPREPLY+=("${line#"$kept"}")
            ;;
        esac
    done < <("${words[0]}" complete "${words[@]:1}" 2>/dev/null)
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=,] ]]; then compopt -o nospace; fi
}

complete -o filenames -F _ludens ludens
