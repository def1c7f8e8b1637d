// How a server of an agent's tools is started, for VS Code and for registries of MCP servers: what is written, what is bounded, what is refused.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { exportTools } from '../../src/library/generated/convert.ts'
import { type AgentFacts, agentTree, writeTree } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'
import { made, RELEASE, world } from '../support/install-world.ts'

const folderFor = temporary('servers')
const TOOL = {
  id: 'mail.send',
  description: 'Sends a mail',
  transport: { kind: 'http', url: 'https://mail.example/send', method: 'POST', secret: 'runloop/mail/key' },
  input_schema: { type: 'object' },
  result_schema: true,
  secrets: ['runloop/mail/key'],
}
const CAPS = `[capabilities]
net = { hosts = ["mail.example", "api.example:8443", "mail.example:443"] }
fs = ["~/notes"]
fs_ro = ["/srv/in"]
fs_rw = ["/srv/out"]
secrets = ["runloop/mail/key"]
`

let count = 0
function agent(facts: AgentFacts = {}, caps = CAPS): string {
  const { secret: _, ...transport } = TOOL.transport
  const tools = JSON.stringify({ version: 1, tools: [{ ...TOOL, transport }] })
  const files = { 'policy.caps': caps, 'tools.json': tools }
  return writeTree(
    folderFor(`agent${count++}`),
    agentTree({ name: 'mailer', version: '1.2.3', files, ...facts }),
  )
}

const told = ({ changes }: Awaited<ReturnType<typeof exportTools>>) =>
  changes.map(({ what, field, message }) => `${what} ${field}: ${message}`)

describe('vscode-mcp', () => {
  test('starts the server in the editor’s sandbox, which lets it reach what all tools together may', async () => {
    const exported = await exportTools(agent(), { to: 'vscode-mcp' })
    assert.deepEqual(exported.document, {
      servers: {
        mailer: {
          type: 'stdio',
          command: 'rlp',
          args: ['tool', 'serve', 'mailer'],
          sandboxEnabled: true,
          sandbox: {
            filesystem: { allowWrite: ['/tmp', '${userHome}/notes', '/srv/out'] },
            network: { allowedDomains: ['mail.example', 'api.example'] },
          },
        },
      },
    })
    assert.deepEqual(told(exported), [
      'lost capabilities: api.example:8443 is api.example there: its rules name no port',
      'lost capabilities: mail.example:443 is mail.example there: its rules name no port',
    ])
  })

  test('a folder that the editor would read as a variable is left out', async () => {
    const exported = await exportTools(agent({}, '[capabilities]\nfs_rw = ["${userHome}", "/srv/out"]\n'), {
      to: 'vscode-mcp',
    })
    assert.doesNotMatch(JSON.stringify(exported.document), /\$/)
    assert.deepEqual(told(exported), ['lost capabilities: ${userHome} would name a variable there'])
  })

  test('a variant has its own name', async () => {
    const { document } = await exportTools(agent({ variant: 'pro' }), { to: 'vscode-mcp' })
    const { servers } = document as { servers: Record<string, { args: string[] }> }
    assert.deepEqual(servers['mailer-pro']?.args, ['tool', 'serve', 'mailer@pro'])
  })
})

describe('server-json', () => {
  test('names the server, how it is started, and what it needs', async () => {
    const { document, changes } = await exportTools(agent(), {
      to: 'server-json',
      namespace: 'io.github.acme',
    })
    const { packages, _meta, ...rest } = document as { packages: Record<string, unknown>[]; _meta: object }
    assert.deepEqual(rest, {
      $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
      name: 'io.github.acme/mailer',
      description: 'Tools of the agent mailer',
      version: '1.2.3',
    })
    const [{ version, packageArguments, environmentVariables, ...started } = {}] = packages
    assert.deepEqual(started, {
      registryType: 'npm',
      identifier: 'rlp-bundle',
      runtimeHint: 'npx',
      transport: { type: 'stdio' },
    })
    assert.match(String(version), /^\d+\.\d+\.\d+$/)
    assert.deepEqual(packageArguments, [
      { type: 'positional', value: 'tool' },
      { type: 'positional', value: 'serve' },
      { type: 'positional', value: 'mailer' },
      { type: 'named', name: '--sandbox', value: 'require' },
    ])
    assert.deepEqual(environmentVariables, [
      {
        name: 'RUNLOOP_MAIL_KEY',
        description: 'The secret runloop/mail/key, for mail.send',
        isRequired: true,
        isSecret: true,
      },
    ])
    assert.match(JSON.stringify(_meta), /"rlp\/tools":\["mail\.send"\]/)
    assert.deepEqual(
      changes.map(({ what }) => what),
      ['inferred'],
    )
  })

  test('a variable that needs a grant is a secret there too, and a public one is not', async () => {
    const tool = { ...TOOL, transport: { kind: 'exec', command: '/usr/bin/env' }, secrets: [] }
    const tools = [{ ...tool, 'x-rlp': { env: ['VENDOR_KEY', 'TZ'] } }]
    const caps = '[capabilities]\nexec = ["/usr/bin/env"]\nsecrets = ["env/VENDOR_KEY"]\n'
    const files = { 'policy.caps': caps, 'tools.json': JSON.stringify({ version: 1, tools }) }
    const exported = await exportTools(agent({ files }), { to: 'server-json', namespace: 'io.github.acme' })
    const { packages } = exported.document as { packages: { environmentVariables: object[] }[] }
    assert.deepEqual(packages[0]?.environmentVariables, [
      { name: 'VENDOR_KEY', isSecret: true },
      { name: 'TZ' },
    ])
  })

  test('a description has at most 100 characters', async () => {
    const described = async (description: string) => {
      const folder = agent()
      const manifest = join(folder, 'manifest.toml')
      const text = readFileSync(manifest, 'utf8').replace(
        /^name = .*$/m,
        `$&\ndescription = "${description}"`,
      )
      writeFileSync(manifest, text)
      const exported = await exportTools(folder, { to: 'server-json', namespace: 'a.b' })
      return [(exported.document as { description: string }).description, told(exported)] as const
    }
    assert.deepEqual(await described('x'.repeat(100)), ['x'.repeat(100), []])
    assert.deepEqual(await described('x'.repeat(101)), [
      `${'x'.repeat(99)}…`,
      ['lost description: what is after 99 characters: a registry takes 100'],
    ])
  })

  test('needs a namespace that is a domain, the whole agent, and all of its tools', async () => {
    const folder = agent()
    for (const namespace of [undefined, 'acme', 'io/github', 'io.', ''])
      await assert.rejects(
        exportTools(folder, { to: 'server-json', ...(namespace !== undefined && { namespace }) }),
        { code: 'USAGE', field: 'namespace' },
      )
    await assert.rejects(exportTools(folder, { to: 'openai', namespace: 'io.github' }), { code: 'USAGE' })
    await assert.rejects(exportTools(folder, { to: 'vscode-mcp', ids: ['mail.send'] }), {
      message: 'Cannot export single tools to vscode-mcp: a server serves all of an agent',
    })
    const alone = join(folderFor('alone'), 'tools.json')
    writeFileSync(alone, JSON.stringify({ version: 1, tools: [] }))
    await assert.rejects(exportTools(alone, { to: 'vscode-mcp' }), { code: 'NOT_CONVERTIBLE' })
  })
})

test('the examples of docs/conversions.md', async () => {
  const section = readFileSync('docs/conversions.md', 'utf8').split('## How a server is started')[1] ?? ''
  const lines = [...section.matchAll(/^rlp (tool export mailer .*)$/gm)].map(([, line = '']) =>
    line.split(' '),
  )
  assert.equal(lines.length, 2)
  const here = world(folderFor('examples'))
  mkdirSync(join(here.cwd, '.vscode'))
  const bundle = made({ name: 'mailer', version: '0.1.0' }, RELEASE)
  assert.equal((await here.install(here.put('mailer-0.1.0.agent.bundle', bundle), '--yes')).exit, 0)
  for (const line of lines) {
    const { exit, stderr } = await here.say(...line)
    assert.equal(exit, 0, stderr)
    JSON.parse(readFileSync(join(here.cwd, line.at(-1) ?? ''), 'utf8'))
  }
})
