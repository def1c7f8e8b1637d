// Links and everything else that is no file: a bundle may hold none of them, so none can lead anywhere.
import { odd, type Trick, withBefore, withMore } from './trick.ts'

const LINK = /is a symbolic link, not a regular file/
const HARD = /is a hard link, not a regular file/
const at = 'agent.bundle/z'

export const LINKS: readonly Trick[] = [
  {
    name: 'a link to a folder outside, and a file below it',
    after: 'CVE-2015-8860, CVE-2021-32803, node-tar',
    bytes: withMore(odd({ name: at, type: '2', link: '/tmp' }), odd({ name: `${at}/evil` }, 'x')),
    says: LINK,
  },
  {
    name: 'a link in the place of a folder that is there',
    after: 'CVE-2021-37701, node-tar',
    bytes: withBefore(
      odd({ name: 'agent.bundle/docs', type: '5' }),
      odd({ name: 'agent.bundle/docs', type: '2', link: '/' }),
    ),
    says: /is a directory/,
  },
  {
    name: 'a link whose target climbs out',
    after: 'CVE-2025-4517, Python',
    bytes: withMore(odd({ name: at, type: '2', link: '../../../../etc' })),
    says: LINK,
  },
  {
    name: 'an absolute link',
    after: 'CVE-2026-23745, node-tar',
    bytes: withMore(odd({ name: at, type: '2', link: '/etc/passwd' })),
    says: LINK,
  },
  {
    name: 'a link relative to a drive',
    after: 'CVE-2026-31802, node-tar',
    bytes: withMore(odd({ name: at, type: '2', link: 'C:../../../target.txt' })),
    says: LINK,
  },
  {
    name: 'a hard link out of the folder',
    after: 'CVE-2018-20834, node-tar',
    bytes: withMore(odd({ name: at, type: '1', link: '../../secret' })),
    says: HARD,
  },
  {
    name: 'a hard link through a chain of links',
    after: 'CVE-2026-26960, node-tar',
    bytes: withMore(
      odd({ name: `${at}1`, type: '2', link: 'z2/..' }),
      odd({ name: `${at}3`, type: '1', link: 'z1/secret' }),
    ),
    says: LINK,
  },
  {
    name: 'a hard link relative to a drive',
    after: 'CVE-2026-29786, node-tar',
    bytes: withMore(odd({ name: at, type: '1', link: 'C:../secret' })),
    says: HARD,
  },
  {
    name: 'a hard link to the manifest',
    bytes: withMore(odd({ name: at, type: '1', link: 'agent.bundle/manifest.toml' })),
    says: HARD,
  },
  {
    name: 'a hard link that has content of its own',
    bytes: withMore(odd({ name: at, type: '1', link: 'agent.bundle/manifest.toml' }, 'other content')),
    says: HARD,
  },
  { name: 'a device', bytes: withMore(odd({ name: at, type: '3' })), says: /is a character device/ },
  { name: 'a block device', bytes: withMore(odd({ name: at, type: '4' })), says: /is a block device/ },
  {
    name: 'a pipe, which blocks who opens it',
    bytes: withMore(odd({ name: at, type: '6' })),
    says: /is a FIFO/,
  },
  { name: 'a folder', bytes: withMore(odd({ name: `${at}/`, type: '5' })), says: /is a directory/ },
  {
    name: 'a folder that says it is a file',
    bytes: withMore(odd({ name: `${at}/`, type: '0' })),
    says: /has an empty segment/,
  },
  {
    name: 'an old-style entry, which is a folder when its name ends in a slash',
    bytes: withMore(odd({ name: `${at}/`, type: '\0' })),
    says: /is an old-style file/,
  },
  {
    name: 'a file that runs as its owner',
    bytes: withMore(odd({ name: at, mode: '0004755\0' })),
    says: /the mode field of z/,
  },
]
