// How long this process has computed: what a test of growth may bound, because another program's work does not count.

/** Milliseconds of processor time of this process so far, its helper threads included. */
export function processorTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
