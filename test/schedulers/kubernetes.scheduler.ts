// The recipe for Kubernetes in docs/fleet.md: every command of its Jobs, as a kubelet would run it; and its file, held against what Kubernetes
// publishes about it, if scripts/engines/install.sh has put that here.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { parseAllDocuments } from 'yaml'
import { builtProgram } from '../support/built.ts'
import { ENGINES, engine, missingEngine } from '../support/engines.ts'
import { fleetWorld } from '../support/fleet-world.ts'
import { temporary } from '../support/folder.ts'
import { isNeeded, missing } from '../support/needs.ts'

const folder = temporary('kubernetes')
const PLACE = resolve('fixtures/pipelines/kubernetes')
const JOBS = readFileSync(join(PLACE, 'fleet.yaml'), 'utf8')
const isRoot = process.getuid?.() === 0
const skip = missing('bwrap', 'setpriv') || (!isRoot && !isNeeded('bwrap') && 'only root can start pods here')

interface Pod {
  readonly index?: number
  readonly code: number
  readonly logs: string
}

describe('the Jobs, as a kubelet runs them', { skip }, () => {
  /**
   * A night of forty bundles.
   * @param begins lines of shell that `rlp` runs first
   * @param jobs what is in fleet.yaml
   */
  async function night(name: string, begins = '', jobs = JOBS) {
    // A pod has a user of its own, who has to reach the program and the volumes.
    const root = folder(name)
    chmodSync(root, 0o755)
    const here = fleetWorld(root, 40, begins)
    const volume = join(root, 'night')
    mkdirSync(volume, { mode: 0o700 })
    chownSync(volume, 10001, 10001)
    for (const file of ['fleet.yaml', 'nightly.sh'])
      writeFileSync(join(root, file), file === 'fleet.yaml' ? jobs : readFileSync(join(PLACE, file)), {
        mode: 0o755,
      })
    const kubectl = `#!/bin/sh\nexec '${process.execPath}' '${resolve('test/support/kubectl.mjs')}' "$@"\n`
    writeFileSync(join(root, 'bin/kubectl'), kubectl, { mode: 0o755 })
    const state = join(root, 'cluster.json')
    const bin = join(root, 'bin')
    const image = [bin, dirname(builtProgram()), dirname(process.execPath), '/usr']
    writeFileSync(
      state,
      JSON.stringify({
        volumes: { bundles: here.bundles, night: volume, 'rlp-policy': here.home },
        image,
        links: ['bin', 'lib', 'lib64'].map(one => [`usr/${one}`, `/${one}`]),
        path: `${bin}:${dirname(process.execPath)}:/usr/bin:/bin`,
        jobs: {},
        policies: {},
        pods: [],
      }),
    )
    const ran = await here.run('bash', [join(root, 'nightly.sh')], { KUBECTL_WORLD: state })
    const { pods } = JSON.parse(readFileSync(state, 'utf8')) as { readonly pods: readonly Pod[] }
    return { ...ran, pods, volume, said: `${ran.stdout}${ran.stderr}${pods.map(one => one.logs).join('')}` }
  }

  test('forty bundles in sixteen pods: one report, with the worst verdict', async () => {
    const { status, pods, volume, said } = await night('whole')
    assert.equal(status, 1, said)
    assert.deepEqual(
      pods.map(({ code }) => code),
      [0, ...Array(16).fill(0), 1],
    )
    assert.match(pods[4]?.logs ?? '', /Kubernetes says 4\/16/)
    const lines = readFileSync(join(volume, 'report.ndjson'), 'utf8').trimEnd().split('\n')
    const [type, bundles] = lines.slice(-1).flatMap(line => [JSON.parse(line).type, JSON.parse(line).bundles])
    assert.deepEqual([lines.length, type, bundles], [41, 'summary', 40])
  })

  test('a pod that breaks is tried again, a wrong call is not, and a part that is lost is missing', async () => {
    const breaks = `case "$2 $JOB_COMPLETION_INDEX" in
  'verify 3') [ -e /night/once ] || { touch /night/once; exit 137; } ;;
  'verify 5') exit 2 ;;
  'verify 7') exit 70 ;;
esac`
    const { status, pods, said } = await night('broken', breaks)
    assert.equal(status, 3, said)
    const codesOf = (index: number) => pods.filter(one => one.index === index).map(({ code }) => code)
    assert.deepEqual([3, 5, 7, 8].map(codesOf), [[137, 0], [2], [70, 70, 70, 70], [0]])
  })

  test('a pod has no network, its own user, and nothing to write but the volume of the night', async () => {
    const tries = (isOpen: boolean) =>
      JOBS.replace(/^( +)find \/bundles.*$/m, (_, space: string) =>
        [
          'id -u',
          'for at in / /bundles /runloop /usr; do if touch "$at/x" 2> /dev/null; then echo "wrote $at"; fi; done',
          'touch /night/x && echo wrote /night',
          `echo "$(grep -c : /proc/net/dev) interfaces"`,
          'exit 9',
        ]
          .map(one => space + one)
          .join('\n'),
      ).replace(
        'podSelector: {matchLabels: {app: rlp-fleet}}',
        `podSelector: {matchLabels: {app: ${isOpen ? 'other' : 'rlp-fleet'}}}`,
      )
    const [closed, open] = [await night('closed', '', tries(false)), await night('open', '', tries(true))]
    const interfaces = (logs = '') => Number(/(\d+) interfaces/.exec(logs)?.[1])
    assert.match(closed.pods[0]?.logs ?? '', /^10001\nwrote \/night\n/)
    assert.equal(interfaces(closed.pods[0]?.logs), 1, closed.said)
    // Without a list nothing is judged.
    assert.deepEqual([closed.status, closed.pods.length], [1, 4])
    assert.ok(interfaces(open.pods[0]?.logs) > 1, 'the check would see a network')
  })
})

describe('fleet.yaml, held against what Kubernetes publishes', {
  skip: missingEngine('kubernetes-models'),
}, () => {
  interface Document {
    readonly apiVersion: string
    readonly kind: string
  }
  const documents = (text: string) => parseAllDocuments(text).map(one => one.toJS() as Document)

  /** By the schema of the kind. */
  async function bySchema(text: string): Promise<string[]> {
    const wrong: string[] = []
    for (const one of documents(text)) {
      const file = engine('kubernetes-models', one.apiVersion, `${one.kind}.js`)
      const { [one.kind]: Model } = await import(pathToFileURL(file).href)
      try {
        new Model(one).validate()
      } catch (error) {
        wrong.push(String(error))
      }
    }
    return wrong
  }

  /** By the types, which know every member: one that is misspelt is an error of the compiler. */
  function byTypes(text: string): string {
    const all = documents(text)
    const source = all.map(
      ({ apiVersion, kind }, at) =>
        `import type { I${kind} as Kind${at} } from './node_modules/kubernetes-models/${apiVersion}/${kind}.js'\n`,
    )
    const values = all.map((one, at) => `export const value${at}: Kind${at} = ${JSON.stringify(one)}\n`)
    const file = join(ENGINES, `held-${process.pid}.mts`)
    writeFileSync(file, [...source, ...values].join(''))
    const how = [
      '--ignoreConfig',
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--module',
      'nodenext',
      '--moduleResolution',
      'nodenext',
    ]
    try {
      const tsc = [resolve('node_modules/typescript/bin/tsc'), ...how, '--types', '', file]
      return spawnSync(process.execPath, tsc, { cwd: ENGINES, encoding: 'utf8' }).stdout
    } finally {
      rmSync(file)
    }
  }

  test('by schema and by types', async () => {
    assert.deepEqual(await bySchema(JOBS), [])
    assert.equal(byTypes(JOBS), '')
  })

  test('a misspelt member is found', async () => {
    const wrong = (right: string, misspelt: string) => {
      assert.ok(JOBS.includes(right), right)
      return JOBS.replace(right, misspelt)
    }
    assert.notDeepEqual(await bySchema(wrong('completions: 16', 'completions: many')), [])
    assert.match(byTypes(wrong('backoffLimitPerIndex:', 'backofLimitPerIndex:')), /backofLimitPerIndex/)
    assert.match(
      byTypes(wrong('readOnlyRootFilesystem:', 'readonlyRootFilesystem:')),
      /readonlyRootFilesystem/,
    )
  })
})
