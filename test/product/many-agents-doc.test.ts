// docs/many-agents.md: its figures are those of docs/performance.md, its commands are there, and a host that runs them has what its locks name.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { REGISTRY } from '../../src/cli/commands.ts'
import { parse } from '../../src/cli/parse.ts'
import { readWords } from '../../src/text/shell-words.ts'
import { channelWith, pinOf, publish } from '../support/channel-world.ts'
import { temporary } from '../support/folder.ts'
import { good, made, policyText, RELEASE, world } from '../support/install-world.ts'

const folder = temporary('many-agents')

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

test('the commands of a host, as printed: what two locks name is there, and what leaves one goes', async () => {
  const here = world(folder('host'))
  const channel = channelWith(policyText())
  await publish(channel, `oci-layout:${join(here.cwd, 'house')}`)
  await good(here, 'trust', 'follow', 'oci-layout:house', '--root', pinOf(channel))
  mkdirSync(join(here.cwd, 'deploy'))
  for (const [lock, ...agents] of [
    ['mail', 'mailer', 'sorter', 'filer'],
    ['search', 'finder', 'filer'],
  ])
    for (const name of agents) {
      const bundle = here.put(`${name}.agent.bundle`, made({ name }, RELEASE))
      await good(here, 'agent', 'push', bundle, `oci-layout:${name}`)
      await good(
        here,
        'lock',
        'add',
        `oci-layout:${name}:1.0.0`,
        '--lock',
        `deploy/${lock}.lock`,
        '--name',
        `${lock}`,
      )
    }
  const [, block = ''] = /```sh\n([\s\S]*?)```/.exec(PAGE) ?? []
  const run = async () => {
    for (const line of block.trim().split('\n')) {
      const words = readWords(line.replaceAll('/srv/deploy/', 'deploy/').replaceAll('/var/log/rlp/', ''))
      assert.ok('value' in words, line)
      const [, ...args] = words.value
      const { exit, stdout, stderr } = await here.say(...args)
      assert.equal(exit, 0, `${line}\n${stdout}${stderr}`)
    }
    const { agents } = await good(here, 'agent', 'list')
    return (agents as { name: string; lock: string }[]).map(({ name, lock }) => `${name} ${lock}`)
  }
  assert.deepEqual(await run(), ['filer mail', 'finder search', 'mailer mail', 'sorter mail'])
  await good(here, 'lock', 'remove', 'sorter', 'filer', '--lock', 'deploy/mail.lock')
  assert.deepEqual(await run(), ['filer mail', 'finder search', 'mailer mail'])
  const audit = readFileSync(join(here.cwd, 'audit.ndjson'), 'utf8').trim().split('\n')
  assert.ok(audit.length >= 4)
})

describe('how many jobs', () => {
  const section = PAGE.split('\n## How many jobs\n')[1]?.split('\n## ')[0] ?? ''
  const formulas = [...section.matchAll(/^(\S.*?) += (.*)$/gm)].map(([, what = '', formula = '']) => ({
    what,
    formula,
  }))
  const rows = section
    .split('\n')
    .filter(line => /^\| [\d,]+ \|/.test(line))
    .map(line => {
      const [, bundles = '', , parts = '', ...figures] = line.split('|').map(cell => cell.trim())
      const numbers = figures.flatMap(cell => cell.match(/[\d.]+/g) ?? []).map(Number)
      return { bundles: Number(bundles.replaceAll(',', '')), parts: Number(parts), numbers }
    })

  /** A sum of products, as the page writes one. */
  function resultOf(formula: string, names: Readonly<Record<string, number>>): number {
    const valueIn = (word = '') => names[word] ?? Number(word)
    return formula.split(' + ').reduce((sum, term) => {
      const [first, ...rest] = term.split(' ')
      let product = valueIn(first)
      for (let at = 0; at < rest.length; at += 2) {
        assert.match(rest[at] ?? '', /^[×/]$/)
        product = rest[at] === '/' ? product / valueIn(rest[at + 1]) : product * valueIn(rest[at + 1])
      }
      return sum + product
    }, 0)
  }

  const computed = ({ bundles, parts }: { readonly bundles: number; readonly parts: number }) =>
    formulas.map(({ what, formula }) => {
      const value = resultOf(formula, { bundles, parts })
      assert.ok(value > 0, formula)
      return what.startsWith('MB of a part') || what.startsWith('MB of the merge')
        ? Math.round(value)
        : Number(value.toFixed(1))
    })

  test('the rows but the first are what the formulas give', () => {
    assert.deepEqual(
      rows.map(({ bundles }) => bundles),
      [1000, 100_000, 1_000_000],
    )
    assert.equal(formulas.length, 5)
    for (const row of rows.slice(1)) assert.deepEqual(row.numbers, computed(row), `${row.bundles}`)
  })

  test('the first row was measured, and the formulas come near it', () => {
    const [measured] = rows
    assert.ok(measured)
    const [part = 0, partMemory = 0, merge = 0, mergeMemory = 0, report = 0] = computed(measured)
    const [seconds = 0, memory = 0, mergeSeconds = 0, memoryOfMerge = 0, size = 0] = measured.numbers
    assert.ok(Math.abs(part - seconds) <= seconds / 5 && Math.abs(merge - mergeSeconds) <= mergeSeconds / 5)
    // Memory is that of the largest parts.
    assert.ok(memory <= partMemory && memoryOfMerge <= mergeMemory)
    assert.equal(size, report)
  })
})
