// The digest of rlp in a provenance: that of the program that ran, as docs/evidence.md says how to get it by hand.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { appendFileSync, cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { test } from 'node:test'
import { programDigest } from '../../src/io/process/program-digest.ts'
import { provenance } from '../../src/library/generated/evidence.ts'
import { bundleOf } from '../support/agent.ts'
import { builtProgram } from '../support/built.ts'
import { temporary } from '../support/folder.ts'
import { ASKING } from '../support/trust-world.ts'

const folder = temporary('program-digest')
const NAME = 'mini-1.0.0.agent.bundle'
const BUILT = dirname(builtProgram())

/** The shipped program, as an installation has it: without what Node keeps of its compiled code. */
function installed(): string {
  const place = folder('program')
  cpSync(BUILT, place, { recursive: true, filter: from => basename(from) !== 'compiled' })
  return place
}

/** Digest of rlp among what a bundle was made with. */
function stated(text: string): string | undefined {
  const { buildDefinition } = JSON.parse(text)
  const rlp = buildDefinition.resolvedDependencies.at(-1)
  assert.match(rlp.uri, /^pkg:npm\/rlp-bundle@/)
  return rlp.digest?.sha256
}

function ran(place: string): string | undefined {
  const cwd = folder('cwd')
  writeFileSync(join(cwd, NAME), bundleOf(ASKING))
  const args = [join(place, 'rlp.cjs'), 'agent', 'provenance', NAME, '--builder', 'https://ci.example/1']
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  return stated(stdout)
}

function byHand(place: string): string {
  const { stdout } = spawnSync('sh', ['-c', 'sha256sum *.cjs | sha256sum'], {
    cwd: place,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], LC_ALL: 'C' },
  })
  return stdout.split(' ')[0] ?? ''
}

test('is that of the files that ran, and of no others', async () => {
  const place = installed()
  const first = byHand(place)
  assert.match(first, /^[0-9a-f]{64}$/)
  assert.equal(ran(place), first)
  // One line more in a file that this command does not load: it is another program.
  const chunk = readdirSync(place).find(name => name.endsWith('.cjs') && name.includes('serve')) ?? 'rlp.cjs'
  appendFileSync(join(place, chunk), '// changed\n')
  const second = byHand(place)
  assert.notEqual(second, first)
  assert.equal(ran(place), second)
  // What is no part of the program changes nothing.
  mkdirSync(join(place, 'compiled'), { recursive: true })
  writeFileSync(join(place, 'compiled/x.cjs'), 'x')
  writeFileSync(join(place, 'notes.txt'), 'x')
  assert.equal(await programDigest(place), second)
})

test('is left out where the program is not known: in a program that bundles rlp, and in sources', async () => {
  assert.equal(await programDigest(), undefined)
  const other = folder('other')
  writeFileSync(join(other, 'server.cjs'), '')
  assert.equal(await programDigest(other), undefined)
  const { provenance: made } = await provenance(bundleAt(), { env: {}, builder: 'https://ci.example/1' })
  assert.equal(stated(JSON.stringify(made)), undefined)
})

function bundleAt(): string {
  const path = join(folder('cwd'), NAME)
  writeFileSync(path, bundleOf(ASKING))
  return path
}
