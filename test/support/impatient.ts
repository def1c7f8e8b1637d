// A deadline whose pauses take no time, for what is tried again.
import { Deadline } from '../../src/io/wait/deadline.ts'

export class Impatient extends Deadline {
  override async pause(): Promise<void> {}
}
