// Every command that reads a stranger's bundle takes time in proportion to it. Steps are counted at three sizes, of which each adds as much
// as the one before; what grows with the square shows in how much more the third adds than the second. At ten times the size twice the
// input has to take at most two and a half times the steps.
import assert from 'node:assert/strict'
import { cpSync } from 'node:fs'
import { describe, test } from 'node:test'
import { preferNative } from '../../src/bundle/blake3.ts'
import { REGISTRY } from '../../src/cli/commands.ts'
import { BUNDLE_COMMANDS, type Line, NEW, OLD, prepareFolder, SOURCE } from '../support/bundle-commands.ts'
import { BUNDLE_SHAPES, type BundleShape } from '../support/bundle-shapes.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { growthFrom, growthOf, MOST } from '../support/growth.ts'
import { IN_CI, slice } from '../support/runs.ts'

await preferNative()
const folderFor = temporary('growth')

const folders = new Map<string, string>()

/** A folder with bundles of a shape, which no command has changed. */
function folderOf(name: string, shape: BundleShape, size: number): string {
  const key = `${name} ${size}`
  const copy = folderFor(key)
  const known = folders.get(key)
  if (known === undefined) {
    const folder = folderFor(key)
    prepareFolder(folder, shape, size)
    folders.set(key, folder)
  }
  cpSync(folders.get(key) ?? '', copy, { recursive: true, preserveTimestamps: true })
  return copy
}

async function call(args: readonly string[], cwd: string, exits: readonly number[], input?: string) {
  process.env['RUNLOOP_HOME'] = `${cwd}/home`
  const { exit, stderr } = await run(args, undefined, {
    ...(input !== undefined && { input }),
    cwd,
    env: { NO_COLOR: '1' },
  })
  assert.ok(exits.includes(exit), `rlp ${args.join(' ')}: ${exit}\n${stderr}`)
}

/** @returns the call of a line in a folder of its own */
async function preparedFor(line: Line, name: string, shape: BundleShape, size: number) {
  const folder = folderOf(name, shape, size)
  for (const before of line.before ?? []) await call(before, folder, [0])
  return () => call(line.args, folder, line.exits ?? [0], line.input)
}

const warm = new Set<Line>()

async function growth(line: Line, name: string, shape: BundleShape): Promise<number> {
  // Once for what is made once: modules, tables, compiled expressions.
  if (!warm.has(line)) await (await preparedFor(line, name, shape, shape.size))()
  warm.add(line)
  return growthFrom(size => preparedFor(line, name, shape, size), shape)
}

test('every command has lines that are measured, or reads no bundle', () => {
  assert.deepEqual(Object.keys(BUNDLE_COMMANDS).sort(), REGISTRY.commands.map(({ name }) => name).sort())
})

const LIMITED = Object.entries(BUNDLE_SHAPES).flatMap(([name, { most, ...shape }]) =>
  most === undefined ? [] : [{ name, most, shape }],
)
for (const { name, most, shape } of LIMITED)
  test(`${name}: more than ${most} are refused by a limit`, async () => {
    for (const [size, exit] of [
      [most, 0],
      [most + 1, 1],
    ] as const)
      await call(['agent', 'verify', OLD], folderOf(name, shape, size), [exit])
  })

test('the measure tells a square from what is in proportion', () => {
  const work = (size: number) => 50_000 + 10_000 * size
  const with_ = (more: (size: number) => number) =>
    [60, 120, 180].map(size => work(size) + more(size)) as [number, number, number]
  assert.ok(growthOf(with_(() => 0)) <= 2)
  assert.ok(growthOf(with_(size => 500 * size * Math.log2(size))) < MOST)
  assert.ok(growthOf(with_(size => 10 * size ** 2)) > MOST)
})

/** Each of the lines meets some of the shapes, each of the shapes some of the lines. */
const EVERY = 6
const LINES = Object.entries(BUNDLE_COMMANDS).flatMap(([command, lines]) =>
  typeof lines === 'string' ? [] : lines.map(line => ({ command, line })),
)
interface Case {
  readonly command: string
  readonly line: Line
  readonly name: string
  readonly shape: BundleShape
}
const CASES: readonly Case[] = LINES.flatMap(({ command, line }, at) =>
  Object.entries(BUNDLE_SHAPES).flatMap(([name, shape], index) =>
    line.isDeep || (at + index) % EVERY === 0 ? [{ command, line, name, shape }] : [],
  ),
)

/** What grew with the square once: tried in every run, and not only in its turn. */
const ONCE: readonly (readonly [line: string, shape: string])[] = [
  [`agent inspect ${OLD}`, 'tools of many hosts'],
  [`agent inspect ${OLD}`, 'placeholders of one list of values'],
  [`agent sbom ${OLD}`, 'tools of many hosts'],
  [`agent diff ${OLD} ${NEW} --json`, 'a list of many values'],
  [`agent lint ${SOURCE} --format sarif`, 'tools of one program'],
  [`agent lint ${SOURCE}`, 'descriptions of many tools'],
]
const isOnce = ({ line, name }: Case) =>
  ONCE.some(([text, shape]) => text === line.args.join(' ') && shape === name)

/** Shapes that take a second a case, for example because they are a hundred files: one of their cases by day. */
const LONG = ['a deep folder', 'tools of hosts that are not granted', 'tools in another order']
const isLong = ({ name }: Case) => LONG.includes(name)

/** The commands of a group read a bundle by the same code. */
const groupOf = (command: string) => command.replace(/ .*/, '')

describe('twice the input', () => {
  const short = CASES.filter(one => !isLong(one))
  const chosen = new Set([
    ...CASES.filter(isOnce),
    ...slice(short, 100, ({ command }) => (IN_CI ? command : groupOf(command))),
    ...slice(CASES.filter(isLong), 100),
  ])
  test('every command is among them, and by day one of every group', () => {
    const of = (all: Iterable<{ readonly command: string }>) =>
      [...new Set(Array.from(all, ({ command }) => (IN_CI ? command : groupOf(command))))].sort()
    assert.deepEqual(of(chosen), of(LINES))
  })
  test('what grew with the square once is among them', () => {
    assert.equal([...chosen].filter(isOnce).length, ONCE.length)
  })
  for (const { line, name, shape } of chosen) {
    test(`${line.args.join(' ')}: ${name}`, async () => {
      const found = await growth(line, name, shape)
      assert.ok(found <= MOST, `twice the input takes ${found.toFixed(2)} times the steps`)
    })
  }
})
