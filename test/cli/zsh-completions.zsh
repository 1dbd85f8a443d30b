# Prints what zsh offers for a command line, as <<word>><<word>>: in an interactive shell on a terminal of its own, for
# completion works nowhere else. $1: the directory of the completion function; $2: the command line.
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PROMPT=; fpath=(${(q)1} \$fpath); autoload -Uz compinit; compinit -u -D"
# What is offered is told instead of inserted; calls that only ask compadd something go on as they are.
zpty -w shell 'compadd() {
  if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
  typeset -a offered; builtin compadd -A offered "$@"; (( $#offered )) && print -r -- "<<${(pj:>><<:)offered}>>"
}'
zpty -w shell 'comppostfuncs=(exit); bindkey "^I" complete-word; print READY'
zpty -r -m shell seen '*READY*READY*'
zpty -w -n shell "$2"$'\t'
while zpty -r shell line; do print -r -- $line; done
