// The transport kinds: one file and one line each. For each line the compiler asks for one in src/tools/transports/index.ts and one in
// src/call/transports.ts.
import type { ExecAct, ExecTransport } from './exec.ts'
import type { HttpAct, HttpTransport } from './http.ts'

interface Kinds {
  readonly exec: { readonly transport: ExecTransport; readonly act: ExecAct }
  readonly http: { readonly transport: HttpTransport; readonly act: HttpAct }
}

export type Kind = keyof Kinds
export type TransportOf<K extends Kind> = Kinds[K]['transport']
export type ActOf<K extends Kind> = Kinds[K]['act']
