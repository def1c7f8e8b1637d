// Reads words for `rlp __complete` from the disk. The names in a repository are a stranger's, so it offers only those that mean nothing to a
// shell or a terminal. It opens no bundle and no policy.
import { join, resolve } from 'node:path'
import { smallText, someNames } from '../../io/read/glance.ts'
import { own } from '../../model/own.ts'
import { DIGEST_BEGINS } from '../generated/words.ts'
import type { DiskList } from './word-table.ts'

export interface Around {
  readonly cwd: string
  /** `~/.runloop`. */
  readonly home: string
  /** The lock that was typed, or `rlp.lock`. */
  readonly lock: string
}

/** Words that one list offers, and files that it reads. */
const MOST = 300

const LISTS: Readonly<Record<DiskList, (around: Around) => readonly string[]>> = {
  key: ({ home }) => namesIn(home, 'keys', '.pem'),
  agent: ({ cwd }) =>
    namesIn(cwd, 'agents').filter(name => smallText(join(cwd, 'agents', name, 'manifest.toml')) !== ''),
  bundle: ({ home }) => namesIn(home, 'agents', '.agent.bundle'),
  tool: ({ cwd, home }) =>
    [cwd, home].flatMap(place =>
      namesIn(place, 'agents').flatMap(name =>
        found(/"id": *"([^"\n]*)"/g, place, 'agents', name, 'tools.json'),
      ),
    ),
  locked: around => inLock(around, /^\[agents\."?([\w@-]+)"?\]$/gm),
  reference: around => inLock(around, /^source = "(oci[^"\n]*)"$/gm),
  identity: around => [
    ...inLock(around, /^identity = "(blake3:[0-9a-f]{64})"$/gm),
    ...namesIn(around.home, 'state', '.json')
      .flatMap(name => found(/"manifestDigest": *"([0-9a-f]{64})"/g, around.home, 'state', `${name}.json`))
      .map(hex => DIGEST_BEGINS + hex),
  ],
}

/** Returns nothing for a name that is no list. */
export function wordsOnDisk(list: string, around: Around): string[] {
  return plain(own(LISTS, list)?.(around) ?? [])
}

/** The words that are text to every shell, and no option. */
function plain(words: readonly string[]): string[] {
  return words.filter(word => /^[A-Za-z0-9][A-Za-z0-9._@:/+-]{0,255}$/.test(word)).slice(0, MOST)
}

/** The beginnings of the names in a folder that have the end. */
function namesIn(place: string, folder: string, end: string = ''): string[] {
  const names = someNames(join(place, folder)).filter(name => name.endsWith(end))
  return plain(names.map(name => name.slice(0, name.length - end.length)))
}

/** Searches the lines of a lock, which have one form (docs/spec/lock.md, 15.3). */
function inLock({ cwd, lock }: Around, line: RegExp): string[] {
  const path = resolve(cwd, lock)
  return smallText(path).startsWith('version = 1\n') ? found(line, path) : []
}

/** Returns what the first group of a pattern matches in a file. */
function found(pattern: RegExp, ...path: readonly string[]): string[] {
  return [...smallText(join(...path)).matchAll(pattern)].map(([, word = '']) => word)
}
