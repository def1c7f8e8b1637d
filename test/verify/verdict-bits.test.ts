// A small signed bundle with bits of it flipped, and cut off: never trusted, and always for the reason of the place. A slice of it:
// every bit and every length is the malleability campaign of `npm run torture`, which makes its changes in the same place.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { outline } from '../../src/agent/read-in-turns.ts'
import { BLOCK } from '../../src/bundle/archive.ts'
import { readBundle } from '../../src/io/bundle/read-bundle.ts'
import { verify } from '../../src/verify/verify.ts'
import { agentTree, bundleOf } from '../support/agent.ts'
import { CODES, flips, regionsOf, truncations } from '../support/bundle-changes.ts'
import { slice } from '../support/runs.ts'
import { KEYS, signed, trustContext } from '../support/trust-world.ts'

const TREE = signed(agentTree({ name: 'm', files: { 'tools.json': '{"version":1,"tools":[]}' } }), 'release')
const BUNDLE = bundleOf(TREE)
const REGIONS = regionsOf(TREE)
const trust = trustContext({
  policies: [
    `[anchors]\nr = "${KEYS.release.anchor}"\n[rules]\nr = { allow_caps = "any", allow_net = "any" }\n`,
  ],
})

async function judge(bytes: Uint8Array) {
  const { report, bundle } = await verify(await outline(await readBundle(bytes, { keep: 'parsed' })), {
    expect: 'any',
    trust,
  })
  return { verdict: report.verdict, codes: report.reasons.map(({ code }) => code), bundle }
}

/** Whether another region begins here or at a neighbour. */
function isEdge(at: number): boolean {
  return REGIONS[at - 1] !== REGIONS[at] || REGIONS[at] !== REGIONS[at + 1]
}

/**
 * One bit of every byte that says something: of every byte of every header, of the manifest, the signature and each file. Which of the
 * eight moves on by one with every byte, and with every block, so that a field of one byte has another bit flipped in each header. Zeros
 * between the files and at the end are all alike: of these the first and the last, and one byte in seven.
 */
function bitsOfSlice(): number[] {
  return REGIONS.flatMap((region, at) => {
    const isZeros = region === 'padding' || region === 'end'
    // Seven and eight have no factor in common: each bit has its turn.
    if (isZeros && !isEdge(at) && at % 7 !== 5) return []
    return [at * 8 + ((at + Math.floor(at / BLOCK)) % 8)]
  })
}

test('bits of every byte that says something', async () => {
  const was = await judge(BUNDLE)
  assert.deepEqual([was.verdict, was.bundle !== undefined], ['trusted', true])
  assert.equal(REGIONS.length, BUNDLE.length)
  assert.deepEqual([...new Set(REGIONS)].sort(), Object.keys(CODES).sort())
  // Each bit of each region is a family: one of ten in `npm test`, all in `.ci/run`.
  const kindOf = (bit: number) => `${REGIONS[bit >> 3]} ${bit & 7}`
  const all = bitsOfSlice()
  const bits = slice(all, 10, kindOf)
  // Every bit of a byte in every region.
  assert.equal(new Set(bits.map(kindOf)).size, Object.keys(CODES).length * 8)
  let count = 0
  for (const { id, bytes, says } of flips(BUNDLE, REGIONS, bits)) {
    const { verdict, codes, bundle } = await judge(bytes)
    assert.equal(verdict, 'invalid', `${id}: ${verdict} ${codes}`)
    assert.equal(bundle, undefined)
    assert.ok(
      codes.some(code => says.test(code)),
      `${id}: ${codes}`,
    )
    count++
  }
  assert.equal(count, bits.length)
  assert.ok(all.length > BUNDLE.length / 2, `only ${all.length} bits`)
  assert.equal((await judge(BUNDLE)).verdict, 'trusted')
})

test('cut off where a part ends and within each part, and every byte more', async () => {
  // A prime, so that cuts fall on ever other places of a block.
  const lengths = REGIONS.flatMap((_, length) => (isEdge(length) || length % 61 === 0 ? [length] : []))
  for (const { id, bytes } of truncations(BUNDLE, lengths)) {
    const { verdict, codes } = await judge(bytes)
    assert.deepEqual([verdict, codes], ['invalid', ['not_canonical']], id)
  }
  for (const more of [Buffer.alloc(1), Buffer.alloc(BLOCK), Buffer.from('x'), BUNDLE]) {
    const { verdict, codes } = await judge(Buffer.concat([BUNDLE, more]))
    assert.deepEqual([verdict, codes], ['invalid', ['not_canonical']])
  }
})
