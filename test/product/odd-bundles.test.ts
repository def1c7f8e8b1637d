// Every command that reads a bundle, given other bytes: a refusal, and never an error of ours.
import assert from 'node:assert/strict'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { BUNDLE_COMMANDS, type Line, OLD, prepareFolder } from '../support/bundle-commands.ts'
import { BUNDLE_SHAPES } from '../support/bundle-shapes.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { slice } from '../support/runs.ts'

const folderFor = temporary('odd-bundles')

/** A good bundle → what is in its place; undefined for an empty folder. */
const ODD: Readonly<Record<string, (good: Buffer) => Uint8Array | undefined>> = {
  'gzip with a name': good => {
    const wrapped = gzipSync(good)
    wrapped[3] = 8
    return Buffer.concat([wrapped.subarray(0, 10), Buffer.from('name\0'), wrapped.subarray(10)])
  },
  'gzip that is cut off': good => gzipSync(good).subarray(0, -20),
  'gzip with bytes behind it': good => Buffer.concat([gzipSync(good), Buffer.from('more')]),
  'gzip of a text': () => gzipSync('a text'),
  'gzip in gzip': good => gzipSync(gzipSync(good)),
  'an archive that is cut off': good => good.subarray(0, -700),
  'an archive with bytes behind it': good => Buffer.concat([good, Buffer.alloc(512)]),
  'an archive with another byte': good => {
    const changed = Buffer.from(good)
    changed[700] = (changed[700] ?? 0) ^ 1
    return changed
  },
  nothing: () => Buffer.alloc(0),
  'a text': () => Buffer.from('{"version":1}\n'),
  'an empty folder': () => undefined,
}

const LINES: readonly Line[] = Object.values(BUNDLE_COMMANDS).flatMap(lines =>
  typeof lines === 'string'
    ? []
    : lines.filter(({ args, input = '' }) => args.includes(OLD) || input.includes(OLD)),
)

describe('what is no bundle is refused', () => {
  let made = ''
  before(() => {
    made = folderFor('made')
    const shape = BUNDLE_SHAPES['tools of one program']
    assert.ok(shape !== undefined)
    prepareFolder(made, shape, 2)
  })

  test('by every command that reads one', () => {
    const reading = new Set(LINES.map(({ args }) => args.slice(0, 2).join(' ')))
    for (const command of ['agent push', 'agent verify', 'agent sign', 'agent sbom', 'lock add', 'tool call'])
      assert.ok(reading.has(command), command)
  })

  const cases = LINES.flatMap(line => Object.keys(ODD).map(name => ({ line, name })))
  for (const { line, name } of slice(cases, 8, ({ line: { args } }) => args.slice(0, 2).join(' '))) {
    test(`${line.args.join(' ')}: ${name}`, async () => {
      const cwd = folderFor('case')
      cpSync(made, cwd, { recursive: true })
      process.env['RUNLOOP_HOME'] = join(cwd, 'home')
      const call = (args: readonly string[], input?: string) =>
        run(args, undefined, { cwd, env: { NO_COLOR: '1' }, ...(input !== undefined && { input }) })
      for (const args of line.before ?? []) await call(args)
      const path = join(cwd, OLD)
      const bytes = ODD[name]?.(readFileSync(path))
      rmSync(path)
      if (bytes === undefined) mkdirSync(path)
      else writeFileSync(path, bytes)
      const { exit, stdout, stderr } = await call(line.args, line.input)
      assert.ok([0, 1, 2, 3, 4].includes(exit), stderr)
      assert.doesNotMatch(stdout + stderr, /Internal error/)
    })
  }
})
