// What a check of this host is, and what it says.
import type { ChannelPlaces } from '../io/channel-places.ts'
import type { Root } from '../io/root/root-places.ts'
import type { HighWaterMark, PolicySource } from '../model/trust.ts'
import type { Verification } from '../verify/verify.ts'

/** From the best to the worst. */
export const STATES = ['ok', 'warning', 'wrong'] as const

export interface HealthLine {
  readonly level: (typeof STATES)[number]
  /** What was looked at: `policy ~/.runloop/trust-policy.toml`. */
  readonly what: string
  /** In words, without a full stop. */
  readonly state: string
  /** What to do; only of what is not ok. */
  readonly fix?: string | undefined
}

/** The host as a check sees it. Nothing of it is written, and no request is made. */
export interface LookedHost {
  /** `~/.runloop` or `$RUNLOOP_HOME`. */
  readonly home: string
  /** `/etc/runloop`. */
  readonly system: string
  /** In which agents are installed. */
  readonly roots: readonly Root[]
  /** Where it is written down which channels are followed: the system's, then the user's. */
  readonly channels: readonly ChannelPlaces[]
  /** Where programs of the system are looked for, in place of the usual folders; for tests. */
  readonly systemFolders?: readonly string[]
  readonly now: Date
  readonly signal: AbortSignal
  /** The policies in files, without those of channels. */
  policies(): Promise<readonly PolicySource[]>
  /** Each installed bundle under today’s policies. */
  judged(): Promise<readonly JudgedAgent[]>
  /** Installed bundles that count as marks of an agent, because the state has none or an older one. */
  installedMarks(agent: string): Promise<readonly HighWaterMark[]>
}

export interface JudgedAgent {
  readonly label: string
  /** `name` or `name@variant`; undefined for a folder of another source. */
  readonly agent: string | undefined
  readonly verification: Verification
}

export interface HealthCheck {
  /** One word, for programs. */
  readonly name: string
  /** At least one line, also where nothing is there. What it throws becomes a line. */
  look(host: LookedHost): Promise<readonly HealthLine[]>
}
