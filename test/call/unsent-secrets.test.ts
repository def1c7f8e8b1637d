// A secret that a tool lists and nothing sends: the author is warned by lint (secrets/unused), and the caller at each call.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { prepareCall } from '../../src/call/prepare-call.ts'
import { unsentSecrets } from '../../src/secret/unsent-secrets.ts'
import { stage } from '../support/calling.ts'
import { execTool } from '../support/host.ts'
import { httpTool } from '../support/http-tool.ts'

const url = 'https://api.mail.example/send'
const headers = { Authorization: 'Bearer {{secret:mail/key}}' }

async function warningsOf(tool: ReturnType<typeof httpTool>): Promise<readonly string[]> {
  const { context } = stage({ tools: [tool] })
  const [exec] = context.hosts
  assert.ok(exec)
  const hosts = [exec, { ...exec, kind: 'http' as const }]
  const prepared = await prepareCall({ tool: tool.id, text: '{}' }, { ...context, hosts })
  assert.ok(!('failure' in prepared), JSON.stringify(prepared))
  return prepared.warnings
}

test('a call says which secret of its tool is not sent', async () => {
  const sent = httpTool({ url, headers, secrets: ['mail/key'] })
  assert.deepEqual(await warningsOf(sent), [])
  assert.deepEqual(await warningsOf(httpTool({ url, headers, secrets: ['mail/key', 'mail/other'] })), [
    'The tool lists the secret "mail/other", and no header of it sends it',
  ])
  const [warning, ...more] = await warningsOf(httpTool({ url, secrets: ['mail/key'] }))
  assert.match(warning ?? '', /^The tool lists the secret "mail\/key"/)
  assert.deepEqual(more, [])
})

test('a program is sent all of its secrets', async () => {
  const program = { ...execTool('/bin/plain', [], { id: 'plain' }), secrets: ['mail/key'] }
  assert.deepEqual(unsentSecrets(program), [])
  assert.deepEqual(await warningsOf(program), [])
})
