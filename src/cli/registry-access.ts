// How a command reaches registries: by its environment and by its options. What a registry says to people goes to standard error.
import { accessFrom } from '../io/setting.ts'
import type { RegistryAccess } from '../model/carried.ts'
import { FETCH_LIMITS } from '../model/limits.ts'
import type { Io } from './command.ts'
import type { OptionTable } from './option.ts'
import { type Listening, note } from './render/report.ts'

/** For every command that takes a reference. log-in.ts reads them before the command runs. */
export const REGISTRY_OPTIONS = {
  username: {
    type: 'string',
    placeholder: 'NAME',
    describe: 'log in to the registry by this name, in place of what docker or podman know',
  },
  'password-stdin': {
    type: 'boolean',
    describe: 'read the password for --username from the first line of standard input',
  },
  'fetch-timeout': {
    type: 'number',
    placeholder: 'SECONDS',
    min: 0.001,
    max: FETCH_LIMITS.mostSeconds,
    describe: 'wait so long for a registry in all, in place of 10 minutes, however slow it is',
  },
} as const satisfies OptionTable

export function accessIn(io: Io, args: Partial<Listening>): RegistryAccess {
  return { ...accessFrom(io), onWarning: text => note(io, { quiet: false, json: false, ...args }, text) }
}
