// The accepted vectors of the conformance kit, taken apart: what the campaign of the readers damages.
import { allVectors } from '../../../fixtures/conformance/kit.ts'
import type { Vector } from '../../../fixtures/conformance/vector.ts'
import {
  blake3Hex,
  envelopeOf,
  SIGNER,
  sha256Hex,
  type TestKey,
} from '../../../fixtures/conformance/world.ts'

/** Small ones: each is read twice. */
const MOST_BYTES = 64 * 1024
const BLOCK = 512

export interface Seeds {
  readonly all: readonly Vector[]
  /** Trusted under a policy, with an expectation, a clock, marks. */
  readonly judged: readonly Vector[]
  readonly expected: readonly Vector[]
  readonly named: readonly Vector[]
  readonly locked: readonly Vector[]
}

export function readSeeds(): Seeds {
  const all = allVectors().filter(
    ({ verdict, bundle, layout, registry, given }) =>
      verdict === 'trusted' &&
      bundle.length <= MOST_BYTES &&
      bundle[0] !== 0x1f &&
      layout === undefined &&
      registry === undefined &&
      given?.attestations === undefined &&
      given?.beside === undefined &&
      !/\[require\][^[]*attestations/.test(String(given?.policy)),
  )
  const judged = all.filter(({ given }) => typeof given?.policy === 'string' && given.lock === undefined)
  return {
    all,
    judged,
    expected: all.filter(({ id }) => /^expectation\/(?:word|range)/.test(id)),
    named: all.filter(({ given }) => given?.expect === null && given.fileName !== undefined),
    locked: all.filter(({ given }) => typeof given?.lock === 'string'),
  }
}

/** The files of an archive that has its one form. */
export function filesIn(bundle: Uint8Array): Record<string, Buffer> {
  const data = Buffer.from(bundle)
  const files: Record<string, Buffer> = {}
  for (let at = 0; data[at] !== 0; ) {
    const text = (from: number, length: number) =>
      data
        .subarray(at + from, at + from + length)
        .toString('latin1')
        .split('\0', 1)[0] ?? ''
    const prefix = text(345, 155)
    const full = prefix === '' ? text(0, 100) : `${prefix}/${text(0, 100)}`
    const size = Number.parseInt(text(124, 12), 8)
    files[full.slice('agent.bundle/'.length)] = data.subarray(at + BLOCK, at + BLOCK + size)
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK
  }
  return files
}

/** The file with other content, and all around it right again: its digest, the statement, the signature. */
export function resealed(
  files: Readonly<Record<string, Buffer>>,
  path: string,
  content: Buffer,
  keys: readonly TestKey[] = [SIGNER],
): Record<string, Buffer> {
  const before = files[path] ?? Buffer.alloc(0)
  const text = (files['manifest.toml'] ?? '').toString()
  const manifest =
    path === 'manifest.toml' ? content : Buffer.from(text.replaceAll(blake3Hex(before), blake3Hex(content)))
  const payload = Buffer.from(JSON.stringify(statedBy(files, manifest)))
  const envelope = Buffer.from(JSON.stringify(envelopeOf(payload, keys)))
  return { ...files, [path]: content, 'manifest.toml': manifest, 'SIGNATURES/manifest.sig': envelope }
}

/** The statement that the bundle has, about another manifest. */
function statedBy(files: Readonly<Record<string, Buffer>>, manifest: Uint8Array) {
  const { payload } = JSON.parse((files['SIGNATURES/manifest.sig'] ?? '').toString())
  const statement = JSON.parse(Buffer.from(payload, 'base64').toString())
  statement.subject[0].digest = { blake3: blake3Hex(manifest), sha256: sha256Hex(manifest) }
  return statement
}
