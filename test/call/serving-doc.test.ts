// Each configuration of docs/serving.md starts a server that lists and calls the tools of an installed agent, with the little that its client gives it.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { temporary } from '../support/folder.ts'
import { made, RELEASE, world } from '../support/install-world.ts'
import { CLIENTS } from '../support/mcp-clients.ts'
import { PROGRAM } from '../support/run.ts'
import { LATE } from '../support/runs.ts'
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
  name: 'mailer',
  version: '0.1.0',
  caps: 'exec = ["/bin/cat"]\n',
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
  servers: blocks.find(one => one.servers?.mailer.type === 'stdio')?.servers.mailer,
  'claude mcp add': typed[0] === undefined ? undefined : { command: typed[0], args: typed.slice(1) },
}

describe('a client that is configured as the page says', { skip: LATE || NO_SANDBOX_HERE }, () => {
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

test('a server over HTTP that is started as the page says serves clients of both eras', {
  skip: LATE || NO_SANDBOX_HERE,
}, async () => {
  const [makeToken = '', serve = ''] =
    /## Over HTTP\n\n```sh\n([\s\S]*?)```/.exec(PAGE)?.[1]?.split('\n') ?? []
  const { url, headers, type } = blocks.find(one => one.servers?.mailer.type === 'http')?.servers.mailer ?? {}
  assert.equal(type, 'http')
  const here = world(folder('http'))
  const installed = await here.install(here.put('mailer-0.1.0.agent.bundle', made(FACTS, RELEASE)), '--yes')
  assert.equal(installed.exit, 0, JSON.stringify(installed.envelope))
  const env = { HOME: here.cwd, PATH: '/usr/bin:/bin', RUNLOOP_HOME: here.home }
  assert.equal(spawnSync('sh', ['-c', makeToken], { env }).status, 0)
  // As it is written, but for the port, which may be taken here.
  const [, ...words] = serve.replace('~', here.cwd).replace(':8722', ':0').split(' ')
  const child = spawn(process.execPath, [...PROGRAM, ...words], { env, cwd: '/' })
  try {
    let said = ''
    const at = await new Promise<string>((resolve, reject) => {
      child.stderr.on('data', chunk => {
        said += chunk
        const [, found] = /at (http:\S+) \(MCP\)/.exec(said) ?? []
        if (found !== undefined) resolve(found)
      })
      child.on('exit', () => reject(new Error(said)))
    })
    assert.equal(at.replace(/:\d+\//, ':8722/'), url)
    const token = readFileSync(join(here.cwd, '.mcp-token'), 'utf8').trim()
    const given = (headers.Authorization as string).replace(/^Bearer \$\{input:token\}$/, token)
    for (const connect of Object.values(CLIENTS)) {
      const client = await connect({ url: at, token: given })
      const { structuredContent } = await client.call('text.echo', { q: 'a' })
      assert.deepEqual(structuredContent, { q: 'a' })
      await client.close()
    }
  } finally {
    const ended = new Promise(resolve => child.on('close', resolve))
    child.kill('SIGTERM')
    await ended
  }
})
