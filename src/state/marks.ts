// High-water marks of one agent: which version is behind them, and how they rise (docs/spec/marks.md). They know versions, content and keys,
// but no names.
import type { AgentState, Mark } from '../model/state.ts'
import type { HighWaterMark } from '../model/trust.ts'
import { isOlder, isSameVersion } from '../version/version.ts'

/** What is compared with the marks. */
interface Compared {
  readonly version: string
  /** BLAKE3 of the manifest. */
  readonly manifestDigest: string
}

export interface Behind<M> {
  readonly is: 'older' | 'other_content'
  /** The mark that decided. */
  readonly mark: M
}

/** Undefined if the marks allow the version. */
export function behindMarks<M extends Pick<HighWaterMark, 'version' | 'manifestDigest'>>(
  { version, manifestDigest }: Compared,
  marks: readonly M[],
): Behind<M> | undefined {
  const newer = marks.find(mark => isOlder(version, mark.version))
  if (newer !== undefined) return { is: 'older', mark: newer }
  // Builds of one version (1.0.0+a, 1.0.0+b) have no order: neither may follow the other.
  const same = marks.filter(mark => isSameVersion(version, mark.version))
  const [first] = same
  // If the state has two contents of one version, both were trusted here.
  const isKnown = same.some(mark => mark.manifestDigest === null || mark.manifestDigest === manifestDigest)
  return first === undefined || isKnown ? undefined : { is: 'other_content', mark: first }
}

/** A mark never goes down. Keys that vouch for the same content later are added to it. */
export function raise(marks: readonly Mark[], mark: Mark): readonly Mark[] {
  if (marks.some(({ version }) => isOlder(mark.version, version))) return marks
  const level = marks.filter(({ version }) => isSameVersion(version, mark.version))
  const before = level.find(({ manifestDigest }) => manifestDigest === mark.manifestDigest)
  const others = level.filter(one => one !== before && one.manifestDigest !== null)
  return [...others, { ...mark, keys: [...new Set([...(before?.keys ?? []), ...mark.keys])] }]
}

/** Whether the agent was ever installed signed. A reset does not forget that. */
export function wasSigned({ marks, baselines, installs, resets }: AgentState): boolean {
  return (
    marks.length > 0 ||
    baselines.length > 0 ||
    installs.some(({ verdict }) => verdict !== 'unsigned') ||
    resets.some(reset => reset.marks.length > 0)
  )
}
