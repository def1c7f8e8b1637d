// The completion script for zsh: a `_rlp` file for fpath that can also be sourced after compinit.
import {
  type Flag,
  isLooked,
  LISTS,
  type ListPlace,
  LOOKED,
  type Node,
  readCommand,
  shellQuote,
  type Values,
} from './model.ts'

export function zshScript(nodes: readonly Node[]): string {
  const places = nodes.map(({ words }) => words).filter(Boolean)
  return `#compdef rlp
# zsh completion for rlp. Save it as _rlp in a folder of $fpath, or load it after compinit with: source <(rlp completion zsh)

# Ids in the tools.json of agents here and of unpacked installed ones.
_rlp_tools() {
  local -a ids files
  files=(agents/*/tools.json(N) "\${RUNLOOP_HOME:-$HOME/.runloop}"/agents/*/tools.json(N))
  (( $#files )) && ids=(\${(f)"$(sed -n 's/.*"id": *"\\([A-Za-z0-9_.-]*\\)".*/\\1/p' $files)"})
  (( $#ids )) && compadd -a ids
}

# Names of files in a folder without their end, files, and what other values begin with.
_rlp_names() {
  local -a found names
  local folder=$3
  [[ $2 == home ]] && folder="\${RUNLOOP_HOME:-$HOME/.runloop}/$3"
  found=("$folder"/*"$4"(N))
  names=(\${\${found#"$folder"/}%"$4"})
  (( $#names )) && compadd -a names
  (( $# > 4 )) && compadd -S '' -- "\${@:5}"
  "$1"
}

_rlp_home() {
  print -rn -- "\${RUNLOOP_HOME:-$HOME/.runloop}"
}

# The value that was typed for an option, or another one, as a path that find takes for no option.
_rlp_typed() {
  local -i i
  local file=$2
  for (( i = 2; i <= $#words; i++ )); do
    case \${words[i]} in
      ("$1") file=\${(Q)words[i+1]} ;;
      ("$1="*) file=\${(Q)\${words[i]#*=}} ;;
    esac
  done
  [[ $file == /* ]] || file=./$file
  print -rn -- "$file"
}

_rlp_list() {
  case "$1" in
${Object.entries(LISTS)
  .map(([name, places]) => `    (${name}) ${places.map(listPlace).join('; ')} ;;`)
  .join('\n')}
  esac
}

# Words of lists, their names joined by commas, beside what another function offers.
_rlp_with() {
  local -a found
  local list
  for list in \${(s:,:)1}; do found+=(\${(f)"$(_rlp_list $list)"}); done
  (( $#found )) && compadd -a found
  shift
  (( $# )) && "$@"
}

_rlp() {
  local place= word
  local -i i last=1
  for (( i = 2; i < CURRENT; i++ )); do
    word=\${words[i]}
    if [[ $word == -* || ( $word == help && -z $place ) ]]; then
      continue
    fi
    case "\${place:+$place }$word" in
      (${places.map(shellQuote).join(' | ') || "''"}) place="\${place:+$place }$word"; last=i ;;
      (*) break ;;
    esac
  done
  # _arguments counts arguments after the command's name, so the command words and the words before them are removed.
  words=("\${words[1]}" "\${(@)words[last+1,-1]}")
  (( CURRENT -= last - 1 ))
  case "$place" in
${nodes.map(placeCase).join('\n')}
  esac
}

if [[ \${funcstack[1]} == _rlp ]]; then
  _rlp "$@"
elif (( \${+functions[compdef]} )); then
  compdef _rlp rlp
fi
`
}

function placeCase({ words, next, flags, positionals }: Node): string {
  const specs = flags.flatMap(flagSpecs)
  if (next.length > 0) {
    const list = next.map(({ word, summary }) => shellQuote(`${word}:${summary.replaceAll(':', '\\:')}`))
    return `    (${shellQuote(words)})
      if [[ \${words[CURRENT]} == -* ]]; then
        _arguments -S${continued(specs)}
      else
        local -a next=(
          ${list.join('\n          ')}
        )
        _describe -t commands 'rlp command' next
      fi
      ;;`
  }
  const places = positionals.map(({ name, values, many }) =>
    shellQuote(`${many ? '*' : ''}:${name}:${action(values)}`),
  )
  return `    (${shellQuote(words)}) _arguments -S${continued([...specs, ...places])} ;;`
}

function continued(specs: readonly string[]): string {
  return specs.map(spec => ` \\\n        ${spec}`).join('')
}

/** One spec a spelling: `(-o --out)--out=[where to write]:value:_files`. */
function flagSpecs({ spellings, describe, value, repeatable }: Flag): string[] {
  const text = describe.replace(/[\\[\]:]/g, '\\$&')
  return spellings.map(spelling => {
    const once = repeatable ? '*' : spellings.length > 1 ? `(${spellings.join(' ')})` : ''
    // `=` takes the value behind it or as the next word, `+` the same for letters.
    const joint = value === undefined ? '' : spelling.startsWith('--') ? '=' : '+'
    return shellQuote(
      `${once}${spelling}${joint}[${text}]${value === undefined ? '' : `:value:${action(value)}`}`,
    )
  })
}

function listPlace(place: ListPlace): string {
  return readCommand(place, '"$(_rlp_home)"', (option, other) => `"$(_rlp_typed ${option} ${other})"`)
}

function action(values: Values): string {
  const found = actionOf(values)
  const lists = values.kind === 'words' ? [] : (values.lists ?? [])
  // The space keeps _arguments from putting arguments of its own before these.
  return lists.length === 0 ? found : ` _rlp_with ${lists.join(',')} ${found.trim()}`
}

function actionOf(values: Values): string {
  if (values.kind === 'words') return `(${values.words.join(' ')})`
  if (isLooked(values)) {
    const { isHome, folder, end } = LOOKED[values.kind]
    if (values.kind === 'tool') return ' _rlp_tools'
    // A colon ends a part of a specification.
    const begins = (values.begins ?? []).map(word => ` ${word.replace(':', '\\:')}`).join('')
    return ` _rlp_names ${values.kind === 'agent' ? '_directories' : '_files'} ${isHome ? 'home' : 'here'} ${folder} ${end}${begins}`
  }
  if (values.kind === 'none') return ' '
  return values.kind === 'dir' ? '_directories' : '_files'
}
