// What two policies differ in: where nothing is said to be trusted that was not, no vector of the conformance kit becomes trusted by the change, and where
// nothing is said to be trusted no longer, none stops being it. The changes are edits of the kit's own policies, and other policies of the kit.
import assert from 'node:assert/strict'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { allVectors, entryOf } from '../../../fixtures/conformance/kit.ts'
import { ROOT_FILES } from '../../../fixtures/conformance/sigstore.ts'
import type { Vector } from '../../../fixtures/conformance/vector.ts'
import { writeKit } from '../../../fixtures/conformance/write-kit.ts'
import { preferNative } from '../../../src/bundle/blake3.ts'
import type { TrustPolicy } from '../../../src/model/trust.ts'
import { comparePolicies, type PolicyDifference } from '../../../src/trust/compare-policies.ts'
import { rootFileOf, withRoot } from '../../../src/trust-policy/source.ts'
import { temporary } from '../../support/folder.ts'
import { answerTo, lineFor } from '../../support/kit-judge.ts'
import { ROOT } from '../../support/lint-fixtures.ts'
import { slice, step } from '../../support/runs.ts'
import { KEYS, policySource } from '../../support/trust-world.ts'

const folderFor = temporary('compare')
await preferNative()

/** By a text: hundreds of vectors have the same policy, and many edits of two policies are alike. */
const read = new Map<string, TrustPolicy | undefined>()

type Asked = Vector & { readonly given: { readonly policy: string } }
/** Those that a policy decides alone: of signatures that a registry adds, a signer less makes room for others. */
const ASKED = allVectors().filter((vector): vector is Asked => {
  const { policy, system, lock } = vector.given ?? {}
  const isPlain = typeof policy === 'string' && system === undefined && lock === undefined
  const isFile = entryOf(vector).files.exchange === undefined && !vector.id.startsWith('registry/')
  return isPlain && isFile && usable(policy) !== undefined
})

/** Small edits: a line less, one number more or less, a word in place of another. */
function editsOf(text: string): string[] {
  const lines = text.split('\n')
  const without = lines.flatMap((line, at) =>
    line.trim() === '' ? [] : lines.filter((_, other) => other !== at).join('\n'),
  )
  const swapped = (
    [
      ['true', 'false'],
      ['false', 'true'],
      ['"any"', '[]'],
      ['"a"', '"b"'],
      ['"b"', '"a"'],
      ['at_least = 2', 'at_least = 1'],
      ['at_least = 1', 'at_least = 2'],
      ['signatures = 2', 'signatures = 1'],
      ['2026-07', '2026-05'],
      ['allow_caps = "any"', 'allow_caps = ["kb_read"]'],
      ['*"', '*@*"'],
      ['*@*"', '*"'],
      ['"1.0.0"', '"1.0.1-rc.1"'],
      ['mini', 'min*'],
      [' = {', ' = { agents = ["mini"],'],
      ['d"', 'd", "e"'],
      ['90d', '30d'],
    ] as const
  ).flatMap(([from, to]) => (text.includes(from) ? text.replace(from, to) : []))
  return [...without, ...swapped]
}

/** Undefined also where the trusted root beside it makes it decide nothing. */
function usable(text: string): TrustPolicy | undefined {
  if (!read.has(text)) read.set(text, readPolicy(text))
  return read.get(text)
}

function readPolicy(text: string): TrustPolicy | undefined {
  const source = policySource(text)
  const root = rootFileOf(source)
  if (root === undefined) return source.policy
  const found = Object.entries(ROOT_FILES).find(([name]) => name === root)?.[1]
  return withRoot(source, found === undefined ? undefined : Buffer.from(found)).policy
}

describe('over the conformance kit', () => {
  const asked = slice(ASKED, 80, ({ id }) => id.split('/').slice(0, 2).join('/'))
  /** How far apart the tried edits of a policy are. Each vector begins with a different one. */
  const EVERY_EDIT = step(6)
  const others = slice(ASKED, 61).map(({ given }) => given.policy)
  let kit = ''
  before(() => {
    kit = folderFor('kit')
    writeKit(kit, asked, join(ROOT, 'fixtures/conformance'), [])
  })
  let written = 0
  async function trusts(vector: Asked, policy: string): Promise<boolean> {
    const path = join(kit, `policies/edited-${written++}.toml`)
    writeFileSync(path, policy)
    chmodSync(path, 0o644)
    const { verdict } = await answerTo({ ...lineFor(kit, entryOf(vector)), policy: path })
    return verdict === 'trusted'
  }
  test('silence in a direction means that no verdict changes in it', async () => {
    let silent = 0
    let changed = 0
    for (const [index, vector] of asked.entries()) {
      const { policy } = vector.given
      const old = usable(policy) as TrustPolicy
      const was = vector.verdict === 'trusted'
      const edits = editsOf(policy).filter((_, at) => (at + index) % EVERY_EDIT === 0)
      for (const next of new Set([...edits, others[index % others.length] ?? ''])) {
        const edited = usable(next)
        if (edited === undefined) continue
        const { widened, narrowed } = comparePolicies(old, edited)
        if (widened.length > 0 && narrowed.length > 0) continue
        silent++
        const is = await trusts(vector, next)
        if (was !== is) changed++
        const seen = `${vector.id}\n${policy}\n---\n${next}`
        if (widened.length === 0) assert.ok(was || !is, `trusted, and nothing was said:\n${seen}`)
        if (narrowed.length === 0) assert.ok(!was || is, `no longer trusted, and nothing was said:\n${seen}`)
      }
    }
    assert.ok(silent > (5 * asked.length) / EVERY_EDIT, `${silent} of ${asked.length}`)
    assert.ok(changed > asked.length / 5 / EVERY_EDIT, `${changed} of ${asked.length}`)
  })
})

describe('what is said', () => {
  const key = (name: keyof typeof KEYS) => KEYS[name].anchor
  const BASE = `[anchors]\na = "${key('release')}"\nb = "${key('second')}"\n`
  const RULE = '[rules]\na = { allow_caps = "any" }\n'
  const said = (old: string, next: string) => {
    const [before, after] = [old, next].map(text => {
      const { policy, problems } = policySource(text)
      assert.deepEqual(problems, [])
      return policy as TrustPolicy
    }) as [TrustPolicy, TrustPolicy]
    const lines = (all: readonly PolicyDifference[]) =>
      all.map(({ agents, but, says }) => {
        const whose = agents === null ? but.map(one => `not ${one}`) : agents
        return `${whose.length === 0 ? '' : `${whose.join(' ')}: `}${says}`
      })
    const { widened, narrowed } = comparePolicies(before, after)
    return [lines(widened), lines(narrowed)]
  }
  const rows: Readonly<Record<string, readonly [old: string, next: string, ...said: string[][]]>> = {
    'nothing about other text': [
      `${BASE}${RULE}`,
      `# looked through\n[rules]\na = { allow_net = [], allow_caps = "any" }\n${BASE}`,
      [],
      [],
    ],
    'nothing about the order of members and entries': [
      `${BASE}[[require]]\nsigners = ["a", "b"]\n[[require]]\nsignatures = 2\n`,
      `${BASE}[[require]]\nsignatures = 2\n[[require]]\nsigners = ["b"]\n[[require]]\nsigners = ["a"]\n`,
      [],
      [],
    ],
    'nothing about a grant inside another': [
      `${BASE}[rules]\na = { allow_caps = ["kb_read", "fs:/srv"], allow_net = ["a.example"] }\n`,
      `${BASE}[rules]\na = { allow_caps = ["kb_read", "kb_read:x", "fs:/srv", "fs:/srv/x"], allow_net = ["a.example", "A.example:443"] }\n`,
      [],
      [],
    ],
    'nothing about build metadata of a floor': [
      `${BASE}[floors]\nmini = "1.0.0+1"\n`,
      `${BASE}[floors]\nmini = "1.0.0+2"\n`,
      [],
      [],
    ],
    'an unsigned bundle that may not be let through any more': [
      BASE,
      `${BASE}[floors]\nmini = "1.0.0"\n`,
      [],
      [
        'mini mini@*: 1.0.0 is the oldest version, and not any',
        'mini mini@*: what is unsigned no longer passes with --allow-unsigned',
      ],
    ],
    'a name and its variants apart, where a rule names the name alone': [
      `${BASE}[rules]\na = { allow_caps = "any", agents = ["mini"] }\n`,
      `${BASE}[rules]\na = { allow_caps = "any", agents = ["mini", "min*@*"] }\n`,
      ['mini@* min* min*@*: a may now grant any capability but net and exec'],
      [],
    ],
    'a longer prefix and a shorter one': [
      `${BASE}[floors]\n"acme*" = "1.0.0"\n`,
      `${BASE}[floors]\n"acme*" = "1.0.0"\n"acme_mail*" = "2.0.0"\n`,
      [],
      ['acme_mail* acme_mail*@*: 2.0.0 is the oldest version, and not 1.0.0'],
    ],
    'an anchor that is a group now': [
      `${BASE}c = "${key('dev')}"\n[rules]\nc = { allow_caps = ["model"] }\n`,
      `${BASE}[groups]\nc = { of = ["a", "b"], at_least = 2 }\n[rules]\nc = { allow_caps = ["model"] }\n`,
      ['c (2 of a, b) now counts'],
      [`c no longer counts: ${key('dev')}`],
    ],
    'an end that is earlier': [
      `${BASE}d = { key = "${key('dev')}", until = "2027-02-01T00:00:00Z" }\n`,
      `${BASE}d = { key = "${key('dev')}", until = "2027-01-01T00:00:00Z" }\n`,
      [],
      ['d counts until 2027-01-01T00:00:00Z, and not until 2027-02-01T00:00:00Z'],
    ],
    'a required signer who gets a rule': [
      `${BASE}[require]\nanchors = ["b"]\n[rules]\na = { allow_caps = "any" }\n`,
      `${BASE}[require]\nanchors = ["b"]\n[rules]\na = { allow_caps = "any" }\nb = { allow_caps = ["model"] }\n`,
      ['b may now grant model'],
      ['grants are now bounded by the rule of b'],
    ],
    'what takes the place of a revoked key': [
      `${BASE}[revoked]\n"${key('dev')}" = {}\n`,
      `${BASE}[revoked]\n"${key('dev')}" = { replaced_by = "${key('release')}" }\n`,
      [`${key('release')} now takes the place of ${key('dev')}`],
      [],
    ],
  }
  for (const [what, [old, next, ...lines]] of Object.entries(rows))
    test(what, () => assert.deepEqual(said(old, next), lines))

  test('an agent that stands for a prefix is of no longer prefix and no name', () => {
    const letters = [...'abcdefghijklmnopqrstuvwxyz0123456789_']
    const floors = ['acme*', ...letters.map(letter => `acme${letter}`)].map(one => `"${one}" = "1.0.0"`)
    const before = `${BASE}[floors]\n${floors.join('\n')}\n`
    assert.deepEqual(
      said(before, before.replace('"acme*" = "1.0.0"', '"acme*" = "2.0.0"'))[1]?.[0]
        ?.split(': ')[0]
        ?.split(' ')
        .slice(0, 2),
      ['acme*', 'acme*@*'],
    )
  })
})
