// The bound on the memory of a module → how Node is started for it.
import { MODULE_LIMITS } from '../../model/limits.ts'
import type { SandboxProfile } from '../../model/sandbox.ts'

/** The engine has memory of its own beside that of the module. */
export function withEngine({ limits, ...profile }: SandboxProfile): SandboxProfile {
  return { ...profile, limits: { ...limits, memoryMb: limits.memoryMb + MODULE_LIMITS.engineMemoryMb } }
}

const PAGES_PER_MB = 16
/** Before it, the engine of Node aborts in half the runs with a bound on memory, unless it has one thread. */
const BOUNDS_WITH_THREADS = 22

export function engineFlags(memoryMb: number): readonly string[] {
  const [major = 0] = process.versions.node.split('.').map(Number)
  return [
    // node:wasi is experimental in every version.
    '--disable-warning=ExperimentalWarning',
    `--wasm-max-mem-pages=${memoryMb * PAGES_PER_MB}`,
    ...(major < BOUNDS_WITH_THREADS ? ['--single-threaded'] : []),
  ]
}
