// Answers of other systems' tools as envelopes.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  type Envelope,
  failure,
  fromAgentcli,
  fromMcp,
  type McpResult,
  serialize,
  success,
  textSuccess,
} from '../../src/contract/index.ts'
import { anyText } from '../support/any-text.ts'
import { runs } from '../support/runs.ts'

const denied = failure({ kind: 'user_denied', message: 'no', tool: 'inner' })

describe('agentcli', () => {
  const cases: [content: string, expected: Envelope][] = [
    ['{"error":"tool timed out"}', failure({ kind: 'timeout', message: 'tool timed out', tool: 't' })],
    [
      '{"error":"unknown tool: x"}',
      failure({ kind: 'tool_not_found', message: 'unknown tool: x', tool: 't' }),
    ],
    ['{"error":"exit status 1"}', failure({ kind: 'execution_error', message: 'exit status 1', tool: 't' })],
    // Of a tool that has a member of that name, and further ones, nothing is known to have failed.
    ['{"error":"x","rows":[]}', success('t', { error: 'x', rows: [] })],
    ['{"error":7}', success('t', { error: 7 })],
    ['{}', success('t', {})],
    ['null', success('t', null)],
    ['[1]', success('t', [1])],
    ['plain text', textSuccess('t', 'plain text')],
    ['a log that says "ok":false', textSuccess('t', 'a log that says "ok":false')],
    [
      '{"truncated":true,"reason":"large-tool-output"}',
      success('t', { truncated: true, reason: 'large-tool-output' }),
    ],
    [serialize(success('inner', { n: 1 })), success('t', { n: 1 })],
    [serialize(denied), { ...denied, tool: 't' }],
  ]
  for (const [content, expected] of cases)
    test(content, () => assert.deepEqual(fromAgentcli(content, 't'), expected))
})

describe('MCP', () => {
  const text = (...texts: string[]) => texts.map(text => ({ type: 'text', text }))
  const cases: [what: string, result: McpResult, expected: Envelope][] = [
    [
      'an error',
      { content: text('disk full'), isError: true },
      failure({ kind: 'execution_error', message: 'disk full', tool: 't' }),
    ],
    [
      'an error that is an envelope',
      { content: text(serialize(denied)), isError: true },
      { ...denied, tool: 't' },
    ],
    [
      'an error that says it went well',
      { content: text(serialize(success('x', 1))), isError: true },
      failure({ kind: 'execution_error', message: serialize(success('x', 1)), tool: 't' }),
    ],
    [
      'an error without words',
      { isError: true },
      failure({ kind: 'execution_error', message: '', tool: 't' }),
    ],
    ['structured content', { content: text('{"n":2}'), structuredContent: { n: 1 } }, success('t', { n: 1 })],
    ['an envelope', { content: text(serialize(success('x', { n: 1 }))) }, success('t', { n: 1 })],
    ['texts', { content: text('a', 'b') }, textSuccess('t', 'a\nb')],
    ['nothing', {}, textSuccess('t', '')],
    ['null, which some servers write for nothing', { content: null }, textSuccess('t', '')],
    [
      'an image',
      { content: [{ type: 'image', data: 'AA==' }] },
      success('t', { content: [{ type: 'image', data: 'AA==' }] }),
    ],
  ]
  for (const [what, result, expected] of cases)
    test(what, () => assert.deepEqual(fromMcp(result, 't'), expected))
})

test('whatever was answered, there is an envelope', () => {
  const contents = fc.oneof(anyText(), fc.json())
  fc.assert(
    fc.property(contents, fc.anything(), (content, item) => {
      assert.equal(typeof fromAgentcli(content).ok, 'boolean')
      assert.equal(
        typeof fromMcp({
          content: [item, { type: 'text', text: content }],
          isError: content.length % 2 === 0,
        }).ok,
        'boolean',
      )
    }),
    { numRuns: runs(200), seed: 20261121 },
  )
})
