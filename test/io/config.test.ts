// config.toml: what it may state, every way of stating it wrongly with its place, the stricter of two files, and who may have written it.
import assert from 'node:assert/strict'
import { chmodSync, chownSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { CONFIG_FIELDS } from '../../src/config/config.ts'
import { operatorConfig } from '../../src/io/config.ts'
import { RlpError } from '../../src/model/error.ts'
import { temporary } from '../support/folder.ts'
import { IS_ROOT } from '../support/run.ts'

const folder = temporary('config')
const saying = (value: boolean) => `[security]\nconfirm_external_actions = ${value}\n`

function places(system?: string, user?: string) {
  const base = folder('places')
  const home = join(base, 'home')
  mkdirSync(home)
  const file = join(base, 'config.toml')
  if (system !== undefined) writeFileSync(file, system)
  if (user !== undefined) writeFileSync(join(home, 'config.toml'), user)
  return { system: file, home }
}

async function refusal(given: ReturnType<typeof places>): Promise<RlpError> {
  const error = await operatorConfig(given).catch(error => error)
  assert.ok(error instanceof RlpError, 'it was accepted')
  return error
}

test('of two files the stricter value counts, and says where it is from', async () => {
  const rows = [
    [undefined, undefined, undefined],
    [true, undefined, 'system'],
    [undefined, false, 'user'],
    [true, false, 'system'],
    [false, true, 'user'],
    [false, false, 'system'],
  ] as const
  for (const [system, user, from] of rows) {
    const text = (value: boolean | undefined) => (value === undefined ? undefined : saying(value))
    const given = places(text(system), text(user))
    const { confirmExternalActions: stated } = await operatorConfig(given)
    const file = from === 'system' ? given.system : join(given.home, 'config.toml')
    const value = system === true || user === true
    assert.deepEqual(stated, from === undefined ? undefined : { value, from: file }, `${system} ${user}`)
  }
})

test('a sandbox that is required by one file is required, and the smaller memory counts', async () => {
  const one = '[security]\nsandbox = "off"\nmemory_mb = 512\nsandbox_user = "1000"\n'
  const other = '[security]\nsandbox = "require"\nmemory_mb = 1024\nsandbox_user = "2000"\n'
  for (const [system, user, ofUser] of [
    [one, other, '1000'],
    [other, one, '2000'],
  ] as const) {
    const { sandbox, memoryMb, sandboxUser } = await operatorConfig(places(system, user))
    // Who owns what a program writes is the system's to say.
    assert.deepEqual([sandbox?.value, memoryMb?.value, sandboxUser?.value], ['require', 512, ofUser])
  }
  const { sandbox } = await operatorConfig(places(undefined, '[security]\nsandbox = "auto"\n'))
  assert.equal(sandbox?.value, 'auto')
})

test('of two times for registries the shorter one counts', async () => {
  const [one, other] = [60, 600].map(seconds => `[registries]\ntimeout = ${seconds}\n`)
  for (const given of [places(one, other), places(other, one), places(one), places(undefined, one)])
    assert.equal((await operatorConfig(given)).registryTimeout?.value, 60)
  assert.equal((await operatorConfig(places(other))).registryTimeout?.value, 600)
})

test('without a home only the system’s file counts', async () => {
  const { system, home } = places(undefined, saying(true))
  assert.equal((await operatorConfig({ system, home })).confirmExternalActions?.value, true)
  assert.equal((await operatorConfig({ system, home: false })).confirmExternalActions, undefined)
})

describe('what is refused, with line and column', () => {
  const rows: readonly (readonly [text: string, place: string, message: RegExp])[] = [
    ['[security]\nconfirm_external_action = true\n', '2:1', /did you mean confirm_external_actions\?$/],
    ['[security]\nconfirm-external-actions = true\n', '2:1', /did you mean confirm_external_actions\?$/],
    [
      '[security]\nmore = true\n',
      '2:1',
      /^more is not a key here; known are confirm_external_actions, sandbox, sandbox_user, memory_mb$/,
    ],
    ['[securty]\n', '1:2', /^securty is not a key here; did you mean security\?$/],
    ['confirm_external_actions = true\n', '1:1', /is not a key here; known are security, registries, locks$/],
    ['[security]\nconfirm_external_actions = "true"\n', '2:28', /^it must be true or false$/],
    ['[security]\nconfirm_external_actions = 1\n', '2:28', /^it must be true or false$/],
    ['[security]\nsandbox = "on"\n', '2:11', /^it must be one of require, auto, off$/],
    ['[security]\nsandbox = true\n', '2:11', /^it must be one of require, auto, off$/],
    ['[security]\nsandbox_user = 1000\n', '2:16', /^it must be a text in quotes|^it must be a text$/],
    ['[security]\nmemory_mb = 15\n', '2:13', /^it must be a whole number from 16 to 1048576$/],
    ['[security]\nmemory_mb = 1.5\n', '2:13', /^it must be a whole number from 16 to 1048576$/],
    ['[registries]\ntimeout = 0\n', '2:11', /^it must be a whole number from 1 to 600$/],
    ['[registries]\ntimeout = 601\n', '2:11', /^it must be a whole number from 1 to 600$/],
    ['[registries]\ntimeout = "60"\n', '2:11', /^it must be a whole number from 1 to 600$/],
    ['[locks]\nconsent = "/a"\n', '2:11', /^it must be a list$/],
    ['[locks]\nconsent = ["a.lock"]\n', '2:12', /it must be an absolute path, or begin with ~\/$/],
    ['security = true\n', '1:12', /^it must be a table$/],
    ['[security]\n[security]\n', '2:2', /Not TOML 1\.0|twice|duplicate/i],
    ['', '1:1', /^The file is empty$/],
  ]
  for (const [text, place, message] of rows)
    test(JSON.stringify(text), async () => {
      // The positive control: the same file, in order.
      assert.ok(await operatorConfig(places(undefined, saying(true))))
      const given = places(undefined, text)
      const error = await refusal(given)
      assert.equal(error.code, 'USAGE')
      const head = `Cannot rely on ${join(given.home, 'config.toml')}:${place}: `
      assert.equal(error.message.slice(0, head.length), head)
      assert.match(error.message.slice(head.length), message)
      assert.match(error.hint ?? '', /docs\/operator\.md/)
      assert.equal((await refusal(places(text))).code, 'USAGE')
    })
})

test('a file that others may write, or lead elsewhere, decides nothing and is not taken for missing', async () => {
  const loose = places(undefined, saying(false))
  chmodSync(join(loose.home, 'config.toml'), 0o666)
  assert.equal((await refusal(loose)).code, 'NO_PERMISSION')
  const open = places(undefined, saying(false))
  chmodSync(open.home, 0o777)
  assert.equal((await refusal(open)).code, 'NO_PERMISSION')
  const elsewhere = places()
  symlinkSync('nowhere', join(elsewhere.home, 'config.toml'))
  assert.equal((await refusal(elsewhere)).code, 'NOT_FOUND')
})

test('a file of another user is refused', {
  skip: IS_ROOT ? false : 'only root can give files away',
}, async () => {
  const given = places(saying(true))
  chownSync(given.system, 12345, 12345)
  assert.match((await refusal(given)).message, /belongs to another user/)
})

test('the page lists each key of each table', () => {
  const page = readFileSync(new URL('../../docs/operator.md', import.meta.url), 'utf8')
  for (const { table, key } of Object.values(CONFIG_FIELDS))
    assert.ok(page.includes(`| \`[${table}]\` | \`${key}\` |`), `${table}.${key}`)
})
