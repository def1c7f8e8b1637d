// Lists a folder whose files decisions are based on: another user may not add one to it.
import { readdirSync, statSync } from 'node:fs'
import { ioNow } from '../fail.ts'
import { refuseForeign } from './owner.ts'

/**
 * The sorted names in a folder.
 * @param label its name in messages
 * @throws RlpError NO_PERMISSION if it belongs to another user or others may write it, also with the sticky bit: others could not replace a
 * file there, but add one
 */
export function ownNames(folder: string, label: string): string[] {
  const doing = `rely on "${label}"`
  const stats = ioNow(doing, () => statSync(folder))
  refuseForeign(doing, folder, stats, 'private folder')
  return ioNow(`read the folder "${label}"`, () => readdirSync(folder)).sort()
}
