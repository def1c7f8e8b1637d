// What every command of the registry must hold, so that help, parsing and completion work for it.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { REGISTRY } from '../../src/cli/commands.ts'
import { COMMANDS } from '../../src/cli/generated/commands.ts'
import { camelCase, GLOBAL_OPTIONS } from '../../src/cli/option.ts'
import { width } from '../../src/cli/render/layout.ts'
import { run } from '../support/fake-terminal.ts'
import { slice } from '../support/runs.ts'

test('no two commands or groups have the same name, and every group is known', () => {
  const names = [...REGISTRY.groups, ...REGISTRY.commands].map(({ name }) => name)
  assert.deepEqual(names, [...new Set(names)])
  for (const { name } of REGISTRY.commands) {
    assert.match(name, /^[a-z]+( [a-z]+(-[a-z]+)*)?$/)
    const [group, word] = name.split(' ')
    if (word !== undefined)
      assert.ok(
        REGISTRY.groups.some(({ name }) => name === group),
        name,
      )
    assert.notEqual(group, 'help')
  }
})

/** Every command's help at one of two widths; at both in `.ci/run`. */
const helps = slice(
  REGISTRY.commands.flatMap(({ name }) => [50, 80].map(columns => ({ name, columns }))),
  2,
  ({ name }) => name,
)

test('each command that a room declares has its place in the list', () => {
  assert.deepEqual(REGISTRY.commands.map(({ name }) => name).sort(), Object.keys(COMMANDS).sort())
})

for (const entry of REGISTRY.commands) {
  const widths = helps.filter(({ name }) => name === entry.name).map(({ columns }) => columns)
  describe(`rlp ${entry.name}`, () => {
    test('says of itself what the registry says', async () => {
      const { command } = await entry.load()
      assert.equal(command.name, entry.name)
      assert.equal(command.summary, entry.summary)
      assert.match(command.summary, /^[a-z].*[^.\s]$/)
    })

    test('has names that do not collide', async () => {
      const { options, positionals = [] } = (await entry.load()).command
      const flags = Object.entries({ ...GLOBAL_OPTIONS, ...options }).flatMap(([flag, option]) => [
        `--${flag}`,
        ...('alias' in option && option.alias !== undefined ? [`-${option.alias}`] : []),
        ...('negatable' in option && option.negatable ? [`--no-${flag}`] : []),
      ])
      assert.deepEqual(flags, [...new Set(flags)])
      for (const flag of Object.keys(options))
        assert.ok(!(flag in GLOBAL_OPTIONS), `--${flag} is everybody’s`)
      for (const flag of flags) assert.match(flag, /^(--[a-z][a-z0-9]*(-[a-z0-9]+)*|-[a-zA-Z0-9])$/)
      // What is refused has no value.
      const taken = Object.entries(options).flatMap(([flag, { type }]) => (type === 'refused' ? [] : [flag]))
      const values = [...Object.keys(GLOBAL_OPTIONS), ...taken, ...positionals.map(({ name }) => name)].map(
        camelCase,
      )
      assert.deepEqual(values, [...new Set(values)])
    })

    test('has options and positionals that can be filled', async () => {
      const { options, positionals = [] } = (await entry.load()).command
      for (const [flag, option] of Object.entries(options)) {
        if (!option.hidden) assert.match(option.describe, /\S.*[^.\s]$/, flag)
        if ('choices' in option && 'default' in option && option.default !== undefined) {
          assert.ok(option.choices?.includes(String(option.default)), flag)
        }
      }
      const firstOptional = positionals.findIndex(({ required }) => !required)
      for (const [index, { many, required, name }] of positionals.entries()) {
        if (many) assert.equal(index, positionals.length - 1, `<${name}..> must be the last`)
        if (required)
          assert.ok(firstOptional === -1 || index < firstOptional, `<${name}> is behind an optional one`)
      }
    })

    test('has help that fits, with examples of itself', async () => {
      const { command } = await entry.load()
      assert.ok(command.examples.length > 0)
      for (const [line] of command.examples) assert.ok(line.includes(`rlp ${entry.name}`), line)
      for (const columns of widths) {
        const { exit, stdout, stderr } = await run([...entry.name.split(' '), '--help'], REGISTRY, {
          columns,
        })
        assert.deepEqual([exit, stderr], [0, ''])
        const examples = command.examples.flatMap(([line, what]) => [`  ${line}`, `  # ${what}`])
        for (const line of stdout.split('\n')) {
          // Examples and words without a place to break stay whole, so that they can be copied.
          if (!examples.includes(line) && line.replace(/ \\$/, '').trim().includes(' '))
            assert.ok(width(line) <= columns, `${columns}: ${line}`)
        }
      }
    })
  })
}
