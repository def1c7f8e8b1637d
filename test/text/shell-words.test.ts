// Commands that are printed to be pasted: the shell makes of a path what was meant, and every path in them is written by one function.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { expandHome, nearLabel } from '../../src/io/home.ts'
import { writePath } from '../../src/text/shell-words.ts'
import { temporary } from '../support/folder.ts'

const folder = temporary('shell-words')
const HOME = '/home/a b'

/** What a shell hands to a program. */
function pasted(shell: string, words: readonly string[]): string[] {
  const { stdout, stderr, status } = spawnSync(shell, ['-c', `printf '%s\\0' ${words.join(' ')}`], {
    encoding: 'utf8',
    env: { HOME, PATH: process.env['PATH'] },
    cwd: folder('empty'),
  })
  assert.deepEqual([status, stderr], [0, ''])
  return stdout.split('\0').slice(0, -1)
}

/** The file that is meant, and the one that any program finds by what the shell hands to it. */
const meant = (path: string) => resolve('/cwd', path.replace(/^~(?=\/|$)/, HOME))
const found = (word: string) => resolve('/cwd', word)

const SHELLS = ['sh', 'bash', 'zsh'].filter(shell => spawnSync(shell, ['-c', 'true']).status === 0)
const ODD = [
  '~/.runloop/trust-policy.toml',
  '~/my policies/it’s "one".toml',
  "~/it's",
  '~',
  '~/',
  '~root/x',
  './~/x',
  'a~b',
  '-rf',
  '--help',
  '-',
  'a b',
  '{a,b}',
  '$HOME/`id`',
  '*',
  '!!',
  '#x',
  '=ls',
  'a\\b',
  '',
  'oci://registry.example/agents/mailer:0.1.0@sha256:00',
  'oci-layout:~/store:0.1.0',
]

for (const shell of SHELLS) {
  test(`${shell} makes of each path what was meant`, () => {
    const words = ODD.map(writePath)
    assert.deepEqual(pasted(shell, words).map(found), ODD.map(meant))
    // And no program reads it as an option.
    assert.deepEqual(
      pasted(shell, words).filter(word => word.startsWith('-')),
      [],
    )
  })
}

test('of any path, whatever is in it', () => {
  const piece = fc.oneof(fc.string(), fc.constantFrom('~', '~/', '-', ' ', "'", '"', '$', '\\', '/', '..'))
  const path = fc.array(piece, { maxLength: 6 }).map(pieces => pieces.join('').replaceAll('\0', ''))
  fc.assert(
    fc.property(fc.array(path, { minLength: 50, maxLength: 50 }), paths => {
      assert.deepEqual(pasted('sh', paths.map(writePath)).map(found), paths.map(meant))
    }),
    { numRuns: 20 },
  )
})

test('a folder called ~ in the current one is not the home folder', () => {
  assert.equal(nearLabel('/cwd/~/x', '/cwd'), './~/x')
  assert.equal(nearLabel('/cwd/a/x', '/cwd'), 'a/x')
  assert.equal(expandHome('./~/x'), './~/x')
})

/** What a command in a text may hold beside paths: nothing that a shell would read in another way. */
const NO_PATH = [
  /^(?:name|args\.name|agent|offer\.agent|reference\.name|nameFor\(target\.label\)|verb|version)$/,
  // Written by `writePath` some lines above, or where the bundle is known.
  /^(?:at|BUNDLE|bundleIn\(label\)|which|table|into)$/,
  // Of a signature that holds: letters, digits and `+/=:`.
  /^signer$/,
  /^line\.(?:command\.name|words\.map\()/,
  /^quote\(/,
]

test('every path in a command that is printed is written by that function', () => {
  const wrong: string[] = []
  let seen = 0
  for (const file of readdirSync('src', { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue
    const text = readFileSync(join('src', file), 'utf8')
    const commands = /\b(?:rlp(?: (?:[a-z-]+|\$\{[^}]*\}))+|chmod [a-z0-9-]+) (?:--?[a-z-]+ )*\$\{([^}]*)\}/g
    for (const [command, value = ''] of text.matchAll(commands)) {
      seen++
      const isPath = /^(?:writePath|bundleIn)\(/.test(value) || value.includes('.map(writePath)')
      const first = /\$\{([^}]*)\}/.exec(command)?.[1] ?? ''
      const isOther = [value, first].some(one => NO_PATH.some(known => known.test(one)))
      if (
        !isPath &&
        !isOther &&
        !/^writeWords\(\[(?:id|tool|other\.name)\]\)/.test(value) &&
        !command.includes("'TOOL' : writeWords(")
      )
        wrong.push(`${file}: ${command}`)
    }
  }
  assert.ok(seen > 40, `${seen} commands`)
  assert.deepEqual(wrong, [])
})
