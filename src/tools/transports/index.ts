// The registry of transport kinds: one file and one line each.
import type { Transport } from '../../model/tools.ts'
import type { Kind } from '../../model/transports/index.ts'
import { exec } from './exec.ts'
import { http } from './http.ts'
import type { TransportKind } from './kind.ts'

const BY_KIND: { readonly [K in Kind]: TransportKind<K> } = { exec, http }

export const TRANSPORTS: readonly TransportKind[] = Object.values(BY_KIND)

export const TRANSPORT_KINDS: readonly Kind[] = TRANSPORTS.map(({ kind }) => kind)

/** What is particular to the kind that a transport or a permission has. */
export function transportKind({ kind }: Pick<Transport, 'kind'>): TransportKind {
  return BY_KIND[kind]
}
