// The completion script for bash; works with the bash 3.2 of macOS and without the bash-completion package.
import { isLooked, LOOKED, type Node, type Values } from './model.ts'

export function bashScript(nodes: readonly Node[]): string {
  const places = nodes.map(({ words }) => words).filter(Boolean)
  return `# bash completion for rlp. Load it with: source <(rlp completion bash)

_rlp_words() {
  COMPREPLY=($(compgen -W "$1" -- "$2"))
}

_rlp_paths() {
  local IFS=$'\\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen "$1" -- "$2"))
}

_rlp_home() {
  printf '%s' "\${RUNLOOP_HOME:-$HOME/.runloop}"
}

# Ids in the tools.json of agents here and of unpacked installed ones.
_rlp_tools() {
  local ids
  ids=$(sed -n 's/.*"id": *"\\([A-Za-z0-9_.-]*\\)".*/\\1/p' agents/*/tools.json "$(_rlp_home)"/agents/*/tools.json 2>/dev/null)
  COMPREPLY=($(compgen -W "$ids" -- "$1"))
}

# Names of files in a folder without their end, files, and what other values begin with, each in a word of its own.
_rlp_names() {
  local IFS=$'\\n' path name
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen "$1" -- "$4"))
  for path in "$2"/*"$3"; do
    name=\${path#"$2"/}
    name=\${name%"$3"}
    if [[ -e $path && $name == "$4"* ]]; then COMPREPLY+=("$name"); fi
  done
  for name in "\${@:5}"; do
    if [[ $name == "$4"* ]]; then COMPREPLY+=("$name"); fi
  done
  # More follows: no space, and no backslash before the colon.
  if (( \${#COMPREPLY[@]} == 1 )) && [[ \${COMPREPLY[0]} == *: ]]; then compopt +o filenames -o nospace 2>/dev/null; fi
}

_rlp() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} place= word i
  COMPREPLY=()
  # bash splits --name=value at the equals sign.
  if [[ $cur == '=' ]]; then
    cur=
  elif [[ $prev == '=' && COMP_CWORD -gt 1 ]]; then
    prev=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ $word == -* || ($word == help && -z $place) ]]; then
      continue
    fi
    case "\${place:+$place }$word" in
      ${places.map(words => `'${words}'`).join(' | ') || "''"}) place="\${place:+$place }$word" ;;
      *) break ;;
    esac
  done
  case "$place" in
${nodes.map(placeCase).join('\n')}
  esac
}

complete -F _rlp rlp
`
}

function placeCase({ words, next, flags, positionals }: Node): string {
  const spellings = flags.flatMap(flag => flag.spellings.filter(spelling => spelling.startsWith('--')))
  const valued = flags.flatMap(flag =>
    flag.value === undefined ? [] : [{ spellings: flag.spellings, value: flag.value }],
  )
  const values = valued.map(
    ({ spellings, value }) => `        ${spellings.join(' | ')}) ${reply(value)}; return ;;`,
  )
  const positional = positionals[0]?.values ?? { kind: 'none' }
  const plain =
    next.length > 0 ? reply({ kind: 'words', words: next.map(({ word }) => word) }) : reply(positional)
  return `    '${words}')
${values.length > 0 ? `      case "$prev" in\n${values.join('\n')}\n      esac\n` : ''}      if [[ $cur == -* ]]; then
        ${reply({ kind: 'words', words: spellings })}
      else
        ${plain}
      fi
      ;;`
}

function reply(values: Values): string {
  if (values.kind === 'words') return `_rlp_words '${values.words.join(' ')}' "$cur"`
  if (values.kind === 'none') return ':'
  if (isLooked(values)) {
    const { isHome, folder, end } = LOOKED[values.kind]
    const where = isHome ? `"$(_rlp_home)/${folder}"` : folder
    if (values.kind === 'tool') return '_rlp_tools "$cur"'
    const begins = (values.begins ?? []).map(word => ` ${word}`).join('')
    return `_rlp_names ${values.kind === 'agent' ? '-d' : '-f'} ${where} '${end}' "$cur"${begins}`
  }
  return `_rlp_paths ${values.kind === 'dir' ? '-d' : '-f'} "$cur"`
}
