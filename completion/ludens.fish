# SPDX-License-Identifier: GPL-3.0-or-later
# fish completion for ludens(1). The program itself knows what fits: `ludens complete WORD...`.

function __ludens_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in ($words[1] complete $words[2..-1] 2>/dev/null)
        switch $line
            case \tfiles
                __fish_complete_path (commandline -ct)
            case \tfolders
                __fish_complete_directories (commandline -ct)
            case '*'
                echo $line
        end
    end
end

complete -c ludens -f -a '(__ludens_complete)'
