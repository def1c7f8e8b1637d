// Work that can be cut: it yields where other work may go on, and returns what it found out. Pure work stays pure, whether it is done at
// once or in turns with the rest of the process (io/breathe.ts).

export type Steps<T> = Generator<undefined, T>

/** Without a pause. */
export function atOnce<T>(steps: Steps<T>): T {
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}

/** The elements, and after every so many of them nothing, which is where the work can be cut. */
export function* cut<T>(elements: Iterable<T>, every = 64): Generator<T | undefined> {
  let count = 0
  for (const element of elements) {
    yield element
    count++
    if (count % every === 0) yield undefined
  }
}
