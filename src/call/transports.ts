// The registry of transport kinds that run on this host: one folder and one line each.
import type { RunHost } from '../model/run.ts'
import type { Kind } from '../model/transports/index.ts'
import { type ExecOptions, execHost } from './exec/run.ts'
import { httpHost } from './http/run.ts'

/** What the kinds need of the process. */
export type HostOptions = ExecOptions

export function hostsWith(options: HostOptions): readonly RunHost[] {
  const hosts: { readonly [K in Kind]: RunHost } = { exec: execHost(options), http: httpHost(options) }
  return Object.values(hosts)
}
