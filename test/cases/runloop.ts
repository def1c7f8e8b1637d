// Runloop's cases: bundles, their documents, capabilities and commands (systems reference §3). `reference` is what upstream does and
// `recommended` what we do; where DESIGN says otherwise, the check asserts what DESIGN says and gives the section.
import type { Checks } from './case.ts'
import { capabilities } from './runloop/capabilities.ts'
import { commands } from './runloop/commands.ts'
import { documents } from './runloop/documents.ts'
import { places } from './runloop/places.ts'
import { wire } from './runloop/wire.ts'

export const checks: Checks = { ...documents, ...capabilities, ...places, ...commands, ...wire }
