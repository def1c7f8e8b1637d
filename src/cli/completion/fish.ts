// The completion script for fish.
import { type Flag, isLooked, LOOKED, type Node, type Values } from './model.ts'

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
  return [
    ...next.map(({ word, summary }) => `${at} -a ${word} -d ${quote(summary)}`),
    ...flags.map(flag => `${at} ${flagWords(flag)}`),
    ...positionals
      .slice(0, 1)
      .flatMap(({ values }) => (values.kind === 'none' ? [] : [`${at} ${action(values)}`])),
  ].join('\n')
}

function flagWords({ spellings, describe, value }: Flag): string {
  const names = spellings.map(one => (one.startsWith('--') ? `-l ${one.slice(2)}` : `-s ${one.slice(1)}`))
  // `-x` instead of `-r`: without it fish offers files beside the words.
  const takesFiles = value !== undefined && /^(?:file|key|bundle)$/.test(value.kind)
  const joint = value === undefined ? '' : takesFiles ? ' -r' : ' -x'
  const values = value === undefined || value.kind === 'none' ? '' : ` ${action(value)}`
  return `${names.join(' ')} -d ${quote(describe)}${joint}${values}`
}

function action(values: Values): string {
  if (values.kind === 'words') return `-a ${quote(values.words.join(' '))}`
  if (isLooked(values)) {
    const { isHome, folder, end } = LOOKED[values.kind]
    if (values.kind === 'tool') return `-a '(__rlp_tools)'`
    const where = isHome ? `(__rlp_home)/${folder}` : folder
    const files = values.kind === 'agent' ? `-a '(__fish_complete_directories)'` : '-F'
    const begins = (values.begins ?? []).map(word => ` ${word}`).join('')
    return `${files} -a '(__rlp_names ${where} ${end})${begins}'`
  }
  return values.kind === 'dir' ? `-a '(__fish_complete_directories)'` : '-F'
}

/** fish knows two escapes inside single quotes. */
function quote(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`
}
