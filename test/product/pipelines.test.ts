// action.yml, the pre-commit hooks and docs/lint.md: that they fit the command, and that the action's scripts do what they say.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { before, describe, test } from 'node:test'
import { lintTableProblems, refusalOf, suppressEntries } from '../../src/agent/lint-table.ts'
import { parse } from '../../src/cli/parse.ts'
import { command as verify } from '../../src/fleet/verify-command.ts'
import { command as inspect } from '../../src/inspect/verbs/inspect.ts'
import { FORMATS } from '../../src/lint/formats/index.ts'
import { RULES } from '../../src/lint/rules/index.ts'
import { command as lint } from '../../src/lint/verbs/lint.ts'
import { EXIT } from '../../src/model/exit-code.ts'
import { readWords } from '../../src/text/shell-words.ts'
import { parseToml } from '../../src/toml/parse.ts'
import { agentTree, writeTree } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'
import { made, OTHER, policyText, RELEASE, STRANGER } from '../support/install-world.ts'
import { bash } from '../support/pipeline-runner.ts'
import { IN_CI, LATE, slice } from '../support/runs.ts'
import { putRlpHere } from '../support/shell-here.ts'

const ACTION = readFileSync('action.yml', 'utf8')
const DOC = readFileSync('docs/lint.md', 'utf8')
const PAGE = readFileSync('docs/pipelines.md', 'utf8')
const {
  name: PACKAGE,
  version: VERSION,
  bin,
  scripts: SCRIPTS,
} = JSON.parse(readFileSync('package.json', 'utf8'))
const folder = temporary('pipelines')
const RLP = resolve(bin.rlp)
/** The `rlp` that asks this process. */
const HERE = folder('here')
putRlpHere(HERE)
/** The program in a line of shell: by day this process answers its calls, and `.ci/run` starts it. */
const PROGRAM = IN_CI ? `'${process.execPath}' '${RLP}'` : `'${join(HERE, 'rlp')}'`

/** The address of a release's tarball, below the repository that package.json names. */
function releaseOf(version: string): string {
  const { url } = JSON.parse(readFileSync('package.json', 'utf8')).repository
  const page = `${url.replace(/^git\+/, '').replace(/\.git$/, '')}/releases`
  return `${page}/download/v${version}/${PACKAGE}-${version}.tgz`
}

/** The steps of the action, as text, by name. */
const STEPS = new Map(
  ACTION.slice(ACTION.indexOf('  steps:'))
    .split(/^ {4}- name: /m)
    .slice(1)
    .map(step => [step.slice(0, step.indexOf('\n')), step]),
)

/** The script of a step, without its indentation. */
function scriptOf(step: string): string {
  const [, body = ''] = /^ {6}run: \|\n((?: {8}.*\n|\n)*)/m.exec(`${STEPS.get(step)}\n`) ?? []
  assert.notEqual(body, '', `${step} has no script`)
  return body.replace(/^ {8}/gm, '')
}

describe('action.yml', () => {
  test('pins the version that is in package.json', () => {
    assert.ok(
      ACTION.includes(
        `    description: The version of rlp-bundle to run, exactly\n    default: ${VERSION}\n`,
      ),
    )
    assert.ok(scriptOf('Install rlp').includes(`/v$RLP_VERSION/${PACKAGE}-$RLP_VERSION.tgz"`))
    for (const step of ['Lint', 'Verify', 'Summary'])
      assert.ok(scriptOf(step).includes(`$RUNNER_TEMP/rlp/node_modules/${PACKAGE}/${bin.rlp}`))
  })

  test('declares every input it reads, and reads every input it declares', () => {
    const inputs = ACTION.slice(ACTION.indexOf('\ninputs:'), ACTION.indexOf('\noutputs:'))
    const declared = [...inputs.matchAll(/^ {2}([a-z-]+):$/gm)].map(([, name]) => name)
    const read = new Set([...ACTION.matchAll(/\binputs\.([a-z-]+)/g)].map(([, name]) => name))
    assert.deepEqual([...read].sort(), [...declared].sort())
  })

  test('lets no input into a script but through the environment', () => {
    for (const name of STEPS.keys()) {
      const step = STEPS.get(name) ?? ''
      if (step.includes('run: |')) assert.doesNotMatch(scriptOf(name), /\$\{\{/)
    }
    assert.ok(STEPS.size >= 5)
  })

  test('takes names of outputs from steps that write them', () => {
    for (const [, step, output] of ACTION.matchAll(/steps\.([a-z]+)\.outputs\.([a-z-]+)/g)) {
      const owner = [...STEPS.values()].find(text => text.includes(`\n      id: ${step}\n`))
      assert.ok(owner?.includes(`${output}=`), `${step}.${output}`)
    }
  })
})

describe('the action’s scripts', {
  skip: LATE || (spawnSync('bash', ['--version']).status !== 0 && 'there is no bash'),
}, () => {
  const sarif = (exitCode: number, executionSuccessful = true) =>
    JSON.stringify({
      version: '2.1.0',
      runs: [
        {
          tool: { driver: { name: 'rlp agent lint' } },
          invocations: [{ executionSuccessful, exitCode }],
          results: [],
        },
      ],
    })
  const judged = (...verdicts: string[]) =>
    JSON.stringify({
      ok: true,
      tool: 'agent.verify',
      result: {
        passed: true,
        bundles: verdicts.map(verdict => ({ verdict })),
        summary: { bundles: verdicts.length },
      },
    })

  /**
   * Runs a step as the runner does. In the place of `node rlp.cjs` a shell writes down what rlp is asked for, and ends with
   * `exits[<command>]`: it starts in a tenth of the time. Everything else that a step asks Node for, Node does.
   */
  function runStep(
    step: string,
    env: Record<string, string>,
    exits: Record<string, number> = {},
    answers: { sarif?: string; json?: string } = {},
    prepare: (root: string) => void = () => {},
  ) {
    const root = folder(step)
    writeFileSync(join(root, 'sarif'), answers.sarif ?? sarif(exits['lint'] ?? 0))
    writeFileSync(join(root, 'json'), answers.json ?? judged('trusted'))
    const dist = join(root, 'temp/rlp/node_modules', PACKAGE, bin.rlp)
    mkdirSync(join(dist, '..'), { recursive: true })
    writeFileSync(dist, '')
    mkdirSync(join(root, 'bin'))
    const ends = Object.entries(exits).map(([command, exit]) => `${command}) exit=${exit} ;;`)
    const node = `#!/bin/sh
[ "$1" = '${dist}' ] || exec '${process.execPath}' "$@"
shift
printf '%s\\0' "$@" >> '${join(root, 'calls')}'
printf '\\n' >> '${join(root, 'calls')}'
exit=0
case "$2" in ${ends.join(' ')} esac
case "$* " in
  *'--format sarif '*) cat '${join(root, 'sarif')}' ;;
  *'--json '*) cat '${join(root, 'json')}' ;;
  *) [ $exit = 2 ] || echo report ;;
esac
exit $exit
`
    writeFileSync(join(root, 'bin/node'), node, { mode: 0o755 })
    writeFileSync(join(root, 'script'), scriptOf(step))
    writeFileSync(join(root, 'output'), '')
    mkdirSync(join(root, 'checkout'))
    prepare(root)
    const { status, stdout, stderr } = spawnSync(
      'bash',
      ['--noprofile', '--norc', '-e', '-o', 'pipefail', join(root, 'script')],
      {
        cwd: join(root, 'checkout'),
        encoding: 'utf8',
        env: {
          PATH: `${join(root, 'bin')}:${process.env['PATH']}`,
          RUNNER_TEMP: join(root, 'temp'),
          GITHUB_OUTPUT: join(root, 'output'),
          GITHUB_ACTION_PATH: resolve('.'),
          GITHUB_WORKSPACE: join(root, 'checkout'),
          ...env,
        },
      },
    )
    const calls = existsSync(join(root, 'calls'))
      ? readFileSync(join(root, 'calls'), 'utf8').split('\0\n').slice(0, -1)
      : []
    return {
      root,
      status,
      stdout,
      stderr,
      calls: calls.map(call => call.split('\0')),
      output: readFileSync(join(root, 'output'), 'utf8'),
    }
  }

  const LINT = {
    RLP_PATHS: '',
    RLP_BUNDLES: '',
    RLP_STRICT: 'false',
    RLP_MAX_WARNINGS: '',
    RLP_RULES: '',
    RLP_SARIF: 'out.sarif',
  }
  const VERIFY = {
    GITHUB_EVENT_NAME: 'push',
    RLP_BUNDLES: 'dist',
    RLP_EXPECT: '',
    RLP_TRUST_POLICY: '',
    RLP_LOCK: '',
    RLP_ALLOW_UNSIGNED: 'false',
  }

  test('lint twice, once into a file and once for annotations, and hand the exit code on', () => {
    const { status, calls, output, root, stderr } = runStep('Lint', LINT, { lint: 1 })
    assert.deepEqual([status, stderr], [0, ''])
    assert.deepEqual(calls, [
      ['agent', 'lint', '--quiet', '--format', 'sarif', '--'],
      ['agent', 'lint', '--format', 'github', '--'],
    ])
    assert.match(output, /^report=\S+\/temp\/rlp-lint-\S+\/lint\.sarif\nexit-code=1\n$/)
    assert.equal(readFileSync(join(root, 'checkout/out.sarif'), 'utf8'), sarif(1))
  })

  test('keep every word of an input one argument, and none of them a command', () => {
    const env = {
      ...LINT,
      RLP_PATHS: 'agents/a b\n\n--fix\n$(touch evil)\n`touch evil`; touch evil\n',
      RLP_STRICT: 'true',
      RLP_MAX_WARNINGS: '3',
      RLP_RULES: 'caps/*=warn\nwasm/stub=off\n',
    }
    const { root, calls, status } = runStep('Lint', env)
    assert.equal(status, 0)
    const [first] = calls
    assert.deepEqual(first?.slice(5), [
      '--strict',
      '--max-warnings=3',
      '--rule=caps/*=warn',
      '--rule=wasm/stub=off',
      '--',
      'agents/a b',
      '--fix',
      '$(touch evil)',
      '`touch evil`; touch evil',
    ])
    assert.ok(!existsSync(join(root, 'checkout/evil')))
    const { fix, strict, maxWarnings, path } = parse(lint, first?.slice(2) ?? [])
    assert.deepEqual([fix, strict, maxWarnings, path?.length], [false, true, 3, 4])
  })

  test('do not offer a report that is not there', () => {
    assert.equal(runStep('Lint', LINT, { lint: 2 }, { sarif: '' }).output, 'exit-code=2\n')
  })

  test('verify the bundles, with what was asked for', () => {
    const { calls, output, status } = runStep(
      'Verify',
      { ...VERIFY, RLP_EXPECT: 'mailer', RLP_TRUST_POLICY: 'policy.toml', RLP_ALLOW_UNSIGNED: 'true' },
      { verify: 3 },
    )
    assert.equal(status, 0)
    assert.match(output, /^answer=\S+\/verify\.json\nexit-code=3\n$/)
    const asked = ['--expect=mailer', '--trust-policy=policy.toml', '--allow-unsigned', '--', 'dist']
    assert.deepEqual(calls, [
      ['agent', 'verify', '--json', ...asked],
      ['agent', 'verify', ...asked],
    ])
    const args = parse(verify, calls[1]?.slice(2) ?? [])
    assert.deepEqual([args.expect, args.allowUnsigned], ['mailer', true])
    assert.deepEqual(runStep('Verify', VERIFY).calls[1], ['agent', 'verify', '--', 'dist'])
  })

  test('verify against a lock', () => {
    const { calls } = runStep('Verify', { ...VERIFY, RLP_LOCK: 'deploy/rlp.lock' })
    assert.deepEqual(calls[1], ['agent', 'verify', '--lock=deploy/rlp.lock', '--', 'dist'])
    assert.deepEqual(parse(verify, calls[1]?.slice(2) ?? []).lock, ['deploy/rlp.lock'])
  })

  describe('on a pull request, what the change is judged by must not come from it', () => {
    const base = folder('base')
    const checkout = folder('checkout')
    for (const place of [base, checkout]) writeFileSync(join(place, 'file'), '')
    symlinkSync(join(base, 'file'), join(checkout, 'link-out'))
    symlinkSync(base, join(checkout, 'folder-out'))
    symlinkSync(join(checkout, 'file'), join(base, 'link-in'))
    symlinkSync(checkout, join(base, 'workspace'))
    const PULL = { ...VERIFY, GITHUB_EVENT_NAME: 'pull_request', GITHUB_WORKSPACE: checkout }

    test('from the base it may come', () => {
      const env = { ...PULL, RLP_TRUST_POLICY: join(base, 'file'), RLP_LOCK: join(base, 'file') }
      const { status, calls } = runStep('Verify', env)
      assert.deepEqual([status, calls.length], [0, 2])
    })

    const fromCheckout: readonly (readonly [string, string, string])[] = [
      ['a policy', 'RLP_TRUST_POLICY', join(checkout, 'file')],
      ['a lock', 'RLP_LOCK', join(checkout, 'file')],
      ['a file that is not there', 'RLP_LOCK', join(checkout, 'gone')],
      ['a link to another file', 'RLP_TRUST_POLICY', join(checkout, 'link-out')],
      ['a file behind a link', 'RLP_LOCK', join(checkout, 'folder-out/file')],
      ['a link into it', 'RLP_TRUST_POLICY', join(base, 'link-in')],
      ['its folder by another name', 'RLP_LOCK', join(base, 'workspace/file')],
      [
        'a way around',
        'RLP_TRUST_POLICY',
        join(base, '..', checkout.slice(checkout.lastIndexOf('/') + 1), 'file'),
      ],
      ['the checkout itself', 'RLP_LOCK', checkout],
    ]
    for (const [what, name, file] of slice(fromCheckout, 5)) {
      test(`${what} from the checkout is refused`, () => {
        const { status, calls, stdout } = runStep('Verify', { ...PULL, [name]: file })
        assert.deepEqual([status, calls], [2, []])
        assert.match(stdout, /^::error title=rlp::trust-policy and lock must not come from the checkout/)
      })
    }

    test('a name that looks like an option is a name', () => {
      const { status, calls } = runStep('Verify', { ...PULL, RLP_LOCK: '--eval' })
      assert.deepEqual([status, calls[1]], [0, ['agent', 'verify', '--lock=--eval', '--', 'dist']])
    })

    test('where the checkout is not told, nothing is known to be outside of it', () => {
      const { status, calls } = runStep('Verify', {
        ...PULL,
        RLP_LOCK: join(base, 'file'),
        GITHUB_WORKSPACE: '',
      })
      assert.deepEqual([status, calls], [2, []])
    })

    const events = ['pull_request_target', 'pull_request_review', 'issue_comment', 'workflow_run', '']
    for (const event of slice(events, 3)) {
      test(`on ${event || 'an event that is not told'}`, () => {
        const env = { ...PULL, GITHUB_EVENT_NAME: event, RLP_LOCK: join(checkout, 'file') }
        assert.equal(runStep('Verify', env).status, 2)
      })
    }

    test('on a push the checkout was reviewed', () => {
      const env = { ...PULL, GITHUB_EVENT_NAME: 'push', RLP_LOCK: join(checkout, 'file') }
      assert.equal(runStep('Verify', env).status, 0)
    })
  })

  describe('write a page about each bundle into the summary, whatever verify said', () => {
    const ASK = ['agent', 'inspect', '--format', 'markdown', '--trust-policy=policy.toml']
    const summaryOf = (targets: unknown, exits: Record<string, number> = {}) => {
      const place = folder('summary')
      const [summary, file] = [join(place, 'summary'), join(place, 'answer')]
      writeFileSync(
        file,
        typeof targets === 'string' ? targets : JSON.stringify({ result: { bundles: targets } }),
      )
      const env = {
        RLP_ANSWER: file,
        RLP_TRUST_POLICY: 'policy.toml',
        RLP_AGAINST: 'old',
        GITHUB_STEP_SUMMARY: summary,
      }
      const ran = runStep('Summary', env, exits)
      assert.equal(ran.status, 0, ran.stderr)
      return { ...ran, text: existsSync(summary) ? readFileSync(summary, 'utf8') : '' }
    }

    test('those of folders, which verify has found', () => {
      const { calls, text } = summaryOf([{ target: 'dist/a' }, { target: 'dist/b c' }], { inspect: 1 })
      assert.deepEqual(calls, [
        [...ASK, '--against=old', '--', 'dist/a'],
        [...ASK, '--against=old', '--', 'dist/b c'],
      ])
      assert.equal(text, 'report\nreport\n')
      assert.equal(parse(inspect, calls[0]?.slice(2) ?? [])['against'], 'old')
    })

    test('one that cannot be compared is shown alone', () => {
      const { calls, text } = summaryOf([{ target: 'other' }], { inspect: 2 })
      assert.deepEqual(
        [calls, text],
        [
          [
            [...ASK, '--against=old', '--', 'other'],
            [...ASK, '--', 'other'],
          ],
          '',
        ],
      )
    })

    test('a name is one argument, and no answer is no page', () => {
      const { calls } = summaryOf([{ target: '--html' }, { target: 'a\n$(touch evil)' }, { target: 1 }, null])
      assert.deepEqual(
        calls.map(call => call.at(-1)),
        ['--html', 'a\n$(touch evil)'],
      )
      for (const answer of slice(['', 'null', '{}'], 3)) assert.deepEqual(summaryOf(answer).calls, [])
    })

    test('of many the first fifty, and how many more there are', () => {
      const many = Array.from({ length: 53 }, (_, at) => ({ target: `b${at}` }))
      const { calls, text } = summaryOf(many)
      assert.equal(calls.length, 50)
      assert.match(text, /report\n\nBundles without a page here: 3\.\n$/)
    })
  })

  describe('lint nothing where there are no agents, and bundles are named', () => {
    const bundles = { ...LINT, RLP_BUNDLES: 'dist' }
    test('a repository of bundles', () => {
      const { status, calls, output, stdout } = runStep('Lint', bundles)
      assert.deepEqual([status, calls, output], [0, [], 'nothing=true\n'])
      assert.equal(stdout, 'There are no agents: nothing to lint.\n')
    })
    const places: readonly (readonly [string, (checkout: string) => void])[] = [
      ['a folder of agents', checkout => mkdirSync(join(checkout, 'agents'))],
      ['a link to one', checkout => symlinkSync('gone', join(checkout, 'agents'))],
      ['an agent', checkout => writeFileSync(join(checkout, 'manifest.toml'), '')],
    ]
    for (const [what, put] of slice(places, 3)) {
      test(`${what} is linted`, () => {
        const { calls } = runStep('Lint', bundles, {}, {}, root => put(join(root, 'checkout')))
        assert.equal(calls.length, 2)
      })
    }
    test('paths that are named are linted, and so is everything where no bundle is named', () => {
      assert.equal(runStep('Lint', { ...bundles, RLP_PATHS: 'x' }).calls.length, 2)
      assert.equal(runStep('Lint', LINT).calls.length, 2)
    })
    test('and then the bundles alone decide', () => {
      const ends = (env: Record<string, string>) =>
        runStep('Result', { RLP_LINT: '', RLP_NOTHING: 'true', RLP_BUNDLES: 'dist', ...env }).status
      assert.equal(ends({ RLP_VERIFY: '0' }), 0)
      assert.equal(ends({ RLP_VERIFY: '1' }), 1)
      assert.equal(ends({ RLP_VERIFY: '' }), 3)
      assert.equal(ends({ RLP_VERIFY: '0', RLP_BUNDLES: '' }), 3)
      assert.equal(ends({ RLP_VERIFY: '0', RLP_LINT: '1' }), 1)
    })
  })

  const ends = [
    ['0', '0', 0],
    ['0', '', 0],
    ['0', '4', 4],
    ['1', '0', 1],
    ['2', '1', 2],
  ] as const
  for (const [lintCode, verifyCode, exit] of slice(ends, 2)) {
    test(`end with ${exit} after ${lintCode} and ${verifyCode || 'nothing'}`, () => {
      const env = { RLP_LINT: lintCode, RLP_VERIFY: verifyCode, RLP_BUNDLES: verifyCode && 'dist' }
      assert.equal(runStep('Result', env).status, exit)
    })
  }

  const unsure = [
    ['', '0'],
    ['0', '256'],
    ['0\n0', '0'],
    ['0', ''],
    ['00', '0'],
    ['0', 'x'],
  ] as const
  for (const [lintCode, verifyCode] of slice(unsure, 3)) {
    test(`do not pass after ${JSON.stringify([lintCode, verifyCode])}`, () => {
      const env = { RLP_LINT: lintCode, RLP_VERIFY: verifyCode, RLP_BUNDLES: 'dist' }
      assert.equal(runStep('Result', env).status, 3)
    })
  }

  describe('take only a positive answer of the program for a pass', () => {
    test('a sound one', () => {
      assert.match(runStep('Lint', LINT).output, /\nexit-code=0\n$/)
      assert.match(runStep('Verify', VERIFY).output, /\nexit-code=0\n$/)
      const env = { ...VERIFY, RLP_ALLOW_UNSIGNED: 'true' }
      assert.match(runStep('Verify', env, {}, { json: judged('unsigned') }).output, /\nexit-code=0\n$/)
    })

    const ofLint: readonly (readonly [string, string])[] = [
      ['nothing', ''],
      ['garbage', 'garbage'],
      ['null', 'null'],
      ['another tool', sarif(0).replace('rlp agent lint', 'other')],
      ['another code', sarif(1)],
      ['a run that failed', sarif(0, false)],
      ['no run', '{"version":"2.1.0","runs":[]}'],
    ]
    for (const [what, answer] of slice(ofLint, 6)) {
      test(`lint: ${what}`, () => {
        assert.equal(runStep('Lint', LINT, {}, { sarif: answer }).output, 'exit-code=3\n')
      })
    }

    const ofVerify: readonly (readonly [string, string])[] = [
      ['nothing', ''],
      ['garbage', 'garbage'],
      ['null', 'null'],
      ['another tool', judged('trusted').replace('agent.verify', 'agent.lint')],
      ['no pass', judged('trusted').replace('"passed":true', '"passed":false')],
      ['not ok', judged('trusted').replace('"ok":true', '"ok":false')],
      ['no bundle', judged()],
      ['another count', judged('trusted').replace('{"bundles":1}', '{"bundles":2}')],
      ['an unsigned bundle', judged('unsigned')],
      ['one that is not trusted', judged('trusted', 'untrusted')],
    ]
    for (const [what, answer] of slice(ofVerify, 6)) {
      test(`verify: ${what}`, () => {
        assert.match(runStep('Verify', VERIFY, {}, { json: answer }).output, /\nexit-code=3\n$/)
      })
    }

    test('verify: fewer than were named', () => {
      assert.match(runStep('Verify', { ...VERIFY, RLP_BUNDLES: 'a\nb' }).output, /\nexit-code=3\n$/)
    })
  })

  describe('write the report into a checkout through no link', () => {
    const write = (path: string, prepare: (root: string) => void) =>
      runStep('Lint', { ...LINT, RLP_SARIF: path }, {}, {}, prepare)

    test('into a folder, and over a regular file', () => {
      const { root, status } = write('out/it.sarif', root => {
        mkdirSync(join(root, 'checkout/out'))
        writeFileSync(join(root, 'checkout/out/it.sarif'), 'old')
      })
      assert.equal(status, 0)
      assert.equal(readFileSync(join(root, 'checkout/out/it.sarif'), 'utf8'), sarif(0))
      assert.deepEqual(readdirSync(join(root, 'checkout/out')), ['it.sarif'])
    })

    const hostile: readonly (readonly [string, string, (root: string) => void])[] = [
      [
        'a link to the program',
        'x',
        root => symlinkSync(join(root, 'temp/rlp/node_modules', PACKAGE, bin.rlp), join(root, 'checkout/x')),
      ],
      ['a link to nothing', 'x', root => symlinkSync(join(root, 'gone'), join(root, 'checkout/x'))],
      ['a FIFO', 'x', root => execFileSync('mkfifo', [join(root, 'checkout/x')])],
      ['a folder', 'x', root => mkdirSync(join(root, 'checkout/x'))],
      ['a linked parent', 'x/y', root => symlinkSync(join(root, 'temp'), join(root, 'checkout/x'))],
      [
        'a linked parent of a parent',
        'x/rlp/y',
        root => symlinkSync(join(root, 'temp'), join(root, 'checkout/x')),
      ],
      ['the checkout itself', '.', () => {}],
    ]
    for (const [what, path, prepare] of slice(hostile, 5)) {
      test(`${what} is refused`, () => {
        const { root, status, stdout } = write(path, prepare)
        assert.equal(status, 3, stdout)
        assert.match(stdout, /^::error title=rlp::Cannot write sarif-file/m)
        assert.equal(readFileSync(join(root, 'temp/rlp/node_modules', PACKAGE, bin.rlp), 'utf8'), '')
        for (const gone of ['gone', 'temp/y', 'temp/rlp/y']) assert.ok(!existsSync(join(root, gone)))
        if (path === 'x' && what !== 'a folder') assert.ok(!lstatSync(join(root, 'checkout/x')).isFile())
      })
    }
  })

  describe('install by integrity', () => {
    const archive = join(folder('package'), 'package.tgz')
    writeFileSync(archive, 'the package')
    const integrity = `sha512-${hash('sha512', 'the package', 'base64')}`
    const install = (env: Record<string, string>) => {
      const bin = folder('npm')
      writeFileSync(join(bin, 'npm'), `#!/bin/sh\necho "$@" >> '${bin}/asked'\n`, { mode: 0o755 })
      const curl = `#!/bin/sh\necho curl "$@" >> '${bin}/asked'\ncp '${archive}' rlp.tgz\n`
      writeFileSync(join(bin, 'curl'), curl, { mode: 0o755 })
      const path = `${bin}:${process.env['PATH']}`
      const { status, stdout } = runStep('Install rlp', { RLP_VERSION: VERSION, PATH: path, ...env })
      const asked = existsSync(join(bin, 'asked'))
        ? readFileSync(join(bin, 'asked'), 'utf8').trim().split('\n')
        : []
      return { status, stdout, asked: asked.map(line => line.replace(/--prefix \S+ /, '')) }
    }
    const NOT_EXACT: readonly (readonly string[])[] = [
      ['latest', '', 'file:../x', '^0.1.0', '~0.1.0', '>=0.1.0', '0', '0.1', '0.1.x', '0.x', '*', 'v0.1.0'],
      ['0.1.0 - 99.9.9', '0.1.0 || 2', '0.1.0 2.0.0', ' 0.1.0', '0.1.0 ', '0.1.0\n', '0.1.0\n9', '01.1.0'],
      ['0.1.0 --registry=https://evil.example', '0.1.0-', '0.1.0+', '0.1.0,1', '0.1.0@latest', '٠.١.٠'],
    ]
    const fetched = (version: string) => `curl -fsSL --proto =https -o rlp.tgz ${releaseOf(version)}`
    const INSTALLED = 'install --ignore-scripts --no-audit --no-fund --omit=optional ./rlp.tgz'

    const exact = ['0.1.0', '10.20.30', '1.0.0-rc.1', '1.0.0-99.9.9', '1.0.0+build.7', VERSION]
    for (const version of slice(exact, 6))
      test(`exactly the version ${version} of the release page`, () => {
        const { status, asked } = install({ RLP_INTEGRITY: integrity, RLP_VERSION: version })
        assert.deepEqual([status, asked], [0, [fetched(version), INSTALLED]])
      })

    for (const version of NOT_EXACT.flatMap(kind => slice(kind, 6)))
      test(`nothing for the version ${JSON.stringify(version)}`, () => {
        const { status, asked } = install({ RLP_INTEGRITY: integrity, RLP_VERSION: version })
        assert.deepEqual([status, asked], [2, []])
      })

    test('the tarball of the release page, never without its integrity', () => {
      const right = install({ RLP_INTEGRITY: integrity })
      assert.deepEqual([right.status, right.asked], [0, [fetched(VERSION), INSTALLED]])
      const unpinned = install({})
      assert.deepEqual([unpinned.status, unpinned.asked], [2, []])
      assert.match(unpinned.stdout, /^::error title=rlp::integrity is missing/)
      const wrongs = [integrity.replace('sha512-', 'sha512-A'), integrity.slice(0, -1), 'sha512-', 'x']
      for (const wrong of slice(wrongs, 4)) {
        const { status, asked, stdout } = install({ RLP_INTEGRITY: wrong })
        assert.deepEqual([status, asked.length], [3, 1], wrong)
        assert.match(stdout, /^::error title=rlp::Cannot install rlp: the package has sha512-/)
      }
    })

    test('a file in its place, never without its integrity', () => {
      const right = install({ RLP_PACKAGE: archive, RLP_INTEGRITY: integrity })
      assert.deepEqual([right.status, right.asked], [0, [INSTALLED]])
      const other = join(folder('package'), 'other.tgz')
      writeFileSync(other, 'another package')
      const refused = install({ RLP_PACKAGE: other, RLP_INTEGRITY: integrity })
      assert.deepEqual([refused.status, refused.asked], [3, []])
      const unpinned = install({ RLP_PACKAGE: archive })
      assert.deepEqual([unpinned.status, unpinned.asked], [2, []])
    })
  })
})

describe('the action on the repository of bundles that docs/pipelines.md describes', {
  skip: LATE || (spawnSync('bash', ['--version']).status !== 0 && 'there is no bash'),
}, () => {
  /** All steps in their order, with the program that was built. */
  async function act(prepare: (checkout: string) => void = () => {}) {
    const root = folder('whole')
    const [checkout, temp, home] = ['checkout', 'temp', 'home'].map(part => join(root, part)) as [
      string,
      string,
      string,
    ]
    for (const place of [join(checkout, 'deploy'), join(checkout, 'dist/more'), home, join(root, 'bin')])
      mkdirSync(place, { recursive: true })
    const program = join(temp, 'rlp/node_modules', PACKAGE, bin.rlp)
    mkdirSync(join(program, '..'), { recursive: true })
    writeFileSync(program, `require(${JSON.stringify(RLP)})\n`)
    writeFileSync(join(root, 'bin/npm'), '#!/bin/sh\n', { mode: 0o755 })
    writeFileSync(join(root, 'bin/curl'), `#!/bin/sh\nprintf 'the package' > rlp.tgz\n`, { mode: 0o755 })
    if (!IN_CI) {
      // A script hands its list of names on as standard input, which only the program leaves alone.
      const node = `#!/bin/sh\n[ "$1" = '${program}' ] || exec '${process.execPath}' "$@"\nshift\nexec ${PROGRAM} "$@" </dev/null\n`
      writeFileSync(join(root, 'bin/node'), node, { mode: 0o755 })
    }
    writeFileSync(join(checkout, 'deploy/trust-policy.toml'), policyText())
    const put = (place: string, name: string, ...signers: (typeof RELEASE)[]) =>
      writeFileSync(
        join(checkout, place, `${name}-0.1.0.agent.bundle`),
        made({ name, version: '0.1.0' }, ...signers),
      )
    put('dist', 'mailer', RELEASE)
    put('dist/more', 'other', OTHER)
    const env: Record<string, string> = {
      PATH: `${join(root, 'bin')}:${process.env['PATH']}`,
      HOME: home,
      NO_COLOR: '1',
      RUNNER_TEMP: temp,
      GITHUB_WORKSPACE: checkout,
      GITHUB_ACTION_PATH: resolve('.'),
      GITHUB_EVENT_NAME: 'push',
      GITHUB_STEP_SUMMARY: join(root, 'summary'),
      RLP_HERE: HERE,
    }
    const locking = ['lock', 'add', 'dist', '--lock', 'deploy/rlp.lock']
    const policy = ['--trust-policy', 'deploy/trust-policy.toml']
    const locked = await bash(`${PROGRAM} ${[...locking, ...policy].join(' ')}`, checkout, env)
    assert.equal(locked.status, 0, locked.out)
    // As the page does before the action.
    const [, copying = ''] = /^ {2}- run: (install .*)$/m.exec(PAGE) ?? []
    execFileSync('bash', ['-c', copying], { cwd: checkout, env })
    prepare(checkout)
    const inputs: Record<string, string> = {
      bundles: 'dist',
      lock: join(temp, 'deploy/rlp.lock'),
      'trust-policy': join(temp, 'deploy/trust-policy.toml'),
      summary: 'true',
      strict: 'false',
      'allow-unsigned': 'false',
      'sarif-file': 'x.sarif',
      version: VERSION,
      integrity: `sha512-${hash('sha512', 'the package', 'base64')}`,
    }
    const outputs: Record<string, Record<string, string>> = {}
    const value = (expression: string) => {
      const [, id = '', name = ''] = /^steps\.([a-z]+)\.outputs\.([a-z-]+)$/.exec(expression) ?? []
      return id === '' ? (inputs[expression.replace('inputs.', '')] ?? '') : (outputs[id]?.[name] ?? '')
    }
    const out: Record<string, string> = {}
    let status: number | null = 0
    for (const [name, step] of STEPS) {
      if (!step.includes('run: |')) continue
      const given = [...step.matchAll(/^ {8}(RLP_[A-Z_]+): \$\{\{ (\S+) \}\}$/gm)]
      const output = join(root, `output-${name}`)
      writeFileSync(output, '')
      const ran = await bash(scriptOf(name), checkout, {
        ...env,
        GITHUB_OUTPUT: output,
        ...Object.fromEntries(given.map(([, key = '', text = '']) => [key, value(text)])),
      })
      const [, id = ''] = /^ {6}id: (.*)$/m.exec(step) ?? []
      outputs[id] = Object.fromEntries(
        readFileSync(output, 'utf8')
          .split('\n')
          .filter(Boolean)
          .map(line => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
      )
      out[name] = ran.out
      status = ran.status
      if (status !== 0) break
    }
    const summary = existsSync(join(root, 'summary')) ? readFileSync(join(root, 'summary'), 'utf8') : ''
    return { root, checkout, status, out, summary }
  }

  test('passes, without agents, with a page about each bundle of the folder, and writes through no link of the checkout', async () => {
    const victim = join(folder('victim'), 'file')
    writeFileSync(victim, 'as it was')
    const links = ['dist.sarif', 'rlp.tgz', 'x.sarif']
    const { status, out, summary, checkout } = await act(checkout => {
      for (const name of links) symlinkSync(victim, join(checkout, name))
    })
    assert.equal(status, 0, JSON.stringify(out))
    assert.match(out['Lint'] ?? '', /^There are no agents: nothing to lint\.$/m)
    assert.deepEqual(summary.match(/^# .*/gm), ['# `mailer 0.1.0`', '# `other 0.1.0`'])
    assert.deepEqual(readdirSync(checkout).sort(), ['deploy', 'dist', ...links])
    for (const name of links) assert.ok(lstatSync(join(checkout, name)).isSymbolicLink(), name)
    assert.equal(readFileSync(victim, 'utf8'), 'as it was')
  })

  test('fails for a bundle that is not as locked, and shows it', async () => {
    const { status, out, summary } = await act(checkout =>
      writeFileSync(
        join(checkout, 'dist/mailer-0.1.0.agent.bundle'),
        made({ name: 'mailer', version: '0.1.0', caps: 'time = true\n' }, RELEASE),
      ),
    )
    assert.equal(status, 1, JSON.stringify(out))
    assert.equal(summary.match(/^# /gm)?.length, 2)
  })
})

describe('docs/pipelines.md for GitLab, run line by line', {
  skip: LATE || (spawnSync('git', ['--version']).status !== 0 && 'there is no git'),
}, () => {
  const [, yaml = ''] = /### On GitLab\n[\s\S]*?```yaml\n([\s\S]*?)```/.exec(PAGE) ?? []

  /** The commands of a list in a job: of a line, or of a block. */
  function linesOf(job: string, list: string): string[] {
    const [, body = ''] = new RegExp(`^${job}:\\n((?: .*\\n|\\n)*)`, 'm').exec(`${yaml}\n`) ?? []
    const [, lines = ''] = new RegExp(`^ {2}${list}:\\n((?: {4}- .*\\n| {6}.*\\n)*)`, 'm').exec(body) ?? []
    return lines
      .split(/^ {4}- /m)
      .slice(1)
      .map(text => text.replace(/^\|\n/, '').replace(/^ {6}/gm, '').trimEnd())
  }

  /** A repository whose first commit is locked, and a clone of it, as a runner has one. */
  async function project() {
    const root = folder('gitlab')
    const [origin, home, path, clone] = ['origin', 'home', 'path', 'clone'].map(part => join(root, part)) as [
      string,
      string,
      string,
      string,
    ]
    for (const place of [origin, home, path, join(origin, 'dist'), join(origin, 'deploy')]) mkdirSync(place)
    // Instead of the release page: the program that was built.
    const rlp = `#!/bin/sh\\nexec ${PROGRAM} "$@"\\n`
    const npm = `#!/bin/sh
case "$*" in *' --omit=optional ./rlp.tgz') ;; *) exit 9 ;; esac
[ "$2" = --prefix ] && [ "$3" = "$PWD" ] && [ "$(ls -A)" = rlp.tgz ] || exit 8
mkdir -p node_modules/.bin
printf '${rlp.replaceAll("'", `'"'"'`)}' > node_modules/.bin/rlp
chmod +x node_modules/.bin/rlp
`
    writeFileSync(join(path, 'npm'), npm, { mode: 0o755 })
    const curl = `#!/bin/sh\n[ "$6" = '${releaseOf(VERSION)}' ] && printf 'the package' > "$5"\n`
    writeFileSync(join(path, 'curl'), curl, { mode: 0o755 })
    writeFileSync(join(root, 'policy'), policyText(), { mode: 0o666 })
    const env = {
      PATH: `${path}:${process.env['PATH']}`,
      HOME: home,
      RLP_TRUST_POLICY: join(root, 'policy'),
      RLP_INTEGRITY: `sha512-${hash('sha512', 'the package', 'base64')}`,
      GIT_CONFIG_NOSYSTEM: '1',
      NO_COLOR: '1',
      RLP_HERE: HERE,
    }
    const shell = (cwd: string, ...lines: string[]) => bash(lines.join('\n'), cwd, env)
    const setUp = async (cwd: string, ...lines: string[]) => {
      const { status, out } = await shell(cwd, ...lines)
      assert.equal(status, 0, out)
      return out.trim()
    }
    const commit = 'git add -A; git -c user.name=x -c user.email=x@example.org commit -qm x'
    writeFileSync(
      join(origin, 'dist/mailer-0.1.0.agent.bundle'),
      made({ name: 'mailer', version: '0.1.0' }, RELEASE),
    )
    await setUp(
      origin,
      ...linesOf('default', 'before_script').slice(0, 7),
      '"$work/node_modules/.bin/rlp" lock add dist --lock deploy/rlp.lock --name house',
      'git init -q',
      commit,
    )
    const base = await setUp(origin, 'git rev-parse HEAD')
    await setUp(root, `git clone -q 'file://${origin}' clone`)
    /** @param instead in the place of the program */
    const runJob = (job: string, instead?: string) =>
      shell(
        clone,
        `export CI_MERGE_REQUEST_DIFF_BASE_SHA=${base}`,
        ...linesOf('default', 'before_script'),
        ...(instead === undefined ? [] : [`printf '%s' '${instead}' > "$work/node_modules/.bin/rlp"`]),
        ...linesOf(job, 'script'),
      )
    return { root, clone, home, setUp, runJob, commit }
  }

  let shared: Awaited<ReturnType<typeof project>>
  before(async () => {
    shared = await project()
  })

  test('has the lines that are run here', () => {
    assert.deepEqual(
      [linesOf('default', 'before_script'), linesOf('review', 'script'), linesOf('deploy', 'script')].map(
        ({ length }) => length,
      ),
      [8, 3, 5],
    )
  })

  test('deploys what is locked, and stops what is not', async () => {
    const { clone, home, setUp, runJob, commit } = shared
    const { status, out } = await runJob('deploy')
    assert.equal(status, 0, out)
    assert.ok(existsSync(join(home, '.runloop/agents/mailer.agent.bundle')))
    writeFileSync(
      join(clone, 'dist/mailer-0.1.0.agent.bundle'),
      made({ name: 'mailer', version: '0.1.0', caps: 'time = true\n' }, RELEASE),
    )
    await setUp(clone, 'rm -r "$HOME/.runloop/agents"', commit)
    const stopped = await runJob('deploy')
    assert.deepEqual([stopped.status, existsSync(join(home, '.runloop/agents'))], [1, false], stopped.out)
    assert.match(stopped.out, /It has the capability time, which deploy\/rlp\.lock does not list/)
    await setUp(clone, 'git reset -q --hard HEAD~1')
  })

  test('lets a person look at a merge request that may do more, and at no other', async () => {
    const { clone, setUp, runJob } = shared
    await setUp(clone, 'git checkout -q dist')
    assert.equal((await runJob('review')).status, 0)
    await setUp(clone, 'rm dist/*')
    const put = (facts: { caps?: string }, ...signers: (typeof RELEASE)[]) =>
      writeFileSync(
        join(clone, 'dist/mailer-0.2.0.agent.bundle'),
        made({ name: 'mailer', version: '0.2.0', ...facts }, ...signers),
      )
    put({}, RELEASE)
    assert.equal((await runJob('review')).status, 0)
    put({ caps: 'time = true\n' }, RELEASE)
    const wider = await runJob('review')
    assert.equal(wider.status, 4, wider.out)
    // Compared with the bundle of the base, and not with the lock alone.
    assert.match(wider.out, /Unlike 0\.1\.0, mailer 0\.2\.0 may read the clock/)
    for (const signer of slice([STRANGER, OTHER], 2)) {
      put({}, signer)
      assert.equal((await runJob('review')).status, 1)
    }
  })

  test('takes only a positive answer of the program for a pass', async () => {
    const { setUp, clone, home, runJob } = shared
    await setUp(clone, 'rm -rf "$HOME/.runloop/agents"; git reset -q --hard; git clean -qfd')
    assert.equal((await runJob('review')).status, 0)
    assert.equal((await runJob('deploy')).status, 0)
    await setUp(clone, 'rm -r "$HOME/.runloop/agents"')
    const other = (text: string) => `#!/bin/sh\necho "${text.replaceAll('"', '\\"')}"\n`
    const programs = [
      '',
      other('garbage'),
      other('null'),
      other('{"ok":true,"tool":"agent.lint","result":{"passed":true}}'),
      other('{"ok":false,"tool":"lock.update","result":{"unchanged":[]}}'),
      other('{"ok":true,"tool":"lock.update","result":{}}'),
      other('{"ok":true,"tool":"lock.check","result":{"passed":false}}'),
    ]
    for (const program of slice(programs, 7))
      for (const job of ['review', 'deploy'])
        assert.equal((await runJob(job, program)).status, 3, `${job}: ${program}`)
    assert.ok(!existsSync(join(home, '.runloop/agents')))
  })

  test('writes through no link of a checkout, waits for nothing in it, and takes no name for an option', async () => {
    const { root, clone, setUp, runJob } = shared
    await setUp(clone, 'git reset -q --hard; git clean -qfd')
    const before = { mode: 0o666 }
    writeFileSync(join(root, 'victim'), 'as it was', before)
    chmodSync(join(root, 'victim'), 0o666)
    const hostile: readonly (readonly [string, number, ...string[]])[] = [
      [
        'links beside the lock',
        0,
        'ln -s ../../victim deploy/base.lock; ln -s ../../victim deploy/rlp.lock.lock',
      ],
      ['a link for the lock', 0, 'rm deploy/rlp.lock; ln -s ../../victim deploy/rlp.lock'],
      ['a link for its folder', 0, 'rm -r deploy; mkdir ../else; ln -s ../else deploy'],
      ['names of answers', 0, 'ln -s ../victim answer.json; ln -s ../victim work'],
      ['a file of npm', 0, 'echo registry=https://evil.example > .npmrc; ln -s ../victim package.json'],
      ['a link for a bundle', 1, 'ln -s ../../victim dist/x.agent.bundle'],
      ['a FIFO for a bundle', 3, 'mkfifo dist/x.agent.bundle'],
      ['a line break in a name', 1, 'printf x > "$(printf "dist/a\\n::error::b.agent.bundle")"'],
      ['a name like an option', 1, 'printf x > "dist/--allow-caps-change.agent.bundle"'],
      ['a name with spaces', 1, 'printf x > "dist/a --allow-caps-change b.agent.bundle"'],
    ]
    for (const [what, status, ...lines] of slice(hostile, 8)) {
      await setUp(clone, ...lines)
      const ran = await runJob('review')
      assert.equal(ran.status, status, `${what}: ${ran.out}`)
      assert.doesNotMatch(ran.out, /^::/m)
      assert.equal(readFileSync(join(root, 'victim'), 'utf8'), 'as it was', what)
      assert.equal(lstatSync(join(root, 'victim')).mode & 0o777, 0o666, what)
      await setUp(clone, 'rm -rf deploy dist', 'git reset -q --hard; git clean -qfdx', 'rm -rf ../else')
    }
  })
})

describe('the hooks', () => {
  const HOOKS = readFileSync('.pre-commit-hooks.yaml', 'utf8')
  // YAML folds the lines into one.
  const entries = [...HOOKS.matchAll(/^ {2}entry: >-\n((?: {4}.*\n)+)/gm)].map(([, lines = '']) =>
    lines.trim().replace(/\n */g, ' '),
  )

  /** Runs a hook as pre-commit does: the words of its entry, which no shell expands, and `args` of the user. */
  function runHook(entry: string, program: string, ...args: string[]) {
    const root = folder('hook')
    const asked = join(root, 'asked')
    writeFileSync(join(root, 'rlp'), program.replace('ASKED', asked), { mode: 0o755 })
    const words = readWords(entry)
    assert.ok('value' in words, JSON.stringify(words))
    const [command = '', ...rest] = words.value
    assert.equal(command, 'node')
    const { status, stderr } = spawnSync(process.execPath, [...rest, ...args], {
      cwd: root,
      encoding: 'utf8',
      env: { PATH: `${root}:${process.env['PATH']}` },
    })
    return { status, stderr, asked: existsSync(asked) ? readFileSync(asked, 'utf8').trim().split('\n') : [] }
  }

  test('pass only if rlp answers that it ran, and hand its exit code on', () => {
    const says = (answer: string, exit = 0) =>
      `#!/bin/sh\necho "$*" >> 'ASKED'\ncase "$*" in *--json*) echo '${answer}' ;; esac\nexit ${exit}\n`
    for (const [entry, tool] of [
      [entries[0] ?? '', 'agent.lint'],
      [entries[1] ?? '', 'agent.digest'],
    ] as const) {
      const good = `{"ok":true,"tool":"${tool}","result":{"agents":[{}]}}`
      const [command = ''] = /agent (?:lint|digest --check)$/.exec(entry) ?? []
      const passed = runHook(entry, says(good), '--strict', '--', 'a b')
      assert.equal(passed.status, 0, passed.stderr)
      const json = command.replace(/^agent [a-z]+/, '$& --json')
      assert.deepEqual(passed.asked, [`${command} --strict -- a b`, `${json} --strict -- a b`])
      assert.equal(runHook(entry, says(good, 1)).status, 1)
      const bad = [
        '',
        'garbage',
        'null',
        good.replace('true', 'false'),
        good.replace(tool, 'agent.list'),
        good.replace('{}', ''),
      ]
      for (const answer of slice([...bad, good.replace('"agents"', '"passed":false,"agents"')], 7)) {
        const { status, stderr } = runHook(entry, says(answer))
        assert.equal(status, 3, answer)
        assert.match(stderr, /^rlp: no answer/)
      }
      assert.equal(runHook(entry, '').status, 3)
    }
  })

  test('call commands that are there, with whole agents', () => {
    const commands = entries.map(entry => /" (agent .*)$/.exec(entry)?.[1])
    assert.deepEqual(commands, ['agent lint', 'agent digest --check'])
    const cwd = folder('agents')
    writeTree(join(cwd, 'agents/mini'), agentTree())
    for (const entry of entries) {
      const here = `#!/bin/sh\ncd '${cwd}' && exec '${process.execPath}' '${RLP}' "$@"\n`
      const { status, stderr } = runHook(entry, here)
      assert.equal(status, 0, stderr)
    }
    assert.equal(HOOKS.match(/^ {2}pass_filenames: false$/gm)?.length, entries.length)
    assert.equal(HOOKS.match(/^- id: rlp-agent-(?:lint|digest)$/gm)?.length, entries.length)
  })

  test('run for the files of an agent', () => {
    const patterns = [...HOOKS.matchAll(/^ {2}files: '(.*)'$/gm)].map(
      ([, pattern]) => new RegExp(pattern ?? ''),
    )
    assert.equal(patterns.length, entries.length)
    for (const pattern of patterns) {
      for (const path of [
        'agents/a/manifest.toml',
        'policy.caps',
        'agents/a/schemas/x/y.json',
        'a/bin/a.wasm',
      ])
        assert.match(path, pattern)
      for (const path of ['README.md', 'agents/a/notes.txt', 'src/tools.json.ts'])
        assert.doesNotMatch(path, pattern)
    }
  })

  test('can be installed: npm pack prints the file’s name and nothing else', () => {
    assert.match(readFileSync('.npmrc', 'utf8'), /^foreground-scripts=false$/m)
    // npm takes half a second for it.
    if (!IN_CI) return
    const root = folder('pack')
    cpSync('.npmrc', join(root, '.npmrc'))
    // The home may be one that cannot be written.
    const env = { ...process.env, npm_config_cache: folder('npm-cache') }
    writeFileSync(
      join(root, 'package.json'),
      '{ "name": "x", "version": "1.0.0", "scripts": { "prepare": "echo noise" } }',
    )
    assert.equal(
      execFileSync('npm', ['pack'], { cwd: root, env, encoding: 'utf8', stdio: 'pipe' }).trim(),
      'x-1.0.0.tgz',
    )
  })
})

describe('scripts/prepare.mjs, which npm runs for an install from git', () => {
  /** What it asks npm for. */
  function asked(env: Record<string, string>, isInstalled = true): string[] {
    const root = folder('prepare')
    const npm = `#!/bin/sh\necho "$npm_config_global $*" >> '${root}/asked'\necho noise\n`
    writeFileSync(join(root, 'npm'), npm, { mode: 0o755 })
    if (isInstalled) mkdirSync(join(root, 'node_modules/tsx'), { recursive: true })
    const { status, stdout } = spawnSync(process.execPath, [resolve('scripts/prepare.mjs')], {
      cwd: root,
      encoding: 'utf8',
      env: { PATH: `${root}:/usr/bin:/bin`, npm_config_global: 'true', ...env },
    })
    assert.deepEqual([status, stdout], [0, ''])
    return existsSync(join(root, 'asked')) ? readFileSync(join(root, 'asked'), 'utf8').trim().split('\n') : []
  }

  test('builds where npm packs, and once', () => {
    assert.equal(SCRIPTS.prepare, 'node scripts/prepare.mjs')
    // npm calls it before `prepare`, which it then finds no more.
    assert.equal(SCRIPTS.prepack, `${SCRIPTS.prepare} && node scripts/packed-manifest.mjs strip`)
    assert.deepEqual(asked({ npm_command: 'pack' }), ['false run --silent build'])
    assert.deepEqual(asked({ npm_command: 'ci' }), [])
    assert.deepEqual(asked({ npm_command: 'install', _PACOTE_NO_PREPARE_: 'git+file:///x' }), [])
  })

  test('installs what it builds with, where npm has not', () => {
    const [first, ...rest] = asked({ npm_command: 'install' }, false)
    assert.equal(first, 'false ci --ignore-scripts --no-audit --no-fund')
    assert.deepEqual(rest, ['false run --silent build'])
  })

  test('is tried with a real clone in .ci/run', () => {
    assert.match(readFileSync('.ci/run', 'utf8'), /^step .* bash scripts\/install-from-git\.sh$/m)
    assert.ok(readFileSync('scripts/install-from-git.sh', 'utf8').includes('.pre-commit-hooks.yaml'))
  })
})

describe('docs/lint.md', () => {
  const rows = (heading: string) =>
    (DOC.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '')
      .split('\n')
      .filter(line => line.startsWith('|'))
      .slice(2)
      .map(line => line.split('|').map(cell => cell.trim())[1] ?? '')

  test('has every format and every exit code that lint ends with', () => {
    assert.deepEqual(
      rows('Formats'),
      FORMATS.map(({ name }) => `\`${name}\``),
    )
    const { denied: _, ...codes } = EXIT
    assert.deepEqual(rows('Exit codes').map(Number), Object.values(codes))
  })

  test('has suppressions that may be in a manifest', () => {
    const [, toml = ''] = /```toml\n(\[lint\][\s\S]*?)```/.exec(DOC) ?? []
    const parsed = parseToml('manifest.toml', new TextEncoder().encode(toml))
    assert.ok(parsed.ok)
    assert.deepEqual(lintTableProblems(parsed.document.value), [])
    const entries = suppressEntries(parsed.document.value)
    assert.equal(entries.length, 2)
    for (const { rule: id } of entries) {
      const rule = RULES.find(rule => rule.id === id)
      assert.ok(rule, id)
      assert.equal(refusalOf(rule), undefined)
    }
  })

  test('points editors to schemas that are in the package', () => {
    const paths = [...DOC.matchAll(/node_modules\/rlp-bundle\/(schemas\/[a-z0-9.]+\.json)/g)].map(
      ([, path]) => path ?? '',
    )
    assert.ok(new Set(paths).size >= 3)
    for (const path of paths)
      assert.match(JSON.parse(readFileSync(path, 'utf8')).$id, /^urn:runloop:agent-bundle:schema:/)
    for (const [, json = ''] of DOC.matchAll(/```json\n([\s\S]*?)```/g)) JSON.parse(json)
  })

  test('speaks of flags and rules that are there', () => {
    const flags = new Set([...DOC.matchAll(/`?--([a-z][a-z-]+)/g)].map(([, flag]) => flag ?? ''))
    const known = [
      ...Object.keys(lint.options),
      ...Object.keys(verify.options),
      'json',
      'quiet',
      'no-install',
      'save-dev',
    ]
    assert.deepEqual(
      [...flags].filter(flag => !known.includes(flag)),
      [],
    )
    const families = new Set(RULES.map(({ id }) => id.split('/')[0]))
    for (const [, id = ''] of DOC.matchAll(
      /\b((?:files|json|toml|manifest|caps|secrets|tools|schema|wasm)\/[a-z][a-z-]+)\b/g,
    ))
      if (families.has(id.split('/')[0]))
        assert.ok(
          RULES.some(rule => rule.id === id),
          id,
        )
  })
})

describe('docs/pipelines.md for a repository of a policy, run line by line', {
  skip: LATE || (spawnSync('git', ['--version']).status !== 0 && 'there is no git'),
}, () => {
  const [, yaml = ''] = /## The policy itself[\s\S]*?```yaml\n([\s\S]*?)```/.exec(PAGE) ?? []
  const [install = '', base = '', diff = '', ask = ''] = yaml
    .split(/^ {2}- /m)
    .flatMap(step => /^run: (?:\|\n)?([\s\S]*?)(?:\n {4}if: .*)?\n$/.exec(step)?.[1] ?? [])
    .map(script => script.replace(/^ {6}/gm, '').replace(/^'(.*)'$/, '$1'))

  /** A repository whose branch changes one line of the policy, and what each step answers. */
  async function changed(edit: string) {
    const root = folder('policy')
    const [origin, temp] = ['origin', 'temp'].map(part => join(root, part)) as [string, string]
    for (const place of [origin, join(temp, 'rlp/node_modules/.bin')]) mkdirSync(place, { recursive: true })
    const rlp = join(temp, 'rlp/node_modules/.bin/rlp')
    writeFileSync(rlp, `#!/bin/sh\nexec ${PROGRAM} "$@"\n`, { mode: 0o755 })
    for (const part of ['trust-policy.toml', 'tests'])
      cpSync(join('fixtures/decisions', part), join(origin, part), { recursive: true })
    const questions = readFileSync(join(origin, 'tests/policy.toml'), 'utf8').split(/(?=^\[\[question\]\])/m)
    const ofAgents = questions.filter((text, index) => index === 0 || /^agent = /m.test(text))
    writeFileSync(join(origin, 'tests/policy.toml'), ofAgents.join(''))
    const env = {
      PATH: process.env['PATH'] ?? '',
      NO_COLOR: '1',
      RLP_HERE: HERE,
      RUNNER_TEMP: temp,
      GITHUB_BASE_REF: 'main',
      GIT_CONFIG_NOSYSTEM: '1',
      HOME: root,
    }
    const shell = (cwd: string, script: string) => bash(script, cwd, env)
    const must = async (cwd: string, script: string) => {
      const { status, out } = await shell(cwd, script)
      assert.equal(status, 0, out)
    }
    const commit = 'git add -A; git -c user.name=x -c user.email=x@example.org commit -qm x'
    await must(origin, `git init -q -b main; ${commit}`)
    await must(root, `git clone -q 'file://${origin}' clone`)
    const clone = join(root, 'clone')
    await must(clone, `git checkout -q -b change; sed -i '${edit}' trust-policy.toml; ${commit}`)
    await must(clone, base)
    return [await shell(clone, diff), await shell(clone, ask)] as const
  }

  test('it has the steps that are run here, and installs this version', () => {
    assert.ok(install.includes(` ${releaseOf(VERSION)}\n`) && install.endsWith(' ./rlp.tgz'), install)
    assert.ok(install.includes('base64 -w 0)" = "$RLP_INTEGRITY" ]\n'))
    assert.match(diff, /trust diff/)
    assert.match(ask, /trust test/)
  })
  test('a comment passes both steps', async () => {
    const [said, asked] = await changed('1i # looked through')
    assert.deepEqual([said.status, said.out], [0, 'both decide alike\n'])
    assert.equal(asked.status, 0, asked.out)
  })
  test('one person instead of two fails both steps, and each step says so', async () => {
    const [said, asked] = await changed('s/at_least = 2/at_least = 1/')
    assert.deepEqual([said.status, asked.status], [4, 1])
    assert.match(said.out, /\+ release needs 1, and not 2/)
    assert.match(asked.out, /✗ tests\/policy\.toml:\d+: one of three people: trusted, and not untrusted/)
  })
})
