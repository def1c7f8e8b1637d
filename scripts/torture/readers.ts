// Campaign 12: two readers. What one makes of a damaged bundle, policy, lock or name, the other makes of it too: rlp, and docs/spec/reader.py,
// which was written from the specification and shares no code with it.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { POLICY_NAME, policyText } from '../../fixtures/conformance/kit.ts'
import type { FileGiven } from '../../fixtures/conformance/vector.ts'
import { preferNative } from '../../src/bundle/blake3.ts'
import { answerTo, type Line } from '../../test/support/kit-judge.ts'
import { PYTHON } from '../../test/support/python.ts'
import type { Campaign, Session } from './campaign.ts'
import { KINDS, type Question } from './readers/cases.ts'
import { differenceOf } from './readers/differs.ts'
import { readSeeds } from './readers/seeds.ts'

const READER = join(import.meta.dirname, '../../docs/spec/reader.py')
const CASES = 5000
const CASES_IN_SLICE = 400

export const campaign: Campaign = {
  name: 'readers',
  summary: 'rlp and a reader made from the specification alone give the same verdict',
  isEndless: true,
  async run(session) {
    if (spawnSync(PYTHON, ['-c', 'import tomllib, cryptography']).status !== 0)
      return session.skip('there is no python3-cryptography')
    await preferNative()
    const seeds = readSeeds()
    const second = new SecondReader()
    const answers: Record<string, number> = {}
    mkdirSync(join(session.folder, 'policies'))
    const first = session.round * CASES
    for (let index = first; index < first + (session.isSlice ? CASES_IN_SLICE : CASES); index++) {
      if (session.isOver()) break
      const random = session.random(index)
      const [kind, make] = kindFor(random.below(100))
      if (!session.begin(String(index), kind)) continue
      const question = make(random, seeds)
      const line = lineOf(session, question)
      const [one, two] = await Promise.all([answerTo(line).catch(String), second.answerTo(line)])
      const what = differenceOf(one, two)
      if (what !== undefined)
        session.defect({
          case: String(index),
          what: `${kind}: ${what}\n${JSON.stringify(line)}`,
          input: inputOf(question),
        })
      if (typeof one !== 'string')
        answers[`${kind} ${one.verdict}`] = (answers[`${kind} ${one.verdict}`] ?? 0) + 1
    }
    second.end()
    session.tally('verdicts', answers)
  },
}

function kindFor(number: number) {
  let left = number
  for (const [kind, [share, make]] of Object.entries(KINDS)) {
    if (left < share) return [kind, make] as const
    left -= share
  }
  throw new RangeError('the shares are fewer than a hundred')
}

/** The files of a question, on the disk: the next one is written over them. */
function lineOf({ folder }: Session, { bundle, given }: Question): Line {
  const put = (name: string, content: FileGiven) => {
    const path = join(folder, name)
    if (typeof content === 'symbol') return join(folder, 'absent')
    writeFileSync(path, content)
    return path
  }
  const {
    policy = policyText(),
    system,
    lock,
    expect = 'any',
    dev = null,
    clock = null,
    state = null,
  } = given
  return {
    bundle: put(given.fileName ?? 'bundle.bin', bundle),
    policy: policy === null ? null : put(POLICY_NAME, policy),
    system: system === undefined ? null : put('system.toml', system),
    lock: lock === undefined ? null : put('agents.lock', lock),
    attestations: null,
    expect: expect?.toWellFormed() ?? null,
    dev,
    clock,
    state,
  }
}

/** What was damaged: the policy or the lock where there is one of its own. */
function inputOf({ bundle, given: { policy, lock } }: Question): Uint8Array {
  const changed = [lock, policy].find(file => typeof file === 'object' && file !== null)
  return (changed as Uint8Array | undefined) ?? bundle
}

interface Answer {
  readonly verdict: string
  readonly codes: readonly string[]
}

/** One process for all questions, and another one if it dies. */
class SecondReader {
  private process: ChildProcess | undefined
  private lines: AsyncIterator<string> | undefined

  async answerTo({ bundle, policy, ...given }: Line): Promise<Answer | string> {
    if (this.process === undefined) this.start()
    this.process?.stdin?.write(`${bundle}\t${policy ?? ''}\t${JSON.stringify(given)}\n`)
    const next = await this.lines?.next()
    if (next === undefined || next.done) {
      this.process = undefined
      return 'it ended without an answer'
    }
    return JSON.parse(next.value) as Answer
  }

  end(): void {
    this.process?.stdin?.end()
  }

  private start(): void {
    const child = spawn(PYTHON, [READER, '--lines'], { stdio: ['pipe', 'pipe', 'inherit'] })
    // A reader that ends early is noticed by the answer that is missing.
    child.stdin.on('error', () => undefined)
    this.process = child
    this.lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  }
}
