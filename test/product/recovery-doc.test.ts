// Runs the commands of docs/recovery.md as they are printed: on the desk of the people who sign and pin, and on a host that installs by the lock and has
// the agent already. Keys and the registry take the place of the page's.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { readWords } from '../../src/text/shell-words.ts'
import { writeTree } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { madeTree } from '../support/install-world.ts'
import { FakeRegistry } from '../support/oci-registry.ts'
import { LATE } from '../support/runs.ts'

const folder = temporary('recovery')
const PAGE = readFileSync('docs/recovery.md', 'utf8')
const section = (heading: string) => PAGE.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
const [INTRODUCTION = ''] = PAGE.split('\n## A lost key\n')

/** The commands of the blocks of one kind, such as `sh sign`. */
function linesIn(text: string, kind: 'sign' | 'verify' | 'deploy' | 'host'): string[] {
  const blocks = [...text.matchAll(/^```sh (\w+)\n([\s\S]*?)^```$/gm)].filter(([, word]) => word === kind)
  assert.ok(blocks.length > 0, `no block "sh ${kind}"`)
  return blocks.flatMap(([, , lines = '']) => lines.trim().split('\n'))
}

/** The `rlp lock update` of a version in the text of the page. */
function lockUpdateIn(text: string, version: string): string {
  const inline = [...text.matchAll(/`(rlp lock update[^`]*)`/g)].map(([, line = '']) =>
    line.replace(/\s+/g, ' '),
  )
  const found = inline.find(line => line.includes(`mailer:${version}`))
  assert.ok(found, `no rlp lock update of ${version}`)
  return found
}

/** A house with mailer 0.3.0 in its registry, in its lock and on its host. */
async function house(t: TestContext, name: string) {
  const registry = await new FakeRegistry({ referrers: true }).start()
  t.after(() => registry.stop())
  const cwd = folder(name)
  const homes = { desk: join(cwd, 'desk'), host: join(cwd, 'host') }
  for (const home of Object.values(homes)) mkdirSync(home, { mode: 0o755 })
  const env = { RLP_KEY_PASSPHRASE: 'four words of ours' }

  const on = async (where: 'desk' | 'host', line: string, keys: readonly string[] = []) => {
    let at = 0
    const text = line
      .replaceAll('oci://registry.example', `oci://${registry.host}`)
      .replaceAll('ed25519:…', () => keys[at++] ?? assert.fail(`no key for ${line}`))
    const read = readWords(text)
    assert.ok('value' in read, line)
    const [program, ...args] = read.value
    assert.equal(program, 'rlp', line)
    process.env['RUNLOOP_HOME'] = homes[where]
    return run(args, undefined, { cwd, env })
  }
  const good = async (
    where: 'desk' | 'host',
    lines: readonly string[],
    keys: readonly (readonly string[])[] = [],
  ) => {
    let said = ''
    for (const [at, line] of lines.entries()) {
      const { exit, stdout, stderr } = await on(where, line, keys[at])
      assert.equal(exit, 0, `${line}: ${stderr}`)
      said += stdout
    }
    return said
  }
  /** On every machine that verifies. */
  const onAll = async (lines: readonly string[], keys?: readonly (readonly string[])[]) => {
    await good('host', lines, keys)
    await good('desk', lines, keys)
  }
  const keyOf = async (key: string) => {
    const [found = ''] = /ed25519:[^"\s]*/.exec(await good('desk', [`rlp key show ${key} --json`])) ?? []
    return found
  }
  /** Packs a version, and signs it. */
  const release = async (version: string, key: string) => {
    rmSync(join(cwd, 'agents'), { recursive: true, force: true })
    writeTree(join(cwd, 'agents/mailer'), madeTree({ name: 'mailer', version }))
    await good('desk', [
      `rlp agent pack agents/mailer --out mailer-${version}.agent.bundle`,
      `rlp agent sign mailer-${version}.agent.bundle --key ${key}`,
    ])
  }
  const publish = (version: string) =>
    good('desk', [`rlp agent push mailer-${version}.agent.bundle oci://registry.example/agents/`])
  /** The page's command for a host, and what it says of the agent. */
  const host = async () => {
    const [line = '', ...more] = linesIn(INTRODUCTION, 'host')
    assert.deepEqual(more, [])
    const { exit, stdout } = await on('host', `${line} --json`)
    const [agent] = JSON.parse(stdout).result.agents
    return `${exit} ${agent.is} ${agent.version} ${agent.verdict}`
  }

  await good('desk', ['rlp key generate release'])
  await release('0.3.0', 'release')
  const old = await keyOf('release')
  await onAll([`rlp trust add release ${old} --for mailer-0.3.0.agent.bundle --yes`])
  await publish('0.3.0')
  await good('desk', ['rlp lock add oci://registry.example/agents/mailer:0.3.0'])
  assert.equal(await host(), '0 installed 0.3.0 trusted')
  return { on, good, onAll, keyOf, release, publish, host, old }
}

test('a lost key: what is installed stays, and the next release has the further key', {
  skip: LATE,
}, async t => {
  const { good, onAll, keyOf, release, publish, host } = await house(t, 'lost')
  const page = section('A lost key')
  await good('desk', linesIn(page, 'sign'))
  await onAll(linesIn(page, 'verify'), [[await keyOf('release-2027')]])
  assert.equal(await host(), '0 there 0.3.0 trusted')
  await release('0.3.2', 'release-2027')
  await publish('0.3.2')
  await good('desk', [lockUpdateIn(INTRODUCTION, '0.3.2')])
  assert.equal(await host(), '0 installed 0.3.2 trusted')
})

test('a stolen key: the same release with another signature reaches a host that had the revoked one', {
  skip: LATE,
}, async t => {
  const { good, onAll, keyOf, host, old } = await house(t, 'stolen')
  const page = section('A stolen key')
  await good('desk', linesIn(section('A lost key'), 'sign'))
  const further = await keyOf('release-2027')
  await onAll(linesIn(page, 'verify'), [[old, further], [further]])
  assert.equal(await host(), '1 refused 0.3.0 revoked')
  await good('desk', linesIn(page, 'sign'))
  assert.equal(await host(), '1 refused 0.3.0 revoked')
  await good('desk', linesIn(INTRODUCTION, 'deploy'))
  assert.equal(await host(), '0 installed 0.3.0 trusted')
  assert.equal(await host(), '0 there 0.3.0 trusted')
})

test('a bad release: a higher version takes its place', { skip: LATE }, async t => {
  const { good, onAll, release, publish, host } = await house(t, 'bad')
  const update = lockUpdateIn(INTRODUCTION, '0.3.2')
  await release('0.3.1', 'release')
  await publish('0.3.1')
  await good('desk', [update.replace('0.3.2', '0.3.1')])
  assert.equal(await host(), '0 installed 0.3.1 trusted')
  await onAll(linesIn(section('A bad release'), 'verify'))
  assert.equal(await host(), '1 refused 0.3.1 revoked')
  await release('0.3.2', 'release')
  await publish('0.3.2')
  await good('desk', [update])
  assert.equal(await host(), '0 installed 0.3.2 trusted')
})

for (const by of ['the lock', 'the bundle'] as const)
  test(`a wrong high-water mark: the version that was meant is installed by ${by}`, {
    skip: LATE,
  }, async t => {
    const { good, release, publish, host, on } = await house(t, `mark-${by.slice(4)}`)
    const page = section('A wrong high-water mark')
    const [reset = '', install = '', ...more] = linesIn(page, 'verify')
    assert.deepEqual(more, [])
    const update = lockUpdateIn(page, '0.9.1')
    for (const version of ['9.0.0', '0.9.1']) {
      await release(version, 'release')
      await publish(version)
    }
    await good('desk', [update.replace('0.9.1 --allow-downgrade', '9.0.0')])
    assert.equal(await host(), '0 installed 9.0.0 trusted')
    await good('desk', [update])
    assert.equal(await host(), '1 refused 0.9.1 rolled_back')
    assert.equal((await on('host', install)).exit, 1)
    await good('host', [reset])
    if (by === 'the bundle') await good('host', [install])
    assert.equal(await host(), by === 'the lock' ? '0 installed 0.9.1 trusted' : '0 there 0.9.1 trusted')
  })
