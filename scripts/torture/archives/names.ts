// Names that lead elsewhere, or that some file systems take for one: only plain ones are allowed, and no two that are equal in lower case.
import { entry, text } from '../../../test/support/archive.ts'
import { ENTRIES, odd, type Trick, withBefore, withMore } from './trick.ts'

const OUTSIDE = /is outside the root folder/

/** A name field may hold as many bytes as it has, in any encoding. */
const raw = (bytes: Uint8Array) => entry('z', 'x', header => header.set(bytes, 0))
const named = (path: string) => raw(Buffer.concat([Buffer.from(`agent.bundle/${path}`), Buffer.alloc(1)]))

export const NAMES: readonly Trick[] = [
  {
    name: 'a way up',
    after: 'CVE-2001-1267, GNU tar; CVE-2007-4559, Python',
    bytes: withMore(odd({ name: 'agent.bundle/../../evil' }, 'x')),
    says: /has a "\.\." segment/,
  },
  {
    name: 'a way up at the beginning',
    after: 'CVE-2016-6321, GNU tar',
    bytes: withMore(odd({ name: '../agent.bundle/evil' }, 'x')),
    says: OUTSIDE,
  },
  { name: 'an absolute path', bytes: withMore(odd({ name: '/etc/evil' }, 'x')), says: OUTSIDE },
  {
    name: 'an absolute path behind more slashes',
    after: 'CVE-2021-32804, node-tar',
    bytes: withMore(odd({ name: '////agent.bundle/z' }, 'x')),
    says: OUTSIDE,
  },
  {
    name: 'a drive',
    after: 'CVE-2021-37713, node-tar',
    bytes: withMore(odd({ name: 'C:../evil' }, 'x')),
    says: OUTSIDE,
  },
  {
    name: 'a drive below the root folder',
    bytes: withMore(odd({ name: 'agent.bundle/C:/evil' }, 'x')),
    says: /is absolute/,
  },
  {
    name: 'backslashes',
    after: 'CVE-2018-1002200 and its kin',
    bytes: withMore(odd({ name: 'agent.bundle/..\\..\\evil' }, 'x')),
    says: /has a backslash/,
  },
  {
    name: 'a leading dot and slash',
    after: 'opa#6145',
    bytes: withMore(odd({ name: './agent.bundle/z' }, 'x')),
    says: OUTSIDE,
  },
  { name: 'a second root folder', bytes: withMore(odd({ name: 'other/manifest.toml' }, 'x')), says: OUTSIDE },
  {
    name: 'the root folder in other letters',
    bytes: withMore(odd({ name: 'Agent.Bundle/z' }, 'x')),
    says: OUTSIDE,
  },
  {
    name: 'a slash twice',
    bytes: withMore(odd({ name: 'agent.bundle//z' }, 'x')),
    says: /is absolute/,
  },
  {
    name: 'a dot as a segment',
    bytes: withMore(odd({ name: 'agent.bundle/./z' }, 'x')),
    says: /has a "\." segment/,
  },
  {
    name: 'a dot file',
    after: 'opa#3127',
    bytes: withMore(odd({ name: 'agent.bundle/._z' }, 'x')),
    says: /begins with a dot/,
  },
  {
    name: 'a dot at the end, which Windows drops',
    bytes: withMore(odd({ name: 'agent.bundle/z.' }, 'x')),
    says: /ends in a dot/,
  },
  {
    name: 'a space at the end, which Windows drops',
    bytes: withMore(odd({ name: 'agent.bundle/z ' }, 'x')),
    says: /a character other than/,
  },
  {
    name: 'a stream of another file',
    bytes: withMore(odd({ name: 'agent.bundle/manifest.toml::$DATA' }, 'x')),
    says: /a character other than/,
  },
  ...['con', 'AUX.txt', 'nul.a.b', 'com1', 'LPT9.md'].map(name => ({
    name: `the device ${name}`,
    bytes: withMore(odd({ name: `agent.bundle/${name}` }, 'x')),
    says: /has a Windows device name/,
  })),
  {
    name: 'the same path twice',
    after: 'CVE-2013-4787, Android; uv#15136',
    bytes: withMore(...ENTRIES.slice(-1)),
    says: /appears twice/,
  },
  {
    name: 'the manifest twice, the first one good',
    bytes: withMore(entry('manifest.toml', 'evil')),
    says: /manifest\.toml comes after/,
  },
  {
    name: 'the signature twice',
    bytes: withMore(entry('SIGNATURES/manifest.sig', 'evil')),
    says: /SIGNATURES\/manifest\.sig comes after/,
  },
  {
    name: 'a twin in other letters',
    after: 'CVE-2021-37701, node-tar',
    bytes: withMore(entry('tools.jsoN', 'x')),
    says: /comes after|differ only in case/,
  },
  {
    name: 'a twin folder in other letters',
    bytes: withBefore(entry('policy.capsx/a', 'x'), entry('policy.capsX/b', 'x')),
    says: /comes after|differ only in case/,
  },
  {
    name: 'a twin in other letters, in its place',
    bytes: withMore(entry('z', 'x')).length > 0 ? twins() : Buffer.alloc(0),
    says: /differ only in case/,
  },
  {
    name: 'a file in the place of a folder',
    bytes: withMore(entry('z', 'x'), entry('z/a', 'x')),
    says: /a folder and a file/,
  },
  {
    name: 'ß for ss',
    after: 'CVE-2026-23950, node-tar',
    bytes: withMore(named('stra\u00dfe')),
    says: /a character other than/,
  },
  {
    name: 'one letter, composed',
    after: 'CVE-2021-37712, node-tar',
    bytes: withMore(named('caf\u00e9')),
    says: /a character other than/,
  },
  {
    name: 'the same letter, decomposed',
    after: 'CVE-2021-37712, node-tar',
    bytes: withMore(named('cafe\u0301')),
    says: /a character other than/,
  },
  {
    name: 'letters that a file system folds',
    bytes: withMore(named('to\u212aen')),
    says: /a character other than/,
  },
  {
    name: 'letters that look alike',
    bytes: withMore(named('m\u0430nifest.toml')),
    says: /a character other than/,
  },
  {
    name: 'an escape sequence',
    bytes: withMore(named('\u001b]0;evil\u0007')),
    says: /a character other than/,
  },
  { name: 'a direction change', bytes: withMore(named('\u202elmot.x')), says: /a character other than/ },
  { name: 'a new line', bytes: withMore(named('a\nb')), says: /a character other than/ },
  {
    name: 'bytes that are no UTF-8',
    bytes: withMore(raw(Buffer.concat([Buffer.from('agent.bundle/'), Buffer.of(0xff, 0xfe, 0)]))),
    says: /a character other than/,
  },
  {
    name: 'a name that goes on behind its end',
    bytes: withMore(entry('z', 'x', header => header.set(Buffer.from('evil'), 40))),
    says: /the name field of z/,
  },
  {
    name: 'a name without an end',
    bytes: withMore(odd({ name: `agent.bundle/${'z'.repeat(87)}`, prefix: 'agent.bundle' }, 'x')),
    says: /the (?:name|prefix) field/,
  },
  {
    name: 'a prefix where none is needed',
    bytes: withMore(odd({ name: 'z', prefix: 'agent.bundle' }, 'x')),
    says: /the name field of z/,
  },
  {
    name: 'a prefix that climbs',
    bytes: withMore(odd({ name: 'z', prefix: 'agent.bundle/..' }, 'x')),
    says: /has a "\.\." segment/,
  },
  { name: 'no name', bytes: withMore(odd({ name: '' }, 'x')), says: OUTSIDE },
  {
    name: 'the root folder as a file',
    bytes: withMore(odd({ name: 'agent.bundle/' }, 'x')),
    says: /is empty/,
  },
  {
    name: 'a thousand folders in one name',
    after: 'CVE-2024-28863, node-tar',
    bytes: withMore(
      odd({ name: `agent.bundle/${'a/'.repeat(43)}`, prefix: 'agent.bundle/'.concat('a/'.repeat(70)) }, 'x'),
    ),
    says: /has an empty segment/,
  },
  {
    name: 'an owner’s name with an escape',
    bytes: withMore(entry('z', 'x', header => text(header, 265, 32, '\u001b[2J'))),
    says: /the user name field of z/,
  },
]

/** `Z` sorts before every small letter, so it is in its right place. */
function twins(): Buffer {
  const at = ENTRIES.length - 3
  return Buffer.concat([
    ...ENTRIES.slice(0, 2),
    entry('Docs/a.md', 'x'),
    ...ENTRIES.slice(2, at),
    ...ENTRIES.slice(at),
    Buffer.alloc(1024),
  ])
}
