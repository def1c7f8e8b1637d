// What the words of a tool say: whether it changes something, and whether its description explains an argument.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { asksInWords, explainedBy, saidOf } from '../../src/lint/rules/description-words.ts'
import type { JsonSchema } from '../../src/model/tools.ts'
import { processorTime } from '../support/processor-time.ts'

describe('a tool', () => {
  const tools: [id: string, description: string, said: ReturnType<typeof saidOf>][] = [
    ['mail.send', 'A mail to a person', 'changes'],
    ['sendMail', '', 'changes'],
    ['t', 'Deletes a note', 'changes'],
    ['t', 'Pushes a branch', 'changes'],
    ['get_data_set', '', 'reads'],
    ['update_notes', 'List what is new', 'reads'],
    ['read_query', 'Execute a SELECT query', 'reads'],
    ['run_query', 'Execute a query', 'reads'],
    ['execute_select', 'Execute a statement', 'reads'],
    ['execute_command', 'Execute a command', 'changes'],
    ['run_python', 'Run a script', 'changes'],
    ['generate_pin_map', 'A map with pins', 'reads'],
    ['unpublish_asset', 'Take an asset from the site', 'changes'],
    ['create_note', 'Create a note', undefined],
    ['click', 'Click an element', undefined],
    ['retrieve_similar', 'Send a text and retrieve what is like it', 'reads'],
    ['list_and_delete', 'Delete what is listed', 'changes'],
    ['execute_sql', 'Execute a read-only statement', 'reads'],
    ['canvas', 'A canvas', undefined],
    ['', '', undefined],
    ['发送', '发送消息', undefined],
  ]
  for (const [id, description, said] of tools)
    test(`${id}, ${description}: ${said}`, () => assert.equal(saidOf({ id, description }), said))
})

test('a description that asks for confirmation', () => {
  assert.equal(asksInWords({ description: 'Ask the user for confirmation first' }), true)
  assert.equal(asksInWords({ description: 'Never call it without a confirmation' }), true)
  assert.equal(asksInWords({ description: 'Delete a note' }), false)
  assert.equal(asksInWords({ description: 'Returns a confirmation message' }), false)
})

describe('an argument', () => {
  const text = { type: 'string' }
  const explained: [name: string, schema: JsonSchema, description: string, is: boolean][] = [
    ['url', text, 'Navigates to a URL', true],
    ['max_results', text, 'Search. Args:\n    max_results: how many', true],
    ['query', text, 'Search.\n- query (str): the words', true],
    ['query', text, 'Search.\n  query - the words', true],
    ['limit', text, 'Search. `limit` is how many', true],
    ['tableName', text, 'Describe a table', true],
    ['name', text, 'Add a table', false],
    ['limit', text, 'Search the notes', false],
    ['max_results', text, 'All results', false],
    ['max', { type: 'array' }, 'Search.\nmax-results: how many', false],
    ['url', { type: 'object' }, 'Navigates to a URL', false],
    ['points', { type: 'array' }, 'Draw points.\npoints: pairs of numbers', true],
    ['id', text, 'Fetch a record, as in fetch(id="a.1")', true],
    ['', text, 'Anything', false],
  ]
  for (const [name, schema, description, is] of explained)
    test(`${name} in ${JSON.stringify(description)}: ${is}`, () =>
      assert.equal(explainedBy(description)(name, schema), is))

  test('is looked for in linear time', () => {
    const start = processorTime()
    for (const part of [' ', '- ', 'a ', 'a (', '"a', 'aA', '\n'])
      explainedBy(part.repeat(1e6 / part.length))('a_b', text)
    for (const part of ['aA', 'a', '_', 'read'])
      saidOf({ id: part.repeat(1e6 / part.length), description: part.repeat(1e6 / part.length) })
    assert.ok(processorTime() - start < 1000)
  })
})
