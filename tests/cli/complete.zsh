# SPDX-License-Identifier: GPL-3.0-or-later
# complete.zsh FOLDER LINE …: prints what Tab makes of each LINE in an interactive zsh that finds _cudal1 in FOLDER.
zmodload zsh/zpty || exit 1
zpty -b shell "zsh -f -i"
folder=$1
shift
heard() {
    local piece text=
    for _ in {1..100}; do
        while zpty -rt shell piece 2>/dev/null; do text+=$piece; done
        [[ $text == *"$1"* ]] && { print -r -- "$text"; return 0; }
        sleep 0.1
    done
    return 1
}
zpty -w shell "PROMPT=; fpath=(${(q)folder} \$fpath); autoload -Uz compinit; compinit -u -d ${(q)folder}/dump"
zpty -w shell 'tell() { zle complete-word; print -r -- "<$BUFFER>"; BUFFER= }; zle -N tell; bindkey "^I" tell'
zpty -w shell 'print "rea""dy"'
heard ready >/dev/null || { print "zsh does not begin"; exit 1; }
for line in "$@"; do
    zpty -w -n shell "$line"$'\t'
    text=$(heard '>') || { print "no answer to $line"; exit 1; }
    text=${text%>*}
    print -r -- "${text##*<}"
done
zpty -d shell
