// Headers that speak about other headers: pax and GNU extensions, with which one reader sees other files than the next.
import { archive, entry } from '../../../test/support/archive.ts'
import { ENTRIES, odd, pax, type Trick, withBefore, withMore } from './trick.ts'

const PAX = /is a pax header/
const inside = archive(entry('manifest.toml', 'evil'))

export const EXTENDED: readonly Trick[] = [
  {
    name: 'a size of pax against the header’s zero: an archive within the archive',
    after: 'CVE-2025-62518, tokio-tar ("TARmageddon")',
    bytes: withMore(pax([`size=${inside.length}`]), odd({ size: '00000000000\0' }), inside),
    says: PAX,
  },
  {
    name: 'a size of pax against a size of the header',
    after: 'CVE-2026-33055, tar-rs',
    bytes: withMore(pax(['size=1024']), odd({}, 'x')),
    says: PAX,
  },
  {
    name: 'a size of pax for a GNU header in between',
    after: 'GHSA-3cv2-h65g-fgmm, tar-rs and others',
    bytes: withMore(
      pax(['size=2048']),
      odd({ name: '././@LongLink', type: 'L' }, 'longname.txt\0'),
      odd({}, 'x'),
    ),
    says: PAX,
  },
  { name: 'a path of pax', bytes: withMore(pax(['path=../../evil']), odd({}, 'x')), says: PAX },
  {
    name: 'a path of pax for a file that is there',
    bytes: withBefore(pax(['path=agent.bundle/evil'])),
    says: PAX,
  },
  { name: 'a link of pax', bytes: withMore(pax(['linkpath=/etc/passwd']), odd({ type: '2' })), says: PAX },
  {
    name: 'a path for all that follow',
    bytes: archive(pax(['path=agent.bundle/evil'], 'g'), ...ENTRIES),
    says: /is a global pax header/,
  },
  { name: 'a pax header for nothing', bytes: withMore(pax(['comment=x'])), says: PAX },
  {
    name: 'a record of length zero',
    after: 'CVE-2019-20907, Python',
    bytes: withMore(odd({ type: 'x' }, '0 size=1\n'), odd({}, 'x')),
    says: PAX,
  },
  {
    name: 'a record that is longer than its header',
    bytes: withMore(odd({ type: 'x' }, '9999999999 path=a\n')),
    says: PAX,
  },
  {
    name: 'records without an end',
    after: 'CVE-2022-2879, Go',
    bytes: withMore(odd({ type: 'x' }, 'x'.repeat(200_000))),
    says: PAX,
  },
  {
    name: 'attributes whose name is long',
    after: 'CVE-2023-39804, GNU tar',
    bytes: withMore(pax([`SCHILY.xattr.${'a'.repeat(70_000)}=b`])),
    says: PAX,
  },
  {
    name: 'a pax header of Sun',
    bytes: withMore(odd({ type: 'X' }, '10 path=a\n')),
    says: /of an unknown type/,
  },
  {
    name: 'a long name of GNU',
    bytes: withMore(odd({ name: '././@LongLink', type: 'L' }, '../../evil\0'), odd({}, 'x')),
    says: /is a GNU long name/,
  },
  {
    name: 'a long link of GNU',
    bytes: withMore(odd({ name: '././@LongLink', type: 'K' }, '/etc/passwd\0'), odd({ type: '2' })),
    says: /is a GNU long link/,
  },
  {
    name: 'a sparse file of GNU',
    after: 'CVE-2026-32288, Go',
    bytes: withMore(odd({ type: 'S' }, 'x')),
    says: /is a sparse file/,
  },
  {
    name: 'a sparse file of pax',
    after: 'CVE-2025-58183, Go',
    bytes: withMore(
      pax(['GNU.sparse.major=1', 'GNU.sparse.minor=0', 'GNU.sparse.realsize=99999999999']),
      odd({}, '999999999\n'),
    ),
    says: PAX,
  },
  { name: 'the label of a volume', bytes: withMore(odd({ type: 'V' })), says: /of an unknown type/ },
  { name: 'a piece of another volume', bytes: withMore(odd({ type: 'M' }, 'x')), says: /of an unknown type/ },
  { name: 'a list of a folder', bytes: withMore(odd({ type: 'D' }, 'Yfile\0')), says: /of an unknown type/ },
  {
    name: 'a contiguous file, which most take for a file',
    bytes: withMore(odd({ type: '7' }, 'x')),
    says: /is a contiguous file/,
  },
  {
    name: 'an unknown type, which most take for a file',
    bytes: withMore(odd({ type: 'z' }, 'x')),
    says: /of an unknown type/,
  },
]
