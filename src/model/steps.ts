// Work that can be cut: it yields where other work may go on, and returns what it found out. Pure work stays pure, whether it is done at
// once or in turns with the rest of the process (io/breathe.ts).

export type Steps<T> = Generator<undefined, T>

/** Without a pause. */
export function atOnce<T>(steps: Steps<T>): T {
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}
