// Cases of what an agent may do, and of who may let it: capabilities, overrides, secrets, trust.
import assert from 'node:assert/strict'
import { resolveSecrets } from '../../../src/call/secrets.ts'
import { overridePaths } from '../../../src/caps/find-overrides.ts'
import type { Tool } from '../../../src/model/tools.ts'
import { readCapability } from '../../../src/policy/capability.ts'
import { denialReason, isGranted } from '../../../src/policy/containment.ts'
import { readUrl } from '../../../src/policy/host.ts'
import type { Need } from '../../../src/policy/need.ts'
import { overrideValue, readOverride, tighten } from '../../../src/policy/override.ts'
import { readPolicy } from '../../../src/policy/read.ts'
import { isUsualSecretId, secretEnvName } from '../../../src/policy/secret-id.ts'
import { grant, NO_GRANTS } from '../../../src/scaffold/grant.ts'
import { SecretMask } from '../../../src/secret/secret-mask.ts'
import { parseToml } from '../../../src/toml/parse.ts'
import { readTrustPolicy } from '../../../src/trust-policy/policy.ts'
import { TOOL } from '../../support/arbitrary-caps.ts'
import { RELEASE, REVIEW } from '../../support/install-world.ts'
import { type Checks, check } from '../case.ts'
import { allOf } from './documents.ts'

export const capabilities: Checks = {
  capsOverride: check<{ base: string; override: string }, Readonly<Record<string, unknown>>>(
    ({ base, override }, { fs, ...rest }) => {
      const left = tighten(readPolicy(toml(base)), readOverride(overrideValue(toml(override))))
      if (fs !== undefined) {
        const roots = (list: readonly string[], write: boolean) => list.map(root => ({ root, write }))
        assert.deepEqual([...roots([...left.fs, ...left.fsRo], false), ...roots(left.fsRw, true)], fs)
      }
      const known: Record<string, unknown> = {
        net: left.net.hosts,
        net_allow_http: left.net.allowHttp,
        kb_read: allOf(left.kbRead),
        kb_write: allOf(left.kbWrite),
        time: left.time,
        secrets: left.secrets,
        exec: left.exec === true || left.exec.length > 0,
      }
      for (const [key, value] of Object.entries(rest)) assert.deepEqual(known[key], value, key)
    },
  ),

  overridePaths: check<{ name: string; variant: string }, readonly string[]>((agent, expected) => {
    const paths = overridePaths(agent, { system: '/etc/runloop', home: '~/.runloop' }).map(({ path }) => path)
    // Theirs in their order. Ours also reads the page's place, and an override for a name tightens every variant.
    assert.deepEqual(
      paths.filter(path => expected.includes(path)),
      expected,
    )
    assert.deepEqual(
      paths.filter(path => !expected.includes(path)),
      [
        '/etc/runloop/policy-overrides/note_taker.caps',
        '~/.runloop/policy-overrides/note_taker/policy.caps',
        '~/.runloop/caps/overrides/note-taker.toml',
        '~/.runloop/caps/overrides/note-taker@v.2.toml',
      ],
    )
  }),

  netAllows: check<
    { net: string[]; allow_http: boolean; target: string },
    { allow: boolean; reason?: string }
  >(({ net, allow_http, target }, { allow, reason }) => {
    const policy = readPolicy({ capabilities: { net: { hosts: net, allow_http } } })
    const need = target.includes('://') ? urlNeed(target) : declared(`net:${target}`)
    assert.equal(isGranted(need, policy), allow)
    // A url with a user name is refused before anybody looks at hosts.
    if (need.capability !== 'net:') assert.equal(denialReason(need, policy), reason)
  }),

  toolCapability: check<{ capability: string; caps: object }, { granted?: boolean; invalid?: true }>(
    ({ capability, caps }, expected) => {
      assert.equal('problem' in readCapability(capability), expected.invalid === true)
      assert.equal(
        isGranted(declared(capability), readPolicy({ capabilities: caps })),
        expected.granted === true,
      )
    },
  ),

  toolHosts: check<string, readonly string[]>((url, expected) => {
    const transport: Tool['transport'] = { kind: 'http', method: 'POST', url, headers: {} }
    const { policy, impossible } = grant(NO_GRANTS, [{ ...TOOL, transport }])
    // An invalid url, or one with a password, is refused where it is given: it grants nothing here.
    const isRefused = !URL.canParse(url) || new URL(url).username !== ''
    assert.deepEqual(policy.net.hosts, isRefused ? [] : expected)
    assert.equal(impossible.length, isRefused ? 1 : 0)
  }),

  secretEnvName: check<string, string>((id, expected) => assert.equal(secretEnvName(id), expected)),

  secretId: check<string, { ok: boolean }>((id, { ok }) => assert.equal(isUsualSecretId(id), ok)),

  secretAuditTarget: check<string, string>(async (id, expected) => {
    const nothing = async () => ({ ok: false, reason: 'secret_unknown', problem: 'is not there' }) as const
    const { signal } = new AbortController()
    const found = await resolveSecrets({ ...TOOL, secrets: [id] }, nothing, new SecretMask(), signal)
    assert.ok(!found.ok)
    assert.equal(found.failure['target'], expected)
  }),

  trustPolicy: check<string, Trusted>((text, expected) => {
    if (expected.tomlParse !== undefined) {
      assert.equal(parseToml('p', bytes(text)).ok, false)
      return
    }
    // The sample keys are placeholders, and what is no key decides nothing.
    assert.equal(trusted(text).ok, false)
    const real = [RELEASE.anchor, REVIEW.anchor]
    const samples = sampleKeys(toml(text))
    assert.ok(samples.length > 0 && samples.length <= real.length)
    const keys = Object.fromEntries(samples.map((sample, index) => [sample, real[index] ?? '']))
    const found = trusted(samples.reduce((text, sample) => text.replaceAll(sample, keys[sample] ?? ''), text))
    assert.ok(found.ok)
    const anchors = found.policy.anchors.map(({ name, keys: [key], allowDev }) => [
      name,
      { key: Object.keys(keys).find(sample => keys[sample] === key), allow_dev: allowDev },
    ])
    const rules = [...found.policy.rules].map(([name, rule]) => {
      assert.ok('allowCaps' in rule)
      const { allowCaps, allowNet, allowExec } = rule
      return [name, { allow_caps: allowCaps, allow_net: allowNet, allow_exec: allowExec }]
    })
    assert.deepEqual({ anchors: Object.fromEntries(anchors), rules: Object.fromEntries(rules) }, expected)
  }),

  trustKey: check<string, { ok: boolean }>((key, { ok }) => {
    // The recommendation took keys in hexadecimal as well. A policy has one spelling of a key: base64.
    const isHex = /^ed25519:[0-9a-f]{64}$/i.test(key)
    assert.equal(trusted(`[anchors]\na = ${JSON.stringify(key)}\n`).ok, ok && !isHex)
  }),
}

interface Trusted {
  readonly tomlParse?: string
  readonly anchors?: object
  readonly rules?: object
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

function toml(text: string): unknown {
  const parsed = parseToml('x', bytes(text))
  assert.ok(parsed.ok)
  return parsed.document.value
}

/** The keys of `[anchors]`, in their order. */
function sampleKeys(policy: unknown): string[] {
  const { anchors } = policy as { anchors: Readonly<Record<string, string | { key: string }>> }
  return Object.values(anchors).map(anchor => (typeof anchor === 'string' ? anchor : anchor.key))
}

function trusted(text: string) {
  const parsed = parseToml('trust-policy.toml', bytes(text))
  assert.ok(parsed.ok)
  return readTrustPolicy(parsed.document)
}

function declared(capability: string): Need {
  return { capability, at: [], from: 'declared' }
}

/** The need that a url implies; one that cannot be read implies what no policy grants. */
function urlNeed(url: string): Need {
  const reach = readUrl(url)
  if ('problem' in reach) return { capability: 'net:', at: [], from: 'implied' }
  return { capability: `net:${reach.host}:${reach.port}`, at: [], from: 'implied', scheme: reach.scheme }
}
