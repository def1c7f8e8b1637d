// A file on disk is verified without a line of what speaks to servers, and without the parts of Node that open connections.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporary } from '../support/folder.ts'
import { made, RELEASE, world } from '../support/install-world.ts'
import { READ_ONLY, rlp } from '../support/run.ts'

const folder = temporary('not-loaded')
// Not net: Node itself loads it for output into a pipe.
const NETWORK = /^NativeModule (?:http|https|http2|tls|dns|_http_client|_tls_wrap)$/

// A bundled file does not say what it was made of; functions and classes keep their names.
const DEFINED = /(?:function\*?|class|var) ([A-Za-z]\w*)/g
const OF_REGISTRY = new Set(
  readdirSync('src/registry', { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .flatMap(
      name =>
        readFileSync(join('src/registry', name), 'utf8').match(
          /^export (?:async )?(?:function\*?|class) \w+/gm,
        ) ?? [],
    )
    .map(line => line.split(' ').at(-1) ?? ''),
)

interface Loaded {
  /** What is defined in the room of registries, by its name. */
  readonly registry: readonly string[]
  readonly network: readonly string[]
}

/** What a command has loaded when it ends. */
async function loadedBy(
  cwd: string,
  home: string,
  ...args: string[]
): Promise<{ exit: number | null; loaded: Loaded }> {
  const file = join(cwd, 'loaded.json')
  const script = `import { createRequire } from 'node:module'
    import { writeFileSync } from 'node:fs'
    process.once('exit', () => writeFileSync(${JSON.stringify(file)}, JSON.stringify({
      files: Object.keys(createRequire(${JSON.stringify(join(cwd, 'x.js'))}).cache), parts: process.moduleLoadList })))`
  const nodeArgs = ['--import', `data:text/javascript,${encodeURIComponent(script)}`]
  const { exit } = await rlp(args, { cwd, env: { RUNLOOP_HOME: home }, nodeArgs })
  const { files, parts } = JSON.parse(readFileSync(file, 'utf8')) as { files: string[]; parts: string[] }
  const registry = files.flatMap(path =>
    [...readFileSync(path, 'utf8').matchAll(DEFINED)].map(([, name = '']) => name),
  )
  return {
    exit,
    loaded: {
      registry: registry.filter(name => OF_REGISTRY.has(name)).sort(),
      network: parts.filter(part => NETWORK.test(part)),
    },
  }
}

test('verify of a file loads nothing that speaks to a server; of a reference it does', async () => {
  const here = world(folder('files'))
  here.put('mini-1.0.0.agent.bundle', made({}, RELEASE))
  const file = await loadedBy(here.cwd, here.home, 'agent', 'verify', 'mini-1.0.0.agent.bundle')
  assert.deepEqual(file, { exit: 0, loaded: { registry: [], network: [] } })
  // The question finds what it is for.
  const reference = await loadedBy(here.cwd, here.home, 'agent', 'verify', 'oci://127.0.0.1:1/mini:1.0.0')
  assert.equal(reference.exit, 3)
  assert.ok(OF_REGISTRY.size > 50, `${OF_REGISTRY.size} names`)
  for (const name of ['openCarried', 'fetchToken', 'RegistryStore'])
    assert.ok(reference.loaded.registry.includes(name), name)
  assert.notDeepEqual(reference.loaded.network, [])
})

test('a bundle in a layout folder is verified with the right to read alone', async () => {
  const here = world(folder('read-only'))
  writeFileSync(join(here.cwd, 'b'), made({}, RELEASE))
  assert.equal((await here.rlp('agent', 'push', 'b', 'oci-layout:store')).exit, 0)
  const ran = await rlp(['agent', 'verify', 'oci-layout:store:1.0.0'], {
    cwd: here.cwd,
    env: { RUNLOOP_HOME: here.home },
    nodeArgs: READ_ONLY,
  })
  assert.equal(ran.exit, 0, ran.stdout + ran.stderr)
})
