// The completion script for bash; works with the bash 3.2 of macOS and without the bash-completion package.
import { isLooked, LISTS, type ListPlace, LOOKED, type Node, readCommand, type Values } from './model.ts'

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

# The value that was typed for an option, or another one, as a path that find takes for no option.
_rlp_typed() {
  local i path=$2
  for ((i = 1; i < \${#words[@]} - 1; i++)); do
    if [[ \${words[i]} == "$1" ]]; then
      path=\${words[i+1]}
      if [[ $path == '=' ]]; then path=\${words[i+2]}; fi
    elif [[ \${words[i]} == "$1="* ]]; then
      path=\${words[i]#*=}
    fi
  done
  if [[ $path != /* ]]; then path=./$path; fi
  printf '%s' "$path"
}

_rlp_list() {
  case "$1" in
${Object.entries(LISTS)
  .map(([name, places]) => `    ${name}) ${places.map(listPlace).join('; ')} ;;`)
  .join('\n')}
  esac
}

# Adds the words of lists.
_rlp_add() {
  local list word count=\${#COMPREPLY[@]}
  for list in "\${@:2}"; do
    while IFS= read -r word; do
      if [[ -n $word && $word == "$1"* ]]; then COMPREPLY+=("$word"); fi
    done <<< "$(_rlp_list "$list")"
  done
  # No backslash before a colon.
  if (( count == 0 )); then compopt +o filenames 2>/dev/null; fi
}

# How many arguments are before this one. $1 names the options that take a value.
_rlp_nth() {
  local i
  nth=0
  for ((i = last + 1; i < cword; i++)); do
    if [[ \${words[i]} == '=' ]]; then
      i=$((i + 1))
    elif [[ " $1 " == *" \${words[i]} "* ]]; then
      if [[ \${words[i+1]} == '=' ]]; then i=$((i + 2)); else i=$((i + 1)); fi
    elif [[ \${words[i]} != -* ]]; then
      nth=$((nth + 1))
    fi
  done
}

_rlp() {
  local -a words=()
  local word i joins= before breaks=\${COMP_WORDBREAKS//[^:@]/} cword cur prev
  COMPREPLY=()
  # bash makes a word of each colon and at sign: what they are between is one word again here.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    cword=$((\${#words[@]} - 1))
    if (( cword > 0 )) && [[ -n $word && ( ( $word == [:@]* && \${words[cword]} != -* && \${words[cword]} != '=' ) || -n $joins ) ]]; then
      words[cword]+=$word
    else
      words+=("$word")
    fi
    joins=
    if [[ $word == *[:@] ]]; then joins=1; fi
  done
  cword=$((\${#words[@]} - 1))
  cur=\${words[cword]} prev=\${words[cword-1]}
  # bash splits --name=value at the equals sign.
  if [[ $cur == '=' ]]; then
    cur=
  elif [[ $prev == '=' && cword -gt 1 ]]; then
    prev=\${words[cword-2]}
  fi
  _rlp_complete
  # It replaces what is behind the last of its word breaks.
  if [[ -n $breaks ]]; then
    before=\${cur%"\${cur##*[$breaks]}"}
    for ((i = 0; i < \${#COMPREPLY[@]}; i++)); do COMPREPLY[i]=\${COMPREPLY[i]#"$before"}; done
  fi
}

_rlp_complete() {
  local place= word i last=0 nth=0
  for ((i = 1; i < cword; i++)); do
    word=\${words[i]}
    if [[ $word == -* || ($word == help && -z $place) ]]; then
      continue
    fi
    case "\${place:+$place }$word" in
      ${places.map(words => `'${words}'`).join(' | ') || "''"}) place="\${place:+$place }$word"; last=$i ;;
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
  const plain =
    next.length > 0
      ? reply({ kind: 'words', words: next.map(({ word }) => word) })
      : argumentReply(positionals, valued)
  return `    '${words}')
${values.length > 0 ? `      case "$prev" in\n${values.join('\n')}\n      esac\n` : ''}      if [[ $cur == -* ]]; then
        ${reply({ kind: 'words', words: spellings })}
      else
        ${plain}
      fi
      ;;`
}

/** By its place, where a command has several arguments. */
function argumentReply(
  positionals: Node['positionals'],
  valued: readonly { readonly spellings: readonly string[] }[],
): string {
  const [first, ...others] = positionals.map(({ values }) => reply(values))
  if (first === undefined || others.length === 0) return first ?? ':'
  const cases = [first, ...others].map((one, at) => {
    const isLast = at === others.length && positionals[at]?.many === true
    return `${isLast ? '*' : at}) ${one} ;;`
  })
  return `_rlp_nth '${valued.flatMap(({ spellings }) => spellings).join(' ')}'; case "$nth" in ${cases.join(' ')} esac`
}

function listPlace(place: ListPlace): string {
  return readCommand(place, '"$(_rlp_home)"', (option, other) => `"$(_rlp_typed ${option} ${other})"`)
}

function reply(values: Values): string {
  const found = replyOf(values)
  const lists = values.kind === 'words' ? [] : (values.lists ?? [])
  if (lists.length === 0) return found
  return `${found}; _rlp_add "$cur" ${lists.join(' ')}`
}

function replyOf(values: Values): string {
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
