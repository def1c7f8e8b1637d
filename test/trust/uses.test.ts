// What a key is for, and until when a policy decides: each at its boundary, with the same bytes beside it that pass.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { bundleOf } from '../support/agent.ts'
import { attestation, linesOf, PROVENANCE } from '../support/attested.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { ASKING, judge, KEYS, signed, wordsOf } from '../support/trust-world.ts'

const folder = temporary('uses')
const NAME = 'mini-1.0.0.agent.bundle'
const FILES = signed(ASKING, 'release')
const RULE = '[rules]\nrelease = { allow_caps = "any", allow_net = "any", allow_exec = true }\n'

describe('a policy with valid_until', () => {
  const until = '2026-11-20T12:00:00Z'
  const text = `valid_until = "${until}"\n[anchors]\nrelease = "${KEYS.release.anchor}"\n${RULE}`
  for (const [now, words] of [
    ['2026-11-20T11:59:59.999Z', ['trusted', undefined]],
    ['2026-11-20T12:00:00.000Z', ['trusted', undefined]],
    ['2026-11-20T12:00:00.001Z', ['indeterminate', 'trust_policy_unusable']],
    ['2027-11-20T12:00:00.000Z', ['indeterminate', 'trust_policy_unusable']],
  ] as const) {
    test(`at ${now}: ${words[0]}`, async () => {
      assert.deepEqual(wordsOf(await judge(FILES, { policies: [text], now })), words)
    })
  }
  test('is indeterminate past its end although another policy trusts, and damage stays invalid', async () => {
    const now = '2026-11-20T12:00:00.001Z'
    const free = text.slice(text.indexOf('\n') + 1)
    assert.equal(wordsOf(await judge(FILES, { policies: [free], now }))[0], 'trusted')
    assert.equal(wordsOf(await judge(FILES, { policies: [free, text], now }))[0], 'indeterminate')
    const damaged = { ...FILES, 'README.md': 'other' }
    assert.equal(wordsOf(await judge(damaged, { policies: [text], now }))[0], 'invalid')
  })
})

describe('the use of a key', () => {
  let cwd = ''
  before(() => {
    process.env['RUNLOOP_HOME'] = folder('home')
    cwd = folder('cwd')
    writeFileSync(join(cwd, NAME), bundleOf(FILES))
  })
  const policy = (release: string, ci: string, required: boolean) => {
    const anchor = (key: string, use: string) =>
      use === '' ? `"${key}"` : `{ key = "${key}", use = [${use}] }`
    const demand = `[require]\nattestations = [{ type = "${PROVENANCE}", by = ["ci"] }]\n`
    const rule = release === '"attest"' ? '' : RULE
    const text = `[anchors]\nrelease = ${anchor(KEYS.release.anchor, release)}\nci = ${anchor(KEYS.second.anchor, ci)}\n${rule}${required ? demand : ''}`
    writeFileSync(join(cwd, 'policy.toml'), text, { mode: 0o600 })
  }
  const verified = async (by: keyof typeof KEYS = 'second') => {
    writeFileSync(join(cwd, 'lines'), linesOf(attestation(FILES, [KEYS[by]])))
    const line = [
      'agent',
      'verify',
      NAME,
      '--trust-policy',
      'policy.toml',
      '--attestations',
      'lines',
      '--json',
    ]
    const [report] = JSON.parse((await run(line, undefined, { cwd })).stdout).result.bundles
    return [report.verdict, report.reasons[0]?.code]
  }

  test('attest alone never vouches for a bundle; sign, both or none does', async () => {
    for (const use of ['', '"sign"', '"sign", "attest"']) {
      policy(use, '"attest"', false)
      assert.deepEqual(await verified(), ['trusted', undefined], use)
    }
    policy('"attest"', '"attest"', false)
    assert.deepEqual(await verified(), ['untrusted', 'no_counted_signature'])
  })

  test('sign alone never states evidence; attest or both does', async () => {
    for (const use of ['"attest"', '"sign", "attest"']) {
      policy('', use, true)
      assert.deepEqual(await verified(), ['trusted', undefined], use)
      assert.deepEqual(await verified('release'), ['untrusted', 'attestation_missing'], use)
    }
    for (const use of ['', '"sign"']) {
      policy('', use, true)
      assert.deepEqual(await verified(), ['indeterminate', 'trust_policy_unusable'], use)
    }
  })

  test('and the end are shown by trust list, trust explain and what trust add prints', async () => {
    policy('', '"sign", "attest"', true)
    const rlp = async (...args: string[]) => (await run(args, undefined, { cwd, columns: 200 })).stdout
    const added = await rlp(
      'trust',
      'add',
      'sec',
      KEYS.security.anchor,
      '--use',
      'attest',
      '--trust-policy',
      'policy.toml',
    )
    assert.match(added, /\+sec = \{ key = "ed25519:\S+", use = \["attest"\] \}/)
    const list = await rlp('trust', 'list', '--trust-policy', 'policy.toml')
    assert.match(list, /ci\s+ed25519:\S+, use: sign and attest/)
    assert.match(list, /sec\s+ed25519:\S+, use: attest/)
    policy('"attest"', '"attest"', false)
    const explained = await rlp('trust', 'explain', NAME, '--trust-policy', 'policy.toml')
    assert.match(explained, /release has signed, but its keys only attest, which does not count here/)
  })
})
