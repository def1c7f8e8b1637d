// Many statements about one bundle: neither strangers nor one signer who repeats himself push aside what a policy requires.
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { outline } from '../../src/agent/read-in-turns.ts'
import { readBundle } from '../../src/io/bundle/read-bundle.ts'
import type { Candidate } from '../../src/model/bundle.ts'
import { readAttestations } from '../../src/statement/lines.ts'
import { roomForStatements } from '../../src/trust/room-for-statements.ts'
import { verify } from '../../src/verify/verify.ts'
import { agentTree, bundleOf } from '../support/agent.ts'
import { attestation, linesOf, PROVENANCE } from '../support/attested.ts'
import { ASKING, KEYS, policySource, signed, testKey, trustContext } from '../support/trust-world.ts'

const FILES = signed(ASKING, 'release')
const OTHER = agentTree({ name: 'mini', version: '2.0.0' })
const FRESH = testKey(77)
const BOM = 'https://cyclonedx.org/bom'
const policy = (required: string, more = '') => `[anchors]
release = "${KEYS.release.anchor}"
ci = { key = "${KEYS.second.anchor}", use = ["attest"] }
scanner = { key = "${KEYS.security.anchor}", use = ["attest"] }
old = { keys = ["${KEYS.dev.anchor}", "${FRESH.anchor}"], use = ["attest"] }
[rules]
release = { allow_caps = "any", allow_net = "any", allow_exec = true }
[require]
attestations = [${required}]
${more}`
const BY_CI = `{ type = "${PROVENANCE}", by = ["ci"] }`
const BY_SCANNER = `{ type = "${BOM}", by = ["scanner"] }`
const good = attestation(FILES, [KEYS.second])
const bill = attestation(FILES, [KEYS.security], { type: BOM, predicate: {} })

let candidate: Candidate
before(async () => {
  candidate = await readBundle(bundleOf(FILES), { keep: 'parsed' })
})

async function judged(lines: readonly (Uint8Array | string)[], required = BY_CI, more = '') {
  const sources = [policySource(policy(required, more))]
  const came = readAttestations('any.intoto.jsonl', linesOf(...lines))
  const attestations = await roomForStatements(came, sources, candidate.files)
  const trust = { ...trustContext({ sources }), attestations }
  const { report } = await verify(await outline(candidate), { expect: 'any', trust })
  const [reason] = report.reasons
  return { is: [report.verdict, reason?.code], message: reason?.message ?? '', attestations }
}

const TRUSTED = ['trusted', undefined]
const INCOMPLETE = ['indeterminate', 'attestations_incomplete']
const MISSING = ['untrusted', 'attestation_missing']
const times = (count: number, make: (at: number) => Uint8Array | string) =>
  Array.from({ length: count }, (_, at) => make(at))
const stranger = (at: number) => attestation(FILES, [KEYS.stranger], { predicate: { at } })
const again = (at: number) => attestation(FILES, [KEYS.second], { type: `x-${at}` })
const forged = (line: Uint8Array, anchor = KEYS.second.anchor) => {
  const envelope = JSON.parse(String(Buffer.from(line)))
  envelope.signatures[0].keyid = anchor
  return JSON.stringify(envelope)
}

describe('what a policy requires is found', () => {
  test('alone, and is missing where nothing came', async () => {
    assert.deepEqual((await judged([good])).is, TRUSTED)
    assert.deepEqual((await judged([])).is, MISSING)
  })

  test('among 100 statements of a stranger, before and after them', async () => {
    const many = times(100, stranger)
    assert.deepEqual((await judged([good, ...many])).is, TRUSTED)
    assert.deepEqual((await judged([...many, good])).is, TRUSTED)
    const { is, message } = await judged(many)
    assert.deepEqual(is, MISSING, 'that nothing of ci came is known')
    assert.match(message, /only those by keys that attest here were looked at/)
  })

  test('among 100 statements that name its key and are not signed by it', async () => {
    const many = times(100, at => forged(stranger(at)))
    assert.deepEqual((await judged([...many, good])).is, TRUSTED)
    assert.deepEqual((await judged(many)).is, MISSING)
  })

  test('among 200 genuine statements about another bundle, which a stranger has copied', async () => {
    const copied = times(200, at => attestation(OTHER, [KEYS.second], { predicate: { at } }))
    assert.deepEqual((await judged([...copied, good])).is, TRUSTED)
  })

  test('among statements of more than 1 MiB by strangers', async () => {
    const large = times(4, at =>
      attestation(FILES, [KEYS.stranger], { predicate: { x: `${at}`.repeat(500_000) } }),
    )
    assert.deepEqual((await judged([...large, good])).is, TRUSTED)
  })

  test('among 100 of the same by one signer: any of them does', async () => {
    const runs = times(100, run => attestation(FILES, [KEYS.second], { predicate: { run } }))
    assert.deepEqual((await judged(runs)).is, TRUSTED)
  })

  test('of one signer, however often another one has repeated himself', async () => {
    const both = `${BY_CI}, ${BY_SCANNER}`
    assert.deepEqual((await judged([good, bill], both)).is, TRUSTED)
    const runs = times(100, run => attestation(FILES, [KEYS.second], { predicate: { run } }))
    assert.deepEqual((await judged([...runs, bill], both)).is, TRUSTED)
  })

  test('by a new key of an anchor, whatever a thief does with its old one', async () => {
    const [stolen, fresh] = [KEYS.dev, FRESH]
    const required = `{ type = "${PROVENANCE}", by = ["old"] }`
    const revoked = `[revoked]\n"${stolen.anchor}" = {}`
    const own = attestation(FILES, [fresh])
    assert.deepEqual((await judged([own], required, revoked)).is, TRUSTED)
    const thefts = times(100, at => attestation(FILES, [stolen], { type: `x-${at}` }))
    assert.deepEqual((await judged([...thefts, own], required, revoked)).is, TRUSTED)
  })

  test('many times in one file: the same line is one statement', async () => {
    assert.deepEqual((await judged(times(1000, () => good))).is, TRUSTED)
    const { attestations } = await judged(times(1000, () => good))
    assert.equal(attestations.envelopes.length, 1)
  })
})

describe('what stays unread leaves the question open', () => {
  test('the 65th statement of one key', async () => {
    assert.deepEqual((await judged(times(64, again))).is, MISSING)
    const { is, message } = await judged(times(65, again))
    assert.deepEqual(is, INCOMPLETE)
    assert.match(
      message,
      /is missing: any.intoto.jsonl: it has more than 64 envelopes or 1 MiB .* by ed25519:/,
    )
  })

  test('of one key, what is more than 1 MiB', async () => {
    const large = (at: number) =>
      attestation(FILES, [KEYS.second], { type: `x-${at}`, predicate: { x: 'x'.repeat(250_000) } })
    assert.deepEqual((await judged(times(3, large))).is, MISSING)
    assert.deepEqual((await judged(times(4, large))).is, INCOMPLETE)
    // What is small has room all the same.
    assert.deepEqual((await judged([...times(3, large), good])).is, TRUSTED)
  })

  test('where another key signed the statement too, it is read for that one', async () => {
    const both = attestation(FILES, [KEYS.second, KEYS.security], { type: BOM, predicate: {} })
    assert.deepEqual((await judged([...times(64, again), both], BY_SCANNER)).is, TRUSTED)
  })

  test('nothing that a signer whom no requirement names has stated', async () => {
    const scans = times(100, at => attestation(FILES, [KEYS.security], { type: `x-${at}` }))
    assert.deepEqual((await judged(scans)).is, MISSING)
  })

  test('what comes after 2,048 signatures that name required keys', async () => {
    const keys = Array.from({ length: 16 }, (_, at) => testKey(100 + at))
    const anchors = keys.map((key, at) => `k${at} = { key = "${key.anchor}", use = ["attest"] }`).join('\n')
    const names = keys.map((_, at) => `"k${at}"`).join(', ')
    const required = `{ type = "${PROVENANCE}", by = [${names}] }`
    const text = policy(required).replace('[rules]', `${anchors}\n[rules]`)
    const { signatures } = JSON.parse(String(attestation(OTHER, keys)))
    const claiming = (at: number) => JSON.stringify({ ...JSON.parse(String(stranger(at))), signatures })
    const asked = async (count: number) => {
      const came = readAttestations('x', linesOf(...times(count, claiming)))
      return (await roomForStatements(came, [policySource(text)], candidate.files)).problem?.why
    }
    assert.equal(await asked(128), 'unwanted')
    assert.equal(await asked(129), 'limit')
  })
})
