// The file of attestations beside a bundle: how large one may be that gets a line more.
import assert from 'node:assert/strict'
import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { besideIn, changeBeside } from '../../src/sign/attestation-file.ts'
import { MOST_FILE_BYTES } from '../../src/statement/lines.ts'
import { snapshot, temporary } from '../support/folder.ts'

const folder = temporary('lines-beside')
const how = { doing: 'attest in "f"', hint: 'Delete lines', signal: new AbortController().signal }

function place(content?: string | Uint8Array) {
  const cwd = folder('beside')
  const path = join(cwd, 'f')
  if (content !== undefined) writeFileSync(path, content)
  return { cwd, path, file: { path, label: 'f' } }
}

test('where there is no file, there is nothing, and a first line makes it', async () => {
  const { path, file } = place()
  assert.equal((await besideIn(file, how)).length, 0)
  await changeBeside(file, how, before => Buffer.concat([before, Buffer.from('x\n')]))
  assert.equal(readFileSync(path, 'utf8'), 'x\n')
})

test('a file that is larger than what is read is told before it is read, and stays as it is', async () => {
  const { cwd, path, file } = place(Buffer.alloc(MOST_FILE_BYTES, '\n'))
  assert.equal((await besideIn(file, how)).length, MOST_FILE_BYTES)
  // One byte more, and more than any memory takes.
  for (const size of [MOST_FILE_BYTES + 1, 2 ** 40]) {
    truncateSync(path, size)
    const before = snapshot(cwd)
    const refusal = {
      code: 'LIMIT_EXCEEDED',
      message: /^Cannot attest in "f": it has more than \d/,
      hint: how.hint,
    }
    await assert.rejects(besideIn(file, how), refusal)
    await assert.rejects(
      changeBeside(file, how, () => assert.fail('asked')),
      refusal,
    )
    assert.deepEqual(snapshot(cwd), before)
  }
})

test('lines that together are too much are not written', async () => {
  const { path, file } = place('one\n')
  const change = () => Buffer.from('x\n'.repeat(65_537))
  await assert.rejects(changeBeside(file, how, change), { code: 'LIMIT_EXCEEDED' })
  assert.equal(readFileSync(path, 'utf8'), 'one\n')
  await changeBeside(file, how, () => Buffer.from('x\n'.repeat(65_536)))
  assert.equal(readFileSync(path, 'utf8'), 'x\n'.repeat(65_536))
})
