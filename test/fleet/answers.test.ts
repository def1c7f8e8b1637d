// rlp agent verify prints the reports that verifyBundle gives: whole ones with --json, and what a line of ndjson has of them.
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { FleetRecord } from '../../src/fleet/task.ts'
import { verifyBundle } from '../../src/library/generated/index.ts'
import { asPrinted } from '../support/as-printed.ts'
import { temporary } from '../support/folder.ts'
import { made, RELEASE, STRANGER, world } from '../support/install-world.ts'

const here = world(temporary('answers')('fleet'))
const damaged = Buffer.from(made({}, RELEASE))
damaged.write('x', damaged.length - 2000)
const BUNDLES = [
  ['trusted', made({}, RELEASE)],
  ['untrusted', made({}, STRANGER)],
  ['unsigned', made()],
  ['invalid', damaged],
] as const
const pathOf = (name: string) => `${name}/mini-1.0.0.agent.bundle`
const paths = BUNDLES.map(([name, bytes]) => {
  mkdirSync(join(here.cwd, name))
  return here.put(pathOf(name), bytes)
})
paths.push(pathOf('nowhere'))
const reports = () =>
  Promise.all(
    paths.map(path =>
      verifyBundle(join(here.cwd, path), { expect: 'mini@=1.0.0', label: path, home: here.home }),
    ),
  )

describe('verify', () => {
  test('of one bundle is a list of its report, and of many the list of theirs', async () => {
    const expected = asPrinted(await reports()) as readonly { readonly verdict: string }[]
    assert.deepEqual(
      expected.map(({ verdict }) => verdict),
      [...BUNDLES.map(([name]) => name), 'indeterminate'],
    )
    const { envelope } = await here.rlp('agent', 'verify', ...paths)
    assert.deepEqual(envelope.result?.bundles, expected)
    for (const [index, path] of paths.entries())
      assert.deepEqual((await here.rlp('agent', 'verify', path)).envelope.result?.bundles, [expected[index]])
  })

  test('as ndjson has of each report what it has in a list', async () => {
    const { stdout } = await here.say('agent', 'verify', ...paths, '--format', 'ndjson')
    const lines = stdout.trimEnd().split('\n').slice(0, -1)
    const records = new Map(lines.map(line => JSON.parse(line) as FleetRecord).map(one => [one.target, one]))
    for (const report of await reports()) {
      const { target, verdict, agent, identity, form, reasons } = report
      const record = records.get(target)
      assert.deepEqual(
        { ...record, ...(asPrinted({ target, verdict, agent, identity, form, reasons }) as object) },
        record,
      )
    }
    assert.equal(records.size, paths.length)
  })
})
