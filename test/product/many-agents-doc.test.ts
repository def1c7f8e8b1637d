// docs/many-agents.md: its figures are those of docs/performance.md, and its commands are there.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { REGISTRY } from '../../src/cli/commands.ts'
import { parse } from '../../src/cli/parse.ts'
import { readWords } from '../../src/format/text/shell-words.ts'

const PAGE = readFileSync('docs/many-agents.md', 'utf8')
const FIGURES = readFileSync('docs/performance.md', 'utf8').split('\n## Figures\n')[1] ?? ''

test('every figure is one that the bench printed', () => {
  const rows = [...PAGE.matchAll(/^\| `([^`]+)` \| ([\d.]+ (?:ms|MB)) \|/gm)]
  assert.ok(rows.length >= 8)
  const isPrinted = (row: string, figure: string) =>
    FIGURES.split('\n').some(
      line => line.startsWith(`${row}  `) && line.slice(row.length).trim().startsWith(`${figure} `),
    )
  for (const [, row = '', figure = ''] of rows) assert.ok(isPrinted(row, figure), `${row}: ${figure}`)
  const [[, row = '', figure = ''] = []] = rows
  assert.ok(!isPrinted(row, `1${figure}`))
  assert.ok(!isPrinted(`${row}s`, figure))
})

test('the commands of a host are there, with their options', async () => {
  const [, block = ''] = /```sh\n([\s\S]*?)```/.exec(PAGE) ?? []
  const lines = block.trim().split('\n')
  assert.equal(lines.length, 3)
  for (const line of lines) {
    const words = readWords(line)
    assert.ok('value' in words, line)
    const [program, room, verb, ...args] = words.value
    assert.equal(program, 'rlp')
    const entry = REGISTRY.commands.find(({ name }) => [`${room} ${verb}`, room].includes(name))
    assert.ok(entry, line)
    const { command } = await entry.load()
    parse(command, entry.name === room ? [verb, ...args].flatMap(word => word ?? []) : args)
    assert.throws(() => parse(command, ['--no-such-option']))
  }
})
