// High-water marks of one agent: what is behind them, and how they rise (DESIGN §3.7). They know versions, content and keys, no names.
import type { AgentState, Mark } from '../model/state.ts'
import type { HighWaterMark } from '../model/trust.ts'
import { isOlder, isSameVersion } from './version.ts'

/** What is compared with the marks. */
interface Compared {
  readonly version: string
  /** BLAKE3 of the manifest. */
  readonly manifestDigest: string
}

export interface Behind<M> {
  readonly is: 'older' | 'other_content'
  /** The mark that says so. */
  readonly mark: M
}

/** Undefined when the marks have nothing against it. */
export function behindMarks<M extends Pick<HighWaterMark, 'version' | 'manifestDigest'>>(
  { version, manifestDigest }: Compared,
  marks: readonly M[],
): Behind<M> | undefined {
  const newer = marks.find(mark => isOlder(version, mark.version))
  if (newer !== undefined) return { is: 'older', mark: newer }
  // Builds of one version (1.0.0+a, 1.0.0+b) have no order: neither may follow the other.
  const same = marks.filter(mark => isSameVersion(version, mark.version))
  const [first] = same
  // Two contents of one version are possible in state of an earlier rlp; each of them was trusted here.
  const isKnown = same.some(mark => mark.manifestDigest === null || mark.manifestDigest === manifestDigest)
  return first === undefined || isKnown ? undefined : { is: 'other_content', mark: first }
}

/** A mark never goes down. Keys that vouch for the same content later are added to those that did. */
export function raise(marks: readonly Mark[], mark: Mark): readonly Mark[] {
  if (marks.some(({ version }) => isOlder(mark.version, version))) return marks
  const level = marks.filter(({ version }) => isSameVersion(version, mark.version))
  const before = level.find(({ manifestDigest }) => manifestDigest === mark.manifestDigest)
  const others = level.filter(one => one !== before && one.manifestDigest !== null)
  return [...others, { ...mark, keys: [...new Set([...(before?.keys ?? []), ...mark.keys])] }]
}

/** Whether the agent was ever installed signed. No reset forgets that. */
export function wasSigned({ marks, baseline, installs, resets }: AgentState): boolean {
  return (
    marks.length > 0 ||
    baseline !== undefined ||
    installs.some(({ verdict }) => verdict !== 'unsigned') ||
    resets.some(reset => reset.marks.length > 0)
  )
}
