// Agent → the bytes of its canonical archive (docs/spec/archive.md), compared with the manifest's digests while they stream by.

import { archiveOrder, encodeHeader, paddingAfter, TRAILER } from '../bundle/archive.ts'
import { hasher, NATIVE_FROM_BYTES, preferNative } from '../bundle/blake3.ts'
import { archiveBytes } from '../bundle/writer.ts'
import { type Agent, MANIFEST_FILE } from '../model/agent.ts'
import { RlpError } from '../model/error.ts'
import type { Finding } from '../model/finding.ts'
import { writePath } from '../text/shell-words.ts'
import { statedDigests } from './digest.ts'

/** Rules whose findings `rlp agent digest` fixes. */
const DIGEST_RULES = new Set([
  'manifest/digest-format',
  'manifest/digest-missing',
  'manifest/digest-pending',
  'manifest/digest-stale',
  'manifest/artifact-twice',
])

/**
 * Whether an agent may be packed.
 *
 * @param hint what to do about lint's errors
 * @throws RlpError DIGEST_STALE when `rlp agent digest` is all that is needed, LINT_FAILED when lint has other errors
 */
export function assertPackable(
  agent: Agent,
  findings: readonly Finding[],
  hint = `Run rlp agent lint ${writePath(agent.label)}, which says what to do`,
): void {
  const errors = findings.filter(({ severity }) => severity === 'error')
  const [first] = errors
  if (first === undefined) return
  if (errors.every(({ rule }) => DIGEST_RULES.has(rule)))
    throw new RlpError(
      'DIGEST_STALE',
      `Cannot pack "${agent.label}": ${first.message}${andMore(errors.length)}`,
      { hint: `If the changes are meant, run rlp agent digest ${writePath(agent.label)}` },
    )
  const other = errors.find(({ rule }) => !DIGEST_RULES.has(rule)) ?? first
  throw new RlpError(
    'LINT_FAILED',
    `Cannot pack "${agent.label}": ${placeOf(other)}${other.message}${andMore(errors.length)}`,
    { hint },
  )
}

/** What is about all files together has no place. */
function placeOf({ file, line, column }: Finding): string {
  return file === '' ? '' : `${file}:${line}:${column} `
}

/** `<name>[@variant]-<version>.agent.bundle`: verification compares a bundle with this name (docs/spec/expectation.md, X-10). */
export function bundleFileName(agent: Agent): string {
  const { name, version, variant } = agent.manifest ?? {}
  return `${name}${variant === undefined ? '' : `@${variant}`}-${version}.agent.bundle`
}

/**
 * The archive's bytes. Chunks may be views of a buffer that the next chunk overwrites.
 * @param agent one that {@link assertPackable} accepted
 * @throws RlpError DIGEST_STALE if a large file, read only now, does not match its digest; CHANGED_WHILE_READING
 */
export async function* packedBytes(agent: Agent): AsyncGenerator<Uint8Array> {
  const { manifest, files } = agent
  if (manifest === undefined) throw new TypeError('an agent without a manifest is not packable')
  const stated = statedDigests(manifest)
  const stale: string[] = []
  if (archiveBytes(files.list) >= NATIVE_FROM_BYTES) await preferNative()
  for (const entry of [...files.list].sort((a, b) => archiveOrder(a.path, b.path))) {
    yield encodeHeader(entry.path, entry.size)
    if (entry.content !== undefined) {
      yield entry.content
    } else {
      const hash = hasher()
      for await (const chunk of files.open(entry.path)) {
        hash.update(chunk)
        yield chunk
      }
      if (entry.path !== MANIFEST_FILE && hash.hex() !== stated.get(entry.path)) stale.push(entry.path)
    }
    const padding = paddingAfter(entry.size)
    if (padding > 0) yield TRAILER.subarray(0, padding)
  }
  const [first] = stale
  if (first !== undefined)
    throw new RlpError(
      'DIGEST_STALE',
      `Cannot pack "${agent.label}": the digest of ${first} is stale${andMore(stale.length)}`,
      { hint: `If the change is meant, run rlp agent digest ${writePath(agent.label)}` },
    )
  yield TRAILER
}

function andMore(count: number): string {
  return count > 1 ? ` (and ${count - 1} more)` : ''
}
