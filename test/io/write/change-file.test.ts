// A file that several runs write: nobody's change is lost, and neither is what a person has saved meanwhile.
import assert from 'node:assert/strict'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readOwn } from '../../../src/io/owner/read-own.ts'
import { Ways } from '../../../src/io/owner/ways.ts'
import { changeFile } from '../../../src/io/write/change-file.ts'
import { temporary } from '../../support/folder.ts'

const folder = temporary('change-file')
const lockedIn = (name: string) => {
  const path = join(folder(name), 'below', 'numbers.txt')
  const read = async () => Buffer.from((await readOwn(path, new Ways())) ?? '').toString()
  return { path, doing: 'count', read, readBy: 'its user' } as const
}

test('changes at the same time all count', async () => {
  const file = lockedIn('at-once')
  const add = (number: number) => changeFile(file, (now, write) => write(`${now}${number}\n`))
  await Promise.all([1, 2, 3, 4].map(add))
  assert.equal(readFileSync(file.path, 'utf8').length, 8)
  assert.equal(statSync(file.path).mode & 0o777, 0o600)
})

test('a change that gives nothing writes nothing', async () => {
  const file = lockedIn('nothing')
  assert.equal(await changeFile(file, async now => now), '')
  assert.throws(() => readFileSync(file.path), { code: 'ENOENT' })
})

test('what a person has saved meanwhile stays', async () => {
  const { path, ...rest } = lockedIn('saved')
  const file = {
    path,
    ...rest,
    label: 'numbers',
    read: () => readOwn(path, new Ways()),
    edited: (now?: Uint8Array) => now,
  }
  const change = () =>
    changeFile(file, async (_now, write) => {
      writeFileSync(path, 'by hand\n')
      await write('by rlp\n')
    })
  for (const state of ['it is there now', 'it changed meanwhile']) {
    if (state === 'it changed meanwhile') writeFileSync(path, 'before\n')
    const message = `Cannot write "numbers": ${state}`
    await assert.rejects(change(), { code: 'CHANGED_WHILE_READING', message })
    assert.equal(readFileSync(path, 'utf8'), 'by hand\n')
  }
})
