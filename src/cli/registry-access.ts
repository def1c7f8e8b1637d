// How a command reaches registries: by its environment. What a registry says to people goes to standard error.
import { accessFrom } from '../io/setting.ts'
import { type Reach, reachOf } from '../io/wait/reach.ts'
import type { RegistryAccess } from '../model/carried.ts'
import type { Io } from './command.ts'
import { type Listening, note } from './render/report.ts'

export function accessIn(io: Io, args: Partial<Listening>): RegistryAccess {
  return { ...accessFrom(io), onWarning: text => note(io, { quiet: false, json: false, ...args }, text) }
}

export function reachIn(io: Io, args: Partial<Listening>): Reach {
  return reachOf({ ...io, registries: accessIn(io, args) })
}
