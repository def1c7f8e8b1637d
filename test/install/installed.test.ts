// A row of the list: the word for what a report says, and the marks of what is remembered of the file.
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { type InstalledAgent, statusOf } from '../../src/install/installed.ts'
import type { Report } from '../../src/model/report.ts'
import { writeTree } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'
import { good, made, madeTree, RELEASE, type World, world } from '../support/install-world.ts'

const folder = temporary('installed')
const ONE = made({}, RELEASE)

describe('the status of a report', () => {
  const cases: [status: string, verdict: string, ...codes: string[]][] = [
    ['ok', 'trusted'],
    ['ok', 'unsigned', 'no_signature'],
    ['ok', 'indeterminate', 'state_unusable'],
    ['ok', 'indeterminate', 'state_unusable', 'unreadable'],
    ['invalid', 'indeterminate', 'unreadable'],
    ['invalid', 'invalid', 'not_canonical'],
    ['digest_mismatch', 'invalid', 'manifest/digest-mismatch'],
    ['digest_mismatch', 'invalid', 'not_canonical', 'manifest/digest-mismatch'],
    ['digest_mismatch', 'invalid', 'files/required', 'manifest/digest-mismatch'],
    ['missing', 'invalid', 'files/required'],
    ['missing', 'invalid', 'schemas/wrong', 'manifest/file-missing'],
    ['missing', 'invalid', 'manifest/entry-missing', 'schemas/wrong'],
    // A digest that was not computed yet is not a wrong one.
    ['digest_mismatch', 'invalid', 'manifest/digest-pending'],
    ['missing', 'invalid', 'manifest/digest-pending', 'manifest/file-missing'],
    ['digest_mismatch', 'invalid', 'manifest/digest-pending', 'schemas/wrong'],
    ['invalid', 'invalid', 'schemas/wrong', 'schemas/other'],
  ]
  for (const [status, verdict, ...codes] of cases) {
    test(`${verdict} ${codes.join(' ')} is ${status}`, () => {
      const reasons = codes.map(code => ({ code, message: '' }))
      assert.equal(statusOf({ verdict, reasons } as unknown as Report), status)
    })
  }
})

async function rows(here: World): Promise<readonly InstalledAgent[]> {
  return (await good(here, 'agent', 'list'))['agents'] as InstalledAgent[]
}

async function installed(name: string, ...flags: string[]): Promise<World> {
  const here = world(folder(name))
  await good(here, 'agent', 'install', here.put('b', ONE), '--yes', ...flags)
  return here
}

test('state that cannot be relied upon is named in the row, hides no other, and marks nothing', async () => {
  const here = await installed('damaged')
  await good(here, 'agent', 'install', here.put('c', made({ name: 'other' }, RELEASE)), '--yes')
  writeFileSync(join(here.home, 'state/mini.json'), '{')
  const [mini, other] = await rows(here)
  assert.deepEqual(
    [mini?.name, mini?.status, mini?.verdict, mini?.marks],
    ['mini', 'ok', 'indeterminate', []],
  )
  assert.match(mini?.reasons.join() ?? '', /Cannot rely on/)
  assert.deepEqual([other?.name, other?.verdict], ['other', 'trusted'])
})

test('without its stamp an install is interrupted: its folder is not compared, and is not one more mark', async () => {
  for (const flags of [[], ['--no-unpack']]) {
    const here = await installed('interrupted', ...flags)
    rmSync(join(here.root, '.rlp/stamps/mini'))
    const [row] = await rows(here)
    assert.deepEqual([row?.verdict, row?.marks], ['trusted', ['interrupted']])
    const beside = flags.length === 0 ? /interrupted/ : /^null$/
    assert.match(row?.folder === null ? 'null' : JSON.stringify(row?.folder), beside)
    // The file is there: the folder beside it is not where its manifest is read.
    assert.equal(row?.manifest, join(here.root, 'mini.agent.bundle'))
  }
})

test('a file that another put there is changed, and one that was put back is not', async () => {
  const here = await installed('changed', '--no-unpack')
  const file = join(here.root, 'mini.agent.bundle')
  writeFileSync(file, made({ version: '1.0.1' }, RELEASE))
  assert.deepEqual((await rows(here))[0]?.marks, ['changed'])
  writeFileSync(file, ONE)
  assert.deepEqual((await rows(here))[0]?.marks, [])
})

test('of an agent in two roots the later one is shadowed, and a variant shadows nothing', async () => {
  const here = await installed('shadowed', '--no-unpack')
  await good(
    here,
    'agent',
    'install',
    here.put('p', made({ variant: 'pro' }, RELEASE)),
    '--yes',
    '--no-unpack',
  )
  writeTree(join(here.root, 'more'), madeTree())
  const shown = (await rows(here)).map(({ name, variant, bundle, marks }) => [
    variant === null ? name : `${name}@${variant}`,
    bundle !== null,
    marks,
  ])
  assert.deepEqual(shown, [
    ['mini', true, []],
    ['mini@pro', true, []],
    ['mini', false, ['shadowed']],
  ])
})

describe('uninstall', () => {
  test('takes what is stated about it along, and leaves no own file but stamps', async () => {
    const here = world(folder('statements'))
    here.put('lines', Buffer.from('one\n'))
    await good(here, 'agent', 'install', here.put('b', ONE), '--yes', '--attestations', 'lines')
    const names = () => readdirSync(here.root).sort()
    const beside = 'mini.agent.bundle.intoto.jsonl'
    assert.deepEqual(names(), ['.rlp', 'mini', 'mini.agent.bundle', beside])
    await good(here, 'agent', 'uninstall', 'mini', '--yes')
    assert.deepEqual([names(), readdirSync(join(here.root, '.rlp'))], [['.rlp'], ['stamps']])
    assert.deepEqual(readdirSync(join(here.root, '.rlp/stamps')), [])
  })

  test('of what an interrupted run has half removed says that nothing is there, and tidies up', async () => {
    const here = await installed('half')
    await good(here, 'agent', 'uninstall', 'mini', '--yes')
    mkdirSync(join(here.root, '.rlp/staging'))
    const { exit, envelope } = await here.rlp('agent', 'uninstall', 'mini', '--yes')
    assert.deepEqual([exit, envelope.code], [2, 'NOT_FOUND'])
    assert.deepEqual(readdirSync(join(here.root, '.rlp')), ['stamps'])
  })

  test('forgets a file that is gone, also where no folder was unpacked from it', async () => {
    const here = await installed('gone', '--no-unpack')
    renameSync(join(here.root, 'mini.agent.bundle'), join(here.cwd, 'away'))
    assert.equal((await good(here, 'agent', 'uninstall', 'mini', '--yes'))['folder'], null)
    assert.deepEqual(here.state().installs, [])
    assert.equal((await here.rlp('agent', 'uninstall', 'mini', '--yes')).exit, 2)
  })
})
