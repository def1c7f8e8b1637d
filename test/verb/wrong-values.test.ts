// Each input of each verb is given values of another type, as a program can: each is refused by its name, and nothing is written or run.

import assert from 'node:assert/strict'
import { PassThrough, Readable } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import { flagOf } from '../../src/verb/input.ts'
import { optionsOf, parametersOf } from '../../src/verb/verb.ts'
import { argumentsOf, callVerb, closeOpened, makeWorld, type World } from '../support/every-verb.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { DECLARED_VERBS, type DeclaredVerb } from '../support/verbs.ts'

const folder = temporary('wrong-values')
let world: World
before(async () => {
  world = await makeWorld(folder('world'))
})
after(closeOpened)

/** What is not of a type, by the type. */
const WRONG: Readonly<Record<string, readonly unknown[]>> = {
  boolean: [1, 0, 'true', 'false', null, [], {}],
  string: [7, true, null, ['a'], {}],
  number: ['2', 0, 1.5, Number.NaN, null, [1]],
  'string | false': [7, '', true, null, {}],
  '(key: string) => string | Promise<string>': ['text', 7, true, null, {}],
  'readonly string[]': ['text', [7], null, {}, true],
  Date: ['now', 0, new Date(Number.NaN), null],
  PathGiven: [7, '', null, {}, true],
  'readonly PathGiven[]': ['text', [7], null, {}],
  'FolderGiven | false': [7, '', null, true, {}],
  TrustPolicyGiven: [7, true, null],
  Tool: [7, 'text', null, [], true],
  'readonly Tool[]': [7, 'text', [7], [{}], null, {}],
  'boolean | OpeningGiven': [7, 'text', null, [], { goal: 7 }, { path: 7 }, { other: 'text' }],
  ToolChanges: [7, 'text', null, [], true],
  AttestationsInput: [7, '', true, null],
  BundleGiven: [7, true, null, {}],
  RuleTable: [7, 'text', [], { allow_caps: 7 }, { other: [] }],
  'Partial<IdentityTable>': [7, 'text', [], { issuer: 7 }, { other: 'text' }],
  "readonly ('sign' | 'attest')[]": [7, 'sign', ['other'], {}],
  '(grant: TrustGrant) => boolean | Promise<boolean>': [true, 'text', null, {}],
  'string | Signer': [7, true, null, [], {}],
  '{ readonly [name: string]: PathGiven }': ['text', 7, null, ['text'], { name: 7 }],
  '(offer: Offer) => boolean | Promise<boolean>': [true, 'yes', null, {}],
  '(what: ChannelToSign) => boolean | Promise<boolean>': [true, 'yes', null, {}],
  '(lost: readonly string[]) => boolean | Promise<boolean>': [true, 'yes', null, {}],
  "{ readonly [rule: string]: Severity | 'off' }": [
    'text',
    7,
    null,
    ['off'],
    { 'no/rule': 'off' },
    { 'wasm/stub': 7 },
  ],
  "'schema' | 'complete'": [7, 'other', true, null, ['schema']],
  "'shown' | 'written'": [7, 'none', true, null, ['shown']],
  "'chat' | 'responses'": [7, 'other', true, null, ['chat']],
  "'agentcli' | 'openai' | 'mcp' | 'agent-tool' | 'anthropic' | 'gemini'": [7, 'other', true, null, ['mcp']],
  RunChoice: [7, 'text', null, [], { is: 'other' }, { is: 'command', other: 7 }],
  '{ readonly [name: string]: string }': ['text', 7, null, ['text'], { name: 7 }],
  Limits: [7, 'text', null, [], { files: 'many' }, { files: -1 }, { bytes: 7 }],
  KeylessGiven: [7, 'token', true, null, { identityToken: 7 }],
  StatingGiven: [7, 'text', true, null, [], { key: 7 }, { builder: ['a'] }, { other: 'text' }],
  'OneOrMore<PathGiven>': [7, '', null, [], [7]],
  'Readonly<Record<string, unknown>> | Uint8Array': [7, 'text', true, null, []],
  LoadedBundle: [7, 'text', null, {}, []],
  SandboxMode: ['on', '', true, null],
  SecretsGiven: [7, 'text', null, [], true],
  BudgetLedger: [7, 'text', null, [], {}, true],
  Confirm: [7, 'text', true, null, {}],
  '(error: unknown) => void': [true, 'text', null, {}],
  'string | Uint8Array | AsyncIterable<Uint8Array>': [7, true, null, {}, []],
  '(stream: ProgramStream, bytes: Uint8Array) => void | Promise<void>': [true, 'text', null, {}],
  unknown: [() => {}, Symbol('text')],
  'readonly BundleGiven[]': [7, 'text', null, {}, [7], [null]],
  'AsyncIterable<Uint8Array>': [7, 'text', true, null, {}, []],
  Writable: [7, 'text', true, null, {}, () => {}, Readable.from([]), new PassThrough().end()],
  '(message: string) => void': [7, 'text', true, null, {}],
  '(round: DevRound) => void': [7, 'text', true, null, {}],
  HttpGiven: [
    ...[7, 'text', null, [], {}, { port: 0 }, { port: 0, token: 7 }, { port: 'a', token: 't'.repeat(32) }],
    ...[
      { port: 0, token: 't'.repeat(32), tokn: 7 },
      { port: 0, token: 't'.repeat(32), onListening: 7 },
    ],
  ],
  GateListening: [
    ...[7, 'text', null, [], {}, { at: 7 }, { at: '0.0.0.0:0' }, { at: '127.0.0.1:0' }],
    ...[
      { at: 'unix:s', serv: [] },
      { at: 'unix:s', serve: 'a' },
      { at: 'unix:s', tokenFile: 'token' },
    ],
    ...[
      { at: 'unix:s', locks: ['a'] },
      { at: 'unix:s', attestations: { a: 7 } },
    ],
  ],
}

/** Of options that are no inputs. */
const OF_CALLER: Readonly<Record<string, readonly unknown[]>> = {
  cwd: [7, null, {}, []],
  env: [7, 'text', null, []],
  signal: [7, null, {}, 'text'],
}

/** The call that works, with one value in the place of another. */
function changed({ name, verb }: DeclaredVerb, given: readonly unknown[], input: string, value: unknown) {
  const parameters = parametersOf(verb)
  const at = parameters.indexOf(input)
  if (at !== -1) return callVerb(name, given.toSpliced(at, 1, value))
  const options = (given[parameters.length] ?? {}) as object
  return callVerb(name, [...given.slice(0, parameters.length), { ...options, [input]: value }])
}

test('there are verbs, and each has a wrong value for each of its inputs', () => {
  assert.ok(DECLARED_VERBS.length > 5)
  const types = DECLARED_VERBS.flatMap(({ verb }) =>
    [...parametersOf(verb), ...optionsOf(verb)].map(input => verb.inputs[input]?.type ?? ''),
  )
  assert.deepEqual(
    [...new Set(types)].filter(type => WRONG[type] === undefined),
    [],
  )
})

for (const declared of DECLARED_VERBS) {
  const { name, verb } = declared
  const parameters = parametersOf(verb)
  const inputs = [...parameters, ...optionsOf(verb)]
  test(`${name} refuses wrong values of ${inputs.join(', ')}, and a call without what it needs`, async () => {
    const given = argumentsOf(name, await world.fresh())
    const refused = (call: Promise<unknown>, expected: object, what: unknown) =>
      assert.rejects(
        call,
        { code: 'USAGE', ...expected },
        `${JSON.stringify(expected)}: ${JSON.stringify(what)}`,
      )
    for (const input of inputs)
      for (const value of WRONG[verb.inputs[input]?.type ?? ''] ?? [])
        await refused(changed(declared, given, input, value), { field: input }, value)
    for (const [option, values] of Object.entries(OF_CALLER))
      for (const value of values)
        await refused(changed(declared, given, option, value), { field: option }, value)
    for (const options of [null, 7, 'text', [7]])
      await refused(callVerb(name, [...given.slice(0, parameters.length), options]), {}, options)
    for (const [input, { isNeeded, fromGiven }] of Object.entries(verb.inputs))
      if (isNeeded && fromGiven !== undefined)
        await refused(
          changed(declared, given, input, undefined),
          { field: input, message: `Cannot call ${name}: ${input} is missing` },
          undefined,
        )
    assert.deepEqual(await world.written(), [])
  })
}

describe('the command', () => {
  for (const { command, verb } of DECLARED_VERBS) {
    if (command === undefined) continue
    test(`${command.name} refuses an argument or a flag without its value`, async () => {
      for (const [name, input] of Object.entries(verb.inputs)) {
        const { typed, isNeeded, fromTyped } = input
        if (typed === undefined || fromTyped === undefined) continue
        const isArgument = verb.arguments?.includes(name)
        const flag = flagOf(name, input)
        if (isArgument && (!isNeeded || typed.optional)) continue
        const said = isArgument ? [] : typed.type === 'boolean' ? [`--${flag}=perhaps`] : [`--${flag}`]
        const { exit, stdout } = await run([...command.name.split(' '), ...said, '--json'])
        assert.equal(exit, 2, `${flag}: ${stdout}`)
        assert.match(stdout, /"kind":"/)
      }
    })
  }
})
