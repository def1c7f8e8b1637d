// Decides which part of a list a bundle belongs to, from its name alone: jobs that never speak with each other judge every bundle once
// (docs/spec/shards.md).
import { hash } from 'node:crypto'
import { hostPortOf, readOciReference } from '../oci/reference.ts'

/** One of several parts of a list. */
export interface Shard {
  /** From 1. */
  readonly index: number
  readonly of: number
}

/** The most parts that a list can have. */
export const MOST_SHARDS = 1_000_000

const SHARD = /^([1-9][0-9]{0,6})\/([1-9][0-9]{0,6})$/

/** Reads `3/8`. Undefined for anything else, also for `1/1`: the whole list is not a part of it. */
export function readShard(text: string): Shard | undefined {
  const [, first, second] = SHARD.exec(text) ?? []
  const [index, of] = [Number(first), Number(second)]
  return first !== undefined && isPart({ index, of }) ? { index, of } : undefined
}

/** Whether there is such a part. */
export function isPart({ index, of }: Shard): boolean {
  return of > 1 && of <= MOST_SHARDS && index >= 1 && index <= of
}

export function shardText({ index, of }: Shard): string {
  return `${index}/${of}`
}

/** An unpacked bundle, or a file, of this name is known by the folder around it. */
const NAMELESS = 'agent.bundle'

/**
 * The name that decides about the shard of a bundle.
 * @param target as the report names it: a path, or a reference as it was written, never that of a mirror
 */
export function shardName(target: string): string {
  const read = readOciReference(target)
  if (!('value' in read)) return lastOf(target)
  const { place } = read.value
  return place.in === 'layout' ? lastOf(place.folder) : `${hostPortOf(place)}/${place.repository}`
}

function lastOf(path: string): string {
  const parts = path.split('/').filter(part => part !== '' && part !== '.')
  const last = parts.pop() ?? path
  const around = parts.pop()
  return last === NAMELESS && around !== undefined && around !== '..' ? around : last
}

/** From 1. */
export function shardIndex(target: string, of: number): number {
  return (hash('sha256', shardName(target), 'buffer').readUIntBE(0, 6) % of) + 1
}
