// The internet, as an interface that tests replace: how names are looked up, and how addresses are dialled.
import { WIRE, type Wire } from './connect.ts'
import { type LookupOptions, systemLookup } from './lookup.ts'
import type { Lookup } from './target.ts'

export interface Internet extends Wire {
  readonly lookup: Lookup
}

export function systemInternet(options: LookupOptions): Internet {
  return { ...WIRE, lookup: systemLookup(options) }
}
