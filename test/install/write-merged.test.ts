// Signatures that were added where a bundle was stored are written into the file that is kept of it, and nothing else is.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { writeMerged } from '../../src/install/incoming.ts'
import { SIGNATURE_FILE } from '../../src/model/agent.ts'
import { temporary } from '../support/folder.ts'

const folder = temporary('write-merged')

/** A bundle that came with such things, and is not there: who writes to it fails. */
function came(added: readonly string[] | undefined, isSigned = true) {
  const path = join(folder('none'), 'bundle')
  const carried = added && { added: added.map(result => ({ result })) }
  const examined = {
    candidate: { files: new Map(isSigned ? [[SIGNATURE_FILE, { bytes: Buffer.from('{}') }]] : []) },
    verification: { report: { carried, signatures: [], identity: null } },
  }
  return { path, written: writeMerged(path, examined as never, 'it') }
}

test('a bundle to which nothing was added stays as it is', async () => {
  for (const added of [undefined, [], ['other'], ['other', 'not_counted']]) {
    const { path, written } = came(added)
    assert.equal(await written, undefined)
    assert.equal(existsSync(path), false)
  }
  assert.equal(await came(['merged'], false).written, undefined)
})

test('one to which a signature was added gets it, whatever else is attached', async () => {
  for (const added of [['merged'], ['merged', 'other'], ['other', 'merged']])
    await assert.rejects(came(added).written)
})
