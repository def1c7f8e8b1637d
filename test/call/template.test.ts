// Placeholders in urls, headers and arguments, and what the input schema says about their paths.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { JsonSchema, Tool } from '../../src/model/tools.ts'
import { placeholdersIn, readTemplate } from '../../src/tools/template.ts'
import { findInput } from '../../src/tools/template-input.ts'
import { TOOL } from '../support/arbitrary-caps.ts'
import { processorTime } from '../support/processor-time.ts'

describe('a template', () => {
  test('is text, values of the call and secrets', () => {
    assert.deepEqual(readTemplate('a{{input.x}}b{{secret:runloop/mail/key}}{{input.to.0.name-1}}'), [
      { kind: 'text', text: 'a' },
      { kind: 'input', path: ['x'], text: '{{input.x}}' },
      { kind: 'text', text: 'b' },
      { kind: 'secret', id: 'runloop/mail/key', text: '{{secret:runloop/mail/key}}' },
      { kind: 'input', path: ['to', '0', 'name-1'], text: '{{input.to.0.name-1}}' },
    ])
    assert.deepEqual(readTemplate(''), [])
  })

  test('leaves foreign braces alone', () => {
    for (const text of ['}}', '{ "a": { "b": 1 }}', '{x}', '$' + '{HOME}', '{input.x}'])
      assert.deepEqual(readTemplate(text), [{ kind: 'text', text }], text)
  })

  const malformed: readonly (readonly [text: string, problem: string, fix: string])[] = [
    ['{{', 'is not closed', 'Close it with }}'],
    ['{{input.x', 'is not closed', 'Close it with }}'],
    ['{{input.x}', 'is not closed', 'Close it with }}'],
    ['{{}}', 'is empty', 'Write {{input.<path>}}'],
    ['{{ }}', 'is empty', 'Write {{input.<path>}}'],
    ['{{input}}', 'names no value of the call', 'Write {{input.<path>}}'],
    ['{{input.}}', 'names no value of the call', 'Write {{input.<path>}}'],
    ['{{input.a..b}}', 'names no value of the call', 'Write {{input.<path>}}'],
    ['{{secret:}}', 'names no secret', 'Write {{input.<path>}}'],
    ['{{ input.x }}', 'has white space inside', 'Replace it with "{{input.x}}"'],
    ['{{inputs.x}}', 'is no placeholder that is known', 'Replace it with "{{input.x}}"'],
    ['{{INPUT.x}}', 'is no placeholder that is known', 'Replace it with "{{input.x}}"'],
    ['{{input:x}}', 'names no value of the call', 'Replace it with "{{input.x}}"'],
    ['{{secrets.a/b/c}}', 'is no placeholder that is known', 'Replace it with "{{secret:a/b/c}}"'],
    ['{{input: a/b}}', 'names no value of the call', 'Write {{input.<path>}}'],
    ['{{env.HOME}}', 'is no placeholder that is known', 'Write {{input.<path>}}'],
    ['{{.Name}}', 'is no placeholder that is known', 'Write {{input.<path>}}'],
    ['{{{input.x}}', 'has a brace inside', 'Write {{input.<path>}}'],
  ]
  for (const [text, problem, fix] of malformed) {
    test(`${text} ${problem}`, () => {
      const [part, ...more] = placeholdersIn(text)
      assert.ok(part?.kind === 'malformed' && more.length === 0)
      assert.equal(part.problem, problem)
      assert.ok(part.fix.startsWith(fix), part.fix)
    })
  }

  test('joined from its parts is what was read, for any text', () => {
    const piece = fc.constantFrom('{{', '}}', '{', '}', 'input.x', 'secret:a', ' ', 'é', '{{input.x}}')
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece).map(parts => parts.join('')),
        ),
        text => {
          const parts = readTemplate(text)
          assert.equal(parts.map(part => part.text).join(''), text)
          assert.ok(
            parts.every(part => part.text !== '' && (part.kind === 'text') !== part.text.startsWith('{{')),
          )
        },
      ),
    )
  })

  test('is read in one pass', () => {
    const begin = processorTime()
    for (const text of ['{{'.repeat(500_000), '{{x}}'.repeat(200_000), `{{${'input.'.repeat(200_000)}}}`])
      readTemplate(text)
    assert.ok(processorTime() - begin < 5000)
  })
})

describe('the path of a value', () => {
  const files: Readonly<Record<string, unknown>> = {
    'schemas/user.json': {
      type: 'object',
      properties: { name: { $ref: '#/$defs/name' }, next: { $ref: 'user.json' } },
      $defs: { name: { type: 'object', properties: { first: { type: 'string' } } } },
    },
  }
  const fact = (inputSchema: JsonSchema, path: string) => {
    const tool: Tool = { ...TOOL, inputSchema, schemaRefs: { own: { properties: { a: true } } } }
    return findInput(tool, path.split('.'), file => files[file])
  }
  const open = {
    type: 'object',
    properties: { user_id: { type: 'string' }, tags: { type: 'array', items: {} } },
  }
  const closed = { ...open, additionalProperties: false }
  const table: readonly (readonly [schema: JsonSchema, path: string, is: string])[] = [
    [open, 'user_id', 'known'],
    [open, 'userid', 'missing'],
    [closed, 'userid', 'missing'],
    [open, 'tags.0', 'known'],
    [open, 'tags.x', 'missing'],
    [open, 'user_id.x', 'missing'],
    [closed, 'constructor', 'missing'],
    [{ ...open, additionalProperties: true }, 'userid', 'undecided'],
    [{ ...open, additionalProperties: { type: 'string' } }, 'userid', 'undecided'],
    [{ ...open, patternProperties: { '^x': {} } }, 'userid', 'undecided'],
    [{ ...open, allOf: [{ properties: { userid: {} } }] }, 'userid', 'undecided'],
    [true, 'x', 'undecided'],
    [{}, 'x', 'undecided'],
    [{ type: 'object' }, 'x', 'undecided'],
    [{ type: 'object', additionalProperties: false }, 'x', 'missing'],
    [{ $ref: 'schema:user' }, 'name.first', 'known'],
    [{ $ref: 'schema:user' }, 'name.last', 'missing'],
    [{ $ref: 'schemas/user.json' }, 'next.next.name.first', 'known'],
    [{ $ref: 'schemas/user.json' }, 'next.nme', 'missing'],
    [{ $ref: 'schema:own' }, 'a.b', 'undecided'],
    [{ $ref: 'schema:own' }, 'b', 'missing'],
    [{ $ref: 'schema:elsewhere' }, 'x', 'undecided'],
    [{ $ref: '#' }, 'x', 'undecided'],
    [{ $ref: 'https://x.example/s.json' }, 'x', 'undecided'],
    [
      {
        $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } },
        properties: { x: { $ref: '#/$defs/a' } },
      },
      'x.y',
      'undecided',
    ],
  ]
  for (const [schema, path, is] of table) {
    test(`${path} in ${JSON.stringify(schema).slice(0, 80)} is ${is}`, () => {
      assert.equal(fact(schema, path).is, is)
    })
  }

  const required = { ...closed, required: ['user_id', 'tags'] }
  const gaps: readonly (readonly [schema: JsonSchema, path: string, gap: string | undefined])[] = [
    [required, 'user_id', undefined],
    [open, 'user_id', 'optional user_id'],
    [{ ...open, required: ['userid'] }, 'user_id', undefined],
    [required, 'tags.0', 'short tags.0'],
    [{ ...required, properties: { tags: { type: 'array', minItems: 1, items: {} } } }, 'tags.0', undefined],
    [{ properties: { a: required } }, 'a.user_id', 'optional a'],
    [{ properties: { a: open }, required: ['a'] }, 'a.user_id', 'optional a.user_id'],
    [{ properties: { a: { type: ['null', 'string'] } }, required: ['a'] }, 'a', 'null a'],
    [{ $ref: 'schemas/user.json' }, 'name.first', 'optional name'],
  ]
  for (const [schema, path, gap] of gaps) {
    test(`${path} in ${JSON.stringify(schema).slice(0, 80)} ${gap === undefined ? 'is always there' : `has the gap ${gap}`}`, () => {
      const found = fact(schema, path)
      assert.ok(found.is === 'known')
      assert.equal(found.gap && `${found.gap.is} ${found.gap.at.join('.')}`, gap)
    })
  }

  for (const [type, holds] of [
    ['object', 'object'],
    ['array', 'list'],
    [['object', 'null'], 'object'],
    [['object', 'string'], undefined],
    ['string', undefined],
    [undefined, undefined],
  ] as const) {
    test(`a value of type ${type} ${holds === undefined ? 'can be filled in' : `is one ${holds}`}`, () => {
      const found = fact({ properties: { a: type === undefined ? {} : { type } } } as JsonSchema, 'a')
      assert.ok(found.is === 'known')
      assert.equal(found.holds, holds)
    })
  }

  test('says what is there, what is not, and what was meant', () => {
    assert.deepEqual(fact({ properties: { a: closed } }, 'a.userid.x'), {
      is: 'missing',
      at: ['a'],
      name: 'userid',
      rest: ['x'],
      meant: 'user_id',
    })
  })
})
