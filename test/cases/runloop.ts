// Runloop's cases: bundles, their documents, capabilities and commands. `reference` is what upstream does and
// `recommended` what we do; where this project decided otherwise, the check asserts the decision.
import type { Checks } from './case.ts'
import { capabilities } from './runloop/capabilities.ts'
import { commands } from './runloop/commands.ts'
import { documents } from './runloop/documents.ts'
import { places } from './runloop/places.ts'
import { wire } from './runloop/wire.ts'

export const checks: Checks = { ...documents, ...capabilities, ...places, ...commands, ...wire }
