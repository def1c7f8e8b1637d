// Trust policies on disk → PolicySource[]. A policy that is there and cannot be relied upon decides nothing; it is never "no policy".
import type { Stats } from 'node:fs'
import { lstat, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { blake3Hex } from '../format/blake3.ts'
import { lineColumn } from '../format/text.ts'
import { parseToml } from '../format/toml.ts'
import { readTrustPolicy } from '../format/trust-policy.ts'
import type { Document } from '../model/document.ts'
import { RlpError } from '../model/error.ts'
import type { PolicySource } from '../model/trust.ts'
import { io } from './fail.ts'
import { runloopHome, SYSTEM_TRUST_POLICY, TRUST_POLICY_NAME } from './home.ts'
import { openFile, readWhole } from './read-file.ts'

export interface TrustPolicyPlaces {
  /** Stands in for the user's own policy; the system's still applies. It has to exist. */
  readonly given?: string
  /** For tests; `/etc/runloop/trust-policy.toml` else. */
  readonly system?: string
  readonly home?: string
}

/** Every policy that applies, the system's first. Files that do not exist are no policies. */
export async function readTrustPolicies(places: TrustPolicyPlaces = {}): Promise<PolicySource[]> {
  const own = join(places.home ?? runloopHome(), TRUST_POLICY_NAME)
  const system = await readSource(places.system ?? SYSTEM_TRUST_POLICY, 'system')
  const user = places.given === undefined ? await readSource(own, 'user') : await readGiven(places.given)
  return [system, user].filter(source => source !== undefined)
}

/** A policy that was named has to be there: a misspelt name must not mean "no policy". */
async function readGiven(path: string): Promise<PolicySource> {
  return (await readSource(path, 'given')) ?? broken(path, 'given', undefined, [`${path}: no such file`])
}

async function readSource(path: string, role: PolicySource['role']): Promise<PolicySource | undefined> {
  try {
    const bytes = await readOwn(path)
    return bytes && read(path, role, bytes)
  } catch (error) {
    if (!(error instanceof RlpError)) throw error
    return broken(path, role, undefined, [error.message])
  }
}

/** The bytes, or undefined when there is no such file. */
export async function readOwn(path: string): Promise<Uint8Array | undefined> {
  const there = await io(`read "${path}"`, () =>
    lstat(path).catch(error => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
      throw error
    }),
  )
  if (there === undefined) return undefined
  const file = await openFile(path, { follow: true })
  try {
    refuseForeign(path, await file.handle.stat(), 'file')
    refuseForeign(dirname(path), await stat(dirname(path)), 'folder')
    return await readWhole(file, path)
  } finally {
    await file.handle.close()
  }
}

/** Whoever may write the policy, or put another in its place, decides who is trusted. */
function refuseForeign(path: string, { uid, mode }: Stats, what: 'file' | 'folder'): void {
  if (process.getuid === undefined) return
  if (uid !== 0 && uid !== process.getuid()) {
    throw new RlpError('NO_PERMISSION', `Cannot rely on "${path}": it belongs to another user`, {
      hint: 'It has to belong to you or to root',
    })
  }
  // In a folder with the sticky bit only the owner of a file can replace it.
  const isSticky = what === 'folder' && (mode & 0o1000) !== 0
  if ((mode & 0o022) !== 0 && !isSticky) {
    throw new RlpError('NO_PERMISSION', `Cannot rely on "${path}": others may write it`, {
      hint: `Run chmod go-w ${path}`,
    })
  }
}

function read(path: string, role: PolicySource['role'], bytes: Uint8Array): PolicySource {
  const digest = blake3Hex(bytes)
  const parsed = parseToml(path, bytes)
  if (!parsed.ok) {
    const { offset, message } = parsed.problem
    const line = offset === undefined || parsed.text === undefined ? 1 : lineColumn(parsed.text, offset).line
    return broken(path, role, digest, [`${path}:${line}: ${message}`])
  }
  const { document } = parsed
  const result = readTrustPolicy(document)
  if (!result.ok) {
    const problems = result.problems.map(({ pointer, part, message }) => {
      const { line, column } = lineColumn(document.text, document.locate(pointer, part).start)
      return `${path}:${line}:${column}: ${message}`
    })
    return broken(path, role, digest, problems)
  }
  return {
    path,
    role,
    digest,
    policy: result.policy,
    problems: [],
    lineOf: pointer => lineOf(document, pointer),
  }
}

function lineOf(document: Document, pointer: readonly (string | number)[]): number {
  return lineColumn(document.text, document.locate(pointer, 'key').start).line
}

function broken(
  path: string,
  role: PolicySource['role'],
  digest: string | undefined,
  problems: readonly string[],
): PolicySource {
  return { path, role, digest, policy: undefined, problems, lineOf: () => undefined }
}
