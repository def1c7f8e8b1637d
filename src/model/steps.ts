// Work that can be cut: it yields where other work may go on, and returns what it found out. Pure work stays pure, whether it is done at
// once or in turns with the rest of the process (io/breathe.ts).

export type Steps<T> = Generator<undefined, T>

/** Steps that also ask for parts of the program. */
export type LoadingSteps<T> = Generator<OnDemand<unknown> | undefined, T>

/** A part of the program that is loaded when a step first needs it, and kept. */
export interface OnDemand<T> {
  /** Undefined until it is loaded. */
  readonly part: T | undefined
  load(): Promise<T>
  /** For code that imports the part itself. */
  keep(part: T): void
}

/** @param load imports it */
export function onDemand<T>(load: () => Promise<T>): OnDemand<T> {
  let part: T | undefined
  return {
    get part() {
      return part
    },
    async load() {
      part ??= await load()
      return part
    },
    keep(known) {
      part = known
    },
  }
}

/** Asks for a part, which {@link inTurns} loads. Work that is done at once has to have it already. */
export function* needed<T>(demanded: OnDemand<T>): LoadingSteps<T> {
  if (demanded.part === undefined) yield demanded
  if (demanded.part === undefined) throw new TypeError('a part of the program is used before it is loaded')
  return demanded.part
}

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

/**
 * Without a pause.
 *
 * @param keep of a caller that has the parts for which the steps may ask: keeps them. Without it they have to be there
 */
export function atOnce<T>(steps: LoadingSteps<T>, keep?: () => void): T {
  let step = steps.next()
  while (step.done !== true) {
    if (step.value !== undefined) keep?.()
    step = steps.next()
  }
  return step.value
}
