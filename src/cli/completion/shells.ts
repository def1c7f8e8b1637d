// The scripts of the shells. At a Tab a script asks `rlp __complete` and hands each line to its shell as it is. No line goes through `eval`,
// `compgen -W` or another list of words that a shell expands, because a name in a stranger's repository may be a command.

/**
 * Works with the bash 3.2 of macOS, which lacks `mapfile` and `compopt`. A Tab replaces only `$2`, which may be the part of a word behind a
 * colon or an equals sign. `-o filenames` makes bash quote what it inserts.
 */
const bash = `# bash completion for rlp. Load it with: source <(rlp completion bash)
_rlp() {
  local word rest paths= option= line=\${COMP_LINE:0:COMP_POINT}
  local full=\${line##*[[:space:]]}
  if [[ $full != *"$2" ]]; then full=$2; fi
  local head=\${full%"$2"}
  if [[ $full == -*=* ]]; then option=\${full%%=*}=; fi
  COMPREPLY=()
  while IFS=$'\\t' read -r word rest; do
    case $word in
      :files) paths=-f ;;
      :folders) paths=-d ;;
      :*) ;;
      *) word=$option$word; if [[ $word == "$full"* ]]; then COMPREPLY+=("\${word#"$head"}"); fi ;;
    esac
  done < <(rlp __complete "$line" 2>/dev/null)
  local count=\${#COMPREPLY[@]}
  if [[ -n $paths ]]; then while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen "$paths" -- "$2"); fi
  if (( \${#COMPREPLY[@]} > count )); then return; fi
  compopt +o filenames 2>/dev/null
  if [[ \${COMPREPLY[*]} == *: ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -o filenames -F _rlp rlp
`

/** A file for a folder of `fpath`, which can also be sourced. */
const zsh = `#compdef rlp
# zsh completion for rlp. Save it as _rlp in a folder of $fpath, or load it after compinit with: source <(rlp completion zsh)
_rlp() {
  local word what paths= line="\${(j: :)words[1,CURRENT-1]} $PREFIX"
  local -a shown how
  compset -P 1 '-*='
  while IFS=$'\\t' read -r word what; do
    how=()
    case $word in
      (:files) paths=_files ;;
      (:folders) paths=_directories ;;
      (:*) ;;
      (*) if [[ -n $what ]]; then what="\${(r:24:)word}-- $what" shown=("\${what[1,COLUMNS-1]}") how=(-l -d shown); fi
        if [[ $word == *: ]]; then how+=(-S ''); fi
        compadd "\${how[@]}" -- "$word" ;;
    esac
  done < <(rlp __complete "$line" 2>/dev/null)
  [[ -n $paths ]] && $paths
}
if [[ \${funcstack[1]} == _rlp ]]; then _rlp "$@"; elif (( \${+functions[compdef]} )); then compdef _rlp rlp; fi
`

const fish = `# fish completion for rlp. Load it with: rlp completion fish | source
function __rlp_complete -d 'Ask rlp what may come here'
    set -l token (commandline -ct | string collect)
    set -l option (string match -r -- '^-[^=]*=' "$token" | string collect)
    set -l start (string sub -s (math 1 + (string length -- "$option")) -- "$token")
    for line in (rlp __complete (commandline -cp | string collect) 2>/dev/null)
        switch $line
            case :files
                for path in (__fish_complete_path $start); printf '%s\\n' "$option$path"; end
            case :folders
                for path in (__fish_complete_directories $start); printf '%s\\n' "$option$path"; end
            case ':*'
            case '*'
                printf '%s\\n' "$option$line"
        end
    end
end
complete -c rlp -f -a '(__rlp_complete)'
`

export const SHELLS: Readonly<Record<string, string>> = { bash, zsh, fish }
