// Trust channels that this host follows: whether each decides, who may write what decides it, and what of it ends soon.

import { isOfOneKey, ONE_KEY } from '../follow/one-key.ts'
import { type ChannelPlaces, listLabel } from '../io/channel-places.ts'
import { Ways } from '../io/owner/ways.ts'
import type { ChannelState, ChannelStatement, FollowedChannel, SignedStatement } from '../model/channel.ts'
import type { PolicySource } from '../model/trust.ts'
import { timeBetween } from '../text/time.ts'
import { newestRoot } from '../trust/channels/advance.ts'
import { followedAt, judgeFollowed, stateOf } from '../trust/channels/read-channels.ts'
import { asOf } from '../trust/usable-policy.ts'
import { AHEAD_DAYS, endsSoon } from '../verify/ends-soon.ts'
import type { HealthCheck, HealthLine } from './check.ts'
import { wrongLine } from './look.ts'

const DAY_MS = 86_400_000
/** A release lasts some weeks, and the people who sign it need a day or two. */
const RELEASE_MS = 3 * DAY_MS
/** A root lasts a year. */
const ROOT_MS = 30 * DAY_MS
/** A host updates several times for each heartbeat: with so little of it left, some updates have failed. */
const PART_OF_HEARTBEAT = 1 / 4

const UPDATE = 'Run rlp trust update. If nothing newer comes, ask the people who publish it'
const UPDATE_OFTEN =
  'Run rlp trust update, and let a timer do it (docs/channels.md). If nothing newer comes, ask the people who publish it'

export const followedChannels = {
  name: 'channels',
  async look({ channels, now }) {
    const lines: HealthLine[] = []
    const ways = new Ways()
    for (const places of channels) {
      try {
        for (const channel of await followedAt(places, ways))
          lines.push(...(await linesOf(channel, places, now, ways)))
      } catch (error) {
        lines.push(wrongLine(`channels ${listLabel(places)}`, error))
      }
    }
    return lines.length > 0 ? lines : [{ level: 'ok', what: 'channels', state: 'none is followed' }]
  },
} as const satisfies HealthCheck

async function linesOf(
  channel: FollowedChannel,
  places: ChannelPlaces,
  now: Date,
  ways: Ways,
): Promise<readonly HealthLine[]> {
  const what = `channel ${channel.name}${places.of === 'system' ? ' of the system' : ''}`
  const source = asOf(await judgeFollowed(channel, places, now, ways), now)
  const { path, policy, problems, hint } = source
  if (policy === undefined)
    return problems.map(problem => {
      const state = problem.startsWith(`${path}: `) ? problem.slice(path.length + 2) : problem
      return { level: 'wrong', what, state, fix: hint ?? 'Run rlp trust update' }
    })
  const state = await stateOf(channel, places, ways)
  const ending = [
    ...(state === undefined ? [] : [...statementsEnding(state, now), ...ofOneKey(state)]),
    ...policyEnding(source, now),
  ]
  if (ending.length > 0) return ending.map(one => ({ level: 'warning', what, ...one }))
  const { root, release, until } = source.channel ?? {}
  return [{ level: 'ok', what, state: `release ${release?.version}, root ${root}, until ${until}` }]
}

function ofOneKey(state: ChannelState): Pick<HealthLine, 'state' | 'fix'>[] {
  const fix = 'Ask the people who publish it to let two of them sign: rlp channel rotate FOLDER --threshold 2'
  return isOfOneKey(newestRoot(state)) ? [{ state: ONE_KEY, fix }] : []
}

/** The first of them that ends makes the channel decide nothing. */
function statementsEnding(state: ChannelState, now: Date): Pick<HealthLine, 'state' | 'fix'>[] {
  const { release, heartbeat } = state
  const root = newestRoot(state)
  const life = heartbeat && Date.parse(heartbeat.statement.expires) - Date.parse(heartbeat.statement.issued)
  return [
    endingOf('its newest heartbeat', heartbeat, (life ?? 0) * PART_OF_HEARTBEAT, now, UPDATE_OFTEN),
    endingOf('its release', release, RELEASE_MS, now, `${UPDATE} for a new release`),
    endingOf('its root', root, ROOT_MS, now, `${UPDATE} to rotate the root`),
  ].filter(one => one !== undefined)
}

function endingOf(
  what: string,
  signed: SignedStatement<ChannelStatement> | undefined,
  soonMs: number,
  now: Date,
  fix: string,
): Pick<HealthLine, 'state' | 'fix'> | undefined {
  if (signed === undefined) return undefined
  const { expires } = signed.statement
  if (Date.parse(expires) - now.getTime() >= soonMs) return undefined
  return { state: `${what} ends at ${expires}, ${timeBetween(now, new Date(expires))} from now`, fix }
}

/** What a policy says of its own end and of its signers’. */
function policyEnding(source: PolicySource, now: Date): Pick<HealthLine, 'state' | 'fix'>[] {
  const counted = (source.policy?.anchors ?? []).map(({ name }) => name)
  return endsSoon({ notAfter: undefined, policies: [source], counted, now, days: AHEAD_DAYS }).map(
    ({ message, hint }) => ({
      state: message,
      fix: hint,
    }),
  )
}
