// What `--json` answers is what the function of the library answers, in the shapes that test/support/every-command.ts has no line for: several
// bundles, a dry run, nothing that changes, a failure, a stored bundle, a summary.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { serialize } from '../../src/contract/serialize.ts'
import { attest, provenance, sbom, summarize } from '../../src/library/generated/evidence.ts'
import { push, RlpError, sign } from '../../src/library/generated/index.ts'
import { copy, countersign } from '../../src/library/generated/registry.ts'
import { agentTree, bundleOf } from '../support/agent.ts'
import { homeIn } from '../support/every-command.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { keep } from '../support/put-back.ts'
import { installKeys, KEYS } from '../support/trust-world.ts'

const cwd = temporary('answers')('world')
const ONE = 'dist/one-1.0.0.agent.bundle'
const TWO = 'dist/two-1.0.0.agent.bundle'
const STORE = 'oci-layout:store/'
const STORED = 'oci-layout:store/one:1.0.0'
const FAR = 'oci-layout:far'
const TYPE = 'https://scan.example/v1'
const BUILDER = 'https://ci.example/1'
const URIS = { verifier: 'https://ci.example/v', resource: 'https://r.example/one' }
const SCAN = { type: TYPE, predicate: { findings: 0 }, key: 'second', attest: 'other.jsonl', cwd }

/** What the library answers for one bundle. */
type OneAnswer = Promise<{ readonly changed: boolean }>

/** The list that a command answers. */
async function all(...answers: readonly (() => OneAnswer)[]) {
  const bundles: Awaited<OneAnswer>[] = []
  for (const answer of answers) bundles.push(await answer())
  return { changed: bundles.some(({ changed }) => changed), bundles }
}

interface Row {
  readonly line: string
  readonly answer: () => Promise<unknown>
  readonly changed: boolean
}

const SIGNS = (bundle: string) => () => sign(bundle, { key: 'release', cwd })
const STATES = (bundle: string) => () => provenance(bundle, { builder: BUILDER, key: 'second', cwd })
const ATTESTS = {
  line: `agent attest ${ONE} --type ${TYPE} --predicate scan.json --key second --attest other.jsonl`,
  answer: () => all(() => attest(ONE, SCAN)),
}
const PUSHES = { line: `agent push ${ONE} ${STORE}`, answer: () => all(() => push(ONE, STORE, { cwd })) }
const COUNTERSIGNS = {
  line: `agent sign ${STORED} --key second --expect one@1.0.0`,
  answer: () => all(() => countersign(STORED, { key: 'second', expect: 'one@1.0.0', cwd })),
}
const COPIES = { line: `agent copy ${STORED} ${FAR}`, answer: () => all(() => copy(STORED, FAR, { cwd })) }
/** In an order in which each has what it needs. Each line is carried out after it was compared. */
const ROWS: readonly Row[] = [
  { line: 'agent sign dist --key release', answer: () => all(SIGNS(ONE), SIGNS(TWO)), changed: true },
  { line: `agent sign ${ONE} --key release`, answer: () => all(SIGNS(ONE)), changed: false },
  {
    line: `agent sbom ${ONE} --key second`,
    answer: () => all(() => sbom(ONE, { key: 'second', cwd })),
    changed: true,
  },
  {
    line: `agent provenance dist --builder ${BUILDER} --key second`,
    answer: () => all(STATES(ONE), STATES(TWO)),
    changed: true,
  },
  {
    line: `agent provenance ${ONE} --builder ${BUILDER}`,
    answer: () => all(() => provenance(ONE, { builder: BUILDER, cwd })),
    changed: false,
  },
  { ...ATTESTS, changed: true },
  { ...ATTESTS, changed: false },
  {
    line: `agent verify ${ONE} --key second --verifier ${URIS.verifier} --resource ${URIS.resource}`,
    answer: async () => {
      const list = await all(() => summarize(ONE, { ...URIS, key: 'second', cwd }))
      return { ...list, passed: true, summary: { bundles: 1, trusted: 1 } }
    },
    changed: true,
  },
  {
    line: `agent push dist ${STORE} --dry-run`,
    answer: () => {
      const would = (bundle: string) => () => push(bundle, STORE, { dryRun: true, cwd })
      return all(would(ONE), would(TWO))
    },
    changed: true,
  },
  {
    line: `agent push dist ${STORE} --no-attach`,
    answer: () => {
      const alone = (bundle: string) => () => push(bundle, STORE, { attach: false, cwd })
      return all(alone(ONE), alone(TWO))
    },
    changed: true,
  },
  // The bundle is there, and its statements are new.
  { ...PUSHES, changed: true },
  { ...PUSHES, changed: false },
  { ...COUNTERSIGNS, changed: true },
  { ...COUNTERSIGNS, changed: false },
  {
    line: `${COPIES.line} --dry-run`,
    answer: () => all(() => copy(STORED, FAR, { dryRun: true, cwd })),
    changed: true,
  },
  { ...COPIES, changed: true },
  { ...COPIES, changed: false },
]

const rlp = (line: string, ...more: readonly string[]) =>
  run([...line.split(' '), ...more], undefined, { cwd, env: { ...process.env } })

describe('--json answers what the function answers', () => {
  before(() => {
    installKeys(join(cwd, 'home'))
    const anchors = (['release', 'second'] as const).map(name => `${name} = "${KEYS[name].anchor}"\n`)
    writeFileSync(
      join(cwd, 'home/trust-policy.toml'),
      `[anchors]\n${anchors.join('')}\n[rules]\nrelease = {}\n`,
    )
    writeFileSync(join(cwd, 'scan.json'), JSON.stringify(SCAN.predicate))
    mkdirSync(join(cwd, 'dist'))
    for (const name of ['one', 'two'])
      writeFileSync(join(cwd, `dist/${name}-1.0.0.agent.bundle`), bundleOf(agentTree({ name })))
  })

  for (const [at, { line, answer, changed }] of ROWS.entries())
    test(`${at + 1}: rlp ${line}`, () =>
      homeIn(cwd, async () => {
        const kept = keep(cwd)
        const { stdout } = await rlp(line, '--json')
        kept.putBack()
        const answered: unknown = JSON.parse(serialize(await answer()))
        kept.putBack()
        const { result } = JSON.parse(stdout) as { result: { readonly changed: boolean } }
        assert.deepEqual(result, answered)
        assert.equal(result.changed, changed)
        const { exit, stderr } = await rlp(line)
        assert.equal(exit, 0, stderr)
      }))

  test('and the error that it throws, where one of several fails', () =>
    homeIn(cwd, async () => {
      writeFileSync(join(cwd, 'broken.agent.bundle'), 'no bundle')
      const { stdout } = await rlp(`agent sign ${ONE} broken.agent.bundle --key release`, '--json')
      const { bundles, failed, changed } = JSON.parse(stdout).result
      assert.deepEqual({ changed, bundles }, JSON.parse(serialize(await all(SIGNS(ONE)))))
      const error: unknown = await SIGNS('broken.agent.bundle')().catch((thrown: unknown) => thrown)
      assert.ok(error instanceof RlpError)
      const [{ target, code, message, hint }] = failed
      assert.deepEqual(
        [target, code, message, hint],
        ['broken.agent.bundle', error.code, error.message, error.hint],
      )
    }))
})
