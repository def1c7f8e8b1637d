// Installing the bundle that is installed, with statements that are new: they are put beside it, and nothing else is touched.
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { install } from '../../src/library/generated/index.ts'
import { agentTree, bundleOf } from '../support/agent.ts'
import { attestation, linesOf, PROVENANCE } from '../support/attested.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { KEYS, signed } from '../support/trust-world.ts'

const folder = temporary('install-statements')
const NAME = 'mini-1.0.0.agent.bundle'
const BESIDE = `${NAME}.intoto.jsonl`
const BOM = 'https://cyclonedx.org/bom'
const FILES = signed(agentTree(), 'release')
const built = attestation(FILES, [KEYS.second])
const bill = attestation(FILES, [KEYS.second], { type: BOM, predicate: {} })
const demanding = (...types: string[]) => `[anchors]
release = "${KEYS.release.anchor}"
ci = { key = "${KEYS.second.anchor}", use = ["attest"] }
[rules]
release = { allow_caps = "any" }
[require]
attestations = [${types.map(type => `{ type = "${type}", by = ["ci"] }`)}]
`

let home = ''
let cwd = ''
before(() => {
  home = folder('home')
  process.env['RUNLOOP_HOME'] = home
})

const policy = (...types: string[]) =>
  writeFileSync(join(home, 'trust-policy.toml'), demanding(...types), { mode: 0o600 })
const beside = (...lines: (Uint8Array | string)[]) => writeFileSync(join(cwd, BESIDE), linesOf(...lines))
const kept = () => readFileSync(join(cwd, 'root/mini.agent.bundle.intoto.jsonl'))
const identity = (path: string) => {
  const { ino, mtimeMs } = statSync(join(cwd, 'root', path))
  return [ino, mtimeMs]
}
const state = () => readFileSync(join(home, 'state/mini.json'), 'utf8')

async function installed(...args: string[]) {
  const line = ['agent', 'install', NAME, '--root', 'root', '--yes', '--json', ...args]
  const { exit, stdout } = await run(line, undefined, { cwd })
  const { result, ...envelope } = JSON.parse(stdout)
  return { exit, envelope, changed: result?.changed, hasNewStatements: result?.hasNewStatements }
}

async function verdict() {
  const { stdout } = await run(['agent', 'verify', 'mini', '--root', 'root', '--json'], undefined, { cwd })
  return JSON.parse(stdout).result.bundles[0].verdict
}

/** A world in which the bundle is installed with its provenance. */
async function world() {
  rmSync(join(home, 'state'), { recursive: true, force: true })
  cwd = folder('cwd')
  writeFileSync(join(cwd, NAME), bundleOf(FILES))
  beside(built)
  policy(PROVENANCE)
  assert.deepEqual(await installed(), {
    exit: 0,
    envelope: { ok: true, tool: 'agent.install' },
    changed: true,
    hasNewStatements: true,
  })
  assert.deepEqual(kept(), linesOf(built))
}

describe('the same bundle, installed again', () => {
  test('with a new statement: it is put beside the bundle, and only it', async () => {
    await world()
    policy(PROVENANCE, BOM)
    assert.equal(await verdict(), 'untrusted')
    assert.equal((await installed()).exit, 1)
    assert.deepEqual(kept(), linesOf(built))
    beside(bill, built)
    const [bundle, folder, before] = [identity('mini.agent.bundle'), identity('mini'), state()]
    const again = await installed()
    assert.deepEqual([again.exit, again.changed, again.hasNewStatements], [0, true, true])
    assert.equal(await verdict(), 'trusted')
    assert.deepEqual(kept(), linesOf(bill, built))
    assert.deepEqual([identity('mini.agent.bundle'), identity('mini'), state()], [bundle, folder, before])
    assert.deepEqual(readdirSync(join(cwd, 'root/.rlp')), ['stamps'])
  })

  test('with some of the statements that are there: all of them stay, and nothing is written', async () => {
    await world()
    beside(bill, built)
    assert.equal((await installed()).hasNewStatements, true)
    const before = identity('mini.agent.bundle.intoto.jsonl')
    for (const lines of [[built], [built, bill], [bill, built]]) {
      beside(...lines)
      const { changed, hasNewStatements } = await installed()
      assert.deepEqual([changed, hasNewStatements], [false, false])
    }
    policy()
    beside()
    assert.equal((await installed()).hasNewStatements, false)
    assert.deepEqual(identity('mini.agent.bundle.intoto.jsonl'), before)
    assert.deepEqual(kept(), linesOf(bill, built))
  })

  test('by a lock: the agent is there, and something changed', async () => {
    await world()
    assert.equal((await run(['lock', 'add', NAME], undefined, { cwd })).exit, 0)
    const locked = async () => {
      const line = ['agent', 'install', '--lock', 'rlp.lock', '--root', 'root', '--json']
      const { result } = JSON.parse((await run(line, undefined, { cwd })).stdout)
      return [result.agents[0].is, result.changed]
    }
    assert.deepEqual(await locked(), ['there', false])
    beside(bill, built)
    assert.deepEqual(await locked(), ['there', true])
    assert.deepEqual(await locked(), ['there', false])
    assert.deepEqual(kept(), linesOf(bill, built))
  })

  test('says so to people, and to callers of the library', async () => {
    await world()
    writeFileSync(join(cwd, 'more.jsonl'), linesOf(built, bill))
    const line = ['agent', 'install', NAME, '--root', 'root', '--yes', '--attestations', 'more.jsonl']
    const first = await run(line, undefined, { cwd })
    assert.match(first.stdout, /mini 1\.0\.0 is installed in root already; what is stated about it is new\n/)
    const second = await run(line, undefined, { cwd })
    assert.match(second.stdout, /mini 1\.0\.0 is installed in root already\n/)
    const foreign = linesOf(built, 'foreign')
    for (const hasNewStatements of [true, false]) {
      const given = { cwd, home, root: 'root', attestations: foreign }
      const result = await install(NAME, given)
      assert.deepEqual([result.changed, result.hasNewStatements], [hasNewStatements, hasNewStatements])
    }
    assert.deepEqual(kept(), linesOf(built, 'foreign', bill))
  })

  test('after a run that was killed while it did this: as if that had never begun', async () => {
    await world()
    mkdirSync(join(cwd, 'root/.rlp/staging'), { mode: 0o700 })
    writeFileSync(join(cwd, 'root/.rlp/staging/attestations'), bill.subarray(0, 9))
    assert.equal(await verdict(), 'trusted')
    beside(built, bill)
    assert.equal((await installed()).hasNewStatements, true)
    assert.deepEqual(kept(), linesOf(built, bill))
    assert.deepEqual(readdirSync(join(cwd, 'root/.rlp')), ['stamps'])
  })

  test('by two at once, each with a statement of its own: both are kept', async () => {
    await world()
    const lines = ['one', 'two', 'three', 'four']
    for (const line of lines) writeFileSync(join(cwd, line), linesOf(built, line))
    const ran = await Promise.all(lines.map(line => installed('--attestations', line)))
    assert.deepEqual(
      ran.map(({ exit, hasNewStatements }) => [exit, hasNewStatements]),
      lines.map(() => [0, true]),
    )
    assert.deepEqual(String(kept()).trim().split('\n').sort(), [String(built), ...lines].sort())
  })

  test('where they cannot be put: the bundle and its statements stay', async () => {
    await world()
    rmSync(join(cwd, 'root/mini.agent.bundle.intoto.jsonl'))
    mkdirSync(join(cwd, 'root/mini.agent.bundle.intoto.jsonl/full'), { recursive: true })
    const before = identity('mini.agent.bundle')
    const { exit, envelope } = await installed()
    assert.deepEqual([exit, envelope.ok], [2, false])
    assert.match(envelope.message, /Cannot put "root\/mini\.agent\.bundle\.intoto\.jsonl" in place/)
    assert.deepEqual(identity('mini.agent.bundle'), before)
    assert.deepEqual(readdirSync(join(cwd, 'root/.rlp')), ['stamps'])
  })

  test('push takes along what is stated about the bundle beside it, and nothing else', async () => {
    await world()
    const store = async (...more: string[]) => {
      const { exit, stdout } = await run(
        ['agent', 'push', NAME, 'oci-layout:beside', '--json', ...more],
        undefined,
        { cwd },
      )
      return [exit, JSON.parse(stdout).result?.bundles?.[0]?.attached?.length ?? 0]
    }
    assert.deepEqual(await store('--no-attach'), [0, 0])
    beside(built, bill)
    assert.deepEqual(await store('--no-attach'), [0, 0])
    assert.deepEqual(await store(), [0, 2])
    // What is beside it may be about an earlier bundle: that is no error, unless it was named.
    writeFileSync(join(cwd, BESIDE), '{"payload":"e30=","payloadType":"x","signatures":[]}\n')
    assert.deepEqual(await store(), [0, 0])
    assert.deepEqual((await store('--attach', BESIDE))[0], 2)
    assert.deepEqual(await store('--attach', BESIDE, '--no-attach'), [2, 0])
    rmSync(join(cwd, BESIDE))
    mkdirSync(join(cwd, BESIDE))
    assert.notEqual((await store())[0], 0)
    rmSync(join(cwd, BESIDE), { recursive: true })
  })

  test('from where it is stored, with what was attached since', async () => {
    await world()
    const push = ['agent', 'push', NAME, 'oci-layout:store', '--attach', BESIDE]
    assert.equal((await run(push, undefined, { cwd })).exit, 0)
    const stored = [
      'agent',
      'install',
      'oci-layout:store:1.0.0',
      '--expect',
      'mini',
      '--root',
      'root',
      '--json',
    ]
    const again = async () => JSON.parse((await run(stored, undefined, { cwd })).stdout).result
    assert.deepEqual([(await again()).hasNewStatements, kept()], [false, linesOf(built)])
    beside(built, bill)
    assert.equal((await run(push, undefined, { cwd })).exit, 0)
    const { changed, hasNewStatements } = await again()
    assert.deepEqual([changed, hasNewStatements], [true, true])
    assert.deepEqual(String(kept()).trim().split('\n').sort(), [String(built), String(bill)].sort())
  })
})
