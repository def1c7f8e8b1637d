// Shows a named key that was made or kept.
import { type Style, SYMBOLS } from '../cli/render/style.ts'
import { homeLabel } from '../io/home.ts'
import type { MadeKey } from './new-key.ts'

/** Where a new key is, and what its public half is called. */
export const MADE_KEY = {
  quiet: ({ anchor }: MadeKey) => [anchor],
  text: ({ anchor, path }: MadeKey, { style }: { readonly style: Style }) =>
    `${style.green(SYMBOLS.ok)} ${homeLabel(path)}\n${anchor}\n`,
  note: ({ encrypted }: MadeKey) =>
    encrypted ? undefined : 'The key is not encrypted: everybody who reads the file can sign as you',
} as const
