// What a start loads, in place of how long it takes: a part that a small trusted bundle does not need is loaded when it is needed
// (docs/performance.md).
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { before, suite, test } from 'node:test'
import { agentTree, bundleOf, digestOf, writeTree } from '../support/agent.ts'
import { builtProgram } from '../support/built.ts'
import { temporary } from '../support/folder.ts'
import { kilobytesOf, type Loaded, loadedIn } from '../support/loaded.ts'
import { signedBundle, signer } from '../support/signed.ts'
import { JOB_ANCHOR } from '../support/sigstore-world.ts'
import { installKeys, KEYS } from '../support/trust-world.ts'

const folder = temporary('start')('loaded')
const program = builtProgram()
const bundle = join(folder, 'mini-1.0.0.agent.bundle')
const agent = join(folder, 'mini')
const home = join(folder, 'home')

/** Parts of Node that read no bundle. `fs/promises` alone loads 20 others. */
const COSTLY = /fs\/promises|readline|worker|webcrypto| (?:http|https|net|tls|zlib|child_process|inspector)$/

const loadedBy = (...args: readonly string[]) => loadedIn(folder, { RUNLOOP_HOME: home }, ...args)

suite('a start loads what its work needs', () => {
  before(() => {
    const key = signer(7)
    writeTree(agent, agentTree())
    writeFileSync(bundle, signedBundle(agentTree(), key))
    const policy = `[anchors]\nus = "${key.anchor}"\n\n[rules]\nus = { allow_caps = "any", allow_net = "any", allow_exec = true }\n`
    writeTree(home, { 'trust-policy.toml': policy })
  })

  // No more files than were needed when this was written, and a tenth more code: a part of some size has to say why a start needs it.
  // The list of commands is loaded by every start: each of them adds a fifth of a kilobyte.
  // Another file is often one of a module that is loaded on demand and imports parts of the command that loads it.
  const MOST: readonly (readonly [args: readonly string[], files: number, kilobytes: number])[] = [
    [['--version'], 4, 123],
    // A Tab: the table of words is most of what it loads beside that.
    [['__complete', 'rlp agent lint '], 5, 167],
    // Its rules are its work: those for the slips of authors, and the forms of credentials, are 90 of these.
    // What every verb is made of is a file, and 10 of them.
    // The fields of a tool bring along their options and what becomes of them in an export, wherever tools are read.
    [['agent', 'lint', agent], 13, 965],
    // These do little, and what loads them is most of their time.
    [['agent', 'digest', agent], 14, 586],
    [['key', 'list'], 9, 205],
    // What reads channels is loaded where one is followed, and what reports many bundles where there are many.
    [['agent', 'verify', bundle], 14, 1045],
  ]
  for (const [args, files, kilobytes] of MOST) {
    test(`rlp ${args.slice(0, 2).join(' ')}`, async () => {
      const loaded = await loadedBy(...args)
      assert.ok(loaded.files.includes(program))
      assert.ok(loaded.files.length <= files, `${loaded.files.length} files: ${loaded.files.join(' ')}`)
      assert.ok(kilobytesOf(loaded) <= kilobytes, `${kilobytesOf(loaded)} kB`)
      const costly = loaded.parts.filter(part => COSTLY.test(part))
      assert.deepEqual(costly, [])
      // Signatures and keys need it; it is the most expensive part of Node here.
      const hasCrypto = loaded.parts.some(part => part.endsWith(' crypto'))
      assert.equal(hasCrypto, args.includes('verify') || args.includes('key'))
    })
  }

  test('what only findings need is loaded with the first one, and the parser of TOML with a text that is not plain', async () => {
    const odd = join(folder, 'odd')
    const tree = agentTree()
    writeTree(odd, { ...tree, 'manifest.toml': `odd = "\\u0061"\n${tree['manifest.toml']}` })
    const NAMES = ['groupFindings', 'commonWords', 'renderFindings', 'codeFrame', 'parseTomlSyntax']
    const namesIn = ({ files }: Loaded) => {
      const text = files.map(path => readFileSync(path, 'utf8')).join('\n')
      return NAMES.filter(name => text.includes(`function ${name}(`))
    }
    assert.deepEqual(namesIn(await loadedBy('agent', 'lint', agent)), [])
    assert.deepEqual(namesIn(await loadedBy('agent', 'verify', bundle)), [])
    assert.deepEqual(namesIn(await loadedBy('agent', 'lint', odd)), NAMES)
  })

  // What speaks to a registry is loaded on demand, and shares parts with every command: those stay files of their own.
  const CARRYING: readonly (readonly [args: readonly string[], files: number])[] = [
    [['agent', 'push', bundle, 'oci-layout:store'], 35],
    [['agent', 'pull', 'oci-layout:store:1.0.0', '--expect', 'mini', '--out-dir', 'out'], 38],
  ]
  test('push and pull load few files', async () => {
    for (const [args, most] of CARRYING) {
      const { files } = await loadedBy(...args)
      assert.ok(files.length <= most, `${args[1]}: ${files.length} files: ${files.join(' ')}`)
    }
  })

  // Keyless signatures: the libraries of Sigstore, and what reads for them.
  const JUDGING = /\/(?:sigstore-judging|prove|read-keyless|prove-keyless)[^/]*$/
  const SIGNING = /\/(?:sigstore-signing|ask-keyless)[^/]*$/
  /** With what they need and no other command does: of packages, in files of their own. */
  const withPackages = (files: readonly string[]) => {
    const parts = files.flatMap(file =>
      [...readFileSync(file, 'utf8').matchAll(/require\("\.\/(dist-[^"]*)"\)/g)].map(([, name = '']) =>
        join(dirname(file), name),
      ),
    )
    return kilobytesOf({ files: [...new Set([...files, ...parts])] })
  }
  test('what judges keyless signatures is loaded where a policy names an identity that one claims, and is small', async () => {
    const keyless = join(folder, 'keyless-1.0.0.agent.bundle')
    const fixture = (name: string) =>
      readFileSync(join(import.meta.dirname, `../../fixtures/keyless/${name}.json`))
    const other = join(folder, 'identities')
    writeFileSync(keyless, bundleOf(agentTree()))
    writeTree(other, {
      'root.json': fixture('root'),
      'trust-policy.toml': `[anchors]\nci = { ${JOB_ANCHOR} }\n[rules]\nci = { allow_caps = "any", allow_net = "any", allow_exec = true }\n[sigstore]\ntrusted_root = { file = "root.json", blake3 = "${digestOf(fixture('root'))}" }\n`,
    })
    const judging = ({ files }: Loaded) => files.filter(path => JUDGING.test(path))
    const verify = (policy: string) =>
      loadedBy(
        'agent',
        'verify',
        keyless,
        '--expect',
        'mini',
        '--trust-policy',
        join(policy, 'trust-policy.toml'),
        '--allow-unsigned',
      )
    writeFileSync(`${keyless}.intoto.jsonl`, fixture('signature'))
    writeFileSync(`${bundle}.intoto.jsonl`, fixture('signature'))
    assert.deepEqual(judging(await loadedBy('agent', 'verify', bundle)), [], 'a policy of keys')
    rmSync(`${bundle}.intoto.jsonl`)
    const all = judging(await verify(other))
    assert.ok(all.length >= 3, all.join(' '))
    assert.ok(withPackages(all) <= 200, `${withPackages(all)} kB`)
  })

  test('what signs without a key is loaded where that is asked for, and is small', async () => {
    installKeys(home)
    const { files } = await loadedBy('agent', 'sign', bundle, '--key', 'release')
    assert.deepEqual(
      files.filter(path => SIGNING.test(path) || JUDGING.test(path)),
      [],
    )
    const place = dirname(program)
    const all = readdirSync(place)
      .map(name => join(place, name))
      .filter(path => SIGNING.test(path))
    assert.equal(all.length, 2, all.join(' '))
    assert.ok(withPackages(all) <= 250, `${withPackages(all)} kB`)
  })

  test('a signer that is another program is loaded when a key names it', async () => {
    installKeys(home)
    const program = join(folder, 'signer')
    writeFileSync(program, `#!/bin/sh\necho '{"key":"${KEYS.release.anchor}"}'\n`, { mode: 0o755 })
    const signers = ({ files }: Loaded) => {
      const text = files.map(path => readFileSync(path, 'utf8')).join('\n')
      return ['agentSigner', 'programSigner'].filter(name => text.includes(`function ${name}(`))
    }
    const named = await loadedBy('agent', 'sign', bundle, '--key', 'release')
    assert.deepEqual(signers(named), [])
    assert.ok(!named.parts.some(part => / child_process$/.test(part)))
    // The question finds what it is for.
    assert.deepEqual(signers(await loadedBy('key', 'show', `command:${program}`)), ['programSigner'])
  })
})
