// The registry of checks: one file and one line each, in the order in which they are shown.
import { installedAgents } from './agents.ts'
import { followedChannels } from './channels.ts'
import type { HealthCheck } from './check.ts'
import { configs } from './configs.ts'
import { folders } from './folders.ts'
import { ownKeys } from './keys.ts'
import { overrideFiles } from './override-files.ts'
import { policies } from './policies.ts'
import { programs } from './programs.ts'
import { sandboxes } from './sandboxes.ts'
import { states } from './states.ts'

export const HEALTH_CHECKS = [
  folders,
  policies,
  followedChannels,
  configs,
  overrideFiles,
  ownKeys,
  states,
  installedAgents,
  programs,
  sandboxes,
] as const satisfies readonly HealthCheck[]
