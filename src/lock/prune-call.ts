// What --prune is asked for, and what it is about to remove.
import type { Root } from '../io/root/root-places.ts'
import type { UsableLock } from './lock-file.ts'

export interface PruneCall {
  readonly locks: readonly UsableLock[]
  readonly root: Root
  readonly home?: string | undefined
  readonly dryRun: boolean
  readonly signal: AbortSignal
}

/** An agent that a lock has put into the root. */
export interface PutByLock {
  readonly agent: string
  readonly version: string
  /** The name of the lock. */
  readonly lock: string
}

export interface Unnamed extends PutByLock {
  readonly fileDigest: string
}

/** By the name of each lock: the agents that it had put into the root before it changed for the last time. */
export type Before = ReadonlyMap<string, readonly string[]>

export interface PrunePlan {
  /** No lock that was given names them. */
  readonly unnamed: readonly Unnamed[]
  /** No lock names them, and their file is not the one that was installed: they stay. */
  readonly kept: readonly PutByLock[]
}
