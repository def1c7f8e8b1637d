// One declaration makes a command and a function: both read into the same values, and neither lets a wrong value reach the job.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parse } from '../../src/cli/parse.ts'
import { RlpError } from '../../src/model/error.ts'
import { EXIT } from '../../src/model/exit-code.ts'
import { commandOf } from '../../src/verb/as-command.ts'
import { functionOf } from '../../src/verb/as-function.ts'
import { needed, typedOnly } from '../../src/verb/input.ts'
import { count, duration } from '../../src/verb/kinds/numbers.ts'
import { path } from '../../src/verb/kinds/paths.ts'
import { callback, text, texts, whether } from '../../src/verb/kinds/words.ts'
import { defineVerb, functionName, optionsOf, parametersOf } from '../../src/verb/verb.ts'
import { fakeTerminal } from '../support/fake-terminal.ts'

const ran: unknown[] = []
const verb = defineVerb({
  name: 'house paint-wall',
  summary: 'paint a wall',
  arguments: ['wall', 'colours'],
  inputs: {
    wall: needed(text('which wall')),
    colours: texts('in which colours', { flag: 'colour' }),
    from: path('where it begins'),
    layers: count('how many layers', 'how many layers there are'),
    dries: duration('how long it dries'),
    dryRun: whether('paint nothing'),
    loud: typedOnly(whether('say more')),
    onLayer: callback<(layer: number) => void>('(layer: number) => void'),
  },
  run(asked, { spelt }) {
    if (asked.wall === 'wet') throw new RlpError('EXISTS', 'Cannot paint it: it is wet', { hint: 'Wait' })
    ran.push({ ...asked, spelt: spelt('dryRun') })
    return { wall: asked.wall, colours: asked.colours }
  },
  answer: ({ wall, colours }) => ({ wall, painted: colours.length }),
})

const command = commandOf(verb, {
  flags: { format: { type: 'string', describe: 'how to show it' } },
  first: ['layers', 'format'],
  examples: [['rlp house paint-wall north red', 'one']],
  quiet: ({ wall }) => [wall],
  text: ({ wall }, { args }) =>
    `${wall} is painted${args.format === undefined ? '' : ` as ${args.format}`}\n`,
  note: ({ colours }) => (colours.length === 0 ? 'Nothing to see' : undefined),
  exit: ({ colours }) => (colours.length === 0 ? EXIT.bundle : EXIT.ok),
  refused: error =>
    error.code === 'EXISTS'
      ? { exit: EXIT.denied, extra: { wet: true }, body: () => ['the north wall'] }
      : undefined,
})

type Paint = (wall: string, options?: object) => Promise<{ wall: string; painted: number }>
const paint = functionOf<typeof verb, Paint>(verb)

async function typed(...argv: readonly string[]) {
  const { terminal, written } = fakeTerminal({ cwd: '/work' })
  const exit = await command.run(parse(command, argv) as never, { ...terminal, color: false })
  return { exit, ...written, asked: ran.pop() }
}

test('the function is called after the words, and arguments that are needed are its parameters', () => {
  assert.equal(functionName(verb), 'housePaintWall')
  assert.deepEqual(parametersOf(verb), ['wall'])
  assert.deepEqual(optionsOf(verb), ['colours', 'from', 'layers', 'dries', 'dryRun', 'onLayer'])
})

test('a verb may name other parameters, in their order', () => {
  const other = { ...verb, parameters: ['from', 'wall'] as const }
  assert.deepEqual(parametersOf(other), ['from', 'wall'])
  assert.deepEqual(optionsOf(other), ['colours', 'layers', 'dries', 'dryRun', 'onLayer'])
})

test('help shows what is asked for first, then the inputs in their order, then how it is shown', () => {
  assert.deepEqual(Object.keys(command.options), ['layers', 'format', 'from', 'dries', 'dry-run', 'loud'])
  assert.deepEqual(
    command.positionals?.map(({ name, required, many }) => [name, required, many]),
    [
      ['wall', true, undefined],
      ['colour', undefined, true],
    ],
  )
})

test('what is typed and what is handed in end in the same values', async () => {
  const flags = ['--from', 'a', '--layers', '2', '--dries', '2h', '--dry-run']
  const { exit, stdout, asked } = await typed('north', 'red', 'blue', ...flags)
  assert.deepEqual([exit, stdout], [0, 'north is painted\n'])
  const options = { cwd: '/work', colours: ['red', 'blue'], from: 'a', layers: 2, dries: 7200, dryRun: true }
  const answer = await paint('north', options)
  assert.deepEqual(answer, { wall: 'north', painted: 2 })
  assert.ok(Object.isFrozen(answer))
  const given = ran.pop()
  assert.deepEqual({ ...(asked as object), loud: false, spelt: 'dryRun' }, { ...(given as object) })
  assert.equal((asked as { spelt: string }).spelt, '--dry-run')
})

test('--json prints what the function returns', async () => {
  const { stdout } = await typed('north', 'red', '--json')
  ran.pop()
  assert.deepEqual(JSON.parse(stdout).result, { ...(await paint('north', { colours: ['red'] })) })
  ran.pop()
})

test('quiet, a note, a format and an exit code', async () => {
  const none = await typed('north', '--format', 'rings')
  assert.deepEqual(
    [none.exit, none.stdout, none.stderr],
    [1, 'north is painted as rings\n', 'Nothing to see\n'],
  )
  assert.equal((await typed('north', 'red', '--quiet')).stdout, 'north\n')
})

test('an error with more to say gets lines and an exit code of its own', async () => {
  const { exit, stderr } = await typed('wet')
  assert.equal(exit, 4)
  assert.match(stderr, /^the north wall\nrlp: Cannot paint it: it is wet\nhint: Wait/)
  await assert.rejects(paint('wet'), { code: 'EXISTS' })
})

describe('refused with the field, and not run', () => {
  const WRONG: readonly (readonly [given: readonly unknown[], field: string])[] = [
    [[], 'wall'],
    [[undefined, {}], 'wall'],
    [[7], 'wall'],
    [['north', { dryRun: 1 }], 'dryRun'],
    [['north', { dryRun: 'false' }], 'dryRun'],
    [['north', { dryRun: null }], 'dryRun'],
    [['north', { colours: 'red' }], 'colours'],
    [['north', { colours: [7] }], 'colours'],
    [['north', { layers: 1.5 }], 'layers'],
    [['north', { dries: '2h' }], 'dries'],
    [['north', { from: 7 }], 'from'],
    [['north', { from: '' }], 'from'],
    [['north', { onLayer: true }], 'onLayer'],
    [['north', { loud: true }], 'loud'],
    [['north', { colour: ['red'] }], 'colour'],
  ]
  for (const [given, field] of WRONG)
    test(`${JSON.stringify(given)}: ${field}`, async () => {
      const call = paint as (...given: readonly unknown[]) => Promise<unknown>
      await assert.rejects(call(...given), { name: 'UsageError', code: 'USAGE', field })
      assert.deepEqual(ran, [])
    })
  test('at the command line too', async () => {
    for (const argv of [
      ['north', '--layers', '0'],
      ['north', '--dries', 'soon'],
    ])
      await assert.rejects(typed(...argv), { code: 'USAGE', field: argv[1]?.slice(2) })
    assert.deepEqual(ran, [])
  })
})

test('what the caller changes after the call changes nothing', async () => {
  const colours = ['red']
  const pending = paint('north', { colours })
  colours.push('blue')
  assert.deepEqual(await pending, { wall: 'north', painted: 1 })
  ran.pop()
})
