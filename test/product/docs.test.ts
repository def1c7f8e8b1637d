// The README against the registries, and its examples against the built command.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { REGISTRY } from '../../src/cli/commands.ts'
import { EXIT } from '../../src/model/exit-code.ts'
import { VERDICTS } from '../../src/model/verdict.ts'

const README = readFileSync('README.md', 'utf8')
const RLP = resolve('dist/program/rlp.cjs')

/** The rows of the first table below a heading, each as its cells. */
function table(heading: string): string[][] {
  const section = README.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
  const rows = section
    .split('\n')
    .filter(line => line.startsWith('|'))
    .slice(2)
  return rows.map(row =>
    row
      .split('|')
      .slice(1, -1)
      .map(cell => cell.trim()),
  )
}

test('every command has its line, in order', () => {
  const expected = REGISTRY.commands.map(({ name, summary }) => [`\`rlp ${name}\``, summary.toLowerCase()])
  const found = table('Commands').map(([name, what]) => [name, what?.toLowerCase().replaceAll("'", '’')])
  assert.deepEqual(found, expected)
})

test('every verdict has its line, in order of precedence', () => {
  const expected = Object.entries(VERDICTS).map(([word, { exit, meaning }]) => [
    `\`${word}\``,
    String(exit),
    meaning,
  ])
  assert.deepEqual(table('Verdicts'), expected)
})

test('every exit code has its line', () => {
  assert.deepEqual(
    table('Exit codes').map(([code]) => Number(code)),
    Object.values(EXIT),
  )
})

test('the quick start prints what it says', () => {
  const block = /```console\n([\s\S]*?)```/.exec(README)?.[1] ?? ''
  const folder = mkdtempSync(join(tmpdir(), 'rlp-readme-'))
  try {
    let made = ''
    for (const line of block.split('\n').filter(line => line.startsWith('$ rlp '))) {
      const { stdout, stderr, status } = spawnSync(process.execPath, [RLP, ...line.slice(6).split(' ')], {
        cwd: folder,
        encoding: 'utf8',
        // Keys and the trust policy of whoever runs the tests stay out of it.
        env: { PATH: process.env['PATH'], HOME: folder },
      })
      assert.equal(status, 0, stderr)
      made += `${line}\n${stdout}${stderr}`.replaceAll(/ed25519:[A-Za-z0-9+/]{43}=/g, 'ed25519:…')
    }
    if (process.env['UPDATE_GOLDEN'] === '1')
      writeFileSync(
        'README.md',
        README.replace(block, () => made),
      )
    else assert.equal(made, block)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('the library example runs', () => {
  const code = /```ts\n([\s\S]*?)```/.exec(README)?.[1] ?? ''
  const folder = mkdtempSync(join(tmpdir(), 'rlp-readme-'))
  try {
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(resolve('.'), join(folder, 'node_modules/rlp-bundle'))
    const run = (...args: string[]) => spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
    run(RLP, 'agent', 'scaffold', 'mailer', '--non-interactive')
    run(RLP, 'agent', 'pack')
    writeFileSync(join(folder, 'example.mjs'), code)
    const { stdout, stderr } = run('example.mjs')
    assert.match(stdout, /^0\.1\.0 \d+ 0 \[\]\n$/, stderr)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
