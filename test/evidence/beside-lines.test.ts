// A statement goes into a file that has lines of others: they stay, whole, also those that are too large to be read.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { attest } from '../../src/library/generated/evidence.ts'
import { KEYLESS_LIMITS } from '../../src/model/limits.ts'
import { agentTree, bundleOf } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'
import { signer } from '../support/signed.ts'

const folder = temporary('beside-lines')
const NAME = 'mini-1.0.0.agent.bundle'

test('a line of others is neither cut nor lost when a statement is added', async () => {
  const cwd = folder('cwd')
  writeFileSync(join(cwd, NAME), bundleOf(agentTree({ name: 'mini' })))
  const large = `{"verificationMaterial":"${'x'.repeat(KEYLESS_LIMITS.bytes)}"}`
  const small = '{"verificationMaterial":{}}'
  writeFileSync(join(cwd, `${NAME}.intoto.jsonl`), `${large}\nno statement\n${small}\n`)
  const { key, sign } = signer(7)
  await attest(NAME, {
    cwd,
    type: 'https://scan.example/v1',
    predicate: {},
    key: { key, sign: async message => sign(message) },
  })
  const lines = readFileSync(join(cwd, `${NAME}.intoto.jsonl`), 'utf8')
    .trimEnd()
    .split('\n')
  assert.deepEqual(lines.length, 4)
  for (const line of [large, small, 'no statement']) assert.ok(lines.includes(line), line.slice(0, 40))
})
