// Takes one part of a list, and keeps count of all of it: jobs that walk the same list say the same of it, and one that was given another list
// is found out.
import { createHash, hash } from 'node:crypto'
import { type Shard, shardIndex } from './shard.ts'
import type { FleetTask } from './task.ts'

const DIGEST_BYTES = 32

export class WalkedList {
  /** All that were named. A repository of a registry is one of them, with all that is in it. */
  targets = 0
  /** Those of this job. */
  here = 0
  #digests = Buffer.alloc(1024 * DIGEST_BYTES)

  /** @param name of a bundle below the folder or list that named it */
  add(name: string, isHere: boolean): void {
    const from = this.targets * DIGEST_BYTES
    if (from === this.#digests.length) this.#digests = Buffer.concat([this.#digests], from * 2)
    hash('sha256', name, 'buffer').copy(this.#digests, from)
    this.targets++
    if (isHere) this.here++
  }

  /** SHA-256 over the sorted SHA-256 of all names, in hex. It does not depend on their order. */
  get sha256(): string {
    const whole = createHash('sha256')
    for (const some of this.#byFirstByte()) {
      some.sort(Buffer.compare)
      for (const one of some) whole.update(one)
    }
    return whole.digest('hex')
  }

  /** One part after the other, so that few objects live at once. */
  *#byFirstByte(): Generator<Buffer[]> {
    const parts = Array.from({ length: 256 }, (): number[] => [])
    for (let at = 0; at < this.targets; at++) parts[this.#digests[at * DIGEST_BYTES] as number]?.push(at)
    for (const part of parts)
      yield part.map(at => this.#digests.subarray(at * DIGEST_BYTES, (at + 1) * DIGEST_BYTES))
  }
}

/** Whether a task belongs to this job. The listing counts it, wherever it belongs. */
export type TakesPart = (task: FleetTask) => boolean

export function takingPart(shard: Shard | undefined, listing: WalkedList): TakesPart {
  return ({ label, listed }) => {
    const isHere = shard === undefined || shardIndex(label, shard.of) === shard.index
    listing.add(listed ?? label, isHere)
    return isHere
  }
}

/** The bundles of a shard, or all of them. Every job asks for the list behind a prefix: its repositories are in different shards. */
export async function* partOf(tasks: AsyncIterable<FleetTask>, takes: TakesPart): AsyncGenerator<FleetTask> {
  for await (const task of tasks) if (task.isPrefix === true || takes(task)) yield task
}
