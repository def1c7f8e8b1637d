// More behind, before and around an archive than one archive: where one reader stops, the next goes on.
import { BLOCK } from '../../../src/bundle/archive.ts'
import { archive, entry } from '../../../test/support/archive.ts'
import { BUNDLE, ENTRIES, type Trick } from './trick.ts'

const MORE = /bytes follow the end/
const other = archive(entry('manifest.toml', 'evil'))
const zeros = (blocks: number) => Buffer.alloc(blocks * BLOCK)
const joined = (name: string, says: RegExp, ...parts: readonly Uint8Array[]): Trick => ({
  name,
  bytes: Buffer.concat(parts),
  says,
})

export const JOINED: readonly Trick[] = [
  { ...joined('another archive behind', MORE, BUNDLE, other), after: 'ClamAV#1460; CVE-2025-54368, uv' },
  joined('the same archive again', MORE, BUNDLE, BUNDLE),
  {
    ...joined(
      'another archive before',
      /comes after|appears twice|not canonical|two zero blocks/,
      other.subarray(0, -2 * BLOCK),
      BUNDLE,
    ),
  },
  {
    ...joined(
      'a signature block behind, as in other formats',
      MORE,
      BUNDLE,
      Buffer.from('MCPB_SIG_V1 MCPB_SIG_END'),
    ),
    after: 'mcpb#21 and its kin',
  },
  {
    ...joined('a program before', /not a regular file/, Buffer.from(`#!/bin/sh\n${'#'.repeat(502)}`), BUNDLE),
    after: 'CVE-2017-13156, Android ("Janus")',
  },
  joined('a byte before', /not a regular file|not canonical|outside/, Buffer.of(0), BUNDLE),
  joined('zeros before', /two zero blocks|is cut off|bytes follow/, zeros(2), BUNDLE),
  joined(
    'one block of zeros in the middle',
    /two zero blocks/,
    ...ENTRIES.slice(0, 3),
    zeros(1),
    ...ENTRIES.slice(3),
    zeros(2),
  ),
  joined(
    'two blocks of zeros in the middle',
    MORE,
    ...ENTRIES.slice(0, 3),
    zeros(2),
    ...ENTRIES.slice(3),
    zeros(2),
  ),
  joined('one block of zeros at the end', /is cut off/, ...ENTRIES, zeros(1)),
  joined('no end', /is cut off/, ...ENTRIES),
  joined('as many zeros as tar writes', MORE, BUNDLE, zeros(20 - ((BUNDLE.length / BLOCK) % 20))),
  joined('half a block more', MORE, BUNDLE, Buffer.alloc(256)),
  joined('a zip archive behind', MORE, BUNDLE, Buffer.from('PK\x05\x06'.padEnd(22, '\0'))),
  joined('nothing', /is empty/),
]
