// Commands that hints name, run as they are written. What was run is remembered, so that hints-lead-on.test.ts finds the hints in
// src/ that no test follows.
import assert from 'node:assert/strict'
import { createPrivateKey } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ExitCode } from '../../../src/model/exit-code.ts'
import { readWords } from '../../../src/text/shell-words.ts'
import { type Ran, run, typedAfterwards } from '../fake-terminal.ts'
import { PATH } from '../host.ts'
import type { Envelope } from '../install-world.ts'

/** A place in which commands are run. {@link World} is one. */
export interface Place {
  readonly rlp: (...args: string[]) => Promise<Answer>
  readonly say: (...args: string[]) => Promise<Ran>
  /** The same at a terminal, where a person answers with this text. */
  readonly typing?: (text: string, ...args: string[]) => Promise<Ran>
}

export interface Answer {
  readonly exit: number
  readonly envelope: Envelope
}

/** A command of a hint that was run, and the hint as people read it: one line. */
export interface Led {
  readonly hint: string
  readonly name: string
}

const led = new Map<string, Led>()

export function allLed(): readonly Led[] {
  return [...led.values()]
}

/** A folder with a home and an environment, for the worlds that run only some commands. */
export function placeIn(
  cwd: string,
  home: string,
  env: Readonly<Record<string, string>> = {},
  input?: string,
): Required<Place> {
  const inFolder = (args: readonly string[], how: Parameters<typeof run>[2] = {}) => {
    process.env['RUNLOOP_HOME'] = home
    return run(args, undefined, { cwd, env: { PATH, TERM: 'dumb', RUNLOOP_HOME: home, ...env }, ...how })
  }
  const say = (...args: string[]) => inFolder(args, input === undefined ? {} : { input })
  const typing = (text: string, ...args: string[]) =>
    inFolder(args, {
      isTTY: { stdin: true, stdout: true, stderr: true },
      stdin: () => typedAfterwards(text),
    })
  const rlp = async (...args: string[]) => {
    const { exit, stdout } = await say(...args, '--json')
    return { exit, envelope: JSON.parse(stdout) as Envelope }
  }
  return { rlp, say, typing }
}

/** Private keys in a home, by name: those of `signer(seed)`. */
export function keysIn(home: string, seeds: Readonly<Record<string, number>>): void {
  mkdirSync(join(home, 'keys'), { recursive: true, mode: 0o700 })
  for (const [name, seed] of Object.entries(seeds)) {
    const head = Buffer.from('302e020100300506032b657004220420', 'hex')
    const der = Buffer.concat([head, Buffer.alloc(32, seed)])
    const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    writeFileSync(join(home, 'keys', `${name}.pem`), key.export({ type: 'pkcs8', format: 'pem' }), {
      mode: 0o600,
    })
  }
}

/** Options that answer what a person at a terminal is asked. */
const ANSWERS: ReadonlySet<string> = new Set(['--yes', '--username', '--password-stdin', '--no-passphrase'])

/** How a test follows a hint. */
export interface Following {
  /** Values for the placeholders of the hint: each has to be there, and no other may be. */
  readonly fill?: Readonly<Record<string, string>>
  /**
   * Arguments that the hint leaves to the reader. Where it spells out any argument, it has to name each option that is needed, but for those
   * that take the place of a question at a terminal.
   */
  readonly words?: readonly string[]
  /** Run it at a terminal, and answer its question with this. */
  readonly typed?: string
  /** What the hint asks a person to do before the command. */
  readonly first?: () => void | Promise<void>
  /** What the command of the hint asks for in its turn. */
  readonly afterwards?: () => void | Promise<void>
  /** The first command is still refused afterwards, and with another answer. */
  readonly refusedStill?: boolean
  /** Exit code of the command; 0 unless said otherwise. */
  readonly exit?: ExitCode
}

/**
 * Runs what is refused, then the command of its hint, then the first one again, which has to succeed.
 * @param name of the command in the hint: `channel heartbeat`
 * @returns the last answer
 */
export async function leadsOn(
  here: Place,
  args: readonly string[],
  name: string,
  following: Following = {},
): Promise<Answer> {
  const before = await here.rlp(...args)
  const hint = await hintNaming(here, args, name, before)
  await follow(here, hint, name, following)
  await following.afterwards?.()
  const after = await here.rlp(...args)
  assert.notDeepEqual(after, before, `"${hint}" changes nothing of rlp ${args.join(' ')}`)
  if (following.refusedStill !== true)
    assert.equal(after.exit, 0, `after "${hint}": ${JSON.stringify(after.envelope)}`)
  return after
}

/** Runs what is refused, then the command of its hint, which only shows something: it has to print what the hint promises. */
export async function shows(
  here: Place,
  args: readonly string[],
  name: string,
  what: RegExp,
  following: Following = {},
): Promise<void> {
  const hint = await hintNaming(here, args, name)
  const { stdout, stderr } = await follow(here, hint, name, following)
  assert.match(oneLine(`${stdout}\n${stderr}`), what, hint)
}

/** Runs what is refused, then the command of its hint, which does in another way what was meant: it has to succeed. */
export async function doesItInstead(
  here: Place,
  args: readonly string[],
  name: string,
  following: Following = {},
): Promise<void> {
  await follow(here, await hintNaming(here, args, name), name, following)
}

/** Runs the command of a hint, filled in. @param said text of the hint, or around it */
export async function follow(
  here: Place,
  said: string,
  name: string,
  { fill = {}, words = [], first, typed, exit = 0 }: Following = {},
): Promise<Ran> {
  const hint = oneLine(said)
  await first?.()
  const command = filledIn(commandIn(hint, name), fill, hint)
  const isSpeltOut = command.length > name.split(' ').length
  for (const word of isSpeltOut ? words : [])
    assert.ok(
      !word.startsWith('--') || hint.includes(word) || ANSWERS.has(word),
      `${word} is not in "${hint}"`,
    )
  const line = [...command, ...words]
  const ran = await (typed === undefined ? here.say(...line) : here.typing?.(typed, ...line))
  if (ran === undefined) throw new Error('no person can type here')
  assert.equal(ran.exit, exit, `rlp ${line.join(' ')} of "${hint}": ${ran.stderr} ${ran.stdout}`)
  led.set(`${name}: ${hint}`, { hint, name })
  return ran
}

/** The hint of the reason that decided, or of the error itself. */
export function hintIn({ envelope }: Answer): string {
  const { result, hint } = envelope
  const text = result?.bundles?.[0]?.reasons[0]?.hint ?? hint
  assert.ok(text, 'there is a hint')
  return text
}

/** The text of a command that names another command. */
export async function hintNaming(
  here: Place,
  args: readonly string[],
  name: string,
  answer?: Answer,
): Promise<string> {
  const { envelope } = answer ?? (await here.rlp(...args))
  const inJson = [...textsIn(envelope)].map(oneLine).find(text => names(text, name))
  if (inJson !== undefined) return inJson
  const { stdout, stderr } = await here.say(...args)
  const said = oneLine(`${stdout}\n${stderr}`)
  assert.ok(
    names(said, name),
    `rlp ${args.join(' ')} names no rlp ${name}: ${JSON.stringify(envelope)} ${said}`,
  )
  return said
}

/** The words behind `rlp`, up to where the sentence ends or goes on. If a hint names a command twice, where it spells out more than the name. */
export function commandIn(hint: string, name: string): readonly string[] {
  const [, ...behind] = hint.split(new RegExp(startOf(name), 'g'))
  const spelt = behind.map(wordsBefore)
  return [...name.split(' '), ...(spelt.find(words => words.length > 0) ?? [])]
}

function wordsBefore(rest: string): readonly string[] {
  if (/^[.,;:)]/.test(rest)) return []
  // `rlp channel rotate FOLDER with --epoch` is said of an option.
  const line = rest.replaceAll(/ with (?=--)/g, ' ')
  const taken: string[] = []
  for (const [word] of line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)) {
    const bare = word.replace(/[.,;:)]+$/, '')
    if (PROSE.has(bare) || word.startsWith('(')) break
    taken.push(bare)
    if (bare !== word) break
  }
  const words = readWords(taken.join(' '))
  if ('problem' in words) throw new Error(`${words.problem}: ${rest}`)
  return words.value
}

/** Words of a sentence that follow a command in some hint. */
const PROSE: ReadonlySet<string> = new Set(
  'See a accepts adds after again allows and as at begins brings can changes checks fetches first for from has have if in instead is it keeps knows lists made makes names on one or prints puts raises read reads removes renews runs says shows states stores takes that the then to which with writes'.split(
    ' ',
  ),
)

function startOf(name: string): RegExp {
  return new RegExp(String.raw`\brlp ${name}(?![\w-])`)
}

function names(text: string, name: string): boolean {
  return startOf(name).test(text)
}

function filledIn(
  command: readonly string[],
  fill: Readonly<Record<string, string>>,
  hint: string,
): readonly string[] {
  const used = new Set<string>()
  const filled = command.map(word =>
    word.replace(/(?<![\w:.+/-])\/?[A-Z]{2,}(?![\w:.+/-])|\{…\}/g, place => {
      used.add(place)
      const value = fill[place]
      assert.ok(value !== undefined, `${place} is a placeholder in "${hint}"`)
      return value
    }),
  )
  for (const place of Object.keys(fill)) assert.ok(used.has(place), `no ${place} in "${hint}"`)
  return filled
}

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  else if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(value)) yield* textsIn(inner)
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
