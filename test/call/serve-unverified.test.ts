// `rlp tool serve --unverified`: a folder that its author works in, served with a word that says so, and held as every other call is.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { agentTree, writeTree } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { PATH } from '../support/host.ts'
import { clientEnd, Pipe } from '../support/mcp.ts'
import { leaveUnheld } from '../support/unheld.ts'

const folderFor = temporary('serve-unverified')
const tool = (id: string, more: object = {}) => ({
  id,
  description: `Tool ${id}`,
  transport: { kind: 'exec', command: '/bin/cat' },
  input_schema: { type: 'object', properties: { q: { type: 'string' } }, additionalProperties: false },
  result_schema: true,
  'x-rlp': { stdin: true },
  ...more,
})
const TOOLS = [
  tool('text.echo'),
  tool('text.ask', { requires_confirmation: true }),
  tool('text.key', { secrets: ['mail'] }),
  tool('text.other', { transport: { kind: 'exec', command: '/bin/echo' } }),
]

function world(name: string): string {
  const cwd = folderFor(name)
  mkdirSync(join(cwd, 'home'))
  leaveUnheld(join(cwd, 'home'))
  const files = {
    'policy.caps': '[capabilities]\nexec = ["/bin/cat"]\nsecrets = ["mail"]\n',
    'tools.json': JSON.stringify({ version: 1, tools: TOOLS }),
  }
  writeTree(join(cwd, 'mini'), agentTree({ name: 'mini', files }))
  return cwd
}

const env = (cwd: string) => ({ RUNLOOP_HOME: join(cwd, 'home'), PATH, MAIL: 'twelve chars' })
const refused = async (cwd: string, ...args: string[]) => {
  const { exit, stdout, stderr } = await run(['tool', 'serve', ...args], undefined, { cwd, env: env(cwd) })
  assert.equal(stdout, '')
  return [exit, stderr.split('\n')[0]]
}

describe('rlp tool serve --unverified', () => {
  test('serves a folder to a client, which is told; grants, confirmation and secrets count as always', async () => {
    const cwd = world('folder')
    const [up, down] = [new Pipe(), new Pipe()]
    let stderr = ''
    process.env['RUNLOOP_HOME'] = join(cwd, 'home')
    const running = run(['tool', 'serve', 'mini', '--unverified'], undefined, {
      cwd,
      env: env(cwd),
      stdin: () => up[Symbol.asyncIterator](),
      stdout: text => down.write(String(text)),
      stderr: text => {
        stderr += text
      },
    })
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(clientEnd(up, down).transport)
    assert.equal(client.getServerVersion()?.name, 'rlp-unverified')
    assert.match(String(client.getInstructions()), /^unverified: the tools of mini come from a folder/)
    assert.match(stderr, /^warning: unverified: the tools of mini come from a folder/)
    const names = (await client.listTools()).tools.map(({ name }) => name)
    assert.deepEqual(names, ['text.echo', 'text.ask', 'text.key'])
    const text = async (name: string) => {
      const { content } = (await client.callTool({ name, arguments: { q: 'x' } })) as CallToolResult
      return JSON.stringify(content)
    }
    assert.match(await text('text.echo'), /\\"result\\":\{\\"q\\":\\"x\\"\}/)
    assert.match(await text('text.ask'), /nobody_to_ask/)
    assert.match(await text('text.key'), /secret_unusable/)
    assert.match(await text('text.other'), /cap_missing/)
    mkdirSync(join(cwd, 'home/policy-overrides/mini'), { recursive: true })
    writeFileSync(join(cwd, 'home/policy-overrides/mini/policy.caps'), '[capabilities]\nexec = false\n')
    assert.deepEqual((await client.listTools()).tools, [])
    await client.close()
    assert.equal((await running).exit, 0)
  })

  test('takes no bundle, and no option about verification', async () => {
    const cwd = world('other')
    await run(['agent', 'pack', 'mini'], undefined, { cwd, env: env(cwd) })
    const bundle = 'dist/mini-1.0.0.agent.bundle'
    for (const args of [[bundle], ['mini', bundle]])
      assert.deepEqual(await refused(cwd, ...args, '--unverified'), [
        2,
        `rlp: Cannot use --unverified with "${bundle}": it is no source folder`,
      ])
    for (const [option, ...more] of [['--allow-unsigned'], ['--expect', 'mini']] as const)
      assert.deepEqual(await refused(cwd, 'mini', '--unverified', option, ...more), [
        2,
        `rlp: Cannot use ${option} with --unverified: nothing of a folder is verified`,
      ])
    writeFileSync(join(cwd, 'mini/tools.json'), '{')
    const [exit, line] = await refused(cwd, 'mini', '--unverified')
    assert.equal(exit, 1)
    assert.match(String(line), /^rlp: Cannot serve "mini": tools\.json:1: /)
  })
})
