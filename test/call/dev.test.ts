// `rlp agent dev`: a client sees each edit of the folder, what cannot be served leaves the tools from before, and nothing is left behind.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { after, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { type CallToolResult, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { agentTree, writeTree } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { PATH } from '../support/host.ts'
import { dev } from '../support/library.ts'
import { clientEnd, Pipe } from '../support/mcp.ts'
import { PROGRAM } from '../support/run.ts'
import { leaveUnheld } from '../support/unheld.ts'

const folderFor = temporary('dev')
/** A test that fails must not leave a server that waits. */
const over = new AbortController()
after(() => over.abort())
const tool = (id: string, text: string) => ({
  id,
  description: `Tool ${id}`,
  transport: { kind: 'exec', command: '/bin/echo', args: [text] },
  input_schema: { type: 'object', properties: {}, additionalProperties: false },
  result_schema: { type: 'string' },
  'x-rlp': { stdin: true },
})
const toolsText = (...tools: readonly object[]) => JSON.stringify({ version: 1, tools }, null, 2)

function world(name: string) {
  const cwd = folderFor(name)
  mkdirSync(join(cwd, 'home'))
  leaveUnheld(join(cwd, 'home'))
  const files = {
    'policy.caps': '[capabilities]\nexec = ["/bin/echo"]\n',
    'tools.json': toolsText(tool('say.it', '"one"')),
  }
  const folder = writeTree(join(cwd, 'mini'), agentTree({ files }))
  return {
    cwd,
    write: (path: string, text: string) => writeFileSync(join(folder, path), text),
    read: (path: string) => readFileSync(join(folder, path), 'utf8'),
    env: { RUNLOOP_HOME: join(cwd, 'home'), PATH, HOME: cwd },
  }
}

async function until(seen: () => boolean, what: () => string): Promise<void> {
  for (let tries = 0; !seen(); tries++) {
    if (tries > 400) assert.fail(`it never came: ${what()}`)
    await wait(25)
  }
}

async function followed(here: ReturnType<typeof world>, ...args: string[]) {
  const [up, down] = [new Pipe(), new Pipe()]
  let stderr = ''
  process.env['RUNLOOP_HOME'] = here.env.RUNLOOP_HOME
  const running = run(['agent', 'dev', 'mini', ...args], undefined, {
    cwd: here.cwd,
    env: here.env,
    stdin: () => up[Symbol.asyncIterator](),
    signal: over.signal,
    stdout: text => down.write(String(text)),
    stderr: text => {
      stderr += text
    },
  })
  const client = new Client({ name: 'test', version: '1' })
  let changes = 0
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    changes++
  })
  const ended = running.then(({ exit }) => assert.fail(`it ended with ${exit}: ${stderr}`))
  await Promise.race([client.connect(clientEnd(up, down).transport), ended])
  ended.catch(() => {})
  return {
    client,
    changes: () => changes,
    said: () => stderr,
    /** Waits until one more line of standard error fits. */
    says: (pattern: RegExp) =>
      until(
        () => pattern.test(stderr),
        () => `${pattern} in ${stderr}`,
      ),
    async text(name: string) {
      const { content } = (await client.callTool({ name, arguments: {} })) as CallToolResult
      return JSON.parse((content[0] as { text: string }).text) as { result: unknown }
    },
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    async close() {
      await client.close()
      assert.equal((await running).exit, 0)
    },
  }
}

describe('rlp agent dev', () => {
  test('serves what was edited, with its digests, and tells the client of another list', async () => {
    const here = world('edit')
    const { client, text, names, says, said, changes, close } = await followed(here)
    assert.equal(client.getServerVersion()?.name, 'rlp-unverified')
    assert.match(String(client.getInstructions()), /^unverified: the tools of mini/)
    assert.match(said(), /^warning: unverified: /)
    assert.match(said(), /✓ mini {2}serving 1 tool\n$/)
    assert.equal((await text('say.it')).result, 'one')
    here.write('tools.json', toolsText(tool('say.it', '"two"')))
    await says(/tools\.json changed, 1 digest written, serving 1 tool\n/)
    assert.equal((await text('say.it')).result, 'two')
    assert.equal(changes(), 0)
    here.write('tools.json', toolsText(tool('say.it', '"two"'), tool('say.more', '"more"')))
    await says(/serving 2 tools\n/)
    assert.deepEqual(await names(), ['say.it', 'say.more'])
    assert.equal(changes(), 1)
    // What it writes itself is no change.
    await wait(400)
    assert.equal(said().split('✓').length, 4, said())
    assert.equal((await run(['agent', 'digest', 'mini', '--check'], undefined, { cwd: here.cwd })).exit, 0)
    await close()
  })

  test('keeps the last tools that could be served, and says what is new and what is gone', async () => {
    const here = world('broken')
    const { text, names, says, said, close } = await followed(here)
    const good = here.read('tools.json')
    here.write('tools.json', good.replace('"version": 1', '"version": 1,,'))
    await says(
      /✗ mini {2}tools\.json changed, .*still serving 1 tool from before: Cannot serve "mini": tools\.json:2:/,
    )
    assert.match(said(), /mini\/tools\.json:2:\d+ error /)
    assert.doesNotMatch(said(), /digest-stale/)
    assert.equal((await text('say.it')).result, 'one')
    const before = said()
    here.write('README.md', 'another file')
    await says(/README\.md changed/)
    assert.doesNotMatch(said().slice(before.length), /tools\.json:2:\d+ error/)
    here.write('tools.json', good)
    await says(/1 finding gone, serving 1 tool\n/)
    assert.deepEqual(await names(), ['say.it'])
    await close()
  })

  test('says the reason before what follows from it, where no digest can be written', async () => {
    const here = world('reason')
    const { says, said, close } = await followed(here)
    writeFileSync(join(here.cwd, 'mini/policy.caps'), '[capabilities]\nexec = ["/bin/echo"] # more\n')
    writeFileSync(
      join(here.cwd, 'mini/manifest.toml'),
      here.read('manifest.toml').replace('policy.caps', 'none'),
    )
    await says(/✗|✓ mini {2}manifest/)
    const rules = [...said().matchAll(/ (manifest|files)\/[a-z-]+$/gm)].map(([found]) => found.trim())
    assert.ok(rules.length > 0, said())
    assert.deepEqual(
      rules.filter((rule, at) => rule === 'manifest/digest-stale' && at < rules.length - 1),
      [],
    )
    await close()
  })

  test('begins with a folder that is broken, and serves it once it is mended', async () => {
    const here = world('mended')
    const good = here.read('policy.caps')
    here.write('policy.caps', '{')
    const { names, says, changes, close } = await followed(here)
    assert.deepEqual(await names(), [])
    here.write('policy.caps', good)
    await says(/policy\.caps changed.*serving 1 tool\n/)
    assert.deepEqual(await names(), ['say.it'])
    assert.equal(changes(), 1)
    await close()
  })

  test('takes one folder, no bundle, and no --json', async () => {
    const here = world('wrong')
    const refused = async (...args: string[]) => {
      const { exit, stdout, stderr } = await run(['agent', 'dev', ...args], undefined, {
        cwd: here.cwd,
        env: here.env,
      })
      return [exit, args.includes('--json') ? JSON.parse(stdout).message : stderr.split('\n')[0]]
    }
    assert.deepEqual((await refused('mini', '--json'))[0], 2)
    assert.deepEqual(await refused('mini', '--trace', 'mini/calls.ndjson'), [
      2,
      'rlp: Cannot use --trace with "mini/calls.ndjson": it is inside of the folder that is followed',
    ])
    assert.deepEqual(await refused('none'), [2, 'rlp: Cannot find the agent "none": it is not in "agents"'])
    writeTree(join(here.cwd, 'agents/other'), agentTree({ name: 'other' }))
    writeTree(join(here.cwd, 'agents/third'), agentTree({ name: 'third' }))
    assert.deepEqual(await refused(), [2, 'rlp: Cannot follow "agents": it holds 2 agents'])
  })

  test('a folder that cannot be read ends it before anything is served', async () => {
    const here = world('unread')
    here.write('.bundleignore', `${'*'.repeat(3000)}\n`)
    const child = spawn(process.execPath, [...PROGRAM, 'agent', 'dev', 'mini'], {
      cwd: here.cwd,
      env: here.env,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    let said = ''
    child.stderr?.on('data', chunk => {
      said += chunk
    })
    const exit = await new Promise(resolve => child.on('close', resolve))
    assert.notEqual(exit, 0)
    assert.match(said, /rlp: Cannot use "mini\/\.bundleignore"/)
  })

  test('--test runs the cases after each change', async () => {
    const here = world('cases')
    mkdirSync(join(here.cwd, 'mini/tests'))
    const cases = (answer: string) => JSON.stringify({ cases: [{ tool: 'say.it', answer }] })
    here.write('tests/a.json', cases('one'))
    const { says, said, close } = await followed(here, '--test')
    assert.match(said(), /✓ 1 case\n/)
    here.write('tests/a.json', cases('two'))
    await says(
      /✗ say\.it 1 {2}mini\/tests\/a\.json\n {4}it answered "one", expected is "two"\n1 of 1 case failed\n/,
    )
    here.write('tests/a.json', '{')
    await says(/Cannot read the cases in "mini\/tests\/a\.json"/)
    await close()
  })

  test('--test that is ended says so, and calls no case failed that was cut off', async () => {
    const here = world('ended')
    mkdirSync(join(here.cwd, 'mini/tests'))
    const sleep = { kind: 'exec', command: '/bin/sleep', args: ['30'] }
    here.write('tools.json', toolsText({ ...tool('wait.long', ''), transport: sleep }))
    here.write('policy.caps', '[capabilities]\nexec = ["/bin/sleep"]\n')
    here.write('tests/a.json', JSON.stringify({ cases: [{ tool: 'wait.long', answer: 'x' }] }))
    const stop = new AbortController()
    const input = new Pipe()
    let stderr = ''
    process.env['RUNLOOP_HOME'] = here.env.RUNLOOP_HOME
    const running = run(['agent', 'dev', 'mini', '--test', '--trace', '../t.ndjson'], undefined, {
      cwd: here.cwd,
      env: here.env,
      stdin: () => input[Symbol.asyncIterator](),
      signal: stop.signal,
      stderr: text => {
        stderr += text
      },
    })
    const trace = join(here.cwd, '../t.ndjson')
    await until(
      () => existsSync(trace) && readFileSync(trace, 'utf8').includes('wait.long'),
      () => stderr,
    )
    stop.abort()
    assert.equal((await running).exit, 130)
    assert.match(stderr, /\nthe cases were ended before all had run\nmini {2}ended\n$/)
    assert.doesNotMatch(stderr, /failed/)
  })

  test('Ctrl-C ends it, with a tool that still runs, and nothing is left', async () => {
    const here = world('stop')
    const sleep = { kind: 'exec', command: '/bin/sleep', args: ['30'] }
    here.write('tools.json', toolsText({ ...tool('wait.long', ''), transport: sleep }))
    here.write('policy.caps', '[capabilities]\nexec = ["/bin/sleep"]\n')
    const before = readdirSync(join(here.cwd, 'mini')).sort()
    const args = [...PROGRAM, 'agent', 'dev', 'mini', '--trace', '../calls.ndjson']
    const child = spawn(process.execPath, args, { cwd: here.cwd, env: here.env })
    let stderr = ''
    child.stderr.on('data', chunk => {
      stderr += chunk
    })
    const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    const clientInfo = { name: 't', version: '1' }
    send({
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
    })
    send({ method: 'notifications/initialized' })
    send({ id: 2, method: 'tools/call', params: { name: 'wait.long', arguments: {} } })
    const trace = join(here.cwd, '../calls.ndjson')
    await until(
      () => existsSync(trace) && readFileSync(trace, 'utf8').includes('wait.long'),
      () => stderr,
    )
    const closed = new Promise(resolve => child.on('close', resolve))
    child.kill('SIGINT')
    assert.equal(await closed, 130)
    assert.match(stderr, /^mini {2}ended\n$/m)
    assert.deepEqual(readdirSync(join(here.cwd, 'mini')).sort(), before)
  })
})

test('the function dev says no yes beforehand where the operator wants a person to be asked', async () => {
  const { cwd, env } = world('operator')
  const config = join(env.RUNLOOP_HOME, 'config.toml')
  const saying = (value: boolean) =>
    writeFileSync(config, `[security]\nsandbox = "off"\nconfirm_external_actions = ${value}\n`)
  const served = () =>
    dev(join(cwd, 'mini'), {
      input: Readable.from([]),
      output: new Writable({ write: (_chunk, _encoding, done) => done() }),
      yes: true,
      env,
      cwd,
    })
  saying(false)
  await served()
  saying(true)
  await assert.rejects(served(), { code: 'USAGE', message: /^Cannot say yes beforehand: / })
})
