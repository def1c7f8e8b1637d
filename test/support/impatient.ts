// A deadline whose pauses take no time, for what is tried again.
import { Deadline } from '../../src/io/wait/deadline.ts'

export class Impatient extends Deadline {
  /** How long each would have been, in milliseconds. */
  readonly pauses: number[] = []

  override async pause(ms: number): Promise<void> {
    this.pauses.push(Math.round(ms))
  }
}
