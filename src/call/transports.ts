// The registry of transport kinds that run on this host: one file and one line each.
import type { RunHost } from '../model/run.ts'
import { type ExecOptions, execHost } from './exec/run.ts'
import { httpHost } from './http/run.ts'

/** What the kinds need of the process. */
export type HostOptions = ExecOptions

export function hostsWith(options: HostOptions): readonly RunHost[] {
  return [execHost(options), httpHost(options)]
}
