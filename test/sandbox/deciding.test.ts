// Places that decide about a call, or hold a secret of it, are reached by no program: whatever a tool is granted, and by which command or function it is called. Each
// refusal follows a call with the same grant in which nothing decides.

import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { PassThrough } from 'node:stream'
import { before, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { REGISTRY } from '../../src/cli/commands.ts'
import { own } from '../../src/model/own.ts'
import { DECIDING_OPTIONS, decidingPlaces, resolvedPlaces } from '../../src/sandbox/never-granted.ts'
import { agentTree, bundleOf, writeTree } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import * as rlp from '../support/library.ts'
import { writing } from '../support/mcp.ts'
import { useUpUser } from '../support/next-user.ts'
import { grantable } from '../support/sandbox-folder.ts'
import { NO_SANDBOX_HERE } from '../support/sandbox-works.ts'
import { KEYS, signed } from '../support/trust-world.ts'
import { FUNCTION_OPTIONS } from '../support/verbs.ts'

const folder = grantable('deciding')
const DECIDES: readonly string[] = DECIDING_OPTIONS
const POLICY = `[anchors]
release = "${KEYS.release.anchor}"
[rules]
release = { allow_caps = "any", allow_net = [], allow_exec = true }
`

describe('each option that names a file or folder is known', () => {
  /** What else such an option means. */
  const OTHERS: Readonly<Record<string, string>> = {
    cwd: 'where programs start: a folder that has to be granted',
    agentsDir: 'where sources are looked up, which their author works in',
    args: 'the arguments of a call, read before it',
    record: 'the id of a tool, or a trace to take cases from',
    input: 'what a module reads',
    folder: 'as cwd',
    output: 'a function of the caller',
    bundle: 'what is called, read and judged before',
    secrets: 'values, or a function of the caller',
  }
  test('of the commands that start programs', async () => {
    let count = 0
    for (const { name, load } of REGISTRY.commands) {
      const { options } = (await load()).command
      if (!('sandbox' in options)) continue
      count++
      for (const [flag, option] of Object.entries(options)) {
        const { placeholder = '' } = option as { readonly placeholder?: string }
        if (!/FILE|DIR|PATH|SOURCE/.test(placeholder)) continue
        const said = flag.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase())
        const isKnown = DECIDES.includes(said) || said === 'secretsFrom' || own(OTHERS, said) !== undefined
        assert.ok(isKnown, `${name} --${flag}: does it decide about a call?`)
      }
    }
    assert.ok(count >= 6, String(count))
  })

  test('of the functions that start programs, or judge what is called', () => {
    /** Neither a file nor a folder. */
    const PLAIN = [
      ...['env', 'signal', 'onProgress', 'allowDev', 'now', 'expect', 'label'],
      ...['allowUnsigned', 'limits', 'withSecrets', 'timeoutMs', 'idleMs', 'sandbox', 'ledger', 'confirm'],
      ...['dryRun', 'memoryMb', 'http', 'prefix', 'yes', 'trustClientConfirmation', 'onTrouble', 'name'],
      ...['unverified', 'live', 'test', 'onRound'],
    ]
    const verbs = Object.entries(FUNCTION_OPTIONS).filter(
      ([verb, options]) => verb === 'loadBundle' || (options.includes('sandbox') && verb !== 'capsShow'),
    )
    assert.ok(verbs.length >= 7)
    for (const [verb, options] of verbs)
      for (const name of options)
        assert.ok(
          DECIDES.includes(name) || PLAIN.includes(name) || own(OTHERS, name) !== undefined,
          `${name} of ${verb}: does it name a place that decides about a call?`,
        )
  })
})

describe('the places', () => {
  const of = (told: object, env: Readonly<Record<string, string>> = {}) =>
    decidingPlaces({ env, cwd: '/work', told: [told] })

  test('are those of the user and the system, in every call', () => {
    for (const place of [
      ...['/etc/runloop', '/var/lib/runloop/channels', '/var/lib/runloop/agents', '/usr/lib/runloop/agents'],
      '/home/of/rlp',
    ])
      assert.ok(of({}, { RUNLOOP_HOME: '/home/of/rlp' }).includes(place), place)
  })

  test('are what options name: a path, a url, and no text, bytes or false', () => {
    const fixed = new Set(of({}))
    const more = (told: object) => of(told).filter(place => !fixed.has(place))
    for (const name of DECIDING_OPTIONS) {
      assert.deepEqual(more({ [name]: 'some/file' }), ['/work/some/file'], name)
      assert.deepEqual(more({ [name]: new URL('file:///some/file') }), ['/some/file'])
      assert.deepEqual(more({ [name]: 'file:///some/file' }), ['/some/file'])
      for (const none of [undefined, false, '', POLICY, new Uint8Array(1), { anchors: {} }])
        assert.deepEqual(more({ [name]: none }), [])
      assert.deepEqual(more(Object.create({ [name]: 'inherited' })), [])
    }
    assert.deepEqual(more({ locked: true }), ['/work/rlp.lock'])
    assert.deepEqual(more({ lock: ['a.lock', 'b.lock'] }), ['/work/a.lock', '/work/b.lock'])
    assert.deepEqual(more({ secretsFrom: 'dir:keys' }), ['/work/keys'])
    assert.deepEqual(more({ secretsFrom: 'cmd:/opt/get --config ./vault.toml' }), [
      '/opt/get',
      '/work/vault.toml',
    ])
    for (const source of ['env', 'pass']) assert.deepEqual(more({ secretsFrom: source }), [])
  })

  test('are where a variable says that secrets are', () => {
    const env = { PASSWORD_STORE_DIR: '/stores/pass', KUBECONFIG: '/a/kube:/b/kube', NETRC: 'relative' }
    const places = of({}, env)
    for (const place of ['/stores/pass', '/a/kube', '/b/kube']) assert.ok(places.includes(place), place)
    assert.ok(!places.includes('relative'))
  })

  test('are also where links lead, to something or to nothing yet', () => {
    const at = folder('leads')
    mkdirSync(join(at, 'real'))
    symlinkSync('real', join(at, 'link'))
    symlinkSync('link/policy', join(at, 'dangling'))
    const led = (path: string) => resolvedPlaces([join(at, path)]).places.at(-1)
    assert.equal(led('link'), join(at, 'real'))
    assert.equal(led('link/none/log'), join(at, 'real/none/log'))
    assert.equal(led('dangling'), join(at, 'real/policy'))
    assert.equal(led('none'), join(at, 'none'))
    assert.equal(resolvedPlaces([join(at, 'dangling')]).unknown, undefined)
    symlinkSync('circle', join(at, 'circle'))
    assert.deepEqual(resolvedPlaces([join(at, 'circle/policy')]).unknown, {
      path: join(at, 'circle/policy'),
      code: 'ELOOP',
    })
  })
})

/** A tool that writes into a folder, and one that reads a file of it. */
function filesFor(granted: string, family: 'fs_rw' | 'fs_ro', script: string) {
  const tool = {
    id: 'do.it',
    description: 'Does it',
    input_schema: {},
    result_schema: true,
    secrets: [],
    transport: { kind: 'exec', command: '/bin/sh', args: ['-c', script] },
    capabilities: [`${family}:${granted}`],
    'x-rlp': { stdin: true },
  }
  return {
    'tools.json': JSON.stringify({ version: 1, tools: [tool] }),
    'policy.caps': `[capabilities]\nexec = ["/bin/sh"]\n${family} = [${JSON.stringify(granted)}]\n`,
  }
}

interface Envelope {
  readonly ok: boolean
  readonly reason?: string
  readonly message?: string
  readonly result?: unknown
}

describe('a program reaches none of them', { skip: NO_SANDBOX_HERE }, () => {
  let home = ''
  before(() => {
    home = folder('home')
    chmodSync(home, 0o700)
  })
  const granted = (name: string) => {
    const at = folder(name)
    chmodSync(at, 0o1777)
    return at
  }
  const refused = ({ ok, reason, message = '' }: Envelope, kept: string) => {
    assert.deepEqual([ok, reason], [false, 'sandbox_refused'], message)
    assert.ok(message.includes(`may not be written: it holds "${kept}"`), message)
  }
  const worked = (envelope: Envelope) => assert.equal(envelope.ok, true, JSON.stringify(envelope))

  const command = async (place: string, args: readonly string[]): Promise<Envelope> => {
    await useUpUser()
    process.env['RUNLOOP_HOME'] = home
    const env = { PATH: '/usr/bin:/bin', RUNLOOP_HOME: home }
    const said = [
      'tool',
      'call',
      'do.it',
      './mini',
      '--unverified',
      '--json',
      '--sandbox',
      'require',
      ...args,
    ]
    return JSON.parse((await run(said, undefined, { cwd: place, env })).stdout)
  }

  for (const [option, value] of [
    ['--trust-policy', (at: string) => at],
    ['--secrets-from', (at: string) => `dir:${at}`],
    ['--audit', (at: string) => at],
    ['--trace', (at: string) => at],
    ['--root', (at: string) => at],
    ['--attestations', (at: string) => at],
  ] as const)
    test(`what rlp tool call ${option} names`, async () => {
      const at = granted('work')
      const place = folder('agent')
      writeTree(
        join(place, 'mini'),
        agentTree({ files: filesFor(at, 'fs_rw', `echo 1; echo x > ${at}/made`) }),
      )
      const elsewhere = join(folder('elsewhere'), 'named')
      const inside = join(at, 'named')
      if (option === '--root' || option === '--secrets-from')
        for (const path of [elsewhere, inside]) mkdirSync(path, { mode: 0o700 })
      if (option === '--trust-policy')
        for (const path of [elsewhere, inside]) writeFileSync(path, POLICY, { mode: 0o600 })
      worked(await command(place, [option, value(elsewhere)]))
      refused(await command(place, [option, value(inside)]), inside)
      // By a link outside of the grant that leads into it. Logs are not written through a link.
      if (option === '--audit' || option === '--trace') return
      const link = join(folder('link'), 'named')
      symlinkSync(inside, link)
      refused(await command(place, [option, value(link)]), inside)
    })

  test('below a folder that may be read, it is covered', async () => {
    const at = granted('read')
    const place = folder('agent')
    writeFileSync(join(at, 'policy.toml'), POLICY, { mode: 0o644 })
    const script = `printf '"%s"' "$(wc -c < ${at}/policy.toml)"`
    writeTree(join(place, 'mini'), agentTree({ files: filesFor(at, 'fs_ro', script) }))
    const size = async (...args: string[]) => Number((await command(place, args)).result)
    assert.equal(await size(), POLICY.length)
    assert.equal(await size('--trust-policy', join(at, 'policy.toml')), 0)
  })

  describe('of the library', () => {
    const bundleFor = (at: string) =>
      bundleOf(signed(agentTree({ version: '1.0.0', files: filesFor(at, 'fs_rw', 'echo 1') }), 'release'))
    const call = async (
      bundle: rlp.LoadedBundle,
      options: { readonly audit?: string; readonly env?: typeof process.env; readonly cwd?: string } = {},
    ): Promise<Envelope> => {
      await useUpUser()
      return (await rlp.callTool(bundle, 'do.it', {}, { sandbox: 'require', ...options }))
        .envelope as Envelope
    }
    const judged = { expect: 'mini', home: false, trustPolicy: POLICY } as const

    test('callTool: the policy, home, state and lock by which the bundle was judged, and the audit log', async () => {
      const at = granted('library')
      const bundle = bundleFor(at)
      worked(await call(await rlp.loadBundle(bundle, judged)))
      const file = join(at, 'policy.toml')
      writeFileSync(file, POLICY, { mode: 0o600 })
      mkdirSync(join(at, 'home'), { mode: 0o700 })
      mkdirSync(join(at, 'state'), { mode: 0o700 })
      for (const [options, kept] of [
        [{ trustPolicy: file }, file],
        [{ trustPolicy: pathToFileURL(file) }, file],
        [{ trustPolicy: relative(process.cwd(), file) }, file],
        [{ home: join(at, 'home') }, join(at, 'home')],
        [{ state: join(at, 'state') }, join(at, 'state')],
      ] as const)
        refused(await call(await rlp.loadBundle(bundle, { ...judged, ...options }), { cwd: '/' }), kept)
      refused(await call(await rlp.loadBundle(bundle, judged), { audit: join(at, 'log') }), join(at, 'log'))
    })

    test('a folder of installed agents is granted to no program', async () => {
      const outer = granted('roots')
      const at = join(outer, 'agents')
      mkdirSync(at)
      chmodSync(at, 0o1777)
      const bundle = bundleFor(at)
      const loaded = await rlp.loadBundle(bundle, judged)
      worked(await call(loaded))
      const env = { ...process.env, RUNLOOP_HOME: outer }
      assert.match((await call(loaded, { env })).message ?? '', /is in ".*", which is granted to no program/)
    })

    test('serveTools and testTools hand over what they were told', async () => {
      const at = granted('served')
      const file = join(folder('bundle'), 'mini-1.0.0.agent.bundle')
      writeFileSync(file, bundleFor(at))
      const policy = join(at, 'policy.toml')
      writeFileSync(policy, POLICY, { mode: 0o600 })
      const served = async (trustPolicy: string) => {
        await useUpUser()
        const input = new PassThrough()
        const lines: string[] = []
        const request = (id: number, method: string, params: object) =>
          input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
        const serving = rlp.serveTools([file], {
          home: false,
          trustPolicy,
          expect: ['mini'],
          sandbox: 'require',
          input,
          output: writing(text => {
            lines.push(text)
            if (text.includes('"id":2')) input.end()
          }),
        })
        const clientInfo = { name: 'test', version: '1' }
        request(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
        input.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
        request(2, 'tools/call', { name: 'do.it', arguments: {} })
        await serving
        return lines.join('')
      }
      const elsewhere = join(folder('policy'), 'policy.toml')
      writeFileSync(elsewhere, POLICY, { mode: 0o600 })
      assert.doesNotMatch(await served(elsewhere), /may not be written/)
      assert.match(await served(policy), /may not be written: it holds/)
      const place = folder('tested')
      writeTree(join(place, 'mini'), agentTree({ files: filesFor(at, 'fs_rw', 'echo 1') }))
      mkdirSync(join(place, 'mini/tests'))
      const cases = { cases: [{ tool: 'do.it', arguments: {}, answer: 1 }] }
      writeFileSync(join(place, 'mini/tests/it.json'), JSON.stringify(cases))
      renameSync(policy, join(place, 'policy.toml'))
      await useUpUser()
      const tested = async (audit?: string) =>
        JSON.stringify(
          await rlp.testTools(join(place, 'mini'), { sandbox: 'require', ...(audit && { audit }) }),
        )
      assert.doesNotMatch(await tested(), /may not be written/)
      assert.match(await tested(join(at, 'log')), /may not be written: it holds/)
    })
  })

  test('a place is looked up again at each start', async () => {
    const at = granted('again')
    const bundle = bundleOf(
      signed(agentTree({ version: '1.0.0', files: filesFor(at, 'fs_rw', 'echo 1') }), 'release'),
    )
    const way = folder('way')
    mkdirSync(join(way, 'first'), { mode: 0o700 })
    const link = join(way, 'home')
    symlinkSync(join(way, 'first'), link)
    const loaded = await rlp.loadBundle(bundle, { expect: 'mini', home: link, trustPolicy: POLICY })
    const call = async () => {
      await useUpUser()
      return (await rlp.callTool(loaded, 'do.it', {}, { sandbox: 'require' })).envelope as Envelope
    }
    worked(await call())
    mkdirSync(join(at, 'moved'), { mode: 0o700 })
    renameSync(link, join(way, 'old'))
    symlinkSync(join(at, 'moved'), link)
    refused(await call(), join(at, 'moved'))
    renameSync(link, join(way, 'older'))
    symlinkSync('home', link)
    const { ok, message = '' } = await call()
    assert.equal(ok, false)
    assert.match(
      message,
      /nothing can be granted: ".*home", which is granted to no program, cannot be looked at \(ELOOP\)/,
    )
  })
})
