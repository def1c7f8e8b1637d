// The forwarder starts the program as the shell does where no host is granted: what it is given, how it ends, and what bounds it.
import assert from 'node:assert/strict'
import { chmodSync, copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { agentTree, writeTree } from '../support/agent.ts'
import { callHeld } from '../support/held-call.ts'
import { missing } from '../support/needs.ts'
import { IS_ROOT, rlp } from '../support/run.ts'
import { slice } from '../support/runs.ts'
import { grantable } from '../support/sandbox-folder.ts'
import { NO_SANDBOX_HERE } from '../support/sandbox-works.ts'

const folder = grantable('forwarder')
const sh = (script: string) => ({ command: '/bin/sh', args: ['-c', script] })

describe('a program behind the forwarder', { skip: NO_SANDBOX_HERE }, () => {
  for (const [what, script, expected] of [
    ['answers', 'echo 7', { ok: true, result: 7 }],
    ['reads its standard input', 'cat', { ok: true, result: {} }],
    ['fails', 'echo why >&2; exit 7', { ok: false, exit: 7, message: 'why' }],
    ['is ended by a signal', 'kill -9 $$', { ok: false, signal: 'SIGKILL' }],
    ['ends itself as the shell says it', 'kill -TERM $$', { ok: false, signal: 'SIGTERM' }],
    ['signals its group', 'trap "" TERM; kill -TERM 0; echo 7', { ok: true, result: 7 }],
  ] as const)
    test(`${what}, as without it`, async () => {
      for (const hosts of [[], ['api.example']]) {
        const { envelope } = await callHeld(sh(script), { hosts })
        assert.deepEqual({ ...envelope, ...expected }, { ...envelope })
      }
    })

  test('gets its time to clean up', async () => {
    const writable = folder('cleans')
    chmodSync(writable, 0o1777)
    const mark = join(writable, 'cleaned')
    const begun = join(writable, 'begun')
    const script = `trap 'echo x > ${mark}; exit 0' TERM; echo x > ${begun}; while :; do sleep 0.05; done`
    for (const timeoutMs of [1000, 5000, 20_000]) {
      const { envelope } = await callHeld(sh(script), {
        hosts: ['api.example'],
        writes: [writable],
        timeoutMs,
      })
      assert.deepEqual([envelope.ok, !envelope.ok && envelope.kind], [false, 'timeout'])
      if (existsSync(begun)) break
    }
    assert.ok(existsSync(mark))
  })

  test('has the bounds and rights of process 1 and of the forwarder', {
    skip: missing('python3'),
  }, async () => {
    const code = `
import json, os
def of(pid):
    with open(f'/proc/{pid}/limits') as f: limits = f.read()
    with open(f'/proc/{pid}/status') as f: status = f.read()
    kept = [line for line in status.splitlines() if line.split(':')[0] in ('CapEff', 'CapBnd', 'NoNewPrivs', 'Seccomp', 'Uid')]
    return [limits, kept]
others = [pid for pid in os.listdir('/proc') if pid.isdigit()]
print(json.dumps([len(others), all(of(pid) == of('self') for pid in others), 'Max data size             2818572288' in of(1)[0]]))`
    const { envelope } = await callHeld(
      { command: '/usr/bin/python3', args: ['-c', code] },
      { hosts: ['api.example'] },
    )
    // Process 1, the forwarder and the program.
    assert.deepEqual(envelope.ok && envelope.result, [3, true, true])
  })

  test('is not started without it', {
    skip: !IS_ROOT && 'only root’s program has another user',
  }, async () => {
    const cwd = folder('node')
    const hidden = join(cwd, 'hidden')
    mkdirSync(hidden, { mode: 0o700 })
    const node = join(hidden, 'node')
    copyFileSync(process.execPath, node)
    const tool = (id: string, capabilities: readonly string[]) => ({
      id,
      description: 'x',
      input_schema: {},
      result_schema: true,
      capabilities,
      transport: { kind: 'exec', command: '/bin/true', args: [] },
      'x-rlp': { stdin: true },
    })
    const tools = [tool('true.run', []), tool('true.ask', ['net:api.example'])]
    const files = {
      'tools.json': JSON.stringify({ version: 1, tools }),
      'policy.caps': '[capabilities]\nexec = ["/bin/true"]\nnet = ["api.example"]\n',
    }
    writeTree(join(cwd, 'mini'), agentTree({ files }))
    const call = async (id: string, mode: string) => {
      const args = ['tool', 'call', id, './mini', '--unverified', '--json', '--sandbox', mode]
      return JSON.parse((await rlp(args, { cwd, node })).stdout)
    }
    assert.equal((await call('true.run', 'require')).ok, true)
    for (const mode of slice(['require', 'auto'], 2)) {
      const { ok, reason, message, enforced } = await call('true.ask', mode)
      assert.deepEqual([ok, reason, enforced], [false, 'sandbox_refused', undefined])
      assert.match(message, /: the forwarder’s Node "[^"]+" cannot be reached by the user \d+/)
      assert.match(message, /name one that may as sandbox_user in config/)
    }
    const doctor = async () => {
      const { stdout } = await rlp(['doctor', '--json'], { cwd, node })
      const lines = JSON.parse(stdout).result.lines as readonly {
        readonly what: string
        readonly state: string
      }[]
      return lines.filter(({ what }) => what === 'sandbox').map(({ state }) => state)
    }
    const works = 'bubblewrap holds programs of tools to their grants'
    const [first, second] = await doctor()
    assert.equal(first, works)
    assert.match(second ?? '', /^no program reaches a host: the forwarder’s Node /)
    chmodSync(hidden, 0o755)
    assert.deepEqual(await doctor(), [works])
    assert.equal((await call('true.ask', 'require')).enforced.network, 'hosts')
  })
})
