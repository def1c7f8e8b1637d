// What a channel is → members of an answer with --json.
import { publishedFacts } from './channel-facts.ts'
import type { ChannelContents } from './contents.ts'
import { stepText } from './render-channel.ts'

export function publishedJson(contents: ChannelContents, now: Date): object {
  const facts = publishedFacts(contents, now)
  return { ...facts, next: facts.next.map(stepText) }
}
