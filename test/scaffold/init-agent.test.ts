// `rlp agent init`: a folder that exists becomes an agent; every file of it stays, and only a manifest gets digests, after a yes.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { agentTree, writeTree } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { snapshot, temporary } from '../support/folder.ts'

const folderFor = temporary('init')
const init = (cwd: string, ...args: string[]) => run(['agent', 'init', ...args], undefined, { cwd })
const rlp = (cwd: string, ...args: string[]) => run(args, undefined, { cwd })
const textAt = (cwd: string, file: string) => readFileSync(join(cwd, file), 'utf8')

describe('rlp agent init', () => {
  test('makes an agent around files that stay, and packs none of them', async () => {
    const cwd = folderFor('around')
    const theirs = { 'src/main.rs': 'fn main() {}', 'node_modules/x/index.js': '', 'secret.pem': 'x' }
    writeTree(join(cwd, 'mailer'), { ...theirs, 'README.md': '# Mailer\n' })
    const { exit, stdout } = await init(cwd, 'mailer')
    assert.equal(exit, 0)
    assert.match(stdout, /✓ mailer\n {4}\.bundleignore\n/)
    for (const [path, text] of Object.entries(theirs)) assert.equal(textAt(cwd, `mailer/${path}`), text)
    assert.equal(textAt(cwd, 'mailer/README.md'), '# Mailer\n')
    const { stdout: linted } = await rlp(cwd, 'agent', 'lint', 'mailer', '--json', '--strict')
    const { findings } = JSON.parse(linted).result.agents[0]
    assert.deepEqual(
      findings.map(({ rule }: { rule: string }) => rule),
      ['wasm/stub'],
    )
    await rlp(cwd, 'agent', 'pack', 'mailer')
    const { stdout: inside } = await rlp(cwd, 'agent', 'inspect', 'dist/mailer-0.1.0.agent.bundle')
    assert.match(inside, /README\.md/)
    assert.doesNotMatch(inside, /main\.rs|index\.js|secret\.pem|schemas/)
    const before = snapshot(join(cwd, 'mailer'))
    assert.equal((await init(cwd, 'mailer')).stdout, 'mailer  nothing is missing\n')
    assert.deepEqual(snapshot(join(cwd, 'mailer')), before)
  })

  test('names schemas that an editor finds: those of the package, else copies', async () => {
    const cwd = folderFor('schemas')
    mkdirSync(join(cwd, 'mailer'))
    await init(cwd, 'mailer')
    const { $schema } = JSON.parse(textAt(cwd, 'mailer/tools.json'))
    assert.ok(existsSync(join(cwd, 'mailer', $schema)))
    for (const file of ['manifest.toml', 'policy.caps']) {
      const [, path = ''] = /^#:schema (.*)$/m.exec(textAt(cwd, `mailer/${file}`)) ?? []
      assert.ok(existsSync(join(cwd, 'mailer', path)), path)
    }
    mkdirSync(join(cwd, 'node_modules/rlp-bundle/schemas'), { recursive: true })
    mkdirSync(join(cwd, 'other'))
    await init(cwd, 'other')
    assert.equal(existsSync(join(cwd, 'other/.schemas')), false)
    assert.match(textAt(cwd, 'other/manifest.toml'), /^#:schema \.\.\/node_modules\/rlp-bundle\/schemas\//)
  })

  test('takes a program that is there as the entry', async () => {
    const cwd = folderFor('native')
    writeTree(join(cwd, 'mailer'), { 'bin/mailer': '#!/bin/sh\n' })
    await init(cwd, 'mailer')
    assert.match(
      textAt(cwd, 'mailer/manifest.toml'),
      /kind = "native-shim"\n\nentry_native = \{ path = "bin\/mailer"/,
    )
    assert.deepEqual(readdirSync(join(cwd, 'mailer/bin')), ['mailer'])
  })

  test('shows what a manifest would become, and writes nothing without a yes', async () => {
    const cwd = folderFor('digests')
    const tree = agentTree({ files: { 'data/x.txt': 'x' } })
    delete tree['tools.json']
    writeTree(join(cwd, 'mini'), { ...tree, 'notes.txt': 'not in the manifest' })
    const manifest = textAt(cwd, 'mini/manifest.toml')
    writeFileSync(join(cwd, 'mini/data/x.txt'), 'another')
    const before = snapshot(join(cwd, 'mini'))
    const refused = await init(cwd, 'mini')
    assert.equal(refused.exit, 2)
    assert.match(
      refused.stderr,
      /^--- mini\/manifest\.toml\n[\s\S]*^-"data\/x\.txt" = [\s\S]*^\+"data\/x\.txt" = /m,
    )
    assert.match(
      refused.stderr,
      /rlp: Cannot change "mini": manifest\.toml would be replaced, and no person can be asked\nhint: /,
    )
    assert.deepEqual(snapshot(join(cwd, 'mini')), before)
    const isTTY = { stdin: true, stdout: true, stderr: true }
    const asked = await run(['agent', 'init', 'mini'], undefined, {
      cwd,
      isTTY,
      input: 'no\n',
      env: { TERM: 'dumb' },
    })
    assert.equal(asked.exit, 130)
    assert.match(asked.stdout, /Replace manifest\.toml\? \[y\/N\] /)
    assert.deepEqual(snapshot(join(cwd, 'mini')), before)
    const { exit, stdout } = await init(cwd, 'mini', '--yes')
    assert.equal(exit, 0)
    assert.match(stdout, /manifest\.toml \(digests\)/)
    assert.notEqual(textAt(cwd, 'mini/manifest.toml'), manifest)
    // What the manifest names stays packed, and nothing else is.
    assert.match(textAt(cwd, 'mini/.bundleignore'), /^!\/data$/m)
    assert.doesNotMatch(textAt(cwd, 'mini/manifest.toml'), /notes\.txt/)
    assert.equal((await rlp(cwd, 'agent', 'lint', 'mini')).exit, 0)
  })

  test('refuses what cannot become an agent, and a way out of the folder', async () => {
    const cwd = folderFor('refused')
    writeFileSync(join(cwd, 'file'), '')
    for (const name of ['Bad Name', 'signed', 'linked', 'broken']) mkdirSync(join(cwd, name))
    mkdirSync(join(cwd, 'signed/SIGNATURES'))
    mkdirSync(join(cwd, 'elsewhere'))
    symlinkSync(join(cwd, 'elsewhere'), join(cwd, 'linked/bin'))
    writeFileSync(join(cwd, 'broken/manifest.toml'), '[')
    const said = async (...args: string[]) => {
      const { exit, stderr } = await init(cwd, ...args)
      return [exit, stderr.split('\n')[0]]
    }
    assert.deepEqual(await said('none'), [2, 'rlp: Cannot make an agent of "none": no such folder'])
    assert.deepEqual(await said('file'), [2, 'rlp: Cannot make an agent of "file": it is a file'])
    assert.deepEqual(await said('signed'), [
      2,
      'rlp: Cannot make an agent of "signed": it is an unpacked bundle',
    ])
    assert.deepEqual(await said('Bad Name'), [
      2,
      'rlp: Cannot make an agent called "Bad Name": invalid agent name',
    ])
    assert.deepEqual(await said('broken'), [1, 'rlp: Cannot digest "broken": manifest.toml cannot be read'])
    assert.match(String((await said('linked'))[1]), /it is a symbolic link/)
    assert.deepEqual(readdirSync(join(cwd, 'elsewhere')), [])
    assert.deepEqual(readdirSync(join(cwd, 'linked')), ['bin'])
    assert.deepEqual(readdirSync(join(cwd, 'broken')), ['manifest.toml'])
    assert.equal((await init(cwd, 'Bad Name', '--name', 'good')).exit, 0)
    assert.deepEqual(await said('Bad Name', '--name', 'other'), [
      2,
      'rlp: Cannot call "Bad Name" other: its manifest has another name',
    ])
  })
})
