// Decides which part of a list a bundle belongs to, from its name alone: jobs that never speak with each other judge every bundle once
// (docs/spec/shards.md).
import { hash } from 'node:crypto'
import { hostPortOf } from '../oci/reference.ts'
import { readHostPort } from '../policy/host.ts'

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

/** Host and port, and the repository with whatever is before a tag or a digest. */
const IN_REGISTRY = /^oci:\/\/([^/]*)\/([^:@]*)/
const IN_LAYOUT = /^oci-layout:(.*?)(?:@sha256:[0-9a-f]{64})?$/s
/** `C:\store` has none. */
const LAYOUT_TAG = /:[^:/\\]*$/

/**
 * The name that decides about the shard of a bundle. A reference need not be right: all jobs have to agree about a wrong one too, whatever
 * their version of Node knows of hosts.
 * @param target as the report names it: a path, or a reference as it was written, never that of a mirror
 */
export function shardName(target: string): string {
  const [, host = '', path = ''] = IN_REGISTRY.exec(target) ?? []
  const read = readHostPort(host)
  const repository = segmentsOf(path).join('/')
  if (!('problem' in read) && repository !== '') return `${hostPortOf(read)}/${repository}`
  const [, layout] = IN_LAYOUT.exec(target) ?? []
  return lastOf(layout === undefined ? target : layout.replace(LAYOUT_TAG, ''))
}

function lastOf(path: string): string {
  const segments = segmentsOf(path)
  const last = segments.pop() ?? path
  const around = segments.pop()
  return last === NAMELESS && around !== undefined && around !== '..' ? around : last
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter(segment => segment !== '' && segment !== '.')
}

/** From 1. */
export function shardIndex(target: string, of: number): number {
  return (hash('sha256', shardName(target), 'buffer').readUIntBE(0, 6) % of) + 1
}
