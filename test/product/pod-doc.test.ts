// The init container of docs/pipelines.md: its YAML, and what its command does.
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { parse } from 'yaml'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { made, policyText, RELEASE, STRANGER } from '../support/install-world.ts'
import { FakeRegistry } from '../support/oci-registry.ts'

const PLACE = 'fixtures/pipelines/kubernetes'
const TEXT = readFileSync(`${PLACE}/agent.yaml`, 'utf8')
const folder = temporary('pod')

interface Container {
  readonly name: string
  readonly image: string
  readonly command?: readonly string[]
  readonly args: readonly string[]
  readonly volumeMounts: readonly {
    readonly name: string
    readonly mountPath: string
    readonly readOnly?: boolean
  }[]
}
interface Pod {
  readonly spec: {
    readonly initContainers: readonly [Container]
    readonly containers: readonly [Container]
    readonly volumes: readonly { readonly name: string }[]
  }
}
const pod: Pod = parse(TEXT)
const [fetching] = pod.spec.initContainers
const [runtime] = pod.spec.containers

describe('the pod', () => {
  const fits = new Ajv2020({ allErrors: true }).compile(
    JSON.parse(readFileSync(`${PLACE}/pod.schema.json`, 'utf8')),
  )

  test('is the one that the page shows', () => {
    assert.ok(readFileSync('docs/pipelines.md', 'utf8').includes(`\n\`\`\`yaml\n${TEXT}\`\`\`\n`))
  })

  test('has members of a Pod and no others', () => {
    assert.ok(fits(pod), JSON.stringify(fits.errors))
    for (const [right, wrong] of [
      ['initContainers:', 'initContainer:'],
      ['mountPath: /agents', 'mountpath: /agents'],
      ['readOnlyRootFilesystem', 'readonlyRootFilesystem'],
      ['kind: Pod', 'kind: Deployment'],
      ['runAsUser: 65532', 'runAsUser: nobody'],
      ['secretName:', 'name:'],
      ['  containers:\n', '  sidecars:\n'],
      ['readOnly: true', 'readOnly: "yes"'],
    ] as const) {
      assert.ok(TEXT.includes(right), right)
      assert.ok(!fits(parse(TEXT.replace(right, wrong))), wrong)
    }
  })

  test('mounts volumes that are there, pins what it runs, and lets the runtime write no agent', () => {
    const volumes = pod.spec.volumes.map(({ name }) => name)
    for (const { image, volumeMounts } of [fetching, runtime]) {
      assert.match(image, /@sha256:[0-9a-f]{64}$/)
      for (const { name } of volumeMounts) assert.ok(volumes.includes(name), name)
    }
    assert.ok(runtime.volumeMounts.every(({ readOnly }) => readOnly === true))
    assert.deepEqual(
      fetching.volumeMounts.filter(({ readOnly }) => readOnly !== true).map(({ name }) => name),
      ['agents'],
    )
  })
})

describe('its init container', () => {
  let registry: FakeRegistry
  before(async () => {
    registry = await new FakeRegistry({ referrers: true }).start()
  })
  after(() => registry.stop())

  /** Pushes a bundle, and runs the command with the digest that `push` prints; or with another one. */
  async function started(name: string, bundle: Buffer, digest?: string) {
    const root = folder(name)
    for (const part of ['agents', 'policy']) mkdirSync(join(root, part))
    writeFileSync(join(root, 'policy/trust-policy.toml'), policyText(), { mode: 0o444 })
    writeFileSync(join(root, 'greeter-0.1.0.agent.bundle'), bundle)
    // The home of a container that has none.
    process.env['RUNLOOP_HOME'] = join(root, 'nowhere')
    const at = { cwd: root, env: process.env }
    const to = `oci://${registry.host}/agents/greeter`
    const pushed = await run(['agent', 'push', 'greeter-0.1.0.agent.bundle', to, '--force'], undefined, at)
    assert.equal(pushed.exit, 0, pushed.stderr)
    const stored = digest ?? /sha256:[0-9a-f]{64}/.exec(pushed.stdout)?.[0]
    const args = [...(fetching.command ?? []), ...fetching.args]
      .slice(1)
      .map(arg => arg.replace(/^oci:.*/, `${to}@${stored}`).replace(/=\/(policy|agents)/, `=${root}/$1`))
    const ran = await run(args, undefined, at)
    return { ...ran, agents: readdirSync(join(root, 'agents')) }
  }

  const bundle = (by = RELEASE, version = '0.1.0') => made({ name: 'greeter', version }, by)

  test('fetches what is pinned, where the runtime looks for it', async () => {
    const { exit, agents, stderr } = await started('good', bundle())
    assert.equal(exit, 0, stderr)
    assert.deepEqual(
      agents.map(name => `/agents/${name}`),
      runtime.args,
    )
  })

  for (const [what, made, digest] of [
    ['a stranger has signed', bundle(STRANGER), undefined],
    ['another version', bundle(RELEASE, '0.2.0'), undefined],
    ['a digest that is not there', bundle(), `sha256:${'1'.repeat(64)}`],
  ] as const) {
    test(`ends with a failure, and writes nothing: ${what}`, async () => {
      const { exit, agents } = await started(what, made, digest)
      assert.notEqual(exit, 0)
      assert.deepEqual(agents, [])
    })
  }
})
