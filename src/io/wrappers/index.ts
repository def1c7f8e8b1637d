// The registry of how wrappers are opened: one file and one line each, loaded when a bundle has one.
import type { WrapperName } from '../../model/bundle-form.ts'
import type { Opener } from './opener.ts'

const OPENERS: Readonly<Record<WrapperName, () => Promise<Opener>>> = {
  gzip: async () => (await import('./gzip.ts')).GZIP_OPENER,
}

export function openerOf(wrapper: WrapperName): Promise<Opener> {
  return OPENERS[wrapper]()
}
