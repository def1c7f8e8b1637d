// A signed bundle → every small change of it, each with what has to be said of it: for the test and for the torture (scripts/torture).
import { archiveOrder, BLOCK, paddingAfter } from '../../src/bundle/archive.ts'
import type { Tree } from './agent.ts'
import { archive, entry } from './archive.ts'

/** What a byte of an archive is part of. */
export type Region = 'header' | 'manifest' | 'signature' | 'content' | 'padding' | 'end'

/** What has to be among the reasons for a change there. The verdict is `invalid` everywhere. */
export const CODES: Readonly<Record<Region, RegExp>> = {
  header: /^not_canonical$/,
  padding: /^not_canonical$/,
  end: /^not_canonical$/,
  manifest: /^statement_mismatch$/,
  signature: /^(?:signature_malformed|signature_invalid)$/,
  content: /^manifest\/digest-stale$/,
}

export interface Change {
  /** Names the change among all of them. */
  readonly id: string
  /** The changed archive; only good until the next change. */
  readonly bytes: Uint8Array
  /** What has to be among the reasons. */
  readonly says: RegExp
}

/** Paths in the order in which the archive holds them. */
export function orderOf(tree: Tree): string[] {
  return Object.keys(tree).sort(archiveOrder)
}

/** What each byte of the canonical archive of a tree is part of. */
export function regionsOf(tree: Tree): Region[] {
  const found: Region[] = []
  const add = (region: Region, count: number) => {
    for (let n = 0; n < count; n++) found.push(region)
  }
  for (const path of orderOf(tree)) {
    const { length } = Buffer.from(tree[path] as string)
    add('header', BLOCK)
    add(
      path === 'manifest.toml' ? 'manifest' : path.startsWith('SIGNATURES/') ? 'signature' : 'content',
      length,
    )
    add('padding', paddingAfter(length))
  }
  add('end', 2 * BLOCK)
  return found
}

/** One bit another. `bits` are numbers of bits, from the beginning. */
export function* flips(
  bundle: Uint8Array,
  regions: readonly Region[],
  bits: Iterable<number>,
): Generator<Change> {
  const bytes = Uint8Array.from(bundle)
  for (const bit of bits) {
    const at = bit >> 3
    const before = bytes[at] ?? 0
    bytes[at] = before ^ (1 << (bit & 7))
    yield { id: `bit ${bit}`, bytes, says: CODES[regions[at] ?? 'end'] }
    bytes[at] = before
  }
}

/** Cut off after so many bytes. */
export function* truncations(bundle: Uint8Array, lengths: Iterable<number>): Generator<Change> {
  for (const length of lengths)
    yield { id: `cut ${length}`, bytes: bundle.subarray(0, length), says: CODES.end }
}

/** Every byte more at the end, and what else people append. */
export function* additions(bundle: Uint8Array): Generator<Change> {
  const more: [string, Uint8Array][] = [
    ...Array.from({ length: 256 }, (_, byte): [string, Uint8Array] => [`byte ${byte}`, Buffer.of(byte)]),
    ['a block of zeros', Buffer.alloc(BLOCK)],
    ['as many zeros as tar writes', Buffer.alloc(10_240 - (bundle.length % 10_240))],
    ['another entry', archive(entry('z', 'z'))],
    ['itself', bundle],
  ]
  for (const [what, bytes] of more)
    yield { id: `more: ${what}`, bytes: Buffer.concat([bundle, bytes]), says: CODES.end }
}

/** Every two entries in each other's place; every two contents under each other's name; every entry gone, and twice. */
export function* swaps(tree: Tree): Generator<Change> {
  const paths = orderOf(tree)
  const made = (order: readonly string[]) => archive(...order.map(path => entry(path, tree[path] ?? '')))
  for (const [i, a] of paths.entries()) {
    for (const b of paths.slice(i + 1)) {
      const swapped = paths.map(path => (path === a ? b : path === b ? a : path))
      yield { id: `entries ${a} ${b}`, bytes: made(swapped), says: CODES.header }
      if (Buffer.from(tree[a] as string).equals(Buffer.from(tree[b] as string))) continue
      const contents = archive(...paths.map((path, n) => entry(path, tree[swapped[n] ?? ''] ?? '')))
      yield { id: `contents ${a} ${b}`, bytes: contents, says: saysOfContents(a, b) }
    }
    yield { id: `twice ${a}`, bytes: made([...paths.slice(0, i + 1), ...paths.slice(i)]), says: CODES.header }
  }
}

/** A manifest or a signature in the place of something else is found before any digest is compared. */
function saysOfContents(a: string, b: string): RegExp {
  const has = (path: string) => a === path || b === path
  if (has('SIGNATURES/manifest.sig')) return CODES.signature
  return has('manifest.toml') ? CODES.manifest : CODES.content
}

/** Blocks of 512 bytes: one gone, one twice, two in each other's place. Only those that change something. */
export function* blocks(bundle: Uint8Array): Generator<Change> {
  const all = Array.from({ length: bundle.length / BLOCK }, (_, n) =>
    bundle.subarray(n * BLOCK, (n + 1) * BLOCK),
  )
  const made = (list: readonly Uint8Array[]) => Buffer.concat(list)
  for (const [i, block] of all.entries()) {
    yield { id: `block ${i} gone`, bytes: made([...all.slice(0, i), ...all.slice(i + 1)]), says: /./ }
    yield { id: `block ${i} twice`, bytes: made([...all.slice(0, i), block, ...all.slice(i)]), says: /./ }
    for (const [j, other] of all.entries()) {
      if (j <= i || Buffer.compare(block, other) === 0) continue
      const swapped = all.map((one, n) => (n === i ? other : n === j ? block : one))
      yield { id: `blocks ${i} ${j}`, bytes: made(swapped), says: /./ }
    }
  }
}
