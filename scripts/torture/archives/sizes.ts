// Size fields that readers read differently, and numbers that break arithmetic.
import { BLOCK } from '../../../src/bundle/archive.ts'
import { archive, entry, text } from '../../../test/support/archive.ts'
import { ENTRIES, headerOnly, odd, type Trick, withMore } from './trick.ts'

const FIELD = /the size field/
/** Base 256: the first bit says so, and the number follows in binary. */
const binary = (...bytes: number[]) => Buffer.from([...bytes]).toString('latin1')
const one = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1] as const

const sized = (name: string, size: string, after?: string): Trick => ({
  name,
  ...(after !== undefined && { after }),
  bytes: withMore(odd({ size }, 'x')),
  says: FIELD,
})

export const SIZES: readonly Trick[] = [
  sized('a size in base 256', binary(0x80, ...one), 'CVE-2022-48303, GNU tar'),
  sized('a size in base 256 without a first bit of its own', binary(0xc0, ...one)),
  sized(
    'a negative size in base 256',
    binary(0xff, ...Array<number>(10).fill(0xff), 0xfe),
    'CVE-2025-8194, Python',
  ),
  sized('the smallest number there is', binary(0x80, 0x80, ...Array<number>(10).fill(0))),
  sized('a negative number in digits', '-0000000001\0', 'CVE-2025-8194, Python'),
  sized('a plus', '+0000000001\0'),
  sized('spaces before', '          1\0'),
  sized('a space behind', '00000000001 '),
  sized('a digit that is not octal', '00000000009\0'),
  sized('hexadecimal', '0x000000001\0'),
  sized('fewer digits', '1\0'),
  sized('twelve digits and no end', '000000000001'),
  sized('no number', '\0'),
  sized('an end in the middle', '0000\x00000001\0'),
  {
    name: 'more than there is',
    bytes: Buffer.concat([...ENTRIES, odd({ size: '00000002000\0' }, 'x'), Buffer.alloc(512)]),
    says: /is cut off/,
  },
  {
    name: 'eight gigabytes announced',
    bytes: withMore(odd({ size: '77777777777\0' })),
    says: /is larger than/,
  },
  {
    name: 'one byte too much',
    bytes: withMore(headerOnly(header => text(header, 124, 12, '04000000001\0'))),
    says: /is larger than/,
  },
  {
    name: 'a checksum with signs',
    bytes: withMore(changed(header => text(header, 148, 8, '-00001\0 '))),
    says: /the checksum field of z/,
  },
  {
    name: 'a checksum of another header',
    bytes: withMore(changed(header => text(header, 148, 8, '000000\0 '))),
    says: /the checksum field of z/,
  },
  {
    name: 'a date that is no number',
    bytes: withMore(entry('z', 'x', header => text(header, 136, 12, 'nan'))),
    says: /the mtime field of z/,
  },
  {
    name: 'content in the padding',
    bytes: archive(
      ...ENTRIES,
      Buffer.concat([entry('z', 'x').subarray(0, BLOCK + 1), Buffer.alloc(510), Buffer.of(1)]),
    ),
    says: /the padding after z/,
  },
]

/** A header whose checksum stays as it is written. */
function changed(change: (header: Uint8Array) => void): Buffer {
  const bytes = entry('z', 'x')
  change(bytes.subarray(0, BLOCK))
  return bytes
}
