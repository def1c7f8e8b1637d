// Text from a bundle on its way into the log of a pipeline, whose runner takes some lines for commands.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { inert, wrap } from '../../src/cli/render/layout.ts'
import { printable, printableJson } from '../../src/text/printable.ts'
import { agentTree, bundleOf, writeTree } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { processorTime } from '../support/processor-time.ts'
import { commandsIn } from '../support/runner.ts'
import { IN_CI, runs } from '../support/runs.ts'

const folderFor = temporary('inert')
const COMMANDS = [
  '::stop-commands::x',
  '::set-output name=a::b',
  '##[add-path]/evil',
  '##vso[task.x]y',
  '##TeamCity[x]',
]

describe('a line of a log', () => {
  for (const command of COMMANDS) {
    for (const before of [
      '',
      '  ',
      '\t',
      '\u3000',
      '\u001b[31m',
      ' \u001b[1m ',
      'first\n',
      'first\r\n  ',
      '\u2028',
    ]) {
      test(`${JSON.stringify(before + command)} is no command`, () => {
        // The control: the runner takes it for one.
        assert.equal(commandsIn(before + command).length, 1)
        const shown = inert(before + command)
        assert.deepEqual(commandsIn(shown), [])
        assert.ok(shown.startsWith(before) && /\\u00(?:23|3a)/.test(shown), shown)
      })
    }
  }

  for (const text of ['wasi::fd_read', '[::1]:80', 'a ::b:: c', '# a\n## b\n##', '[##]', 'x: :y::']) {
    test(`${JSON.stringify(text)} stays`, () => assert.equal(inert(text), text))
  }

  test('JSON means the same', () => {
    for (const command of COMMANDS) {
      const json = printableJson(JSON.stringify({ [command]: `\\${command}\n${command}` }))
      const shown = inert(json)
      assert.deepEqual(commandsIn(shown), [])
      assert.deepEqual(JSON.parse(shown), JSON.parse(json))
    }
  })

  test('whatever pieces are put together and wrapped at any width, no line is a command', () => {
    const piece = fc.constantFrom(
      ...COMMANDS,
      '::',
      ':',
      '##',
      '#',
      '[',
      'vso',
      ' ',
      'word',
      '\n',
      '%0A',
      '\u001b[2m',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.integer({ min: 1, max: 40 }), (pieces, columns) => {
        const lines = [pieces.join(''), ...wrap(printable(pieces.join('')), columns)]
        assert.deepEqual(commandsIn(inert(lines.join('\n'))), [])
      }),
      { numRuns: runs(2000), seed: 1 },
    )
  })

  test('a megabyte takes no time worth speaking of', () => {
    for (const unit of ['::', '##', ' ', ' ::', '\n::', '\u001b[m', '::\u2028']) {
      const started = processorTime()
      inert(`${unit.repeat(100_000)}::x`)
      assert.ok(processorTime() - started < 500, JSON.stringify(unit))
    }
  })
})

describe('what commands print', () => {
  const EVIL = 'x ::stop-commands::evil ##[group]evil ##vso[task]evil %0A::debug::evil'
  const tools = JSON.stringify({
    version: 1,
    tools: [
      {
        transport: { kind: 'exec', command: '/bin/a', args: [] },
        input_schema: { type: 'object' },
        result_schema: { type: 'object' },
        description: EVIL,
        [EVIL]: 1,
        id: EVIL,
      },
    ],
  })

  function root(): string {
    const cwd = folderFor('agent')
    const tree = agentTree({ files: { 'tools.json': tools, [`docs/${EVIL.replaceAll('/', '')}.md`]: 'x' } })
    writeTree(join(cwd, 'mini'), tree)
    writeFileSync(join(cwd, 'b.bundle'), bundleOf(tree))
    return cwd
  }

  for (const args of [
    ['agent', 'lint', 'mini'],
    ['agent', 'lint', 'mini', '--json'],
    ['agent', 'lint', 'mini', '--format', 'sarif'],
    ['agent', 'lint', EVIL],
    ['agent', 'lint', `::stop-commands::${EVIL}`],
    ['agent', 'verify', 'b.bundle'],
    ['agent', 'verify', 'b.bundle', '--json'],
    ['agent', 'inspect', 'b.bundle'],
    ['agent', 'pack', 'mini'],
    ['tool', 'list', 'mini'],
  ]) {
    test(args.join(' '), async () => {
      const cwd = root()
      for (let columns = 40; columns <= 100; columns += IN_CI ? 6 : 18) {
        const { stdout, stderr, exit } = await run(args, undefined, {
          cwd,
          columns,
          isTTY: { stdin: false, stdout: false, stderr: columns > 70 },
        })
        assert.notEqual(exit, 70)
        assert.deepEqual(commandsIn(stdout + stderr), [], `${columns} columns`)
        if (args.includes('--json') || args.includes('sarif')) JSON.parse(stdout)
      }
    })
  }

  test('--format github: the commands are rlp’s own', async () => {
    const { stdout } = await run(['agent', 'lint', 'mini', '--format', 'github'], undefined, { cwd: root() })
    const lines = commandsIn(stdout)
    assert.ok(lines.length > 0)
    for (const line of lines) {
      assert.match(line, /^::(?:error|warning|notice) file=[^:]*,title=[^:]*::/)
      // What the runner decodes is one line and the fix: an escape in the text stays one.
      assert.equal(line.split('%0A').length, 2, line)
    }
  })
})
