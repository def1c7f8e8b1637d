// The completion script for fish.
import {
  type Flag,
  isLooked,
  LISTS,
  type ListPlace,
  LOOKED,
  type LookedUp,
  type Node,
  readCommand,
  type Values,
} from './model.ts'

export function fishScript(nodes: readonly Node[]): string {
  const places = nodes.map(({ words }) => words).filter(Boolean)
  return `# fish completion for rlp. Load it with: rlp completion fish | source

function __rlp_place -d 'Print the command words typed so far'
    set -l place
    for word in (commandline -opc)[2..-1]
        if string match -q -- '-*' $word
            continue
        end
        if test "$word" = help -a -z "$place"
            continue
        end
        set -l path (string join ' ' -- $place $word)
        if not contains -- $path ${places.map(quote).join(' ')}
            break
        end
        set place $path
    end
    echo "$place"
end

function __rlp_home -d 'Print the folder of keys and agents'
    if set -q RUNLOOP_HOME; and test -n "$RUNLOOP_HOME"
        echo $RUNLOOP_HOME
    else
        echo $HOME/.runloop
    end
end

function __rlp_tools -d 'Print the ids in the tools.json of agents'
    set -l files agents/*/tools.json (__rlp_home)/agents/*/tools.json
    test -n "$files"; and sed -n 's/.*"id": *"\\([A-Za-z0-9_.-]*\\)".*/\\1/p' $files 2>/dev/null
end

function __rlp_names -a folder ending -d 'Print names of files in a folder without their end'
    for path in $folder/*
        if test -e $path$ending
            string replace -- $folder/ '' $path
        else if string match -q -- "*$ending" $path
            string replace -- $folder/ '' (string sub -e -(string length -- $ending) -- $path)
        end
    end
end

function __rlp_typed -a option file -d 'Print the value that was typed for an option, or another one, as a path that find takes for no option'
    set -l words (commandline -opc)
    for at in (seq (count $words))
        if test "$words[$at]" = $option -a $at -lt (count $words)
            set file $words[(math $at + 1)]
        else if string match -q -- "$option=*" $words[$at]
            set file (string replace -- "$option=" '' $words[$at])
        end
    end
    string match -q -- '/*' $file; or set file ./$file
    echo $file
end

function __rlp_list -d 'Print the words of lists'
    for list in $argv
        switch $list
${Object.entries(LISTS)
  .map(([name, places]) => `            case ${name}\n                ${places.map(listPlace).join('; ')}`)
  .join('\n')}
        end
    end
end

function __rlp_nth -a least most valued -d 'Check how many arguments are typed; valued are the options that take a value'
    set -l nth 0
    set -l place (string split -n ' ' -- (__rlp_place))
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
        else if contains -- $word (string split ' ' -- $valued)
            set skip 1
        else if not string match -q -- '-*' $word
            set nth (math $nth + 1)
        end
    end
    set nth (math $nth - (count $place))
    test $nth -ge $least -a $nth -le $most
end

function __rlp_at -a place
    set -l here (__rlp_place)
    test "$here" = "$place"
end

complete -c rlp -f
${nodes.map(placeLines).join('\n')}
`
}

function placeLines({ words, next, flags, positionals }: Node): string {
  const at = `complete -c rlp -n ${quote(`__rlp_at ${quote(words)}`)}`
  const valued = flags.flatMap(({ spellings, value }) => (value === undefined ? [] : spellings)).join(' ')
  return [
    ...next.map(({ word, summary }) => `${at} -a ${word} -d ${quote(summary)}`),
    ...flags.map(flag => `${at} ${flagWords(flag)}`),
    ...positionals.flatMap(({ values, many }, index) => {
      const found = action(values)
      if (found === '') return []
      if (positionals.length === 1) return [`${at} ${found}`]
      const most = many && index === positionals.length - 1 ? 999 : index
      const here = `__rlp_at ${quote(words)}; and __rlp_nth ${index} ${most} ${quote(valued)}`
      return [`complete -c rlp -n ${quote(here)} ${found}`]
    }),
  ].join('\n')
}

function listPlace(place: ListPlace): string {
  return readCommand(place, '(__rlp_home)', (option, other) => `(__rlp_typed ${option} ${other})`)
}

function flagWords({ spellings, describe, value }: Flag): string {
  const names = spellings.map(one => (one.startsWith('--') ? `-l ${one.slice(2)}` : `-s ${one.slice(1)}`))
  // `-x` instead of `-r`: without it fish offers files beside the words.
  const takesFiles = value !== undefined && /^(?:file|key|bundle)$/.test(value.kind)
  const joint = value === undefined ? '' : takesFiles ? ' -r' : ' -x'
  const found = value === undefined ? '' : action(value)
  const values = found === '' ? '' : ` ${found}`
  return `${names.join(' ')} -d ${quote(describe)}${joint}${values}`
}

function action(values: Values): string {
  if (values.kind === 'words') return `-a ${quote(values.words.join(' '))}`
  const { kind, begins = [], lists = [] } = values
  const takesFiles = kind === 'file' || kind === 'key' || kind === 'bundle'
  const words = [
    ...(kind === 'dir' || kind === 'agent' ? ['(__fish_complete_directories)'] : []),
    ...(isLooked(values) ? [lookedWords(values.kind)] : []),
    ...begins,
    ...(lists.length === 0 ? [] : [`(__rlp_list ${lists.join(' ')})`]),
  ]
  return [takesFiles ? '-F' : '', words.length === 0 ? '' : `-a '${words.join(' ')}'`].join(' ').trim()
}

function lookedWords(kind: LookedUp): string {
  const { isHome, folder, end } = LOOKED[kind]
  if (kind === 'tool') return '(__rlp_tools)'
  return `(__rlp_names ${isHome ? `(__rlp_home)/${folder}` : folder} ${end})`
}

/** fish knows two escapes inside single quotes. */
function quote(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`
}
