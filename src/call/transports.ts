// The registry of transport kinds that run on this host: one folder and one line each.
import type { RunHost } from '../model/run.ts'
import type { Kind } from '../model/transports/index.ts'
import { systemInternet } from '../net/internet.ts'
import { type ExecOptions, execHost } from './exec/run.ts'
import { httpHost } from './http/run.ts'

/** What the kinds need of the process. */

export function hostsWith(options: Omit<ExecOptions, 'internet'>): readonly RunHost[] {
  const internet = systemInternet(options)
  const hosts: { readonly [K in Kind]: RunHost } = {
    exec: execHost({ ...options, internet }),
    http: httpHost(internet),
  }
  return Object.values(hosts)
}
