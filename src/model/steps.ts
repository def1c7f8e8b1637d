// Work that can be cut: it yields where other work may go on, and returns what it found out. Pure work stays pure, whether it is done at
// once or in turns with the rest of the process (io/breathe.ts).

export type Steps<T> = Generator<undefined, T>

const WITHOUT_A_BREAK_MS = 20
// Not `performance.now()`: for it Node loads a dozen modules.
let since = Date.now()

/** Whether the event loop had a turn a short while ago: a cut would only cost its way up through the generators. No result depends on it. */
export function hasBreath(): boolean {
  const passed = Date.now() - since
  // If the clock was set back, pause now instead of waiting until it has caught up.
  return passed >= 0 && passed < WITHOUT_A_BREAK_MS
}

/** The event loop has had its turn. */
export function hadTurn(): void {
  since = Date.now()
}

/** Without a pause. */
export function atOnce<T>(steps: Steps<T>): T {
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}
