// Writes the lines that a person reads before signing: the newest statements and their age.
import { digestText } from '../text/digest-text.ts'
import { timeBetween } from '../text/time.ts'
import type { BuiltOn } from './built-on.ts'

/** What a signature builds on, how old that is, and whether this user would know of anything newer. */
export function builtOnLines({ release, heartbeat, seen }: BuiltOn, now: Date): string[] {
  const ago = (moment: string) => `${moment}, ${timeBetween(new Date(moment), now)} ago`
  return [
    release === undefined
      ? 'builds on no release: none is complete yet'
      : `builds on release ${release.statement.version}  ${digestText(release.digest)}`,
    heartbeat === undefined
      ? 'there is no heartbeat yet'
      : `newest heartbeat of ${ago(heartbeat.statement.issued)}, for release ${heartbeat.statement.release.version}`,
    seen === undefined
      ? 'you have not seen this channel before: ask another person which release is the newest'
      : `you have seen nothing newer since ${ago(seen.since)}`,
  ]
}
