// Checks what a caller of the library hands in: bundles, trust policies, folders and attestations. Types are gone at run time, so
// everything else is refused by its name.
import { resolve } from 'node:path'
import { isAnyArrayBuffer, isUint8Array } from 'node:util/types'
import { DEFAULT_LIMITS, type Limits } from '../bundle/archive.ts'
import type { BundleInput } from '../io/bundle/bundle-bytes.ts'
import { isUrl, pathOfUrl } from '../io/file-url.ts'
import { refuseUnknownMembers } from '../io/library/unknown-members.ts'
import { UsageError } from '../model/error.ts'
import { kindName, wrongValue } from '../model/kind-name.ts'
import { isTable } from '../model/own.ts'
import type { PolicyContent } from '../model/policy-content.ts'
import type { TrustPolicyTable } from '../model/trust-table.ts'

/**
 * A bundle: the path of a file or of an unpacked bundle, a `file:` url (also as text), the bytes, or a stream of bytes such as
 * `fs.createReadStream` and the `body` of a `fetch` give. A stream is read once, to its end.
 */
export type BundleSource = string | URL | Uint8Array | ArrayBuffer | AsyncIterable<Uint8Array>

/**
 * A trust policy: a path or a `file:` url, the text of one, as a string with a line break or as bytes, or an object with the same tables.
 * What was named and cannot be used decides nothing: the verdict is `indeterminate`.
 */
export type TrustPolicyGiven = string | URL | Uint8Array | TrustPolicyTable

/** What came with a bundle: the path or `file:` url of such a file, its bytes, or `false` for none. */
export type AttestationsInput = string | URL | Uint8Array | false

/** A folder: a path or a `file:` url. */
export type FolderGiven = string | URL

/** Bytes are as they were at the call: the function of the library has copied them. @throws RlpError USAGE */
export function bundleInput(source: BundleSource): BundleInput {
  if (isUint8Array(source)) return source
  if (isAnyArrayBuffer(source)) return new Uint8Array(source)
  if (typeof source === 'string') return /^file:\/\//i.test(source) ? pathOfUrl(source, 'verify') : source
  if (isUrl(source)) return pathOfUrl(source, 'verify')
  if (typeof source === 'object' && source !== null && Symbol.asyncIterator in source) return source
  throw new UsageError(`Cannot verify a bundle: its source is ${kindOf(source)}`, {
    field: 'source',
    expected: 'a path, a file: URL, a Uint8Array, an ArrayBuffer or an async iterable of Uint8Array',
    hint: 'Name its path, or hand over its bytes',
  })
}

/** @returns an absolute path, or the policy itself. @throws RlpError USAGE for what is no policy at all, and for a url that names no file */
export function policyInput(given: TrustPolicyGiven, cwd: string): string | PolicyContent {
  if (typeof given === 'string' && /[\r\n]/.test(given)) return { content: new TextEncoder().encode(given) }
  const isOdd = typeof given === 'string' && given.includes('\0')
  if (isOdd || (typeof given !== 'string' && !isTable(given))) {
    const is = isOdd ? 'has a zero byte' : `is ${kindOf(given)}`
    throw new UsageError(`Cannot use the trust policy: it ${is}`, {
      expected: 'a path, a file: URL, the text of a policy, or an object with its tables',
      hint: 'Name a file, or hand over what one holds',
    })
  }
  if (isUrl(given)) return pathOfUrl(given, 'use the trust policy')
  if (typeof given !== 'string') return { content: given }
  return /^file:\/\//i.test(given) ? pathOfUrl(given, 'use the trust policy') : resolve(cwd, given)
}

/** @returns an absolute path. @throws RlpError USAGE */
export function folderInput(given: FolderGiven | false, field: string, cwd: string): string | false {
  if (given === false) return false
  if (typeof given === 'string' && given.includes('\0'))
    throw new UsageError(`Cannot use ${field}: it has a zero byte`, { field, hint: 'Name a folder' })
  if (typeof given === 'string' && given !== '' && !/^file:\/\//i.test(given)) return resolve(cwd, given)
  if (isUrl(given) || (typeof given === 'string' && given !== '')) return pathOfUrl(given, `use ${field}`)
  throw new UsageError(`Cannot use ${field}: it is ${kindOf(given)}`, {
    field,
    expected: 'a path, a file: URL, or false',
    hint: 'Name a folder, or say false for none',
  })
}

/** @throws RlpError USAGE for a url that names no file */
export function attestationsInput(
  given: AttestationsInput,
  cwd: string,
  field = 'attestations',
): string | Uint8Array | false {
  return isUint8Array(given) ? given : folderInput(given, field, cwd)
}

/** What is left out is as without `limits`. @throws RlpError USAGE for a limit that there is not, and for one that is no count */
export function limitsInput(given: Limits): Limits {
  const { files, fileBytes, totalBytes } = DEFAULT_LIMITS
  const known = { files, fileBytes, totalBytes }
  refuseUnknownMembers(given, Object.keys(known), 'limits')
  const odd = Object.values(given).find(limit => limit !== undefined && !(limit >= 0))
  if (odd !== undefined) throw wrongValue('limits', kindName(odd), 'counts of files and bytes')
  return { ...known, ...given }
}

function kindOf(value: unknown): string {
  if (value === '') return 'an empty text'
  return typeof value === 'object' && value !== null ? 'an object of another kind' : kindName(value)
}

/** On what a verdict depends beside the bytes of the bundle, the clock, and what the administrator has put below `/etc/runloop`. */
export interface TrustOptions {
  /** A trust policy in place of the user's own, `~/.runloop/trust-policy.toml`. */
  readonly trustPolicy?: TrustPolicyGiven | undefined
  /**
   * In place of `$RUNLOOP_HOME` or `~/.runloop`: the user's trust policy, the marks of what was installed before, and overrides of
   * policy.caps. `false` for none of them.
   */
  readonly home?: FolderGiven | false | undefined
  /**
   * The folder with the high-water marks, as `~/.runloop/state` is; it has to be there. `false` for no marks: then an older version is not
   * noticed. Where `state` is given and `home` is not, nothing else of a home folder is looked at.
   */
  readonly state?: FolderGiven | false | undefined
  /** The time of the judgement; the clock's where this is left out. Ends, suppressions and channels are held against it. */
  readonly now?: Date | undefined
  /** Let the keys of development anchors count. */
  readonly allowDev?: boolean | undefined
  /**
   * What came with a bundle that a policy may require (docs/evidence.md); the file beside a path, `<bundle>.intoto.jsonl`, where this is
   * left out.
   */
  readonly attestations?: AttestationsInput | undefined
}
