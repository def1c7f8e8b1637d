// What a channel is → members of an answer with --json.
import { publishedFacts, type RootFacts } from './channel-facts.ts'
import type { ChannelContents } from './contents.ts'
import { stepText } from './render-channel.ts'

export function publishedJson(contents: ChannelContents, now: Date): object {
  const { roots, draft, next, ...facts } = publishedFacts(contents, now)
  const { name, channel, ...rest } = facts
  const { release, heartbeat, people, lacking } = rest
  return {
    name,
    channel,
    roots: roots.map(rootJson),
    release,
    heartbeat,
    people,
    draft: { root: draft.root === null ? null : rootJson(draft.root), release: draft.release },
    ...{ lacking, next: next.map(stepText) },
  }
}

export function rootJson<T extends RootFacts>({ heartbeatSeconds, ...root }: T): object {
  const { version, blake3, epoch, expires, threshold, keys, heartbeats, ...more } = root
  return {
    ...{ version, blake3, epoch, expires, threshold, keys, heartbeats },
    heartbeat_seconds: heartbeatSeconds,
    ...more,
  }
}
