// One host grammar everywhere: what a grant may name, a url, a ceiling, an override, an option and a trust policy may name,
// and nothing else.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { read } from '../../src/agent/read-agent.ts'
import { readOverrideFile } from '../../src/caps/overrides.ts'
import { lintAgent } from '../../src/lint/lint.ts'
import { UNPREPARED } from '../../src/lint/rules/rule.ts'
import { readHostPort, readUrl } from '../../src/policy/host.ts'
import { withReadableHosts } from '../../src/policy/readable-host.ts'
import { hostProblem } from '../../src/scaffold/wizard/answer.ts'
import { urlProblem } from '../../src/tools/transports/http.ts'
import { agentTree } from '../support/agent.ts'
import { memoryFiles } from '../support/memory.ts'
import { judge, KEYS, policySource, signed, wordsOf } from '../support/trust-world.ts'

const HOSTS = [
  'a',
  'a.example',
  '1a.b2.example',
  'a--b.example',
  'xn--mnchen-3ya.example',
  // Invalid punycode, which not every reader notices.
  'xn--a',
  '127.0.0.1',
  '[::1]',
]
const NONE = [
  'api.mаil.example',
  'münchen.example',
  'a\u00adb.example',
  'ａ.example',
  '\u0024{input.host}',
  '{host}.example',
  '{{input.host}}',
  'a;b',
  'a..b',
  '.a',
  'a.',
  '-a.example',
  'a-.example',
  'a_b.example',
  "a'b",
  'a,b',
  'a!b',
  '127.1',
  '1.2.3.4.5',
  '0x7f.0.0.1',
  '0127.0.0.1',
  '2130706433',
  '[127.0.0.1]',
  '[::1%25eth0]',
  `${'a'.repeat(64)}.example`,
]

const toml = JSON.stringify

/** Every place where a host is read, and whether it takes this one. */
const PLACES: Readonly<Record<string, (host: string) => boolean>> = {
  'a grant': host => !('problem' in readHostPort(host)),
  'a url': host => !('problem' in readUrl(`https://${host}/x`)),
  'an option or an answer': host => hostProblem(host) === undefined,
  'the answer for a url': host => urlProblem(`https://${host}/x`) === undefined,
  'a trust policy': host =>
    policySource(`[anchors]\nr = "${KEYS.release.anchor}"\n[rules]\nr = { allow_net = [${toml(host)}] }\n`)
      .policy !== undefined,
  'an override': host => {
    const bytes = Buffer.from(`[capabilities]\nnet = [${toml(host)}]\n`)
    return readOverrideFile({ label: 'o.caps', for: 'mini', bytes }).says !== undefined
  },
  'lint of policy.caps': host => {
    const files = { 'policy.caps': `[capabilities]\nnet = [${toml(host)}]\n` }
    return lintAgent(read(memoryFiles(agentTree({ files })), 'mini'), UNPREPARED).every(
      ({ rule }) => rule !== 'caps/entry',
    )
  },
}

for (const [place, takes] of Object.entries(PLACES)) {
  describe(place, () => {
    for (const host of HOSTS) test(`takes ${host}`, () => assert.equal(takes(host), true))
    for (const host of NONE) test(`refuses ${host}`, () => assert.equal(takes(host), false))
  })
}

describe('a host in another script', () => {
  test('is told its ASCII form', () => {
    const problem = (host: string) => readHostPort(host) as { problem?: string }
    assert.match(problem('api.mаil.example').problem ?? '', /its ASCII form is api\.xn--mil-6cd\.example$/)
    assert.deepEqual(readHostPort('api.xn--mil-6cd.example'), {
      host: 'api.xn--mil-6cd.example',
      port: undefined,
    })
  })

  test('makes a signed bundle invalid in policy.caps', async () => {
    const verdict = async (host: string) => {
      const tree = agentTree({ files: { 'policy.caps': `[capabilities]\nnet = ["${host}"]\n` } })
      const any = `[anchors]\nr = "${KEYS.release.anchor}"\n[rules]\nr = { allow_net = "any" }\n`
      return wordsOf(await judge(signed(tree, 'release'), { policies: [any] }))[0]
    }
    assert.equal(await verdict('api.mail.example'), 'trusted')
    assert.equal(await verdict('api.mаil.example'), 'invalid')
  })

  test('is shown with its readable form beside it', () => {
    assert.equal(
      withReadableHosts('may reach xn--mnchen-3ya.example:443 and a.example'),
      'may reach xn--mnchen-3ya.example (münchen.example):443 and a.example',
    )
    assert.equal(withReadableHosts('xn--a, xn--'), 'xn--a, xn--')
  })
})

describe('plain http', () => {
  const warned = (host: string) => {
    const tool = {
      id: 'a.b',
      description: 'Says what there is.',
      input_schema: {},
      result_schema: {},
      transport: { kind: 'http', method: 'GET', url: `http://${host}/x` },
    }
    const files = {
      'policy.caps': `[capabilities]\nnet = { hosts = ["${host}"], allow_http = true }\n`,
      'tools.json': JSON.stringify({ version: 1, tools: [tool] }),
    }
    const findings = lintAgent(read(memoryFiles(agentTree({ files })), 'mini'), UNPREPARED)
    return findings.some(({ rule }) => rule === 'tools/plain-http')
  }
  for (const host of ['127.0.0.1', '127.1.2.3:80', '[::1]:8080']) {
    test(`is no warning for ${host}, which is this machine`, () => assert.equal(warned(host), false))
  }
  // The second one begins as an address of this machine does.
  for (const host of ['a.example', '127.a.example', 'notlocalhost', '10.0.0.1', '[fe80::1]']) {
    test(`is a warning for ${host}`, () => assert.equal(warned(host), true))
  }
})
