// The file with the highest numbers of a channel that a user has seen. This program alone writes it, in one form, so any other bytes
// mean that it is damaged.
import type { ChannelSeen } from '../model/channel.ts'
import { isTable, own } from '../model/own.ts'
import { isUtcSecond } from '../signature/envelope.ts'
import { readReached, writeReached } from './state.ts'

const VERSION = 1

export function writeChannelSeen({ since, root, release, heartbeat }: ChannelSeen): Uint8Array {
  const numbers = [root, release, heartbeat].map(writeReached)
  const [first, second, third] = numbers
  return Buffer.from(
    `${JSON.stringify({ version: VERSION, since, root: first, release: second, heartbeat: third })}\n`,
  )
}

/** Returns undefined for anything that {@link writeChannelSeen} does not write. Never throws. */
export function readChannelSeen(bytes: Uint8Array): ChannelSeen | undefined {
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(bytes).toString('utf8'))
  } catch {
    // The caller says that the file is damaged, which is all that a person has to know.
    return undefined
  }
  if (!isTable(value)) return undefined
  const { since } = value
  const [root, release, heartbeat] = ['root', 'release', 'heartbeat'].map(name =>
    readReached(own(value, name)),
  )
  if (!isUtcSecond(since) || root === null || release === null || heartbeat === null) return undefined
  const seen = { since, root, release, heartbeat }
  return Buffer.compare(writeChannelSeen(seen), bytes) === 0 ? seen : undefined
}
