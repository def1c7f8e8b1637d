// Every page: each command of rlp that it writes down is there, with each option that it gives it. By day this is all that is asked of most
// pages: `.ci/run` runs their examples.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import type { AnyCommand } from '../../src/cli/command.ts'
import { REGISTRY } from '../../src/cli/commands.ts'
import { OTHER_WORDS } from '../../src/cli/main.ts'
import { GLOBAL_OPTIONS } from '../../src/cli/option.ts'

const PAGES = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'action.yml', '.ci/run'],
  ...filesIn('docs', /\.md$/),
  ...filesIn('fixtures/pipelines', /(?:\.ya?ml|\.md|\.sh|rlp)$/),
]

const NAMES = REGISTRY.commands.map(({ name }) => name)
/** `rlp lock` and the like print what they hold. */
const ROOMS = new Set(NAMES.map(name => name.split(' ')[0] ?? ''))

function filesIn(folder: string, ending: RegExp): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(path => ending.test(path))
    .map(path => `${folder}/${path}`)
    .sort()
}

/**
 * The words after each `rlp` at the place of a program: in a block of code, or in a span of code. A line that a
 * backslash continues is one line. A call ends where a shell ends it.
 */
function callsIn(text: string): string[][] {
  const code = text
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
    .flatMap(line => line.split('`'))
  return code.flatMap(part =>
    [...part.matchAll(/(?:^|[\s;|&("'])rlp ((?:'[^']*'|"[^"]*"|[^;|&()'"\n])*)/g)].map(([, call = '']) =>
      call.split(/\s+/).filter(word => word !== ''),
    ),
  )
}

/** In prose `rlp` has a verb after it, which is no command. */
function isCall([first = '', second = '']: readonly string[]): boolean {
  return first.startsWith('-') || ROOMS.has(first) || (/^[a-z]+$/.test(first) && second.startsWith('--'))
}

/** Whether `rlp` names the command that took the place of this one. */
function isGone(words: readonly string[]): boolean {
  return Object.hasOwn(OTHER_WORDS, words.slice(0, 2).join(' '))
}

/** @returns what is wrong with a call, if anything is */
async function wrongIn(words: readonly string[]): Promise<string | undefined> {
  const name = [2, 1].map(count => words.slice(0, count).join(' ')).find(one => NAMES.includes(one))
  const [room = '', verb] = words
  if (name === undefined && ROOMS.has(room) && verb !== undefined && /^[a-z]+(?:-[a-z]+)*$/.test(verb))
    return `there is no command rlp ${room} ${verb}`
  const known = new Set(Object.keys(GLOBAL_OPTIONS).map(flag => `--${flag}`))
  for (const { name: other, load } of REGISTRY.commands) {
    if (other !== name && !(name === undefined && other.startsWith(`${room} `))) continue
    for (const flag of flagsOf((await load()).command)) known.add(flag)
  }
  // What follows `--` is for another program.
  const own = words.includes('--') ? words.slice(0, words.indexOf('--')) : words
  const flags = own.flatMap(word => /^--[a-z][a-z0-9-]*/.exec(word.replace(/^[["'(]+/, ''))?.[0] ?? [])
  if (room === 'help') known.add('--all')
  if (room === '--version') known.add('--version')
  const missing = flags.find(flag => !known.has(flag))
  return missing === undefined ? undefined : `rlp ${name ?? room} has no ${missing}`
}

function flagsOf({ options }: Pick<AnyCommand, 'options'>): string[] {
  return Object.entries(options).flatMap(([flag, option]) =>
    option.type === 'boolean' && option.negatable ? [`--${flag}`, `--no-${flag}`] : [`--${flag}`],
  )
}

test('what is no command and no option is found', async () => {
  const wrong = async (text: string) =>
    (await Promise.all(callsIn(text).filter(isCall).map(wrongIn))).filter(found => found !== undefined)
  assert.deepEqual(await wrong('$ rlp agent lint --json\n`rlp agent pack`, rlp reads it; rlp help --all'), [])
  assert.deepEqual(await wrong('x=$(rlp agent lint --jsn)'), ['rlp agent lint has no --jsn'])
  assert.deepEqual(await wrong('`rlp agent lnt`'), ['there is no command rlp agent lnt'])
  assert.deepEqual(await wrong('rlp agent \\\n  pack --keyy=a'), ['rlp agent pack has no --keyy'])
})

describe('the commands of the pages', () => {
  let count = 0
  for (const page of PAGES)
    test(page, async () => {
      const all = callsIn(readFileSync(page, 'utf8')).filter(isCall)
      // That page says what went.
      const calls = page === 'docs/decisions.md' ? all.filter(words => !isGone(words)) : all
      const wrong = await Promise.all(calls.map(wrongIn))
      assert.deepEqual(
        wrong.filter(found => found !== undefined),
        [],
      )
      count += calls.length
    })
  test('are hundreds', () => assert.ok(count > 400, `${count}`))
})
