// rlp caps show, in process, on agents and overrides in temporary folders.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { agentTree, writeTree } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'

const folder = temporary('caps')

const TOOLS = JSON.stringify({
  version: 1,
  tools: [
    {
      id: 'mail.send',
      description: 'Send a draft.',
      transport: { kind: 'http', method: 'POST', url: 'https://api.mail.example/send' },
      input_schema: { type: 'object' },
      result_schema: { type: 'object' },
      requires_confirmation: true,
    },
    {
      id: 'text.query',
      description: 'Run a jq filter.',
      transport: { kind: 'exec', command: '/usr/bin/jq' },
      input_schema: { type: 'object' },
      result_schema: { type: 'object' },
      requires_confirmation: false,
    },
  ],
})
const POLICY = '[capabilities]\nnet = ["api.mail.example"]\nexec = ["/usr/bin/jq"]\nkb_read = true\n'

/** An agent `mini` in `agents/`, with overrides below `home/`. */
function place(name: string, overrides: Record<string, string> = {}, policy = POLICY, variant?: string) {
  const cwd = folder(name)
  const facts = {
    files: { 'policy.caps': policy, 'tools.json': TOOLS },
    ...(variant !== undefined && { variant }),
  }
  writeTree(join(cwd, 'agents/mini'), agentTree(facts))
  for (const [path, text] of Object.entries(overrides)) {
    const file = join(cwd, 'home', path)
    mkdirSync(dirname(file), { recursive: true, mode: 0o755 })
    writeFileSync(file, text, { mode: 0o644 })
  }
  return {
    cwd,
    rlp: (...argv: string[]) => run(argv, undefined, { cwd, env: { RUNLOOP_HOME: join(cwd, 'home') } }),
  }
}

const USER = 'policy-overrides/mini/policy.caps'
const PAGE = 'caps/overrides/mini.toml'

describe('caps show', () => {
  test('without overrides shows what policy.caps grants, and the tools', async () => {
    const { exit, stdout, stderr } = await place('plain').rlp('caps', 'show', 'mini')
    assert.deepEqual([exit, stderr], [0, ''])
    assert.equal(
      stdout,
      `agents/mini  mini 1.0.0
  no overrides on this host

  grant                 tools
  net api.mail.example  mail.send
  kb_read all           none
  exec /usr/bin/jq      text.query

  ✓ mail.send   exposed
  ✓ text.query  exposed
`,
    )
  })

  test('shows no control character of a stranger, in a tool or in an override', async () => {
    const override = '[capabilities]\nkb_read = ["a\\u001b[2Jb"]\n'
    const { cwd, rlp } = place('hostile', { [USER]: override })
    const path = join(cwd, 'agents/mini/tools.json')
    writeFileSync(path, readFileSync(path, 'utf8').replace('"mail.send"', '"mail.send\\u001b[2J\\u202e"'))
    const { stdout } = await rlp('caps', 'show', 'mini', '--no-color')
    assert.match(stdout, /mail\.send\\u\{1b\}\[2J\\u\{202e\}/)
    assert.doesNotMatch(stdout, /[\u001b\u202e]/)
  })

  test('with overrides shows base, each of them and what is left side by side', async () => {
    const { cwd, rlp } = place('two', {
      [USER]: '[capabilities]\nexec = false\nnet = ["api.mail.example:443", "b.example"]\n',
      [PAGE]: '[capabilities]\nkb_read = ["contacts"]\n',
    })
    const { exit, stdout, stderr } = await rlp('caps', 'show')
    assert.equal(exit, 0)
    assert.equal(
      stdout.replaceAll(cwd, ''),
      `agents/mini  mini 1.0.0
  1  /home/policy-overrides/mini/policy.caps
  2  /home/caps/overrides/mini.toml

  grant                 policy.caps  1                     2         effective             tools
  net api.mail.example  yes          api.mail.example:443  -         api.mail.example:443  mail.send
  kb_read all           yes          -                     contacts  contacts              none
  exec /usr/bin/jq      yes          no                    -         no                    none

  ✓ mail.send   exposed
  ✗ text.query  exec:/usr/bin/jq is taken away by /home/policy-overrides/mini/policy.caps
`,
    )
    assert.match(stderr, /^warning: .*policy\.caps:3: net "b\.example" has no effect: .*\n$/)
  })

  test('a tool that a record withholds is not exposed, and takes nothing', async () => {
    const { cwd, rlp } = place('withheld')
    const record = {
      schema_version: '0.2.0',
      tool_id: 'text.query',
      namespace: 'text',
      name: 'query',
      description: 'Runs.',
      tool_kind: 'shell',
      lifecycle: 'disabled',
    }
    writeFileSync(join(cwd, 'agents/mini/interfaces.json'), JSON.stringify([record]))
    const { stdout } = await rlp('caps', 'show', 'mini')
    assert.match(stdout, /^ {2}exec \/usr\/bin\/jq {6}none$/m)
    assert.match(stdout, /^ {2}✗ text\.query {2}kept back by interfaces\.json: disabled$/m)
    const [agent] = JSON.parse((await rlp('caps', 'show', 'mini', '--sandbox', '--json')).stdout).result
      .agents
    const { granted, restricted, sandbox } = agent.tools[1]
    assert.deepEqual([granted, restricted, sandbox], [true, 'disabled', undefined])
  })

  test('plain http has the hosts that it is for, and the tools that use it', async () => {
    const policy = '[capabilities]\nnet = { hosts = ["127.0.0.1:9911", "b.example"], allow_http = true }\n'
    const { cwd, rlp } = place('plain-http', {}, policy)
    const path = join(cwd, 'agents/mini/tools.json')
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replace('https://api.mail.example/', 'http://127.0.0.1:9911/'),
    )
    const { stdout } = await rlp('caps', 'show', 'mini')
    assert.match(stdout, /^ {2}plain http to 127\.0\.0\.1:9911, b\.example {2}mail\.send$/m)
    const [agent] = JSON.parse((await rlp('caps', 'show', 'mini', '--json')).stdout).result.agents
    const { entry, hosts, tools } = agent.grants[2]
    assert.deepEqual([entry, hosts, tools], ['allow_http', ['127.0.0.1:9911', 'b.example'], ['mail.send']])
  })

  test('speaks to programs', async () => {
    const { cwd, rlp } = place('json', { [PAGE]: '[capabilities]\nexec = false\n' })
    const { exit, stdout } = await rlp('caps', 'show', '--json')
    const { ok, tool, result } = JSON.parse(stdout)
    assert.deepEqual([exit, ok, tool], [0, true, 'caps.show'])
    const [agent] = result.agents
    assert.deepEqual(agent.base.exec, ['/usr/bin/jq'])
    assert.deepEqual(agent.effective.exec, false)
    assert.deepEqual(agent.effective.net, ['api.mail.example'])
    assert.deepEqual(
      agent.overrides.map(({ path, for: target, says }: Record<string, unknown>) => [path, target, says]),
      [[join(cwd, 'home', PAGE), 'mini', { exec: false }]],
    )
    assert.deepEqual(agent.tools, [
      { id: 'mail.send', granted: true, restricted: null, missing: [] },
      {
        id: 'text.query',
        granted: false,
        restricted: null,
        missing: [{ capability: 'exec:/usr/bin/jq', reason: 'cap_missing', by: join(cwd, 'home', PAGE) }],
      },
    ])
  })

  test('an override of the name also tightens a variant, one of the variant only that', async () => {
    const overrides = {
      [USER]: '[capabilities]\nexec = false\n',
      'caps/overrides/mini@pro.toml': '[capabilities]\nkb_read = false\n',
    }
    const effective = async (variant?: string) => {
      const { rlp } = place(`variant-${variant}`, overrides, POLICY, variant)
      const [agent] = JSON.parse((await rlp('caps', 'show', 'agents/mini', '--json')).stdout).result.agents
      return [agent.agent, agent.effective.exec, agent.effective.kb_read]
    }
    assert.deepEqual(await effective('pro'), ['mini@pro', false, false])
    assert.deepEqual(await effective(undefined), ['mini', false, true])
  })

  test('a malformed override is never no override: exit 3, and no tool is exposed', async () => {
    const { rlp } = place('malformed', { [PAGE]: '[capabilities]\nexce = false\n' })
    const { exit, stdout, stderr } = await rlp('caps', 'show')
    assert.equal(exit, 3)
    assert.match(stdout, /mini\.toml {2}cannot be used: what is left is unknown\n/)
    assert.match(stdout, /✗ mail\.send {3}not exposed: an override cannot be used\n/)
    assert.match(stderr, /^Run rlp doctor, which says how to put it right\n$/)
    const json = JSON.parse((await rlp('caps', 'show', '--json')).stdout)
    assert.deepEqual([json.result.agents[0].effective, json.result.agents[0].overrides[0].says], [null, null])
  })

  test('a tool that policy.caps does not grant is shown with all that it lacks', async () => {
    const { rlp } = place('denied', {}, '[capabilities]\n')
    const { exit, stdout } = await rlp('caps', 'show')
    assert.equal(exit, 0)
    assert.match(stdout, /policy\.caps grants nothing\n/)
    assert.match(stdout, /✗ mail\.send {3}net:api\.mail\.example:443 is not granted by policy\.caps\n/)
  })

  test('says why it cannot answer', async () => {
    const { rlp } = place('broken', {}, '[capabilities]\nnet = "x"\n')
    const { exit, stderr } = await rlp('caps', 'show')
    assert.equal(exit, 1)
    assert.match(
      stderr,
      /Cannot show what "agents\/mini" may do: its policy\.caps cannot be read\nhint: Run rlp agent lint agents\/mini/,
    )
    assert.equal((await rlp('caps', 'show', 'nobody')).exit, 2)
  })

  test('text out of a bundle cannot steer a terminal', async () => {
    const { rlp } = place('steer', {}, '[capabilities]\nkb_read = ["a\\u001b[2Jb"]\n')
    const { stdout } = await rlp('caps', 'show')
    assert.ok(!stdout.includes('\u001b'))
    assert.match(stdout, /kb_read a\\u\{1b\}\[2Jb/)
  })
})
