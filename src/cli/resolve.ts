// The words of a command line → the registry's command, or the requested help.

import { UsageError } from '../model/error.ts'
import { own } from '../model/own.ts'
import { quoted } from '../text/printable.ts'
import type { CommandEntry, Registry } from './command.ts'
import { asksFor, GLOBAL_OPTIONS } from './global-options.ts'
import { OTHER_WORDS } from './other-words.ts'
import { didYouMean, nearest, nearestFlags } from './suggest.ts'

/** The result for a command line. `rest` is what the command parses; `help.at` is '' for all of rlp or a group's name; `all`: every command of it. */
export type Route =
  | { readonly to: 'version' }
  | { readonly to: 'help'; readonly at: string; readonly asked: boolean; readonly all: boolean }
  | {
      readonly to: 'command'
      readonly entry: CommandEntry
      readonly rest: readonly string[]
      readonly help: boolean
    }

/**
 * Finds the command. Global switches may come before and between the command words.
 * @throws UsageError for unknown words and options
 */
export function resolve(argv: readonly string[], registry: Registry): Route {
  const switches: string[] = []
  let words = ''
  let helping = false
  let all = false
  for (const [index, token] of argv.entries()) {
    if (words === '' && (token === '--version' || token === '-V')) return { to: 'version' }
    if (helping && words === '' && token === '--all') {
      all = true
      continue
    }
    if (token.startsWith('-')) {
      if (!isGlobal(token)) throw misplaced(token, words)
      switches.push(token)
      continue
    }
    if (words === '' && token === 'help' && !helping) {
      helping = true
      continue
    }
    const path = words === '' ? token : `${words} ${token}`
    const entry = registry.commands.find(({ name }) => name === path)
    if (entry !== undefined) {
      const rest = [...switches, ...argv.slice(index + 1)]
      return { to: 'command', entry, rest, help: helping || asksFor(rest, '--help', '-h') }
    }
    if (words !== '' || registry.groups.every(({ name }) => name !== token))
      throw unknown(words, token, argv[index + 1], registry)
    words = token
  }
  return { to: 'help', at: words, asked: helping || asksFor(switches, '--help', '-h'), all }
}

function isGlobal(token: string): boolean {
  const name = token.replace(/=.*$/s, '')
  return Object.entries(GLOBAL_OPTIONS).some(
    ([flag, option]) =>
      name === `--${flag}` ||
      ('alias' in option && name === `-${option.alias}`) ||
      ('negatable' in option && name === `--no-${flag}`),
  )
}

function misplaced(token: string, words: string): UsageError {
  const near = nearestFlags(token.replace(/=.*$/s, ''), ['version', ...Object.keys(GLOBAL_OPTIONS)])
  const path = ['rlp', words, '<command>'].filter(Boolean).join(' ')
  return new UsageError(`Cannot read ${quoted(token)}: no command comes before it`, {
    hint: didYouMean(near) ?? `Options follow the command: ${path} [options]`,
  })
}

function unknown(group: string, word: string, next: string | undefined, registry: Registry): UsageError {
  const known = [...registry.groups, ...registry.commands].map(({ name }) => name)
  // People forget the group: `rlp lint` for `rlp agent lint`. So look in every group for the same word.
  const elsewhere = known.filter(name => name.endsWith(` ${word}`))
  const here = nearest(
    group === '' ? word : `${group} ${word}`,
    known.filter(name => (group === '' ? !name.includes(' ') : name.startsWith(`${group} `))),
  )
  const anywhere = nearest(
    word,
    known.map(name => name.replace(/^\S+ /, '')),
  ).flatMap(last => known.filter(name => name.endsWith(` ${last}`)))
  // The group was misspelt, and the word after it is right.
  const whole = here.map(name => `${name} ${next}`).filter(name => known.includes(name))
  const offers = [whole, here, elsewhere, anywhere].find(list => list.length > 0) ?? []
  const meant = group === '' ? own(OTHER_WORDS, word) : own(OTHER_WORDS, `${group} ${word}`)
  const path = group === '' ? word : `${group} ${word}`
  return new UsageError(`Cannot run ${quoted(`rlp ${path}`)}: there is no such command`, {
    hint: meant ?? didYouMean(offers.slice(0, 3).map(name => `rlp ${name}`)),
  })
}
