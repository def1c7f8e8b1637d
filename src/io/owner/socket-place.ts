// The path of a socket → a place where one can be made: in a folder of ours, and without what an earlier program has left there.
import { rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { RlpError } from '../../model/error.ts'
import { ioNow } from '../fail.ts'
import { entryOrNothing } from '../read/entry.ts'
import { refuseForeign, refuseForeignWay } from './owner.ts'

/**
 * @param path absolute
 * @param isAlive whether a program answers there
 * @throws RlpError NO_PERMISSION if others may write the folder or lead the way to it elsewhere, EXISTS
 */
export async function clearSocketPlace(path: string, isAlive: () => Promise<boolean>): Promise<void> {
  const folder = dirname(path)
  const doing = `listen in "${folder}"`
  refuseForeignWay(folder)
  const stat = ioNow(doing, () => statSync(folder))
  refuseForeign(doing, folder, stat, 'private folder')
  const there = entryOrNothing(path)
  if (there === undefined) return
  const inTheWay = (state: string, hint: string) =>
    new RlpError('EXISTS', `Cannot listen at "${path}": ${state}`, { hint })
  if (!there.isSocket()) throw inTheWay('something else is there', 'Name another path')
  if (await isAlive()) throw inTheWay('another program does', 'Stop it, or name another path')
  ioNow(`replace "${path}"`, () => rmSync(path, { force: true }))
}
