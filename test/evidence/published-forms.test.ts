// What rlp writes is what the texts of DSSE, in-toto, SLSA and CycloneDX demand; and what they do not allow is seen to be wrong.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { provenance, sbom, summarize } from '../../src/library/generated/evidence.ts'
import { bundleOf } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'
import { AGAINST_PREDICATE, againstEnvelope, againstStatement } from '../support/published-forms.ts'
import { ASKING, installKeys, KEYS, signed } from '../support/trust-world.ts'

type Json = Record<string, unknown>

const NAME = 'mini-1.0.0.agent.bundle'
const TYPES = Object.keys(AGAINST_PREDICATE)
const TIME = '2026-11-20T00:00:00Z'
const PIPELINE = {
  GITHUB_ACTIONS: 'true',
  GITHUB_SERVER_URL: 'https://github.com',
  GITHUB_REPOSITORY: 'acme/mini',
  GITHUB_WORKFLOW_REF: 'acme/mini/.github/workflows/release.yml@refs/heads/main',
  GITHUB_SHA: 'a'.repeat(40),
  GITHUB_REF: 'refs/heads/main',
  GITHUB_JOB: 'release',
  GITHUB_RUN_ID: '7',
}
const POLICY = `[anchors]
release = "${KEYS.release.anchor}"
ci = { key = "${KEYS.second.anchor}", use = ["attest"] }
[rules]
release = { allow_caps = "any", allow_net = "any", allow_exec = true }
`
const folder = temporary('published-forms')
/** Envelopes as they were written: with everything that can be stated, and with as little. */
const written: Json[] = []

before(async () => {
  const home = folder('home')
  process.env['RUNLOOP_HOME'] = home
  installKeys(home)
  for (const isFull of [true, false]) {
    const cwd = folder('cwd')
    writeFileSync(join(cwd, NAME), bundleOf(signed(ASKING, 'release')))
    const env = isFull ? PIPELINE : {}
    const how = { cwd, env, key: 'second', ...(isFull && { time: TIME }) }
    const demanding = `[require]\nattestations = [{ type = "${TYPES[1]}", by = ["ci"] }]\n`
    const trust = { trustPolicy: `${POLICY}${isFull ? demanding : ''}`, home: false as const }
    await provenance(NAME, { ...how, ...(isFull ? {} : { builder: 'https://ci.example/1' }) })
    await sbom(NAME, { ...how, ...trust })
    const uris = { verifier: 'https://ci.example/v', resource: 'https://r.example/mini' }
    await summarize(NAME, { ...how, ...trust, ...uris })
    for (const line of readFileSync(join(cwd, `${NAME}.intoto.jsonl`), 'utf8')
      .trim()
      .split('\n'))
      written.push(JSON.parse(line))
  }
})

const statementOf = (envelope: Json): Json =>
  JSON.parse(Buffer.from(String(envelope['payload']), 'base64').toString())

/** Every member of a document, by its path. */
function pathsIn(value: unknown, path: readonly (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return []
  const isList = Array.isArray(value)
  return Object.entries(value).flatMap(([name, member]) => {
    const here = [...path, isList ? Number(name) : name]
    return [here, ...pathsIn(member, here)]
  })
}

/** The document with one member changed; undefined takes it away. */
function changed(document: Json, path: readonly (string | number)[], to: unknown): Json {
  const copy = structuredClone(document)
  const last = path.at(-1) ?? ''
  const holder = path.slice(0, -1).reduce<unknown>((held, name) => (held as Json)[name], copy) as Json
  if (to === undefined) delete holder[last]
  else holder[last] = to
  return copy
}

const required = (document: Json, against: (value: unknown) => string[]) =>
  pathsIn(document)
    .filter(path => typeof path.at(-1) === 'string')
    .filter(path => against(changed(document, path, undefined)).length > 0)
    .map(path => path.join('.'))

describe('what rlp states', () => {
  test('is of the published forms, whether much is known or little', () => {
    assert.equal(written.length, 6)
    assert.deepEqual(new Set(written.map(one => statementOf(one)['predicateType'])), new Set(TYPES))
    for (const envelope of written) {
      const statement = statementOf(envelope)
      assert.deepEqual(againstEnvelope(envelope), [])
      assert.deepEqual(againstStatement(statement), [])
      const type = String(statement['predicateType'])
      assert.deepEqual(AGAINST_PREDICATE[type]?.(statement['predicate']), [], type)
    }
  })

  test('has more where more is known: the optional members are seen too', () => {
    const all = written.flatMap(one => pathsIn(statementOf(one)).map(path => path.join('.')))
    for (const member of [
      'predicate.metadata.timestamp',
      'predicate.runDetails.metadata.finishedOn',
      'predicate.runDetails.metadata.invocationId',
      'predicate.buildDefinition.resolvedDependencies.0.digest.gitCommit',
      'predicate.timeVerified',
      'predicate.inputAttestations.0.digest.sha256',
    ])
      assert.ok(all.includes(member), member)
  })

  test('has every member that the texts require: without any of them it is of no such form', () => {
    const [envelope = {}] = written
    assert.deepEqual(required(envelope, againstEnvelope), [
      'payloadType',
      'payload',
      'signatures',
      'signatures.0.sig',
    ])
    const needed = written.slice(0, 3).map(one => {
      const { predicateType, predicate } = statementOf(one)
      const against = AGAINST_PREDICATE[String(predicateType)] ?? assert.fail()
      // Of the subjects and the bill of materials, one of many is enough.
      return required(predicate as Json, against).filter(path => !/\.[1-9]\d*\./.test(path))
    })
    assert.deepEqual(needed[0], [
      'buildDefinition',
      'buildDefinition.buildType',
      'buildDefinition.externalParameters',
      // The only one: a digest of nothing says nothing.
      'buildDefinition.resolvedDependencies.0.digest.gitCommit',
      'runDetails',
      'runDetails.builder',
      'runDetails.builder.id',
    ])
    assert.ok(needed[1]?.includes('specVersion') && needed[1].includes('components.0.type'))
    assert.deepEqual(needed[2], [
      'verifier',
      'verifier.id',
      'resourceUri',
      'policy',
      'policy.uri',
      'policy.digest.blake3',
      'inputAttestations.0.digest',
      'inputAttestations.0.digest.sha256',
      'verificationResult',
      'verifiedLevels',
    ])
    assert.deepEqual(required(statementOf(envelope), againstStatement), [
      '_type',
      'subject',
      'subject.0.digest',
      'subject.0.digest.sha256',
      'subject.1.digest',
      'predicateType',
    ])
  })

  test('another type of any member, and one that the texts do not have, are seen', () => {
    for (const envelope of written) {
      const statement = statementOf(envelope)
      const against = AGAINST_PREDICATE[String(statement['predicateType'])] ?? assert.fail()
      for (const [document, check] of [
        [envelope, againstEnvelope],
        [{ ...statement, predicate: {} }, againstStatement],
        [statement['predicate'] as Json, against],
      ] as const) {
        for (const path of pathsIn(document)) {
          // An extension may have any content; CycloneDX has numbers.
          if (String(path[0]).startsWith('urn:')) continue
          assert.notDeepEqual(check(changed(document, path, 7.5)), [], `${path.join('.')} as a number`)
        }
        assert.notDeepEqual(check({ ...document, bulider: 'x' }), [])
      }
    }
  })

  for (const [type, path, value] of [
    [TYPES[1], ['runDetails', 'builder', 'id'], 'me'],
    [TYPES[1], ['runDetails', 'metadata', 'finishedOn'], 'yesterday'],
    [TYPES[1], ['buildDefinition', 'resolvedDependencies', 0, 'digest', 'gitCommit'], 'main'],
    [TYPES[2], ['verificationResult'], 'trusted'],
    [TYPES[2], ['verifiedLevels', 0], 'SLSA_TRUSTED'],
    [TYPES[2], ['policy', 'digest', 'blake3'], 'AB'],
    [TYPES[0], ['bomFormat'], 'SPDX'],
  ] as const) {
    test(`${value} as ${path.join('.')} is seen`, () => {
      const one = written.map(statementOf).find(({ predicateType }) => predicateType === type)
      const predicate = one?.['predicate'] as Json
      const against = AGAINST_PREDICATE[type ?? ''] ?? assert.fail()
      assert.deepEqual(against(predicate), [])
      const wrong = changed(predicate, path, value)
      assert.notDeepEqual(against(wrong), [])
    })
  }
})
