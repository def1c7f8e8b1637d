// Stops work after a number of steps, if it only knows how to stop itself by the time: each look at the clock moves the clock on. The result
// then does not depend on how busy the machine is.

export interface StepClock {
  /** Milliseconds on this clock. */
  readonly passed: () => number
  /** Milliseconds of processor time that the work took. */
  readonly spent: () => number
  /** Steps that count as one millisecond from now on. */
  pace(steps: number): void
  /** Runs the work with this clock as `performance.now()`. The work waits for nothing, so that no other code sees this clock. */
  during<T>(work: () => T): T
}

/** Every so many steps the processor time is read. */
const GLANCE = 64

/**
 * @param most milliseconds of processor time. After them the clock says infinity, because some steps take longer than others
 */
export function stepClock(most: number): StepClock {
  let since = process.cpuUsage()
  let spent = 0
  let steps = 0
  let time = 0
  let each = 1
  const tick = () => {
    steps++
    time += each
    if (steps % GLANCE === 0 && spent + used(since) > most) time = Number.POSITIVE_INFINITY
    return time
  }
  return {
    passed: () => time,
    spent: () => spent,
    pace(perMillisecond) {
      each = 1 / perMillisecond
    },
    during(work) {
      since = process.cpuUsage()
      const own = Object.getOwnPropertyDescriptor(performance, 'now')
      Object.defineProperty(performance, 'now', { value: tick, configurable: true, writable: true })
      try {
        return work()
      } finally {
        spent += used(since)
        if (own === undefined) Reflect.deleteProperty(performance, 'now')
        else Object.defineProperty(performance, 'now', own)
      }
    },
  }
}

function used(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1000
}
