// Lists installed bundles with their verdict under today's policies, and whether the folder beside each, which other runtimes read, holds
// the same. A broken one never hides the others.

import { type ComparedFolder, compareFolder } from '../io/read/compare.ts'
import { entryAt } from '../io/read/entry.ts'
import { type Installed, installedIn } from '../io/root/find-installed.ts'
import { readStamp } from '../io/root/own-folder.ts'
import { folderPath, type Root } from '../io/root/root-places.ts'
import { readState } from '../io/state/state.ts'
import { RlpError } from '../model/error.ts'
import { ownMembers } from '../model/own.ts'
import type { Report } from '../model/report.ts'
import type { AgentState, Allowance } from '../model/state.ts'
import type { Verdict } from '../model/verdict.ts'
import { type Judging, verifyWith } from '../verify/examine.ts'
import { bundleIdentity, manifestDigestOf, referenceText } from '../version/reference.ts'
import { installIn } from './record.ts'

/**
 * `stale`: expired, or older than what was installed before. `changed`: not the file that rlp installed. `interrupted`: the next install
 * in this root finishes it. `shadowed`: an earlier root has the same agent. The others are about the unpacked folder beside the file.
 */
export type InstalledMark = 'revoked' | 'stale' | 'changed' | 'interrupted' | 'shadowed' | FolderMark

export interface InstalledAgent {
  /** `name` or `name@variant`. */
  readonly agent: string
  readonly name: string
  readonly variant: string | null
  readonly version: string | null
  /** `blake3:…` of the manifest; null where it was not read. */
  readonly identity: string | null
  /** The same in hex alone, as the existing runtime's list has it. */
  readonly digest: string | null
  readonly status: Status
  readonly issues: readonly string[]
  readonly source_dir: string
  readonly manifest: string
  /** The installed file; null for a folder from another source. */
  readonly bundle: string | null
  /** The unpacked folder beside the file, which other runtimes read, compared with it; null if there is none and none is missing. */
  readonly folder: FolderBeside | null
  readonly verdict: Verdict
  readonly reasons: readonly string[]
  readonly marks: readonly InstalledMark[]
  readonly allowed: readonly Allowance[]
  /** The name of the lock by which it was installed; null for a bundle that a person installed, and for a lock without a name. */
  readonly lock: string | null
}

export interface InstalledAgents {
  readonly agents: readonly InstalledAgent[]
  /** The roots that were looked at, absolute, in the order in which names are looked up. */
  readonly search_dirs: readonly string[]
}

/** @param roots in the order in which names are looked up */
export async function judgeInstalled(
  roots: readonly Root[],
  options: Judging,
  home?: string,
): Promise<InstalledAgents> {
  const rows: InstalledAgent[] = []
  const seen = new Set<string>()
  for (const root of roots) {
    for (const installed of await installedIn(root)) {
      const row = await rowOf(installed, options, home)
      rows.push(seen.has(row.agent) ? { ...row, marks: [...row.marks, 'shadowed'] } : row)
      seen.add(row.agent)
    }
  }
  return { agents: rows, search_dirs: roots.map(({ path }) => path) }
}

async function rowOf(
  installed: Installed,
  options: Judging,
  home: string | undefined,
): Promise<InstalledAgent> {
  const { path, label, root, agent } = installed
  const { report } = await verifyWith(path, { ...options, label, expect: agent ?? 'any' }, 'parsed')
  const { verdict, reasons, identity, agent: about } = report
  const status = statusOf(report)
  const messages = reasons.map(({ message }) => message)
  const { marks, allowed, lock, isUnpacked } = await rememberedOf(installed, report, home)
  const [name = label, variant] = agent === undefined ? [about?.name, about?.variant] : agent.split('@')
  const folder = agent !== undefined && isUnpacked ? folderPath(root, agent) : undefined
  const isInterrupted = marks.includes('interrupted')
  const beside =
    agent === undefined
      ? null
      : await folderBeside(folderPath(root, agent), report, {
          isUnpacked,
          isInterrupted,
          isSound: status === 'ok',
        })
  return {
    agent: referenceText({ name, variant }),
    name,
    variant: variant ?? null,
    version: about?.version ?? null,
    identity,
    digest: identity && manifestDigestOf(identity),
    status,
    issues: status === 'ok' ? [] : messages,
    source_dir: root.path,
    manifest:
      agent === undefined ? `${path}/manifest.toml` : folder === undefined ? path : `${folder}/manifest.toml`,
    bundle: agent === undefined ? null : path,
    folder: beside,
    verdict,
    reasons: verdict === 'trusted' ? [] : messages,
    marks: [...marks, ...folderMarks(beside, status === 'ok' && !isInterrupted)],
    allowed,
    lock,
  }
}

async function rememberedOf({ agent, root }: Installed, report: Report, home: string | undefined) {
  const { verdict, identity } = report
  const marks: InstalledMark[] = []
  if (verdict === 'revoked') marks.push('revoked')
  if (verdict === 'expired' || verdict === 'rolled_back') marks.push('stale')
  const state = agent === undefined ? undefined : await stateOf(agent, home)
  const record = state && installIn(state, root.path)
  if (agent === undefined || record === undefined)
    return { marks, allowed: [], lock: null, isUnpacked: false }
  const stamp = await readStamp(root.path, agent)
  if (stamp === undefined) marks.push('interrupted')
  else if (identity !== bundleIdentity(record.manifestDigest)) marks.push('changed')
  return {
    marks,
    allowed: record.allowed,
    lock: ownMembers(record).lock ?? null,
    isUnpacked: stamp?.unpacked === true,
  }
}

/** With unusable state the verdict is already `indeterminate`. */
async function stateOf(agent: string, home: string | undefined): Promise<AgentState | undefined> {
  try {
    return await readState(agent, home)
  } catch (error) {
    if (!(error instanceof RlpError)) throw error
    return undefined
  }
}

export type FolderBeside = { readonly path: string } & ComparedFolder
export type FolderMark = 'folder_changed' | 'folder_missing' | 'folder_not_compared'

/** @param isUnpacked whether rlp has unpacked one */
async function folderBeside(
  path: string,
  { files }: Report,
  about: { readonly isUnpacked: boolean; readonly isInterrupted: boolean; readonly isSound: boolean },
): Promise<FolderBeside | null> {
  const { isUnpacked, isInterrupted, isSound } = about
  if (!isUnpacked && entryAt(path) === undefined) return null
  const known = files.flatMap(({ path, size, blake3 }) => (blake3 === null ? [] : [{ path, size, blake3 }]))
  const isWhole = isSound && known.length === files.length
  const why = isInterrupted
    ? 'an install of it was interrupted'
    : isWhole
      ? undefined
      : 'the file beside it is not sound'
  return why === undefined
    ? { path, ...(await compareFolder(path, known)) }
    : { path, is: 'not_compared', why }
}

/** @param isGood whether nothing else is said of the bundle: then a folder that was not compared has to be */
function folderMarks(folder: FolderBeside | null, isGood: boolean): FolderMark[] {
  if (folder === null || folder.is === 'same' || (folder.is === 'not_compared' && !isGood)) return []
  return [`folder_${folder.is}`]
}

export type Status = 'ok' | 'digest_mismatch' | 'missing' | 'invalid'

/** A wrong digest comes before a missing file, and that before everything else. */
export function statusOf({ verdict, reasons }: Report): Status {
  if (verdict === 'indeterminate' && reasons[0]?.code === 'unreadable') return 'invalid'
  if (verdict !== 'invalid') return 'ok'
  const codes = reasons.map(({ code }) => code)
  // A digest that was not computed yet is not a wrong one: the missing file is the better answer.
  const isPending = codes.includes('manifest/digest-pending')
  if (codes.some(code => /^manifest\/digest-(?!pending)/.test(code))) return 'digest_mismatch'
  const isMissing = ['files/required', 'manifest/file-missing', 'manifest/entry-missing']
  if (codes.some(code => isMissing.includes(code))) return 'missing'
  return isPending ? 'digest_mismatch' : 'invalid'
}
