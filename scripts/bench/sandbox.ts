// What the sandbox adds to a call, in a process of its own and in one that has made calls before, beside bubblewrap alone; and a run of a
// module, beside an empty node.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { NO_CONFIG } from '../../src/io/config.ts'
import { openSandbox } from '../../src/sandbox/sandbox.ts'
import { agentTree, writeTree } from '../../test/support/agent.ts'
import { callHeld } from '../../test/support/held-call.ts'
import type { Context } from './group.ts'
import { alternate } from './measure.ts'
import { runtimes } from './nodes.ts'
import { run, versionOf } from './process.ts'
import { rlp } from './rlp.ts'
import { above, notMeasured, type Row } from './row.ts'

const REACH = 15
/** Above a call without sandbox and an empty Node, which the forwarder is. */
const REACH_OF_HOSTS = 40
const HOST = 'api.example'
const RUN_REACH = 150
const TRUE = '/bin/true'

/** As in docs/sandbox.md, without the filter and what compares mounts. */
const BWRAP = [
  ...['--unshare-all', '--unshare-user', '--die-with-parent', '--ro-bind', '/usr', '/usr'],
  ...['--symlink', 'usr/bin', '/bin', '--symlink', 'usr/lib', '/lib', '--symlink', 'usr/lib64', '/lib64'],
  ...['--proc', '/proc', '--tmpfs', '/dev', '--tmpfs', '/tmp', TRUE],
]

export async function measureSandbox(context: Context): Promise<Row[]> {
  const what = 'a call of true in the sandbox'
  if ((await versionOf('bwrap')) === undefined) return [notMeasured(what, 'no bwrap')]
  const { folder, rounds } = context
  const tool = (id: string, capabilities: readonly string[]) => ({
    id,
    description: 'x',
    input_schema: {},
    result_schema: true,
    capabilities,
    transport: { kind: 'exec', command: TRUE, args: [] },
    'x-rlp': { stdin: true },
  })
  const tools = [tool('true.run', []), tool('true.ask', [`net:${HOST}`])]
  const files = {
    'tools.json': JSON.stringify({ version: 1, tools }),
    'policy.caps': `[capabilities]\nexec = ["${TRUE}"]\nnet = ["${HOST}"]\n`,
  }
  writeTree(join(folder, 'mini'), agentTree({ files }))
  const home = join(folder, 'home')
  mkdirSync(home, { mode: 0o700 })
  writeFileSync(join(home, 'config.toml'), '[security]\n', { mode: 0o600 })
  const call = (mode: string, id: string) => () =>
    rlp(context, ['tool', 'call', id, './mini', '--unverified', '--sandbox', mode], home)
  const node = () => run(process.execPath, ['-e', '0'])
  const times = await alternate(rounds * 2, {
    held: call('require', 'true.run'),
    asking: call('require', 'true.ask'),
    free: call('off', 'true.run'),
    node,
    bwrap: () => run('/usr/bin/bwrap', BWRAP),
    alone: () => run(TRUE, []),
  })
  const warm = await warmTimes(rounds * 4, node)
  return [
    above({ what, own: times.held, other: times.free, name: 'without' }, REACH),
    above(
      {
        what: 'the same in a process that has made calls',
        own: warm.held,
        other: warm.free,
        name: 'without',
      },
      REACH,
    ),
    above(
      {
        what: 'a call of true that is granted a host',
        own: times.asking,
        other: times.free + times.node,
        name: 'without, and an empty node',
      },
      REACH_OF_HOSTS,
    ),
    above(
      {
        what: 'that in a process that has made calls',
        own: warm.asking,
        other: warm.free + warm.node,
        name: 'without, and an empty node',
      },
      REACH_OF_HOSTS,
    ),
    above({ what: 'bwrap alone, a closed root', own: times.bwrap, other: times.alone, name: 'true' }),
    ...(await runRows(context, home)),
  ]
}

/** A module of 19 kB that counts words, of a folder: what verification takes has rows of its own. */
async function runRows(context: Context, home: string): Promise<Row[]> {
  const { folder, rounds } = context
  const files = { 'bin/mini.wasm': readFileSync('fixtures/wasi/counter.wasm') }
  writeTree(join(folder, 'counter'), agentTree({ files }))
  writeFileSync(join(folder, 'words'), 'to be or not to be')
  const empty = join(folder, 'empty.js')
  writeFileSync(empty, '')
  const args = ['agent', 'run', './counter', '--unverified', '--sandbox', 'require', '--input', 'words']
  const rows: Row[] = []
  for (const { name, path } of runtimes()) {
    const { own, other } = await alternate(rounds * 2, {
      own: () => rlp(context, args, home, path),
      other: () => run(path, [empty]),
    })
    rows.push(
      above({ what: `agent run of a small module, ${name}`, own, other, name: 'empty node' }, RUN_REACH),
    )
  }
  return rows
}

async function warmTimes(rounds: number, node: () => Promise<unknown>) {
  const host = { env: process.env, signal: new AbortController().signal, cwd: '/', told: [] }
  const config = {
    ...NO_CONFIG,
  }
  const [held, free] = [await openSandbox('require', host, config), await openSandbox('off', host, config)]
  const program = { command: TRUE, args: [] }
  return alternate(rounds, {
    held: () => callHeld(program, { sandbox: held }),
    asking: () => callHeld(program, { sandbox: held, hosts: [HOST] }),
    node,
    free: () => callHeld(program, { sandbox: free }),
  })
}
