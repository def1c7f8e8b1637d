// Entries → an archive with a few things wrong in it: fields, kinds, order, paddings, checksums made right again so that readers go on.
import { BLOCK } from '../../../src/bundle/archive.ts'
import { bundleOf, type Tree } from '../../../test/support/agent.ts'
import { entry, sum, text } from '../../../test/support/archive.ts'
import { orderOf } from '../../../test/support/bundle-changes.ts'
import type { Random } from '../random.ts'
import { CHANGES, mutateBytes } from './bytes.ts'

const NAMES = [
  'agent.bundle/a',
  'agent.bundle/../x',
  'agent.bundle//a',
  './agent.bundle/a',
  '/agent.bundle/a',
  '/etc/passwd',
  '../../x',
  'agent.bundle/.hidden',
  'agent.bundle/A',
  'agent.bundle/con',
  'agent.bundle/a\\b',
  'agent.bundle/manifest.toml',
  'agent.bundle/SIGNATURES/manifest.sig',
  'agent.bundle',
  'C:\\x',
  '',
] as const
const SIZES = [
  '00000000000\0',
  '77777777777\0',
  '00000000001 ',
  '          1\0',
  '-0000000001\0',
  '00000001000\0',
  '0x00000001\0',
  '\0',
  '\x80\0\0\0\0\0\0\0\0\0\x02\0',
  '\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xfe\0',
] as const
const TYPES = '01234567xgLKSVMDNA\0Z'
/** Offset and length of what a header has. */
const FIELDS = [
  [0, 100],
  [100, 8],
  [108, 8],
  [116, 8],
  [124, 12],
  [136, 12],
  [148, 8],
  [156, 1],
  [157, 100],
  [257, 6],
  [263, 2],
  [265, 32],
  [297, 32],
  [329, 8],
  [337, 8],
  [345, 155],
  [500, 12],
] as const
const PAX = [
  'path=agent.bundle/evil',
  'path=../../evil',
  'size=1',
  'size=99999999999',
  'linkpath=/etc/passwd',
  'GNU.sparse.major=1',
  'GNU.sparse.map=0,1,5,1',
  'mtime=nan',
  'hdrcharset=BINARY',
  'SCHILY.xattr.a=b',
  'comment=',
] as const

/** An archive of the tree with one to six things wrong. */
export function mutateTar(random: Random, tree: Tree): Buffer {
  let entries = orderOf(tree).map(path => entry(path, tree[path] ?? ''))
  for (let n = random.pick(CHANGES); n > 0; n--) entries = changed(random, entries)
  const end = random.once(6)
    ? Buffer.alloc(random.pick([0, 1, BLOCK, 3 * BLOCK, 10_240]))
    : Buffer.alloc(2 * BLOCK)
  const whole = Buffer.concat([...entries, end])
  if (!random.once(5)) return whole
  return random.once(2) ? mutateBytes(random, whole) : Buffer.concat([whole, bundleOf(tree)])
}

function changed(random: Random, entries: readonly Buffer[]): Buffer[] {
  const all = [...entries]
  const at = random.below(all.length)
  const one = all[at] ?? Buffer.alloc(0)
  switch (random.below(7)) {
    case 0:
      all.splice(at, 1)
      return all
    case 1:
      all.splice(random.below(all.length), 0, one)
      return all
    case 2:
      return random.shuffle(all)
    case 3:
      all.splice(at, 0, extended(random))
      return all
    case 4:
      all.splice(at, 0, Buffer.alloc(BLOCK * random.between(1, 3), random.pick([0, 0, 1, 0x61])))
      return all
    default:
      all[at] = changedHeader(random, one)
      return all
  }
}

function changedHeader(random: Random, one: Buffer): Buffer {
  const copy = Buffer.from(one)
  const header = copy.subarray(0, BLOCK)
  const put = (at: number, length: number, value: string) => text(header, at, length, value.slice(0, length))
  switch (random.below(5)) {
    case 0:
      put(0, 100, random.pick(NAMES))
      break
    case 1:
      put(124, 12, random.pick(SIZES))
      break
    case 2:
      put(156, 1, random.pick([...TYPES]))
      put(157, 100, random.pick(NAMES))
      break
    default: {
      const [offset, length] = random.pick(FIELDS)
      header.set(random.bytes(random.between(1, length)), offset)
    }
  }
  if (!random.once(8)) sum(header)
  // A content that is longer or shorter than its header says.
  return random.once(8) ? copy.subarray(0, BLOCK + random.below(copy.length)) : copy
}

/** A pax or GNU header before the next entry. */
function extended(random: Random): Buffer {
  const kind = random.pick([...'xgLKX'])
  const record = (fact: string) => {
    const length = random.once(6) ? random.below(100_000) : fact.length + 3 + String(fact.length).length
    return `${length} ${fact}\n`
  }
  const facts = Array.from({ length: random.between(1, 3) }, () => random.pick(PAX))
  const content = kind === 'L' || kind === 'K' ? `${random.pick(NAMES)}\0` : facts.map(record).join('')
  return entry('PaxHeaders', content, header => text(header, 156, 1, kind))
}
