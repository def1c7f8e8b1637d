// rlp agent sbom: valid CycloneDX of what was verified, the same bytes each time, and nothing for a bundle that is not accepted.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { readAttestation, readAttestations } from '../../src/statement/lines.ts'
import { isAboutManifest, readAttested } from '../../src/statement/statement.ts'
import { agentTree, bundleOf, digestOf, type Tree } from '../support/agent.ts'
import { againstCycloneDx } from '../support/cyclonedx.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { installKeys, KEYS, POLICY, signed } from '../support/trust-world.ts'

const folderFor = temporary('sbom')
const NAME = 'mini-1.0.0.agent.bundle'
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex')

const TOOLS = {
  version: 1,
  tools: [
    {
      id: 'mail.send',
      description: 'Sends a mail.',
      transport: {
        kind: 'http',
        method: 'POST',
        url: 'https://api.mail.example/v1/{{input.box}}/send?é=%zz',
        headers: { Authorization: 'Bearer {{secret:MAIL_TOKEN}}' },
      },
      input_schema: { type: 'object', properties: { box: { type: 'string' } }, required: ['box'] },
      result_schema: true,
      secrets: ['MAIL_TOKEN'],
    },
    {
      id: 'text.sort',
      description: 'Sorts lines.',
      transport: { kind: 'exec', command: '/usr/bin/sort', args: ['-u'] },
      input_schema: { type: 'object' },
      result_schema: true,
    },
  ],
}

/** A module with one import, `env.now`, beside what every entry exports. */
const IMPORTING = Buffer.from(
  '0061736d0100000001040160000002 0b0103656e76036e6f770000 030201000503010001071302066d656d6f72790200065f737461727400010a040102000b'.replace(
    / /g,
    '',
  ),
  'hex',
)

const tree = (license?: string): Tree => {
  const files = agentTree({
    name: 'mini',
    files: {
      'bin/mini.wasm': IMPORTING,
      'tools.json': JSON.stringify(TOOLS),
      'policy.caps':
        '[capabilities]\nmodel = true\nsecrets = ["MAIL_TOKEN"]\nexec = ["/usr/bin/sort", "/usr/bin/jq"]\nnet = { hosts = ["api.mail.example:443", "kb.example"] }\n',
      'notes.txt': 'hello',
    },
  })
  if (license === undefined) return files
  const manifest = String(files['manifest.toml']).replace('[agent]\n', `[agent]\nlicense = "${license}"\n`)
  return { ...files, 'manifest.toml': manifest }
}

const ALL = `[anchors]\nrelease = "${KEYS.release.anchor}"\n[rules]\nrelease = { allow_caps = "any", allow_net = "any", allow_exec = true }\n`

let home = ''
before(() => {
  home = folderFor('home')
  process.env['RUNLOOP_HOME'] = home
  installKeys(home)
  writeFileSync(join(home, 'trust-policy.toml'), ALL, { mode: 0o600 })
})

function place(what: Tree, name = NAME) {
  const cwd = folderFor('bundle')
  mkdirSync(cwd, { recursive: true })
  const bytes = bundleOf(what)
  writeFileSync(join(cwd, name), bytes)
  return { cwd, bytes }
}

async function bom(cwd: string, ...args: string[]) {
  const { exit, stdout, stderr } = await run(['agent', 'sbom', NAME, ...args], undefined, { cwd })
  assert.equal(stderr, '')
  assert.equal(exit, 0)
  return { text: stdout, bom: JSON.parse(stdout) }
}

describe('a trusted bundle', () => {
  test('has a bill that the published schema accepts, of what is in it', async () => {
    const files = signed(tree('MIT OR Apache-2.0'), 'release')
    const { cwd, bytes } = place(files)
    const { bom: made } = await bom(cwd)
    assert.deepEqual(againstCycloneDx(made), [])
    const { component, properties } = made.metadata
    assert.deepEqual(properties[0], { name: 'rlp:verdict', value: 'trusted' })
    assert.equal(component.name, 'mini')
    assert.equal(component.version, '1.0.0')
    assert.deepEqual(component.hashes, [{ alg: 'SHA-256', content: sha256(bytes) }])
    assert.deepEqual(component.licenses, [{ expression: 'MIT OR Apache-2.0', acknowledgement: 'declared' }])
    const values = (part: { properties: { name: string; value: string }[] }, name: string) =>
      part.properties.flatMap(one => (one.name === `rlp:${name}` ? one.value : []))
    assert.deepEqual(values(component, 'identity'), [`blake3:${digestOf(files['manifest.toml'] ?? '')}`])
    assert.deepEqual(values(component, 'secret'), ['MAIL_TOKEN'])
    assert.deepEqual(values(component, 'tool'), ['mail.send', 'text.sort'])
    assert.deepEqual(values(component, 'capability'), [
      'exec:/usr/bin/jq',
      'exec:/usr/bin/sort',
      'model',
      'net:api.mail.example:443',
      'net:kb.example',
      'secrets:MAIL_TOKEN',
    ])
    const found = (type: string) => made.components.filter((one: { type: string }) => one.type === type)
    assert.deepEqual(
      found('file').map(({ name, hashes }: { name: string; hashes: { alg: string; content: string }[] }) => [
        name,
        ...hashes.map(({ alg, content }) => `${alg} ${content}`),
      ]),
      Object.keys(files)
        .sort()
        .map(path => {
          const content = files[path] ?? ''
          return [path, `SHA-256 ${sha256(content)}`, `BLAKE3 ${digestOf(content)}`]
        }),
    )
    const wasm = found('file').find(({ name }: { name: string }) => name === 'bin/mini.wasm')
    assert.deepEqual(values(wasm, 'wasm:import'), ['env now (function)'])
    // What is no module is not looked into.
    for (const one of found('file')) if (one !== wasm) assert.doesNotMatch(JSON.stringify(one), /wasm:/)
    assert.deepEqual(
      found('application').map((one: { name: string; isExternal: boolean; properties: [] }) => [
        one.name,
        one.isExternal,
        values(one, 'run'),
      ]),
      [
        ['/usr/bin/jq', true, []],
        ['/usr/bin/sort', true, ['text.sort: /usr/bin/sort -u']],
      ],
    )
    assert.deepEqual(
      made.services.map(
        (one: { name: string; endpoints: string[]; authenticated: boolean; properties: [] }) => [
          one.name,
          one.endpoints,
          one.authenticated,
          values(one, 'request'),
        ],
      ),
      [
        [
          'api.mail.example:443',
          ['https://api.mail.example:443/v1/%7B%7Binput.box%7D%7D/send?%C3%A9=%25zz'],
          true,
          ['mail.send: POST /v1/{{input.box}}/send?é=%zz'],
        ],
        ['kb.example', undefined, undefined, []],
      ],
    )
  })

  test('has the same bytes each time, and none of them says when', async () => {
    const { cwd } = place(signed(tree(), 'release'))
    const [first, second] = [await bom(cwd), await bom(cwd)]
    assert.equal(first.text, second.text)
    assert.equal(first.bom.metadata.timestamp, undefined)
    const { bom: timed } = await bom(cwd, '--time', '2026-11-20T00:00:00Z')
    assert.equal(timed.metadata.timestamp, '2026-11-20T00:00:00Z')
    assert.deepEqual(againstCycloneDx(timed), [])
    delete timed.metadata.timestamp
    assert.deepEqual(timed, first.bom)
  })

  test('names a licence that is no SPDX expression', async () => {
    const { cwd } = place(signed(tree('Ours, ask us'), 'release'))
    const { bom: made } = await bom(cwd)
    assert.deepEqual(againstCycloneDx(made), [])
    assert.deepEqual(made.metadata.component.licenses, [
      { license: { name: 'Ours, ask us', acknowledgement: 'declared' } },
    ])
  })
})

describe('signed', () => {
  test('it goes beside the bundle, about the file and both digests of the manifest', async () => {
    const files = signed(tree(), 'release')
    const { cwd, bytes } = place(files)
    const { text } = await bom(cwd)
    const ran = await run(['agent', 'sbom', NAME, '--key', 'security'], undefined, { cwd })
    assert.equal(ran.exit, 0)
    assert.equal(ran.stdout, `✓ ${NAME}.intoto.jsonl: bill of materials signed by ${KEYS.security.anchor}\n`)
    const file = join(cwd, `${NAME}.intoto.jsonl`)
    const lines = readAttestations('', readFileSync(file)).envelopes
    assert.equal(lines.length, 1)
    const read = readAttestation(lines[0]?.bytes ?? new Uint8Array())
    assert.ok(read.ok)
    const stated = readAttested(read.value.payload)
    assert.ok(stated.ok)
    const { predicateType, predicate, subjects } = stated.value
    assert.equal(predicateType, 'https://cyclonedx.org/bom')
    assert.deepEqual(predicate, JSON.parse(text))
    assert.deepEqual(subjects[0], { name: NAME, digest: { sha256: sha256(bytes) } })
    const manifest = files['manifest.toml'] ?? ''
    assert.ok(isAboutManifest(stated.value, { blake3: digestOf(manifest), sha256: sha256(manifest) }))
    // A second time it is there already; a second signer is added to the envelope.
    const before = readFileSync(file)
    await run(['agent', 'sbom', NAME, '--key', 'security'], undefined, { cwd })
    assert.deepEqual(readFileSync(file), before)
    await run(['agent', 'sbom', NAME, '--key', 'second'], undefined, { cwd })
    assert.equal(readAttestations('', readFileSync(file)).envelopes.length, 1)
  })

  test('a file that is too large stays as it is', async () => {
    const { cwd } = place(signed(tree(), 'release'))
    const file = join(cwd, 'full.jsonl')
    const full = 'x\n'.repeat(65_536)
    writeFileSync(file, full)
    const ran = await run(['agent', 'sbom', NAME, '--key', 'second', '--attest', 'full.jsonl'], undefined, {
      cwd,
    })
    assert.equal(ran.exit, 1)
    assert.match(ran.stderr, /Cannot attest in "full.jsonl": it has more than 65536 envelopes/)
    assert.equal(readFileSync(file, 'utf8'), full)
  })

  test('--attest without --key, and a wrong time, are refused', async () => {
    const { cwd } = place(signed(tree(), 'release'))
    for (const [args, message] of [
      [['--attest', 'x'], /--key is missing/],
      [['--time', 'now'], /not a UTC second/],
    ] as const) {
      const ran = await run(['agent', 'sbom', NAME, ...args], undefined, { cwd })
      assert.equal(ran.exit, 2)
      assert.match(ran.stderr, message)
    }
  })
})

describe('a bundle that is not sound, or not the one that was meant, has no bill', () => {
  const damaged = (files: Tree): Tree => ({ ...files, 'notes.txt': 'other' })
  const wrong = () => agentTree({ name: 'mini', files: { 'tools.json': '{"version":1,"tools":[{}]}' } })
  for (const [name, files, args, word] of [
    ['damaged', damaged(signed(tree(), 'release')), [], 'invalid'],
    ['of a stranger, with contents that are wrong', signed(wrong(), 'stranger'), [], 'untrusted'],
    ['another agent', signed(tree(), 'release'), ['--expect', 'other'], 'untrusted'],
    ['another agent of a stranger', signed(tree(), 'stranger'), ['--expect', 'other'], 'untrusted'],
  ] as const) {
    test(name, async () => {
      const { cwd } = place(files)
      const ran = await run(['agent', 'sbom', NAME, '--key', 'second', ...args], undefined, { cwd })
      assert.equal(ran.exit, 1)
      assert.equal(ran.stdout, '')
      assert.match(ran.stderr, new RegExp(`Cannot list the contents of "${NAME}": ${word}: `))
      assert.throws(() => readFileSync(join(cwd, `${NAME}.intoto.jsonl`)), /ENOENT/)
    })
  }

  test('one that cannot be read', async () => {
    const ran = await run(['agent', 'sbom', 'missing.agent.bundle'], undefined, { cwd: folderFor('none') })
    assert.equal(ran.exit, 2)
    assert.equal(ran.stdout, '')
  })
})

describe('a sound bundle has a bill, with the word of its verdict', () => {
  for (const [word, files, policy] of [
    ['unsigned', tree(), ALL],
    ['untrusted', signed(tree(), 'stranger'), ALL],
    ['policy_denied', signed(tree(), 'release'), POLICY],
    ['indeterminate', signed(tree(), 'release'), 'no policy\n'],
    [
      'untrusted',
      signed(tree(), 'release'),
      `${ALL.replace('[rules]', `ci = { key = "${KEYS.second.anchor}", use = ["attest"] }\n[rules]`)}[require]\nattestations = [{ type = "https://cyclonedx.org/bom", by = ["ci"] }]\n`,
    ],
  ] as const) {
    test(`${word}, by ${policy.length} characters of policy`, async () => {
      const { cwd } = place(files)
      writeFileSync(join(cwd, 'policy.toml'), policy, { mode: 0o600 })
      const { bom: made } = await bom(cwd, '--trust-policy', 'policy.toml')
      assert.deepEqual(made.metadata.properties[0], { name: 'rlp:verdict', value: word })
      assert.deepEqual(againstCycloneDx(made), [])
      assert.equal(made.metadata.component.properties[0].name, 'rlp:identity')
    })
  }
})

describe('many bundles', () => {
  const two = () => {
    const { cwd } = place(signed(tree(), 'release'))
    writeFileSync(
      join(cwd, 'mini-1.1.0.agent.bundle'),
      bundleOf(agentTree({ name: 'mini', version: '1.1.0' })),
    )
    return cwd
  }

  for (const [verb, word, ...more] of [
    ['sbom', 'bill of materials'],
    ['provenance', 'provenance', '--builder', 'https://ci.example/1'],
  ]) {
    test(`${verb}: each has its statement beside it`, async () => {
      const cwd = two()
      const ran = await run(['agent', String(verb), '.', '--key', 'second', ...more], undefined, { cwd })
      assert.equal(ran.exit, 0, ran.stderr)
      const lines = ['1.0.0', '1.1.0'].map(
        version => `✓ mini-${version}.agent.bundle.intoto.jsonl: ${word} signed by ${KEYS.second.anchor}\n`,
      )
      assert.equal(ran.stdout, lines.join(''))
      for (const version of ['1.0.0', '1.1.0'])
        assert.equal(
          readAttestations('', readFileSync(join(cwd, `mini-${version}.agent.bundle.intoto.jsonl`))).envelopes
            .length,
          1,
        )
    })

    test(`${verb}: without a key nothing is printed`, async () => {
      const ran = await run(['agent', String(verb), '.', ...more], undefined, { cwd: two() })
      assert.equal(ran.exit, 2)
      assert.equal(ran.stdout, '')
      assert.match(ran.stderr, /2 bundles: without --key/)
    })

    test(`${verb}: one that is damaged does not keep the other from it`, async () => {
      const cwd = two()
      writeFileSync(join(cwd, NAME), 'damaged')
      const ran = await run(['agent', String(verb), '.', '--key', 'second', '--json', ...more], undefined, {
        cwd,
      })
      assert.equal(ran.exit, 1)
      const { result } = JSON.parse(ran.stdout)
      assert.deepEqual(
        result.bundles.map(({ bundle }: { bundle: string }) => bundle),
        ['mini-1.1.0.agent.bundle'],
      )
      assert.deepEqual(
        result.failed.map(({ target }: { target: string }) => target),
        [NAME],
      )
    })
  }
})
