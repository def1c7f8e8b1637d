import { isLinkedClock } from '../../../wasm/host.ts'
import { importGrantRule } from '../grants.ts'

export const wasmClockNotGranted = importGrantRule(
  isLinkedClock,
  (line, where) => `Write ${line} ${where} if the agent reads the clock, or build it without`,
  {
    id: 'wasm/clock-not-granted',
    severity: 'warning',
    summary: 'the module imports a WASI clock while time is not granted',
    why: 'Standard libraries link clock_time_get as soon as anything measures time, so the import alone proves little. But some runtimes answer it without asking policy.caps, so time = false is not the refusal it seems to be.',
    fix: 'Write time = true in policy.caps, or build the module without the clock.',
  },
)
