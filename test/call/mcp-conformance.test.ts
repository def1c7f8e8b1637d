// The conformance suite of MCP against `rlp tool serve --http`: what fails there is listed with its reason, and nothing else may fail, nor pass.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { temporary } from '../support/folder.ts'
import { gateway } from '../support/mcp-gateway.ts'
import { IN_CI, LATE } from '../support/runs.ts'
import { listening, serveWorld } from '../support/serve-listening.ts'

const folder = temporary('mcp-conformance')
const over = new AbortController()
after(() => over.abort())

const tool = (id: string, more: object) => ({
  id,
  description: `Tool ${id}`,
  input_schema: { type: 'object' },
  result_schema: true,
  'x-rlp': { stdin: true },
  ...more,
})
const program = (command: string, ...args: string[]) => ({ transport: { kind: 'exec', command, args } })
/** By the names that the suite calls. */
const TOOLS = [
  tool('test_simple_text', program('/bin/echo', 'This is a simple text response for testing.')),
  tool('test_error_handling', program('/bin/cat', 'missing')),
  // The suite wants to hear three times of it: at its start, and after five seconds each. By day it ends at once, and the scenario fails.
  tool('test_tool_with_progress', program('/bin/sleep', IN_CI ? '10.5' : '0')),
  // A schema that refers to itself stays where it is; others are put in place of the reference.
  tool('json_schema_2020_12_tool', {
    ...program('/bin/cat'),
    input_schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: {
        address: {
          type: 'object',
          properties: { street: { type: 'string' }, near: { $ref: '#/$defs/address' } },
        },
      },
      properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
      additionalProperties: false,
    },
  }),
]

const SLOW = 'tools-call-with-progress'

const PASSED = [
  'server-initialize',
  'ping',
  'tools-list',
  'tools-call-simple-text',
  'tools-call-error',
  ...(IN_CI ? [SLOW] : []),
  'json-schema-2020-12',
]

test('scenarios of the conformance suite', { skip: LATE }, async () => {
  const here = serveWorld(folder('served'), TOOLS)
  const { place, stop } = await listening(here, over.signal)
  const { url, close } = await gateway(place.url, place.token)
  const failing = join(here.cwd, 'expected-failures.yaml')
  const known = readFileSync('test/support/mcp-expected-failures.yaml', 'utf8')
  writeFileSync(failing, IN_CI ? known : `${known}  - ${SLOW}\n`)
  try {
    const { status, said } = await ran([
      ...['server', '--url', url, '--suite', 'all', '--expected-failures', failing],
    ])
    assert.equal(status, 0, said)
    const passed = [...said.matchAll(/^✓ (\S+): [1-9]/gm)].map(([, name]) => name)
    assert.deepEqual(passed, PASSED)
  } finally {
    close()
    await stop()
  }
})

function ran(args: readonly string[]): Promise<{ readonly status: number | null; readonly said: string }> {
  const child = spawn(process.execPath, [
    ...['--import', resolve('test/support/conformance-fs.mjs')],
    ...[resolve('node_modules/@modelcontextprotocol/conformance/dist/index.js'), ...args],
  ])
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', chunk => {
      said += chunk
    })
  return new Promise(resolve => child.on('close', status => resolve({ status, said })))
}
