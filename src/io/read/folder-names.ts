// A folder → the names in it, sorted; none if it is missing.
import { readdirSync } from 'node:fs'
import { ioNow } from '../fail.ts'
import { homeLabel } from '../home.ts'
import { targetAt } from './entry.ts'

export function folderNames(folder: string): string[] {
  if (targetAt(folder) === undefined) return []
  return ioNow(`read the folder "${homeLabel(folder)}"`, () => readdirSync(folder)).sort()
}
