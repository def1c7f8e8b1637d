// A module → one with sections moved, doubled and cut, counts that lie, and numbers in odd lengths.
import { IMPORT_TYPES, leb, moduleOf, section, sized } from '../../../test/support/wasm.ts'
import type { Random } from '../random.ts'
import { mutateBytes } from './bytes.ts'

const IMPORTS = [
  ['runloop', 'http_request'],
  ['runloop', 'time_now'],
  ['wasi_snapshot_preview1', 'fd_write'],
  ['wasi_snapshot_preview1', 'sock_send'],
  ['env', 'abort'],
  ['', ''],
  ['runloop', '\u202ex'],
] as const

export function mutateWasm(random: Random): Buffer {
  const base = moduleOf({
    imports: Array.from({ length: random.below(5) }, () => random.pick(IMPORTS)),
    ...(random.once(2) && { data: 'x'.repeat(random.size(2000)) }),
    exportsMemory: !random.once(5),
    entry: random.pick(['_start', 'run', '', '_start\0']),
  })
  if (random.once(3)) return mutateBytes(random, base)
  let sections = sectionsOf(base)
  for (let n = random.between(1, 3); n > 0; n--) sections = changed(random, sections)
  const bytes = Buffer.concat([base.subarray(0, 8), ...sections])
  return random.once(6) ? mutateBytes(random, bytes) : bytes
}

/** The sections of a module of ours, each with its head. Sizes there take one or two bytes. */
function sectionsOf(bytes: Uint8Array): Buffer[] {
  const found: Buffer[] = []
  for (let at = 8; at < bytes.length; ) {
    const low = bytes[at + 1] ?? 0
    const size = low < 0x80 ? low : (low & 0x7f) + (bytes[at + 2] ?? 0) * 128
    const end = at + (low < 0x80 ? 2 : 3) + size
    found.push(Buffer.from(bytes.subarray(at, end)))
    at = end
  }
  return found
}

function changed(random: Random, sections: readonly Buffer[]): Buffer[] {
  const all = [...sections]
  const at = random.below(all.length)
  const one = all[at] ?? Buffer.alloc(2)
  switch (random.below(7)) {
    case 0:
      return random.shuffle(all)
    case 1:
      all.splice(at, 0, one)
      return all
    case 2:
      all.splice(at, 1)
      return all
    case 3:
      all.splice(at, 0, custom(random))
      return all
    case 4:
      all[at] = Buffer.from(section(random.below(20), [...one.subarray(2)]))
      return all
    case 5:
      // A count that promises more than there is: millions of entries in a few bytes.
      all[at] = Buffer.from([
        one[0] ?? 0,
        ...sized(leb(random.pick([1, 1e5, 2 ** 32 - 1, 2 ** 35]), random.between(1, 6))),
      ])
      return all
    default:
      all[at] = Buffer.from(
        section(2, [
          ...leb(1),
          ...sized('a'),
          ...sized('b'),
          ...random.pick(
            Object.values(IMPORT_TYPES).map(value => (typeof value === 'function' ? value() : [...value])),
          ),
        ]),
      )
      return all
  }
}

function custom(random: Random): Buffer {
  const name = random.pick(['name', 'producers', '', '\u001b[31m', 'x'.repeat(500)])
  return Buffer.from(section(0, [...sized(name), ...random.bytes(random.size(200))]))
}
