// Names from outside that every plain object has: a file, a key, a tool or a variable may be called so, and none of them finds what
// JavaScript put there. The architecture test holds the lookups; this one the files.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { read } from '../../src/agent/read-agent.ts'
import { lintAgent } from '../../src/lint/lint.ts'
import { UNPREPARED } from '../../src/lint/rules/rule.ts'
import { own } from '../../src/model/own.ts'
import { agentTree } from '../support/agent.ts'
import { memoryFiles } from '../support/memory.ts'

const NAMES = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__']

describe('a file that no digest names', () => {
  for (const name of ['notes', ...NAMES]) {
    test(`and that is called ${name} has its place in [artifacts.files]`, () => {
      const files = memoryFiles(Object.fromEntries([...Object.entries(agentTree()), [name, 'x']]))
      const [finding, ...more] = lintAgent(read(files, 'mini'), UNPREPARED).filter(({ rule }) =>
        rule.startsWith('manifest/'),
      )
      assert.equal(finding?.message, `No digest names ${name}; its place is [artifacts.files]`)
      assert.equal(finding?.fix, 'Run rlp agent digest, or leave the file out with .bundleignore')
      assert.deepEqual(more, [])
    })
  }
})

test('own finds what a record holds itself, and nothing else', () => {
  assert.equal(own({ notes: 1 }, 'notes'), 1)
  assert.equal(own(JSON.parse('{"__proto__": 1}'), '__proto__'), 1)
  for (const name of NAMES) assert.equal(own({ notes: 1 }, name), undefined, name)
  assert.equal(own(undefined, 'notes'), undefined)
})
