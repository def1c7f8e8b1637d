// GitHub Actions and GitLab CI as far as the sample repository needs them: the steps of a job, in their order, each by bash with the
// environment that the runner gives. What these workflows do not use is refused, so that nothing is passed over.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { ASKED, answerCalls } from './shell-here.ts'

export type Variables = Readonly<Record<string, string>>

export interface StepRan {
  readonly name: string
  readonly status: number | null
  readonly out: string
}

export interface JobRan {
  readonly steps: readonly StepRan[]
  /** The first that failed. */
  readonly failed: StepRan | undefined
  /** Everything that was printed. */
  readonly out: string
}

/** A machine on which jobs run. */
export interface Machine {
  /** Its environment; `PATH` and `HOME` are in it. */
  readonly env: Variables
  /** A new, empty folder. */
  folder(what: string): string
}

interface GithubStep {
  readonly name?: string
  readonly uses?: string
  readonly with?: Variables
  readonly env?: Variables
  readonly run?: string
}

interface GithubWorkflow {
  readonly defaults: { readonly run: { readonly shell: string } }
  readonly env: Variables
  readonly jobs: Readonly<
    Record<string, { readonly if?: string; readonly env?: Variables; readonly steps: readonly GithubStep[] }>
  >
}

/** What `${{ … }}` looks up. */
export type GithubContexts = Readonly<Record<'github' | 'inputs' | 'secrets' | 'vars', Variables>>

/** Runs the job of a workflow of GitHub Actions that the event is for. `checkout` makes a clone, as `actions/checkout` does. */
export async function runGithub(
  file: string,
  { env, folder }: Machine,
  contexts: GithubContexts,
  checkout: (into: string) => Promise<void>,
): Promise<JobRan & { readonly uploaded: readonly string[] }> {
  const workflow = parse(readFileSync(file, 'utf8')) as GithubWorkflow
  assert.equal(workflow.defaults.run.shell, 'bash')
  const jobs = Object.values(workflow.jobs).filter(job => job.if === undefined || isFor(job.if, contexts))
  assert.equal(jobs.length, 1, 'the event is for one job')
  const workspace = join(folder('workspace'), 'checkout')
  const temp = folder('runner-temp')
  const files = Object.fromEntries(
    ['GITHUB_PATH', 'GITHUB_OUTPUT', 'GITHUB_ENV', 'GITHUB_STEP_SUMMARY'].map(name => {
      writeFileSync(join(temp, name), '')
      return [name, join(temp, name)]
    }),
  )
  const runner = {
    ...env,
    ...files,
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_WORKSPACE: workspace,
    RUNNER_TEMP: temp,
  }
  const steps: StepRan[] = []
  const uploaded: string[] = []
  for (const step of jobs[0]?.steps ?? []) {
    if (step.uses !== undefined) {
      if (step.uses.startsWith('actions/checkout@')) await checkout(workspace)
      else if (step.uses.startsWith('actions/upload-artifact@'))
        uploaded.push(join(workspace, step.with?.['path'] ?? ''))
      else assert.fail(`the test knows no ${step.uses}`)
      continue
    }
    const given = { ...workflow.env, ...jobs[0]?.env, ...step.env }
    const filled = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name, fill(String(value), contexts)]),
    )
    const path = readFileSync(join(temp, 'GITHUB_PATH'), 'utf8').split('\n').filter(Boolean).reverse()
    assert.doesNotMatch(step.run ?? '', /\$\{\{/, 'an input in a script would be part of it')
    const ran = await bash(step.run ?? '', workspace, {
      ...runner,
      PATH: [...path, env['PATH']].join(':'),
      ...filled,
    })
    steps.push({ name: step.name ?? '', ...ran })
    if (ran.status !== 0) break
  }
  for (const name of ['GITHUB_ENV', 'GITHUB_OUTPUT'])
    assert.equal(readFileSync(join(temp, name), 'utf8'), '', `the test does not hand on ${name}`)
  return { ...ranOf(steps), uploaded }
}

/** Of conditions, the one form that is used. */
function isFor(condition: string, { github }: GithubContexts): boolean {
  const [, event] = /^github\.event_name == '([a-z_]+)'$/.exec(condition) ?? []
  assert.ok(event, `the test cannot decide ${condition}`)
  return github['event_name'] === event
}

/** What is not there is empty, as on GitHub; a context that the test does not know is a mistake. */
function fill(text: string, contexts: GithubContexts): string {
  return text.replace(/\$\{\{ ([a-z]+)\.(\w+) \}\}/g, (_, context: string, name: string) => {
    assert.ok(Object.hasOwn(contexts, context), `the test knows no context ${context}`)
    return contexts[context as keyof GithubContexts][name] ?? ''
  })
}

interface GitlabJob {
  readonly script: readonly string[]
  readonly rules: readonly { readonly if: string }[]
  readonly id_tokens?: Readonly<Record<string, { readonly aud: string }>>
  readonly artifacts?: { readonly paths: readonly string[]; readonly reports: Variables }
}

/** Runs one job of `.gitlab-ci.yml` in a clone. `token` is what GitLab puts into the variables of `id_tokens`. */
export async function runGitlab(
  project: string,
  job: string,
  { env, folder }: Machine,
  variables: Variables,
  token: string,
): Promise<JobRan & { readonly uploaded: readonly string[] }> {
  const file = parse(readFileSync(join(project, '.gitlab-ci.yml'), 'utf8')) as {
    readonly default: { readonly before_script: readonly string[] }
    readonly variables: Variables
  } & Readonly<Record<string, GitlabJob>>
  const found = file[job]
  assert.ok(found, `there is no job ${job}`)
  const tokens = Object.entries(found.id_tokens ?? {}).map(([name, { aud }]) => {
    assert.equal(aud, 'sigstore')
    return [name, token]
  })
  const known: Record<string, string> = {
    ...variables,
    CI: 'true',
    GITLAB_CI: 'true',
    CI_PROJECT_DIR: project,
  }
  for (const [name, value] of Object.entries(file.variables))
    known[name] = value.replace(/\$(\w+)/g, (_, other: string) => known[other] ?? '')
  // GitLab joins the lines to one script, and stops at the first that fails.
  const script = [...file.default.before_script, ...found.script].join('\n')
  const ran = await bash(script, project, {
    ...env,
    TMPDIR: folder('tmp'),
    ...known,
    ...Object.fromEntries(tokens),
  })
  const { paths = [], reports = {} } = found.artifacts ?? {}
  const uploaded = [...paths, ...Object.values(reports)].map(path => join(project, path))
  return { ...ranOf([{ name: job, ...ran }]), uploaded }
}

function ranOf(steps: readonly StepRan[]): JobRan {
  const out = steps.map(({ name, out }) => `# ${name}\n${out}`).join('')
  return { steps, failed: steps.find(({ status }) => status !== 0), out }
}

/** As GitHub starts `shell: bash`. With `RLP_HERE`, which names a folder of `putRlpHere`, this process answers calls of the `rlp` in it. */
export async function bash(
  script: string,
  cwd: string,
  env: Variables,
): Promise<{ readonly status: number | null; readonly out: string }> {
  const child = spawn('bash', ['--noprofile', '--norc', '-e', '-o', 'pipefail', '-c', script], {
    cwd,
    env: { LC_ALL: 'C.UTF-8', ...env },
    stdio: ['ignore', 'pipe', 'pipe', ...ASKED],
  })
  const answered = answerCalls(child, env['RLP_HERE'] ?? '')
  let out = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', text => (out += text))
  const status = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  await answered()
  return { status, out }
}

/**
 * An `npm` and a `curl` for machines without a network, in a folder for PATH: `curl` gives the package that was made here for the address of a
 * release, `install` unpacks a file.
 * @param real the true npm for `install`, which is slower
 */
export function offlineNpm(folder: string, archive: string, real: string | undefined): string {
  const install =
    real === undefined
      ? 'mkdir -p node_modules/.bin node_modules/rlp-bundle && tar -xzf rlp.tgz --strip-components=1 -C node_modules/rlp-bundle && ln -s ../rlp-bundle/dist/program/rlp.cjs node_modules/.bin/rlp'
      : `exec '${real}' --offline --cache '${folder}/cache' "$@"`
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, 'npm'),
    `#!/bin/sh
[ -z "$(ls -A | grep -v '^rlp\\.tgz$')" ] || exit 8
case "$1 $*" in
  'install install --prefix . '*' --omit=optional ./rlp.tgz') ${install} ;;
  *) exit 9 ;;
esac
`,
    { mode: 0o755 },
  )
  writeFileSync(
    join(folder, 'curl'),
    `#!/bin/sh
case "$*" in
  '-fsSL --proto =https -o rlp.tgz https://rlp.example/rlp/releases/download/v'*'.tgz') cp '${archive}' rlp.tgz ;;
  *) exit 9 ;;
esac
`,
    { mode: 0o755 },
  )
  assert.ok(existsSync(archive))
  return folder
}
