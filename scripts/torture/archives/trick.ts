// A trick: an archive that another program was fooled by, built around a bundle that is trusted without it.
import { encodeHeader } from '../../../src/bundle/archive.ts'
import { agentTree, bundleOf, type Tree } from '../../../test/support/agent.ts'
import { archive, entry, sum, text } from '../../../test/support/archive.ts'
import { orderOf } from '../../../test/support/bundle-changes.ts'
import { signed } from '../../../test/support/trust-world.ts'

export interface Trick {
  readonly name: string
  /** Who was fooled: advisory and program. */
  readonly after?: string
  readonly bytes: Uint8Array
  /** Why it is no canonical archive, in the reader's words. */
  readonly says: RegExp
}

/** A signed bundle, trusted by a policy that trusts `release`. */
export const TREE: Tree = signed(agentTree({ name: 'm', files: { 'docs/a.md': 'a' } }), 'release')
export const BUNDLE: Buffer = bundleOf(TREE)
export const ENTRIES: readonly Buffer[] = orderOf(TREE).map(path => entry(path, TREE[path] ?? ''))

/** The bundle with more entries behind its last, before its end. */
export function withMore(...more: readonly Uint8Array[]): Buffer {
  return archive(...ENTRIES, ...more)
}

/** The bundle with more entries before its last. */
export function withBefore(...more: readonly Uint8Array[]): Buffer {
  return archive(...ENTRIES.slice(0, -1), ...more, ...ENTRIES.slice(-1))
}

/** What a header says beside or against what ours say; its checksum is right. */
export interface Fields {
  /** The whole name, root folder included. */
  readonly name?: string
  readonly type?: string
  readonly link?: string
  /** Twelve bytes at most, as they are in the header. */
  readonly size?: string
  readonly mode?: string
  readonly prefix?: string
}

/** An entry of any kind; `z` comes after every path of the bundle. */
export function odd(fields: Fields, content: string | Uint8Array = ''): Buffer {
  return entry('z', content, header => {
    if (fields.name !== undefined) text(header, 0, 100, fields.name)
    if (fields.mode !== undefined) text(header, 100, 8, fields.mode)
    if (fields.size !== undefined) text(header, 124, 12, fields.size)
    if (fields.type !== undefined) text(header, 156, 1, fields.type)
    if (fields.link !== undefined) text(header, 157, 100, fields.link)
    if (fields.prefix !== undefined) text(header, 345, 155, fields.prefix)
  })
}

/** One record of a pax header, `<length> <key>=<value>\n`, with its own length counted. */
export function record(fact: string): string {
  const rest = ` ${fact}\n`
  let length = rest.length + 1
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length
  return length + rest
}

/** A pax header (`x`, or `g` for all that follow) with these facts. */
export function pax(facts: readonly string[], type = 'x'): Buffer {
  return odd({ name: 'PaxHeaders/x', type }, facts.map(record).join(''))
}

/** Only a header, for what announces more than there is. */
export function headerOnly(fields: (header: Uint8Array) => void): Buffer {
  const header = encodeHeader('z', 0)
  fields(header)
  sum(header)
  return Buffer.from(header)
}
