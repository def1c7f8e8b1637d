// The registry of transport kinds: one file and one line each.
import { exec } from './exec.ts'
import { http } from './http.ts'

export const TRANSPORTS = [exec, http] as const

export type TransportOf = ReturnType<(typeof TRANSPORTS)[number]['read']>
