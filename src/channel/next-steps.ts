// What is there of a channel → what has to be done next. Pure.
import { heartbeatMisfit } from './check-contents.ts'
import type { ChannelContents } from './contents.ts'
import { completed, lacking } from './signatures.ts'

const DAY_MS = 86_400_000
/** How long before its end something is made again. */
const SOON = { root: 30 * DAY_MS, release: 7 * DAY_MS } as const

/** Something that is due. */
export interface NextStep {
  readonly verb: 'sign' | 'release' | 'rotate' | 'heartbeat'
  /** A clause. */
  readonly why: string
}

/** None if all is well. */
export function nextSteps(stored: ChannelContents, now: Date): readonly NextStep[] {
  // What waits for a heartbeat has all its signatures.
  const contents = completed(stored)
  const { roots, release, heartbeat, draft } = contents
  const steps: NextStep[] = []
  const left = (end: string) => Date.parse(end) - now.getTime()
  const missing = lacking(contents)
  if (missing.length > 0) {
    const whats = [...new Set(missing.map(({ what }) => what))].join(' and ')
    steps.push({ verb: 'sign', why: `${whats} ${whats.includes(' and ') ? 'lack' : 'lacks'} signatures` })
  } else if (draft.root !== undefined || (release === undefined && draft.release === undefined))
    steps.push({
      verb: 'release',
      why:
        draft.root === undefined
          ? 'nothing is released yet'
          : `root ${draft.root.statement.version} waits for a release under it`,
    })
  const root = roots.at(-1)
  if (root === undefined || release === undefined) return steps
  if (draft.release === undefined && left(release.statement.expires) < SOON.release)
    steps.push({ verb: 'release', why: `the release ${endWords(release.statement.expires, now)}` })
  if (draft.root === undefined && left(root.statement.expires) < SOON.root)
    steps.push({ verb: 'rotate', why: `the root ${endWords(root.statement.expires, now)}` })
  if (heartbeatMisfit(contents, heartbeat) !== undefined)
    steps.push({
      verb: 'heartbeat',
      why: 'no heartbeat speaks for the newest root and release, and hosts wait for it',
    })
  else if (heartbeat !== undefined && left(heartbeat.statement.expires) < 0)
    steps.push({ verb: 'heartbeat', why: `the heartbeat ${endWords(heartbeat.statement.expires, now)}` })
  return steps
}

function endWords(end: string, now: Date): string {
  return `${Date.parse(end) < now.getTime() ? 'ended' : 'ends'} at ${end}`
}
