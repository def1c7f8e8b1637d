// What install and uninstall say to people.
import assert from 'node:assert/strict'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporary } from '../support/folder.ts'
import { made, RELEASE, type World, world } from '../support/install-world.ts'

const folderFor = temporary('install-say')
const CAPS = 'net = ["a.example"]\n'

async function says(here: World, bytes: Uint8Array, ...flags: string[]): Promise<string> {
  const { exit, stdout } = await here.say(
    'agent',
    'install',
    here.put('b', bytes),
    '--root',
    'root',
    ...flags,
  )
  assert.equal(exit, 0)
  return stdout
}

test('the first install lists what it may do, the next one what changes, and the same again nothing', async () => {
  const here = world(folderFor('upgrade'))
  assert.equal(
    await says(here, made({ caps: CAPS }, RELEASE), '--yes'),
    `✓ mini 1.0.0 installed in root
  trusted, signed by release
  + may reach a.example on every port
`,
  )
  const next = made({ version: '1.1.0' }, RELEASE)
  assert.equal(
    await says(here, next),
    `✓ mini 1.1.0 installed in root in the place of 1.0.0
  trusted, signed by release
  - may reach a.example on every port
`,
  )
  assert.equal(
    await says(here, next),
    `✓ mini 1.1.0 is installed in root already
  trusted, signed by release
`,
  )
})

test('a verdict is green where it is trusted, and yellow where a flag allowed it', async () => {
  const here = world(folderFor('colours'))
  const colourOf = async (bytes: Uint8Array, ...flags: string[]) =>
    /\u001b\[(\d+)m(trusted|unsigned)/.exec(await says(here, bytes, '--yes', '--color', ...flags))?.slice(1)
  assert.deepEqual(await colourOf(made({}, RELEASE)), ['32', 'trusted'])
  assert.deepEqual(await colourOf(made({ name: 'other' }), '--allow-unsigned'), ['33', 'unsigned'])
})

test('exceptions: the flag that allowed it, and what was not checked', async () => {
  const here = world(folderFor('exceptions'))
  const trusted = await says(here, made({}, RELEASE), '--yes')
  assert.doesNotMatch(trusted, /allowed by flag|not checked|rlp trust reset/)
  const older = await says(here, made({ version: '0.9.0' }, RELEASE), '--allow-downgrade')
  assert.match(
    older,
    /in the place of 1\.0\.0\n {2}rolled_back, signed by release, allowed by flag: downgrade\n/,
  )
  assert.match(older, /\n {2}verify and load go on answering rolled_back, until rlp trust reset mini\n$/)
  const unsigned = await says(here, made({ name: 'other' }), '--yes', '--allow-unsigned')
  assert.match(unsigned, /\n {2}unsigned, allowed by flag: unsigned\n.*\n {2}not checked: /s)
  assert.doesNotMatch(unsigned, /signed by|rlp trust reset/)
})

test('uninstall says what is in the way, and how to get rid of it', async () => {
  const here = world(folderFor('absent'))
  await says(here, made({}, RELEASE), '--yes', '--no-unpack')
  const uninstall = () => here.rlp('agent', 'uninstall', 'mini', '--root', 'root', '--yes')
  mkdirSync(join(here.cwd, 'root/mini'))
  const { envelope: done } = await uninstall()
  assert.deepEqual(done.result, {
    agent: 'mini',
    changed: true,
    bundle: join(here.cwd, 'root/mini.agent.bundle'),
    folder: null,
  })
  const { envelope: foreign } = await uninstall()
  assert.match(`${foreign.message}\n${foreign.hint}`, /not installed by rlp\nRemove the folder by hand$/)
  rmSync(join(here.cwd, 'root/mini'), { recursive: true })
  const { envelope: nothing } = await uninstall()
  assert.match(`${nothing.message}\n${nothing.hint}`, /it is not there\nrlp agent list shows/)
})
