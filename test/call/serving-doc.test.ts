// Each configuration of docs/serving.md starts a server that lists and calls the tools of an installed agent, with the little that its client gives it.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { temporary } from '../support/folder.ts'
import { made, RELEASE, world } from '../support/install-world.ts'
import { PROGRAM } from '../support/run.ts'
import { NO_SANDBOX_HERE } from '../support/sandbox-works.ts'

const PAGE = readFileSync('docs/serving.md', 'utf8')
const folder = temporary('serving-doc')
const TOOLS = {
  version: 1,
  tools: [
    {
      id: 'text.echo',
      description: 'Says it again',
      transport: { kind: 'exec', command: '/bin/cat' },
      input_schema: { type: 'object', properties: { q: { type: 'string' } }, additionalProperties: false },
      result_schema: { type: 'object', properties: { q: { type: 'string' } } },
      capabilities: ['exec:/bin/cat'],
      'x-rlp': { stdin: true },
    },
  ],
}

const FACTS = {
  ...{ name: 'mailer', version: '0.1.0', caps: 'exec = ["/bin/cat"]\n' },
  files: { 'tools.json': JSON.stringify(TOOLS) },
}

interface Started {
  readonly type?: string
  readonly command: string
  readonly args: readonly string[]
}
const blocks = [...PAGE.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text = '']) => JSON.parse(text))
const typed = /^claude mcp add mailer -- (.*)$/m.exec(PAGE)?.[1]?.split(' ') ?? []

/** By the word for the list. */
const STARTED: Readonly<Record<string, Started | undefined>> = {
  mcpServers: blocks.find(one => 'mcpServers' in one)?.mcpServers.mailer,
  servers: blocks.find(one => 'servers' in one)?.servers.mailer,
  'claude mcp add': typed[0] === undefined ? undefined : { command: typed[0], args: typed.slice(1) },
}

describe('a client that is configured as the page says', { skip: NO_SANDBOX_HERE }, () => {
  for (const [name, started] of Object.entries(STARTED)) {
    test(`with ${name} lists and calls the tools`, async () => {
      assert.ok(started !== undefined)
      assert.equal(started.command, 'rlp')
      assert.equal(started.type, name === 'servers' ? 'stdio' : undefined)
      const here = world(folder(name))
      const bundle = here.put('mailer-0.1.0.agent.bundle', made(FACTS, RELEASE))
      const installed = await here.install(bundle, '--yes')
      assert.equal(installed.exit, 0, JSON.stringify(installed.envelope))
      const client = new Client({ name: 'test', version: '1' })
      const env = { HOME: here.cwd, PATH: '/usr/bin:/bin', RUNLOOP_HOME: here.home }
      // A desktop starts it in no folder to rely on.
      await client.connect(
        new StdioClientTransport({
          command: process.execPath,
          args: [...PROGRAM, ...started.args],
          env,
          cwd: '/',
        }),
      )
      try {
        const { tools } = await client.listTools()
        assert.deepEqual(
          tools.map(one => one.name),
          ['text.echo'],
        )
        const answer = await client.callTool({ name: 'text.echo', arguments: { q: 'a' } })
        assert.deepEqual(answer['structuredContent'], { q: 'a' })
        const { by, files } =
          (answer['_meta'] as Record<string, { by: string; files: string }>)['rlp/enforced'] ?? {}
        assert.deepEqual([by, files], ['bubblewrap', 'grants'])
      } finally {
        await client.close()
      }
    })
  }
})
