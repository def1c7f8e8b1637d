// No line for people is wider than their terminal, as far as spaces allow; no digest, path or word is broken.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { fit, width } from '../../src/cli/render/layout.ts'
import { agentTree, bundleOf, writeTree } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { IN_CI } from '../support/runs.ts'
import { signedBundle, signer } from '../support/signed.ts'

const folder = temporary('fit')
const home = process.env['RUNLOOP_HOME']
let cwd = ''
before(() => {
  cwd = folder('world')
  process.env['RUNLOOP_HOME'] = join(cwd, 'home')
  writeTree(join(cwd, 'agents/mini'), agentTree())
  mkdirSync(join(cwd, 'dist'))
  writeFileSync(join(cwd, 'dist/mini-1.0.0.agent.bundle'), bundleOf(agentTree()))
  writeFileSync(join(cwd, 'dist/signed.agent.bundle'), signedBundle(agentTree(), signer(1)))
})
after(() => {
  if (home === undefined) delete process.env['RUNLOOP_HOME']
  else process.env['RUNLOOP_HOME'] = home
})

test('words stay whole and in order, and a line is too wide only for one word', () => {
  const word = fc.string({ minLength: 1, maxLength: 30 }).map(text => text.replace(/\s/g, '.'))
  const line = fc
    .tuple(fc.nat(6), fc.array(word))
    .map(([indent, words]) => ' '.repeat(indent) + words.join(' '))
  fc.assert(
    fc.property(line, fc.integer({ min: 20, max: 60 }), (text, columns) => {
      const lines = fit(text, columns).split('\n')
      assert.deepEqual(lines.join(' ').split(/ +/).filter(Boolean), text.split(/ +/).filter(Boolean))
      for (const one of lines) assert.ok(width(one) <= columns || !one.trim().includes(' '), one)
      if (width(text) <= columns) assert.equal(lines[0], text)
    }),
    { numRuns: 100 },
  )
  assert.equal(fit('  a    b\n', 80), '  a    b\n')
  // A command that is broken is the same command, whatever is quoted in it.
  const command = `  rlp tool add x --description 'a person'\\''s mail' --note "two words" --url 'https://h.example/?a b'`
  const pasted = fit(command, 30)
  assert.ok(pasted.split('\n').length > 3)
  assert.equal(pasted.replace(/ \\\n +/g, ' '), command)
})

describe('commands', () => {
  const LINES = [
    'agent lint mini',
    'agent verify dist',
    'agent verify dist/signed.agent.bundle',
    'agent verify dist/mini-1.0.0.agent.bundle',
    'agent inspect dist/mini-1.0.0.agent.bundle',
    'agent diff dist/signed.agent.bundle agents/mini',
    'agent digest mini',
    'agent pack mini --out other.agent.bundle',
    'agent list',
    'trust list',
    'trust explain dist/signed.agent.bundle',
    'caps show mini',
    'key list',
    'tool export agents/mini --to mcp',
  ]
  const words = (text: string) => text.split(/\s+/).filter(Boolean)
  for (const line of LINES) {
    test(line, async () => {
      const shown: string[] = []
      for (const columns of IN_CI ? [40, 80, 200] : [40, 200]) {
        const isTTY = { stdin: false, stdout: true, stderr: true }
        const { stdout, stderr } = await run([...line.split(' '), '--no-color'], undefined, {
          cwd,
          env: {},
          columns,
          isTTY,
        })
        const all = stdout + stderr
        shown.push(all)
        if (line.startsWith('tool export')) continue
        for (const one of all.split('\n'))
          assert.ok(width(one) <= columns || words(one).length === 1, `${columns}: ${one}`)
      }
      const narrow = new Set(words(shown[0] ?? ''))
      const long = words(shown.at(-1) ?? '').filter(word => word.length > 12 && !/^[─-╿]/.test(word))
      for (const word of long) assert.ok(narrow.has(word), word)
    })
  }
})
