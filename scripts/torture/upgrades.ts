// Campaign: upgrades. Versions of one agent are installed in two roots in any order, uninstalled, revoked and reset. Without
// --allow-caps-change no install ends with a right that what was there before did not have; and what has no new right needs no flag.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { InstallResult } from '../../src/library/generated/index.ts'
import { made, RELEASE, type World, world } from '../../test/support/install-world.ts'
import type { Campaign, Session } from './campaign.ts'
import type { Random } from './random.ts'

const SEQUENCES = 60
const SEQUENCES_IN_SLICE = 3
const STEPS = 12
/** As many as rlp remembers of a root: with more, it may ask although nothing is new. */
const VERSIONS = ['0.1.0', '0.2.0', '0.3.0', '0.4.0'] as const
type Version = (typeof VERSIONS)[number]
const ROOTS = ['one', 'two'] as const
type RootName = (typeof ROOTS)[number]

export const campaign: Campaign = {
  name: 'upgrades',
  summary: 'no order of installs gives an agent a right that no person agreed to',
  isEndless: true,
  async run(session) {
    const answers: Record<string, number> = {}
    for (let index = 0; index < (session.isSlice ? SEQUENCES_IN_SLICE : SEQUENCES); index++) {
      if (session.isOver()) return
      const id = `sequence ${index}`
      if (!session.begin(id, 'sequences')) continue
      const what = await sequence(session, session.random(session.round, 'upgrades', index), index, answers)
      if (what !== undefined) session.defect({ case: id, what })
    }
    session.tally('upgrades', answers)
  },
}

/** One version: what is in its bundle, and what that lets it do, told by what made it and by nothing that reads it. */
interface Made {
  readonly bytes: Buffer
  readonly rights: ReadonlySet<string>
}

const HOSTS = ['a.example', 'b.example'] as const
const VALUES = ['status', 'log', 'push'] as const

/** Mostly the choices of all versions: of unrelated ones each is wider than each other. */
class Choices {
  readonly #usual: Random
  readonly #own: Random

  constructor(usual: Random, own: Random) {
    this.#usual = usual
    this.#own = own
  }

  pick<T>(list: readonly T[]): T {
    const usual = this.#usual.pick(list)
    return this.#own.once(8) ? this.#own.pick(list) : usual
  }

  once(times: number): boolean {
    return this.pick(Array.from({ length: times }, (_, at) => at === 0))
  }
}

/** Every choice is made for every version, so that the usual ones stay in step. */
function version(random: Choices, number: Version): Made {
  const rights = new Set<string>()
  const hosts = HOSTS.filter(() => random.once(2))
  for (const host of hosts) rights.add(`net ${host}`)
  const hasClock = random.once(3)
  if (hasClock) rights.add('time')
  rights.add('exec')
  const tools = ['t.one', 't.two', 't.three'].flatMap(tool)
  const caps = [
    `net = ${JSON.stringify(hosts)}`,
    'exec = ["/bin/x"]',
    'secrets = ["s"]',
    `time = ${hasClock}`,
    '',
  ].join('\n')
  const files = { 'tools.json': JSON.stringify({ version: 1, tools }), 'README.md': number }
  return { bytes: made({ version: number, caps, files }, RELEASE), rights }

  function tool(id: string): object[] {
    const isThere = !random.once(4)
    const asks = random.once(2)
    const wanted = random.pick([...HOSTS, undefined])
    const host = hosts.find(one => one === wanted)
    const takes = VALUES.filter(() => random.once(2))
    const isOpen = takes.length === 0
    const method = random.pick(['GET', 'POST'])
    const hasSecret = random.once(3)
    const inTemplate = random.once(2)
    const args = inTemplate ? ['-v', '{{input.cmd}}'] : ['-v']
    const url = `https://${host}/v1${inTemplate ? '?cmd={{input.cmd}}' : ''}`
    if (!isThere) return []
    const headers = hasSecret ? { 'x-key': '{{secret:s}}' } : {}
    const transport =
      host === undefined ? { kind: 'exec', command: '/bin/x', args } : { kind: 'http', method, url, headers }
    rights.add(`tool ${id} ${JSON.stringify(transport)}`)
    if (!asks) rights.add(`unasked ${id}`)
    if (hasSecret) rights.add(`secret to ${host ?? '/bin/x'}`)
    const leaves = host === undefined || method === 'POST' || inTemplate
    for (const value of leaves ? (isOpen ? [...VALUES, 'any other'] : takes) : [])
      rights.add(`value ${id} ${value}`)
    const about = {
      id,
      description: 'Does something.',
      transport,
      input_schema: {
        type: 'object',
        properties: { cmd: isOpen ? { type: 'string' } : { enum: takes } },
        required: ['cmd'],
        additionalProperties: false,
      },
      result_schema: { type: 'object' },
      requires_confirmation: asks,
      ...(hasSecret && { secrets: ['s'] }),
    }
    return [about]
  }
}

/** What a person would remember of a root. */
interface Remembered {
  there: Version | undefined
  /** Trusted installs, the last at the end. */
  trusted: Version[]
}

/** Undefined, or what should not have happened. */
async function sequence(
  session: Session,
  random: Random,
  index: number,
  answers: Record<string, number>,
): Promise<string | undefined> {
  const cwd = join(session.folder, `${session.round}-${index}`)
  mkdirSync(cwd, { recursive: true, mode: 0o755 })
  const here = world(cwd)
  const all = new Map(
    VERSIONS.map(number => {
      const of = (...words: string[]) => session.random(session.round, 'upgrades', index, ...words)
      return [number, version(new Choices(of('usual'), of(number)), number)]
    }),
  )
  for (const [number, { bytes }] of all) here.put(`mini-${number}.agent.bundle`, bytes)
  const roots: Record<RootName, Remembered> = {
    one: { there: undefined, trusted: [] },
    two: { there: undefined, trusted: [] },
  }
  const revoked = new Map<Version, string>()
  let wasHad = false
  const told: string[] = []
  for (let step = 0; step < STEPS; step++) {
    const name = random.pick(ROOTS)
    const root = roots[name]
    const number = random.pick(VERSIONS)
    const doing = random.pick(['install', 'install', 'install', 'install', 'uninstall', 'revoke', 'reset'])
    if (doing === 'uninstall') {
      if (root.there === undefined) continue
      await here.rlp('agent', 'uninstall', 'mini', '--root', name, '--yes')
      root.there = undefined
      told.push(`uninstall from ${name}`)
    } else if (doing === 'revoke') {
      if (revoked.size > 1 || revoked.has(number)) continue
      revoked.set(number, await identityOf(here, number))
      here.policy(`[revoked]\n${[...revoked.values()].map(digest => `"${digest}" = {}\n`).join('')}`)
      told.push(`revoke ${number}`)
    } else if (doing === 'reset') {
      const { exit } = await here.rlp('trust', 'reset', 'mini', '--to', number)
      told.push(`reset to ${number}: ${exit}`)
    } else {
      const withFlag = random.once(4)
      const basis = basisOf(root)
      const now = all.get(number)?.rights ?? new Set()
      const fresh = basis === 'first' ? [] : [...now].filter(right => !basis.has(right))
      const { exit, envelope } = await here.install(
        ...[`mini-${number}.agent.bundle`, '--root', name, '--yes', '--allow-downgrade'],
        ...(withFlag ? ['--allow-caps-change'] : []),
      )
      const word = exit === 0 ? 'installed' : (envelope.reason ?? envelope.code ?? 'nothing')
      answers[word] = (answers[word] ?? 0) + 1
      told.push(`install ${number} in ${name}${withFlag ? ' with the flag' : ''}: ${word}`)
      if (exit === 0 && !withFlag && fresh.length > 0) return `${fresh[0]} is new:\n${told.join('\n')}`
      if (word === 'widened' && (withFlag || fresh.length === 0)) return `nothing is new:\n${told.join('\n')}`
      if (!['installed', 'widened', 'revoked', 'rolled_back'].includes(word))
        return `an answer that fits nothing:\n${told.join('\n')}`
      if (exit !== 0) continue
      wasHad = true
      root.there = number
      if ((envelope.result as unknown as InstallResult).install.verdict === 'trusted')
        root.trusted = [...root.trusted.filter(one => one !== number), number]
    }
  }
  return undefined

  function basisOf({ there, trusted }: Remembered): ReadonlySet<string> | 'first' {
    const counting = [...trusted, ...(there === undefined ? [] : [there])].filter(one => !revoked.has(one))
    const last = counting.at(-1)
    if (last !== undefined) return all.get(last)?.rights ?? new Set()
    return wasHad ? new Set() : 'first'
  }
}

async function identityOf(here: World, number: Version): Promise<string> {
  const { envelope } = await here.rlp('agent', 'verify', `mini-${number}.agent.bundle`)
  return `${envelope.result?.bundles?.[0]?.identity}`
}
