// What the lock commands say to people: what is locked, what became of it, and what a change would bring.
import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporary } from '../support/folder.ts'
import { made, RELEASE, type World, world } from '../support/install-world.ts'

const folder = temporary('lock-say')
const FILE = 'mini.agent.bundle'
const OTHER = 'other.agent.bundle'

function mini(version: string, net: string, description: string): Buffer {
  const tool = {
    id: 'git.run',
    description,
    transport: { kind: 'exec', command: '/usr/bin/git' },
    input_schema: { type: 'object', properties: {}, additionalProperties: false },
    result_schema: { type: 'object' },
  }
  return made(
    {
      version,
      caps: `exec = ["/usr/bin/git"]\nnet = ["${net}"]\n`,
      files: { 'tools.json': JSON.stringify({ version: 1, tools: [tool] }) },
    },
    RELEASE,
  )
}

const ONE = mini('1.0.0', 'a.example:443', 'Runs.')

/** A world with two locked agents. */
async function locked(name: string): Promise<World> {
  const here = world(folder(name))
  here.put(FILE, ONE)
  here.put(OTHER, made({ name: 'other' }, RELEASE))
  assert.equal((await here.rlp('lock', 'add', FILE)).exit, 0)
  assert.equal((await here.rlp('lock', 'add', OTHER)).exit, 0)
  return here
}

async function says(here: World, ...args: string[]) {
  const { exit, stdout, stderr } = await here.say('lock', ...args)
  return [exit, stdout, stderr]
}

test('add and list name what is locked', async () => {
  const here = await locked('add')
  const [, again] = await says(here, 'add', FILE)
  assert.match(
    `${again}`,
    /^✓ mini 1\.0\.0, blake3:[0-9a-f]{12}…\nlocked in rlp\.lock already; nothing was written\n$/,
  )
  const [, listed] = await says(here, 'list')
  const [first, second] = `${listed}`.split('\n\n')
  assert.deepEqual(first?.split('\n').slice(1), [
    `  from ./${FILE}`,
    `  signed by ${RELEASE.anchor}`,
    '  exec:/usr/bin/git',
    '  net:a.example:443',
    '  1 tool: git.run',
  ])
  assert.deepEqual(second?.split('\n').slice(-2), ['  0 tools', ''])
})

test('check says of each agent what became of it, and counts the answers', async () => {
  const here = await locked('check')
  assert.deepEqual(await says(here, 'check'), [0, '✓ mini 1.0.0: same\n✓ other 1.0.0: same\n', '2 same\n'])
  assert.deepEqual(await says(here, 'check', '--quiet'), [0, '', ''])
  assert.deepEqual(await says(here, 'check', 'other'), [0, '✓ other 1.0.0: same\n', '1 same\n'])

  const kept = readFileSync(join(here.cwd, OTHER))
  rmSync(join(here.cwd, OTHER))
  const [one, , both] = await says(here, 'check')
  assert.deepEqual([one, both], [3, '1 same, 1 cannot tell\n'])
  writeFileSync(join(here.cwd, OTHER), kept)
  here.put(FILE, mini('1.1.0', 'a.example:443', 'Runs.'))
  rmSync(join(here.cwd, OTHER))
  const [exit, out, counts] = await says(here, 'check')
  assert.deepEqual([exit, counts], [1, '0 same, 1 changed, 1 cannot tell\n'])
  assert.match(`${out}`, /^✗ mini 1\.0\.0 → 1\.1\.0: changed\n {4}\S.*\n\? other 1\.0\.0: cannot tell\n {4}/s)

  here.put(FILE, mini('1.0.0', 'b.example:443', 'Runs.'))
  const [, same] = await says(here, 'check', 'mini', '--quiet')
  assert.match(`${same}`, /^✗ mini 1\.0\.0: changed\n/)
})

test('check: what is not trusted today is the same all the same, and is said', async () => {
  const here = await locked('today')
  here.policy(`[revoked]\n"${RELEASE.anchor}" = {}\n`)
  const today = '1.0.0: same (revoked today; rlp agent verify says why)'
  assert.deepEqual(await says(here, 'check'), [0, `✓ mini ${today}\n✓ other ${today}\n`, '2 same\n'])
})

test('update lists what is wider, narrower, told otherwise and defined otherwise', async () => {
  const here = await locked('update')
  here.put('new', mini('1.1.0', 'b.example:443', 'Runs it.'))
  const [exit, , refused] = await says(here, 'update', 'new')
  assert.equal(exit, 4)
  for (const line of [
    'mini 1.0.0 → 1.1.0',
    '  + may reach b.example:443',
    '  - may reach a.example:443',
    '  ~ the tool git.run has another definition',
  ])
    assert.ok(
      `${refused}`.split('\n').some(one => one.endsWith(line)),
      `${line}\n${refused}`,
    )
  assert.doesNotMatch(`${refused}`, /the locked bundle was not found/)

  rmSync(join(here.cwd, FILE))
  const [, , unknown] = await says(here, 'update', 'new')
  assert.match(`${unknown}`, /the locked bundle was not found: each new capability/)
  assert.match(`${unknown}`, /has another definition of the tool git\.run/)
  assert.doesNotMatch(`${unknown}`, /has the tool git\.run/)
})
