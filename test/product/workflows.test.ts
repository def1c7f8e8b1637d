// The workflows of the sample repository in fixtures/pipelines, step by step, on GitHub and on GitLab: from a tag to an agent that is
// installed on a host which did not make the bundle, and has a trust policy of its own.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash, generateKeyPairSync } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { digestOf } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'
import { missing } from '../support/needs.ts'
import { FakeRegistry } from '../support/oci-registry.ts'
import {
  bash,
  type JobRan,
  offlineNpm,
  runGithub,
  runGitlab,
  type Variables,
} from '../support/pipeline-runner.ts'
import { IN_CI, slice } from '../support/runs.ts'
import { putRlpHere } from '../support/shell-here.ts'
import { RELEASE_IDENTITY } from '../support/signing-world.ts'
import { type SigstoreServices, startSigstore } from '../support/sigstore-services.ts'
import { leaveUnheld } from '../support/unheld.ts'

const SAMPLE = 'fixtures/pipelines'
const FILES = [
  'ci/install-rlp.sh',
  'ci/registry-auth.sh',
  'ci/keep-new.sh',
  '.github/workflows/release.yml',
  '.github/workflows/deploy.yml',
  '.gitlab-ci.yml',
]
const PAGE = readFileSync('docs/pipelines.md', 'utf8')
const {
  name: PACKAGE,
  version: VERSION,
  bin,
  optionalDependencies,
} = JSON.parse(readFileSync('package.json', 'utf8'))
const TOKEN = 'password'
const folderFor = temporary('workflows')
/** The `rlp` that asks this process. */
const HERE = folderFor('here')

describe('docs/pipelines.md shows the files of the sample repository', () => {
  for (const file of FILES) {
    test(file, () => {
      const kind = file.endsWith('.sh') ? 'sh' : 'yaml'
      const text = readFileSync(join(SAMPLE, file), 'utf8')
      assert.ok(PAGE.includes(`\n\`\`\`${kind}\n${text}\`\`\`\n`), `${file} is another`)
    })
  }

  test('which pin the version of this checkout', () => {
    for (const file of FILES.filter(one => !one.endsWith('.sh')))
      assert.equal(
        /\n {2}RLP_VERSION: (\S+)\n/.exec(readFileSync(join(SAMPLE, file), 'utf8'))?.[1],
        VERSION,
        file,
      )
  })
})

type Forge = 'GitHub' | 'GitLab'
type Signing = 'keyless' | 'key'

describe('from a tag to an installed agent', {
  skip: missing('bash', 'git', 'tar') || (!existsSync(bin.rlp) && 'the program is not built'),
}, () => {
  let services: SigstoreServices
  let registry: FakeRegistry
  let archive: string
  let integrity: string
  before(async () => {
    services = await startSigstore()
    archive = join(folderFor('package'), 'package.tgz')
    integrity = packed(archive)
  })
  after(() => services.close())

  /** A package as npm makes one, whose program is the one of this checkout. */
  function packed(file: string): string {
    const root = folderFor('pack')
    mkdirSync(join(root, 'package/dist/program'), { recursive: true })
    const manifest = { name: PACKAGE, version: VERSION, bin, optionalDependencies }
    writeFileSync(join(root, 'package/package.json'), JSON.stringify(manifest))
    // By day this process answers the calls, which are some fifty.
    putRlpHere(HERE)
    const program = IN_CI
      ? `#!/usr/bin/env node\nrequire(${JSON.stringify(resolve(bin.rlp))})\n`
      : '#!/bin/sh\nexec "$RLP_HERE/rlp" "$@"\n'
    writeFileSync(join(root, 'package', bin.rlp), program, { mode: 0o755 })
    assert.equal(spawnSync('tar', ['-czf', file, '-C', root, 'package']).status, 0)
    return `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`
  }

  /** The forge with the repository, the registry, a machine that releases, and a host with a home of its own. */
  async function world(forge: Forge, signing: Signing) {
    registry = await new FakeRegistry({ referrers: true, login: `octocat:${TOKEN}` }).start()
    const root = folderFor(`${forge}-${signing}`)
    const origin = join(root, 'origin.git')
    const npm = IN_CI
      ? spawnSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).stdout.trim()
      : undefined
    const path = `${offlineNpm(join(root, 'bin'), archive, npm)}:${process.env['PATH']}`
    const machine = (name: string) => {
      const home = join(root, name)
      mkdirSync(join(home, '.runloop'), { recursive: true, mode: 0o700 })
      leaveUnheld(join(home, '.runloop'))
      return {
        home,
        env: { PATH: path, HOME: home, GIT_CONFIG_NOSYSTEM: '1', NO_COLOR: '1', RLP_HERE: HERE },
        folder: folderFor,
      }
    }
    const [releasing, host] = [machine('releasing'), machine('host')] as const
    const must = async (cwd: string, script: string, env: Variables = host.env) => {
      const { status, out } = await bash(script, cwd, env)
      assert.equal(status, 0, `${script}\n${out}`)
      return out.trim()
    }
    const commit = 'git add -A; git -c user.name=x -c user.email=x@example.org commit -q -m x'
    await must(root, `git init -q --bare -b main '${origin}'; git clone -q '${origin}' work 2>&1`)
    const work = join(root, 'work')
    cpSync(SAMPLE, work, { recursive: true })
    if (signing === 'keyless')
      writeFileSync(join(work, 'signing.json'), JSON.stringify(services.signingConfig(1)))
    await must(work, `git checkout -q -B main; ${commit}; git push -q origin main`)
    const { privateKey } = generateKeyPairSync('ed25519')
    const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
    writeFileSync(join(root, 'key.pem'), pem, { mode: 0o600 })
    const rlp = IN_CI ? `'${process.execPath}' '${resolve(bin.rlp)}'` : `'${join(HERE, 'rlp')}'`
    const anchor = (await must(root, `${rlp} key show key.pem`)).match(/ed25519:\S+/)?.[0]
    // The host decides for itself: its policy comes from nowhere in the repository.
    const sigstore = Buffer.from(JSON.stringify(services.root))
    writeFileSync(join(host.home, '.runloop/root.json'), sigstore)
    const grants = '{ allow_caps = "any", allow_net = "any", allow_exec = true }'
    // The certificates of these services name a repository of GitHub, so a provenance of a job of GitLab contradicts them.
    const provenance = forge === 'GitLab' && signing === 'keyless' ? [] : ['https://slsa.dev/provenance/v1']
    const statements = [...provenance, 'https://cyclonedx.org/bom']
      .map(type => `{ type = "${type}", by = ["release"] }`)
      .join(', ')
    const required = `[require]\nattestations = [${statements}]\n`
    const policy =
      signing === 'keyless'
        ? `[anchors]\nrelease = { ${RELEASE_IDENTITY}, use = ["sign", "attest"] }\n[rules]\nrelease = ${grants}\n${required}[sigstore]\ntrusted_root = { file = "root.json", blake3 = "${digestOf(sigstore)}" }\n`
        : `[anchors]\nrelease = { key = "${anchor}", use = ["sign", "attest"] }\n[rules]\nrelease = ${grants}\n${required}`
    writeFileSync(join(host.home, '.runloop/trust-policy.toml'), policy, { mode: 0o600 })
    await must(root, `echo ${TOKEN} | ${rlp} login ${registry.host} --username octocat --password-stdin`)

    const clone = (ref: string) => (into: string) =>
      must(
        root,
        `git clone -q '${origin}' '${into}' && cd '${into}' && git checkout -q --detach '${ref}'`,
      ).then(() => {})
    const named = {
      RLP_INTEGRITY: integrity,
      ...(signing === 'keyless' && { RLP_SIGNING_CONFIG: 'signing.json' }),
    }
    const key: Variables = signing === 'key' ? { RLP_KEY: pem } : {}

    /** @param more variables that the settings of the repository have */
    async function release(tag: string, more: Variables = {}) {
      await must(work, `git tag ${tag}; git push -q origin ${tag}`)
      if (forge === 'GitHub')
        return runGithub(
          join(work, '.github/workflows/release.yml'),
          {
            ...releasing,
            env: { ...releasing.env, ...services.github, ...GITHUB_RUN, GITHUB_REF: `refs/tags/${tag}` },
          },
          {
            github: { event_name: 'push', actor: 'octocat' },
            inputs: {},
            secrets: { GITHUB_TOKEN: TOKEN, ...key, ...more },
            vars: { ...named, RLP_REGISTRY: `oci://${registry.host}/acme/agents`, ...more },
          },
          clone(tag),
        )
      const project = join(folderFor('builds'), 'agents')
      await clone(tag)(project)
      return runGitlab(
        project,
        'release',
        releasing,
        {
          ...GITLAB_RUN,
          CI_COMMIT_TAG: tag,
          CI_REGISTRY_IMAGE: `${registry.host}/acme/agents`,
          CI_REGISTRY_USER: 'octocat',
          CI_REGISTRY_PASSWORD: TOKEN,
          ...named,
          ...key,
          ...more,
        },
        services.token(),
      )
    }

    async function deploy(job: 'lock' | 'install', agent = '', more: Variables = {}): Promise<JobRan> {
      if (forge === 'GitHub')
        return runGithub(
          join(work, '.github/workflows/deploy.yml'),
          { ...host, env: { ...host.env, ...GITHUB_RUN } },
          {
            github: { event_name: job === 'lock' ? 'workflow_dispatch' : 'push', actor: 'octocat' },
            inputs: { agent },
            secrets: {},
            vars: { RLP_INTEGRITY: integrity, RLP_REGISTRY: `oci://${registry.host}/acme/agents`, ...more },
          },
          clone('origin/main'),
        )
      const project = join(folderFor('builds'), 'agents')
      await clone('origin/main')(project)
      return runGitlab(
        project,
        job,
        host,
        {
          ...GITLAB_RUN,
          RLP_INTEGRITY: integrity,
          CI_REGISTRY_IMAGE: `${registry.host}/acme/agents`,
          ...(agent !== '' && { AGENT: agent }),
          ...more,
        },
        '',
      )
    }

    /** What a person does with the branch that a job proposes. */
    const merge = () =>
      must(work, 'git fetch -q origin; git merge -q --ff-only origin/rlp-lock; git push -q origin main')
    const lockOf = (ref: string) => must(work, `git fetch -q origin; git show ${ref}:deploy/rlp.lock`)
    const installed = () =>
      must(root, `${rlp} agent list --json`).then(
        text =>
          JSON.parse(text).result.agents.map(
            ({ name, version }: Variables) => `${name} ${version}`,
          ) as string[],
      )
    return { root, work, host, releasing, must, commit, release, deploy, merge, lockOf, installed, rlp }
  }

  const passed = (ran: JobRan) => assert.equal(ran.failed, undefined, ran.out)

  /** Three agents more, one of them in the lock of another repository; then one leaves the lock of this one, and then nearly all of them. */
  async function leaveALock({
    root,
    work,
    host,
    must,
    commit,
    deploy,
    installed,
    rlp,
  }: Awaited<ReturnType<typeof world>>) {
    const NAMES = ['guest', 'porter', 'usher']
    // The registry of these tests has one list of tags for all repositories.
    const versionOf = (name: string) => `0.${NAMES.indexOf(name) + 2}.0`
    const more = NAMES.map(
      name =>
        `cp -r ../work/agents/greeter agents/${name}; sed -i 's/^name = .*/name = "${name}"/; 0,/^version = /s/^version = .*/version = "${versionOf(name)}"/' agents/${name}/manifest.toml`,
    )
    const states = ['sign', 'sbom', 'provenance --builder https://ci.example'].map(
      one => `${rlp} agent ${one.replace(/^\w+/, '$& dist')} --key ../key.pem`,
    )
    const push = `${rlp} agent push dist oci://${registry.host}/acme/agents/`
    const make = [...more, `${rlp} agent digest`, `${rlp} agent pack`, ...states, push]
    await must(root, `mkdir -p more/agents; cd more; ${make.join('; ')}`)
    const locks = join(host.home, 'locks')
    const add = (name: string, lock: string) =>
      `${rlp} lock add oci://${registry.host}/acme/agents/${name}:${versionOf(name)} --lock '${lock}'`
    const merged = `${commit}; git push -q origin main`
    // Git knows no mode that other users could write by.
    const ours = 'chmod go-w deploy deploy/rlp.lock'
    await must(
      work,
      `${ours}; ${add('guest', 'deploy/rlp.lock')}; ${add('porter', 'deploy/rlp.lock')}; ${merged}`,
    )
    await must(work, `${add('usher', join(locks, 'other.lock'))} --name other`)
    passed(await deploy('install'))
    const names = async () => (await installed()).map(one => one.split(' ')[0])
    assert.deepEqual(await names(), ['greeter', 'guest', 'porter', 'usher'])
    await must(work, `${rlp} lock remove porter --lock deploy/rlp.lock; ${merged}`)
    passed(await deploy('install'))
    assert.deepEqual(await names(), ['greeter', 'guest', 'usher'])
    await must(work, `${rlp} lock remove guest --lock deploy/rlp.lock; ${merged}`)
    const { failed } = await deploy('install')
    assert.match(failed?.out ?? '', /the lock house does not name 1 of the 2 agents[\s\S]*--allow-prune-all/)
    assert.deepEqual(await names(), ['greeter', 'guest', 'usher'])
    passed(await deploy('install', '', { RLP_PRUNE_ALL: 'yes' }))
    assert.deepEqual(await names(), ['greeter', 'usher'])
  }

  const variants: readonly (readonly [Forge, Signing])[] = [
    ['GitLab', 'key'],
    ['GitHub', 'keyless'],
    ['GitHub', 'key'],
    // The certificates of these services have the words of GitHub alone.
    ['GitLab', 'keyless'],
  ]
  describe('ci/install-rlp.sh', () => {
    const install = async (env: Variables, archived = archive) => {
      const root = folderFor('install')
      const PATH = `${offlineNpm(join(root, 'bin'), archived, undefined)}:${process.env['PATH']}`
      const script = `bash '${resolve(SAMPLE, 'ci/install-rlp.sh')}' rlp`
      const given = { RLP_VERSION: VERSION, RLP_INTEGRITY: integrity, ...env }
      const ran = await bash(script, root, { PATH, HOME: root, ...given })
      return { ...ran, isThere: existsSync(join(root, 'rlp/node_modules')) }
    }
    const other = () => {
      const file = join(folderFor('other'), 'other.tgz')
      writeFileSync(file, Buffer.concat([readFileSync(archive), Buffer.from([0])]))
      return file
    }

    test('installs what has the integrity, of the release page or as a file', async () => {
      for (const env of [{}, { RLP_PACKAGE: archive }]) {
        const { status, isThere, out } = await install(env)
        assert.deepEqual([status, isThere], [0, true], out)
      }
    })

    test('installs nothing else', async () => {
      for (const ran of [
        await install({}, other()),
        await install({ RLP_PACKAGE: other() }),
        await install({ RLP_INTEGRITY: '' }),
        await install({ RLP_INTEGRITY: integrity.replace('sha512', 'sha1') }),
      ]) {
        assert.deepEqual([ran.status, ran.isThere], [1, false])
        assert.match(ran.out, /^Cannot install rlp: the package has sha512-\S+, and RLP_INTEGRITY is \S+$/m)
      }
      const gone = await install({ RLP_PACKAGE: 'gone.tgz' })
      assert.deepEqual([gone.status === 0, gone.isThere], [false, false])
    })
  })

  for (const [forge, signing] of slice(variants, 4)) {
    test(`${forge}, signed ${signing === 'key' ? 'with a key' : 'without one'}`, async () => {
      const here = await world(forge, signing)
      try {
        const released = await here.release('v1.0.0')
        passed(released)
        for (const path of released.uploaded) assert.ok(existsSync(path), path)
        assert.ok(!existsSync(join(here.host.home, '.runloop/agents')))
        assert.ok(!existsSync(join(here.releasing.home, '.runloop/trust-policy.toml')))

        if (IN_CI) {
          // The next tag, of an agent that has not changed: nothing is signed, stated or stored.
          const before = [...registry.manifests.keys()]
          const unchanged = await here.release('v1.0.0-1')
          passed(unchanged)
          assert.match(unchanged.out, /^dist\/greeter-0\.1\.0\.agent\.bundle is stored already$/m)
          assert.deepEqual([...registry.manifests.keys()], before)
        }

        // Nothing is locked yet, so nothing is installed.
        assert.notEqual((await here.deploy('install')).failed, undefined)
        passed(await here.deploy('lock', 'greeter@^0.1'))
        assert.match(await here.lockOf('origin/rlp-lock'), /\[agents\.greeter\][\s\S]*\nagent = "0\.1\.0"\n/)
        await here.merge()
        passed(await here.deploy('install'))
        assert.deepEqual(await here.installed(), ['greeter 0.1.0'])
        assert.ok(existsSync(join(here.host.home, '.runloop/agents/greeter.agent.bundle')))

        if (IN_CI || signing === 'keyless') {
          // A version that may do more: people see it in the lock before it is installed.
          await here.must(
            here.work,
            `sed -i 's/\\[capabilities\\]/&\\ntime = true/' agents/greeter/policy.caps; ${here.rlp} agent version patch greeter; ${here.rlp} agent digest; ${here.commit}; git push -q origin main`,
          )
          passed(await here.release('v1.0.1'))
          passed(await here.deploy('install'))
          assert.deepEqual(await here.installed(), ['greeter 0.1.0'])
          passed(await here.deploy('lock'))
          assert.match(await here.lockOf('origin/rlp-lock'), /agent = "0\.1\.1"[\s\S]*"time"/)
          await here.merge()
          passed(await here.deploy('install'))
          assert.deepEqual(await here.installed(), ['greeter 0.1.1'])
          const again = await here.deploy('lock')
          passed(again)
          assert.match(again.out, /The lock is up to date\./)
        }
        if (IN_CI && signing === 'key') await leaveALock(here)
        // Who signs with another key gets into no lock.
        if (signing === 'key') {
          const before = await here.lockOf('origin/main')
          const { privateKey } = generateKeyPairSync('ed25519')
          const other = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
          await here.must(
            here.work,
            `${here.rlp} agent version patch greeter; ${here.commit}; git push -q origin main`,
          )
          passed(await here.release('v1.1.0', { RLP_KEY: other }))
          const { failed } = await here.deploy('lock')
          assert.match(failed?.out ?? '', /untrusted/)
          assert.equal(await here.lockOf('origin/main'), before)
        }
      } finally {
        await registry.stop()
      }
    })
  }
})

/** What the runners of the forges say of a run, as far as provenance reads it. */
const GITHUB_RUN: Variables = {
  GITHUB_SERVER_URL: 'https://github.com',
  GITHUB_REPOSITORY: 'acme/agents',
  GITHUB_SHA: '5f1d2c3b4a5968778695a4b3c2d1e0f123456789',
  GITHUB_JOB: 'release',
  GITHUB_RUN_ID: '77',
  GITHUB_RUN_ATTEMPT: '1',
  GITHUB_WORKFLOW_REF: 'acme/agents/.github/workflows/release.yml@refs/tags/v1.0.0',
}
const GITLAB_RUN: Variables = {
  CI_PROJECT_URL: 'https://gitlab.com/acme/agents',
  CI_RUNNER_ID: '5',
  CI_COMMIT_SHA: '5f1d2c3b4a5968778695a4b3c2d1e0f123456789',
  CI_JOB_NAME: 'release',
  CI_JOB_URL: 'https://gitlab.com/acme/agents/-/jobs/77',
}
