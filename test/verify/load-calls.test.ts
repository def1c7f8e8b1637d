// How often a warm load asks the file system. The ways to policies, marks, overrides and channels begin alike.
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { loadBundle } from '../../src/library/generated/index.ts'
import { agentTree } from '../support/agent.ts'
import { fileCalls } from '../support/file-calls.ts'
import { signedBundle, signer } from '../support/signed.ts'

const MOST_CALLS = 20

// Not below TMPDIR: each folder above is a call.
const base = mkdtempSync('/tmp/rlp-calls-')
after(() => rmSync(base, { recursive: true }))
chmodSync(base, 0o755)
const home = join(base, 'a/home')
mkdirSync(home, { recursive: true })
const key = signer(7)
const bundle = signedBundle(agentTree(), key)
const policy = `[anchors]\nus = "${key.anchor}"\n\n[rules]\nus = { allow_caps = "any", allow_net = "any", allow_exec = true }\n`
writeFileSync(join(home, 'trust-policy.toml'), policy, { mode: 0o644 })

const load = () => loadBundle(bundle, { expect: 'mini', home })

test(`a warm load makes at most ${MOST_CALLS} calls, and looks at nothing twice`, async () => {
  for (const _ of [1, 2]) assert.equal((await load()).report.verdict, 'trusted')
  const calls = await fileCalls(load)
  assert.ok(calls.includes(`openSync ${join(home, 'trust-policy.toml')}`), calls.join('\n'))
  assert.ok(calls.length <= MOST_CALLS, `${calls.length} calls:\n${calls.join('\n')}`)
  const looks = calls.map(call => call.replace(/^l?stat(?:Sync)? /, 'look '))
  assert.deepEqual(
    looks.filter((look, at) => looks.indexOf(look) < at),
    [],
  )
})

test('the next load sees what has changed since', async () => {
  assert.equal((await load()).report.verdict, 'trusted')
  chmodSync(join(base, 'a'), 0o777)
  await assert.rejects(load(), /indeterminate: .*: others may write .* on the way$/)
  chmodSync(join(base, 'a'), 0o755)
  assert.equal((await load()).report.verdict, 'trusted')
})
