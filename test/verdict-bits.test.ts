// A small signed bundle with each of its bits flipped, and cut off at each byte: never trusted, and always for the reason of the place.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BLOCK, paddingAfter } from '../src/format/archive/header.ts'
import { readBundle } from '../src/io/read-bundle.ts'
import { verify } from '../src/verify.ts'
import { agentTree, bundleOf } from './support/agent.ts'
import { KEYS, signed, trustContext } from './support/trust-world.ts'

const TREE = signed(agentTree({ name: 'm', files: { 'tools.json': '{"version":1,"tools":[]}' } }), 'release')
const BUNDLE = bundleOf(TREE)
const trust = trustContext({
  policies: [
    `[anchors]\nr = "${KEYS.release.anchor}"\n[rules]\nr = { allow_caps = "any", allow_net = "any" }\n`,
  ],
})

async function judge(bytes: Uint8Array) {
  const { report, bundle } = verify(await readBundle(bytes, { keep: 'parsed' }), { expect: 'any', trust })
  return { verdict: report.verdict, codes: report.reasons.map(({ code }) => code), bundle }
}

type Region = 'header' | 'manifest' | 'signature' | 'content' | 'padding' | 'end'

/** What each byte of the archive is. */
function regions(): Region[] {
  const found: Region[] = []
  const paths = ['manifest.toml', 'SIGNATURES/manifest.sig', 'bin/m.wasm', 'policy.caps', 'tools.json']
  const add = (region: Region, count: number) => found.push(...Array<Region>(count).fill(region))
  for (const path of paths) {
    const { length } = Buffer.from(TREE[path] as string)
    add('header', BLOCK)
    add(path === 'manifest.toml' ? 'manifest' : path.startsWith('S') ? 'signature' : 'content', length)
    add('padding', paddingAfter(length))
  }
  add('end', BUNDLE.length - found.length)
  return found
}

/** What has to be among the reasons for a change there. */
const CODES: Readonly<Record<Region, RegExp>> = {
  header: /^not_canonical$/,
  padding: /^not_canonical$/,
  end: /^not_canonical$/,
  manifest: /^statement_mismatch$/,
  signature: /^(?:signature_malformed|signature_invalid)$/,
  content: /^manifest\/digest-stale$/,
}

test('every bit', async () => {
  const was = await judge(BUNDLE)
  assert.deepEqual([was.verdict, was.bundle !== undefined], ['trusted', true])
  const place = regions()
  assert.equal(place.length, BUNDLE.length)
  assert.deepEqual([...new Set(place)].sort(), Object.keys(CODES).sort())
  const bytes = Uint8Array.from(BUNDLE)
  let count = 0
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const at = bit >> 3
    const before = bytes[at] ?? 0
    bytes[at] = before ^ (1 << (bit & 7))
    const { verdict, codes, bundle } = await judge(bytes)
    bytes[at] = before
    const region = place[at] ?? 'end'
    assert.equal(verdict, 'invalid', `bit ${bit} in ${region}: ${verdict} ${codes}`)
    assert.equal(bundle, undefined)
    assert.ok(
      codes.some(code => CODES[region].test(code)),
      `bit ${bit} in ${region}: ${codes}`,
    )
    count++
  }
  assert.equal(count, BUNDLE.length * 8)
  assert.equal((await judge(bytes)).verdict, 'trusted')
})

test('every truncation, and every byte more', async () => {
  for (let length = 0; length < BUNDLE.length; length++) {
    const { verdict, codes } = await judge(BUNDLE.subarray(0, length))
    assert.deepEqual([verdict, codes], ['invalid', ['not_canonical']], `${length} bytes`)
  }
  for (const more of [Buffer.alloc(1), Buffer.alloc(BLOCK), Buffer.from('x'), BUNDLE]) {
    const { verdict, codes } = await judge(Buffer.concat([BUNDLE, more]))
    assert.deepEqual([verdict, codes], ['invalid', ['not_canonical']])
  }
})
