// The registry of checks: one file and one line each, in the order in which they are shown.
import { agents } from './agents.ts'
import type { HealthCheck } from './check.ts'
import { configs } from './configs.ts'
import { folders } from './folders.ts'
import { keys } from './keys.ts'
import { overrideFiles } from './override-files.ts'
import { policies } from './policies.ts'
import { programs } from './programs.ts'
import { states } from './states.ts'

export const HEALTH_CHECKS = [
  folders,
  policies,
  configs,
  overrideFiles,
  keys,
  states,
  agents,
  programs,
] as const satisfies readonly HealthCheck[]
