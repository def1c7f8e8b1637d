// What trace and audit say of a tool: its tags, and the digests of both schemas, with which replay compares.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { differencesFrom, exchangesOf } from '../../src/call/replay.ts'
import { auditOf } from '../../src/call/session.ts'
import { callFrame, readFrame, resultFrame, schemaDigest, writeFrame } from '../../src/call/trace.ts'
import type { CallPayload } from '../../src/model/trace.ts'
import { answers, stage } from '../support/calling.ts'
import { execTool } from '../support/host.ts'

const plain = execTool('/bin/plain', [], { id: 'plain' })
const tagged = { ...plain, tags: ['external', 'mail "a"'] }
const same = (text: string) => text

describe('observability.tags', () => {
  test('are in the audit line of a call that ran, and of one that did not', async () => {
    const auditLineOf = async (tool: typeof plain, decision: 'approved' | 'declined') => {
      const asking = { ...tool, requiresConfirmation: true }
      const here = stage({ tools: [asking], decision, outcome: answers('{}') })
      return JSON.parse(auditOf(await here.call('plain', {}), same)) as { tags?: unknown; event?: unknown }
    }
    assert.ok(!('tags' in (await auditLineOf(plain, 'approved'))))
    assert.deepEqual((await auditLineOf(tagged, 'approved')).tags, tagged.tags)
    assert.ok(!('tags' in (await auditLineOf(plain, 'declined'))))
    const declined = await auditLineOf(tagged, 'declined')
    assert.deepEqual([declined.event, declined.tags], ['user_denied', tagged.tags])
  })

  test('are in the trace, and are covered by its hash', async () => {
    const record = await stage({ tools: [tagged] }).call('plain', {})
    const { line } = writeFrame(callFrame(record), '')
    const read = (text: string) => readFrame(Buffer.from(text.trimEnd()), '').frame.payload as CallPayload
    assert.deepEqual(read(line).tags, tagged.tags)
    assert.throws(() => read(line.replace('external', 'internal')), /it was changed/)
  })
})

describe('arguments that were mended', () => {
  const counts = {
    ...plain,
    inputSchema: { type: 'object', properties: { n: { type: 'integer' }, s: { type: 'string' } } },
  } as const
  const payloadOf = async (args: unknown, secrets: Readonly<Record<string, string>> = {}) => {
    const tool = { ...counts, secrets: Object.keys(secrets) }
    const record = await stage({ tools: [tool], secrets }).call('plain', args)
    const { line } = writeFrame(callFrame(record), '')
    return readFrame(Buffer.from(line.trimEnd()), '').frame.payload as CallPayload
  }

  test('are in the trace as they were given, with the names of those that differ', async () => {
    const kept = await payloadOf({ n: 5, s: 'a' })
    assert.ok(!('given' in kept) && !('changed_fields' in kept))
    const { arguments: sent, given, changed_fields } = await payloadOf({ s: 'a', n: '5', unused: 1 })
    assert.deepEqual(sent, { n: 5, s: 'a', unused: 1 })
    assert.deepEqual(given, { n: '5', s: 'a', unused: 1 })
    assert.deepEqual(changed_fields, ['n'])
    assert.deepEqual((await payloadOf({ properties: { n: 5 } })).changed_fields, ['n', 'properties'])
  })

  test('hold no secret either', async () => {
    const { arguments: sent, given } = await payloadOf(
      { n: '5', s: 'the-secret-7' },
      { 'a/b': 'the-secret-7' },
    )
    assert.deepEqual(
      [sent, given],
      [
        { n: 5, s: '***REDACTED***' },
        { n: '5', s: '***REDACTED***' },
      ],
    )
  })
})

describe('both schemas', () => {
  test('are compared by replay', async () => {
    const record = await stage({ tools: [plain] }).call('plain', {})
    const [exchange] = exchangesOf([callFrame(record), resultFrame(record)])
    assert.ok(exchange)
    const against = (tool: typeof plain) =>
      differencesFrom(exchange, {
        digest: exchange.call.bundle,
        tool: () => ({
          inputSchema: schemaDigest(tool.inputSchema),
          resultSchema: schemaDigest(tool.resultSchema),
        }),
      }).map(({ code }) => code)
    assert.deepEqual(against(plain), [])
    assert.deepEqual(against({ ...plain, resultSchema: { type: 'string' } }), ['result_schema_changed'])
    assert.deepEqual(against({ ...plain, inputSchema: { type: 'object', title: 'x' } }), ['schema_changed'])
  })
})
