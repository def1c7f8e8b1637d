// Lint's report for programs: SARIF, workflow commands, JUnit, code quality and JSON, for fixtures, one in six of each family here and every one in `.ci/run`, and
// for hostile ones.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { FORMATS } from '../../src/lint/formats/index.ts'
import { DESCRIBED_RULES as RULES } from '../../src/lint/rules/agentcli.ts'
import { VERSION } from '../../src/model/rlp-version.ts'
import { artifactOf } from '../../src/report/sarif.ts'
import { type Tree, writeTree } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { STUB, suppressing, treeWith } from '../support/lint-agent.ts'
import { lintFixtureIds, type Placed, placeLintFixture, readExpectation } from '../support/lint-fixtures.ts'
import { missing } from '../support/needs.ts'
import { PYTHON } from '../support/python.ts'
import { slice } from '../support/runs.ts'
import { assertSarif, isStandardSarif } from '../support/sarif-schema.ts'

const folder = temporary('lint-formats')

/** The members of a SARIF log that the tests look at. */
interface Sarif {
  $schema: string
  runs: {
    tool: {
      driver: {
        name: string
        version: string
        rules: { id: string; shortDescription: { text: string }; defaultConfiguration: { level: string } }[]
      }
    }
    invocations: {
      executionSuccessful: boolean
      exitCode: number
      ruleConfigurationOverrides?: { descriptor: { id: string; index: number }; configuration: object }[]
      toolExecutionNotifications?: {
        descriptor: { id: string }
        message: { text: string }
        locations?: object[]
      }[]
    }[]
    columnKind: string
    results: Result[]
  }[]
}
interface Result {
  ruleId: string
  ruleIndex: number
  level: string
  message: { text: string }
  locations: { physicalLocation: { artifactLocation: { uri: string; uriBaseId?: string }; region: object } }[]
  partialFingerprints: Record<string, string>
  suppressions: { kind: string; justification: string; properties?: { until: string } }[]
}

/** The one run of `rlp agent lint --format sarif` in `cwd`. */
async function sarifOf(cwd: string, ...args: string[]) {
  const ran = await run(['agent', 'lint', ...args, '--format', 'sarif'], undefined, { cwd })
  const [one, ...others] = assertSarif<Sarif>(ran.stdout).runs
  assert.deepEqual(others, [])
  assert.ok(one)
  return { ...one, ran, invocation: one.invocations[0] }
}

/** Writes the agent `mini` into a new folder and gives that folder. */
function placed(name: string, toml = '', files: Tree = {}): string {
  const root = folder(name)
  writeTree(join(root, 'agents/mini'), treeWith(toml, files))
  return root
}

describe('SARIF of lint fixtures', () => {
  const fixtures: Placed[] = []
  let text = ''
  let log: Sarif
  before(async () => {
    for (const id of slice(lintFixtureIds(), 6, id => id.split('/')[0] ?? '')) {
      if (readExpectation(id).made.every(({ kind }) => kind !== 'sparse'))
        fixtures.push(await placeLintFixture(id))
    }
    const paths = fixtures.map(({ path }) => path)
    const ran = await run(['agent', 'lint', ...paths, '--format', 'sarif'], undefined, { cwd: '/' })
    text = ran.stdout
    log = assertSarif<Sarif>(text)
    assert.equal(ran.exit, 1)
  })
  after(async () => {
    for (const fixture of fixtures) await fixture.remove()
  })

  test('has every rule once, found or not, and results that point at theirs', () => {
    const [one] = log.runs
    assert.ok(one)
    const { driver } = one.tool
    assert.deepEqual(
      [driver.name, driver.version, one.columnKind],
      ['rlp agent lint', VERSION, 'utf16CodeUnits'],
    )
    assert.deepEqual(
      driver.rules.map(({ id }) => id),
      RULES.map(({ id }) => id),
    )
    assert.ok(one.results.length >= fixtures.length)
    for (const { ruleId, ruleIndex, level } of one.results) {
      assert.equal(driver.rules[ruleIndex]?.id, ruleId)
      assert.equal(driver.rules[ruleIndex]?.defaultConfiguration.level, level)
    }
    const levels = new Set(one.results.map(({ level }) => level))
    assert.ok(levels.has('error') && levels.has('warning'))
  })

  test('has URIs that lead back to files, relative to the folder of the run', () => {
    for (const { locations } of log.runs[0]?.results ?? []) {
      const [location, ...others] = locations
      assert.deepEqual(others, [])
      const { uri, uriBaseId } = location?.physicalLocation.artifactLocation ?? {}
      assert.equal(uriBaseId, '%SRCROOT%')
      assert.doesNotMatch(uri ?? '/', /^(?:\/|file:|[a-z]:)|\\/i)
      const path = resolve('/', ...(uri ?? '').split('/').map(decodeURIComponent))
      const fixture = fixtures.find(({ path: root }) => path.startsWith(`${root}/`))
      assert.ok(fixture, path)
    }
  })

  test('has a name for each result that no other result has', () => {
    const names = (log.runs[0]?.results ?? []).map(
      ({ partialFingerprints }) => partialFingerprints['rlpFinding/v1'],
    )
    for (const name of names) assert.match(name ?? '', /^[0-9a-f]{32}$/)
    assert.equal(new Set(names).size, names.length)
  })

  test('is the same twice, on one line, without a time', async () => {
    const paths = fixtures.map(({ path }) => path)
    const again = await run(['agent', 'lint', ...paths, '--format', 'sarif'], undefined, { cwd: '/' })
    assert.equal(again.stdout, text)
    assert.equal(text.indexOf('\n'), text.length - 1)
    assert.doesNotMatch(text, /Utc"/)
  })

  test('is held against the public schema, and that tells right from wrong', () => {
    assert.ok(isStandardSarif(log))
    assert.ok(!isStandardSarif({ ...log, runs: [{}] }))
    const [one] = log.runs
    assert.ok(
      !isStandardSarif({ ...log, runs: [{ ...one, results: [{ ...one?.results[0], level: 'fatal' }] }] }),
    )
    assert.ok(!isStandardSarif({ ...log, runs: [{ ...one, severity: 1 }] }))
  })
})

describe('SARIF', () => {
  test('of a sound agent has no results, and the rules', async () => {
    const root = placed('sound', suppressing(`rule = "${STUB}", reason = "x"`))
    const { results, tool, invocation, ran } = await sarifOf(root, '--rule', `${STUB}=off`)
    assert.deepEqual([ran.exit, invocation?.exitCode, invocation?.executionSuccessful], [0, 0, true])
    assert.equal(results.length, 1)
    assert.ok(tool.driver.rules.length > 40)
    // Sentences begin large, the names of files and keys do not.
    const short = (id: string) => tool.driver.rules.find(rule => rule.id === id)?.shortDescription.text
    assert.equal(short('files/required'), 'manifest.toml, policy.caps or tools.json is missing.')
    assert.equal(short('json/syntax'), 'The file is not JSON.')
  })

  test('keeps suppressed results, with where they are suppressed and why', async () => {
    const root = placed(
      'suppressed',
      suppressing(`rule = "${STUB}", reason = "built at night", until = "2999-12-31"`),
    )
    const { results, ran } = await sarifOf(root, '--strict')
    assert.equal(ran.exit, 0)
    assert.deepEqual(
      results.map(({ ruleId, suppressions }) => [ruleId, suppressions]),
      [
        [
          STUB,
          [
            {
              kind: 'inSource',
              status: 'accepted',
              justification: 'built at night',
              properties: { until: '2999-12-31' },
            },
          ],
        ],
      ],
    )
    const flag = await sarifOf(root, '--rule', `${STUB}=off`)
    assert.deepEqual(
      flag.results.map(({ suppressions }) => suppressions),
      [[{ kind: 'external', status: 'accepted', justification: `--rule ${STUB}=off` }]],
    )
  })

  test('says of an unsuppressed result that it is not suppressed', async () => {
    const { results } = await sarifOf(placed('plain'))
    assert.deepEqual(
      results.map(({ suppressions }) => suppressions),
      [[]],
    )
  })

  test('states what the caller changed, rule by rule', async () => {
    const { results, invocation, ran } = await sarifOf(
      placed('changed'),
      '--rule',
      'wasm/*=off,wasm/stub=error',
    )
    assert.deepEqual([ran.exit, results[0]?.level], [1, 'error'])
    const overrides = invocation?.ruleConfigurationOverrides ?? []
    assert.deepEqual(
      overrides.map(({ descriptor }) => descriptor.id),
      RULES.filter(({ id }) => id.startsWith('wasm/')).map(({ id }) => id),
    )
    for (const { descriptor, configuration } of overrides) {
      assert.equal(RULES[descriptor.index]?.id, descriptor.id)
      const isStub = descriptor.id === STUB
      assert.deepEqual(configuration, isStub ? { enabled: true, level: 'error' } : { enabled: false })
    }
  })

  test('is there when a target cannot be read, and says so', async () => {
    const root = placed('missing')
    for (const paths of [['nothing-here'], ['agents/mini', 'nothing-here']]) {
      const { invocation, results, ran } = await sarifOf(root, ...paths)
      assert.deepEqual([ran.exit, invocation?.exitCode, invocation?.executionSuccessful], [2, 2, false])
      const [told, ...others] = invocation?.toolExecutionNotifications ?? []
      assert.deepEqual([told?.descriptor.id, others], ['NOT_FOUND', []])
      assert.match(told?.message.text ?? '', /^Cannot find an agent at "nothing-here": no such folder\. /)
      assert.equal(results.length, paths.length - 1, 'the others are reported all the same')
      assert.match(ran.stderr, /^rlp: Cannot find an agent at "nothing-here"/m)
    }
  })

  test('keeps a finding’s name when lines move, and no other', async () => {
    const toml = '[other]\npath = "x"\nblake3 = "y"'
    const names = async (text: string) => {
      const { results } = await sarifOf(placed('moved', text))
      return results
        .filter(({ ruleId }) => ruleId === 'manifest/stray-digest')
        .map(({ partialFingerprints }) => partialFingerprints['rlpFinding/v1'])
    }
    const before = await names(toml)
    assert.equal(before.length, 2)
    assert.deepEqual(await names(`# a\n# comment\n\n${toml}`), before)
    const [path, digest] = await names(toml.replace('"x"', '"z"'))
    assert.equal(digest, before[1])
    assert.notEqual(path, before[0])
  })
})

describe('text out of a bundle', () => {
  const EVIL = '\u{202e}\u{1b}[31m\n::error::x ##[error]y [a](https://evil.example) \u{200b}%0A'
  const tools = JSON.stringify({
    version: 1,
    tools: [0, 1].map(() => ({
      id: EVIL,
      description: 'x',
      transport: { kind: 'exec', command: `/bin/../${EVIL}`, args: [] },
      input_schema: { type: 'object' },
      result_schema: { type: 'object' },
      [EVIL]: 1,
    })),
  })
  const root = () =>
    placed('evil', `[lint]\n${JSON.stringify(EVIL.replace('\u{1b}', ''))} = 1`, { 'tools.json': tools })

  for (const { name } of FORMATS) {
    test(`cannot steer who reads ${name}`, async () => {
      const { stdout } = await run(['agent', 'lint', '--format', name], undefined, {
        cwd: root(),
        columns: 200,
      })
      assert.ok(stdout.includes('evil.example'), 'the text is not there at all')
      assert.doesNotMatch(stdout, /[\u{202e}\u{1b}\u{200b}]/u)
      if (name !== 'sarif' && name !== 'github') return
      const texts = name === 'sarif' ? JSON.stringify(assertSarif<Sarif>(stdout)) : stdout
      assert.doesNotMatch(texts, /[\u{202e}\u{1b}\u{200b}]/u)
      if (name === 'sarif') assert.doesNotMatch(texts, /\]\(/)
      if (name !== 'github') return
      for (const line of stdout.trimEnd().split('\n')) {
        const command = readCommand(line)
        assert.ok(command, line)
        assert.deepEqual(
          Object.keys(command.properties).filter(key => !PROPERTIES.includes(key)),
          [],
        )
      }
    })
  }

  test('in file names gets into no URI and no annotation as it is', async () => {
    const cwd = placed('names')
    const path = join(cwd, 'agents/mini/schemas/a b%,:\u{202e}ü\n.json')
    mkdirSync(dirname(path))
    writeFileSync(path, '{')
    const { results } = await sarifOf(cwd)
    const uris = results.map(({ locations }) => locations[0]?.physicalLocation.artifactLocation.uri)
    assert.ok(uris.includes('agents/mini/schemas/a%20b%25%2C%3A%E2%80%AE%C3%BC%0A.json'), uris.join(' '))
    const { stdout } = await run(['agent', 'lint', '--format', 'github'], undefined, { cwd })
    const files = stdout
      .trimEnd()
      .split('\n')
      .map(line => readCommand(line)?.properties['file'])
    assert.ok(files.includes('agents/mini/schemas/a b%,:\\u{202e}ü\\u{a}.json'), files.join(' '))
  })
})

describe('URIs', () => {
  test('lead back to the path they were made from', () => {
    const segment = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 6 })
      .filter(name => !/[/\0]|^\.\.?$/.test(name))
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1, maxLength: 4 }), segments => {
        const path = join('/base', ...segments)
        const { uri, uriBaseId } = artifactOf('/base', path)
        assert.ok(uriBaseId !== undefined)
        assert.match(uri, /^[A-Za-z0-9._~!'()*%/-]*$/)
        assert.equal(join('/base', ...uri.split('/').map(decodeURIComponent)), path)
      }),
    )
  })

  test('go up where the file is elsewhere, and survive names that are no text', () => {
    const uriBaseId = '%SRCROOT%'
    assert.deepEqual(artifactOf('/a/b', '/a/c/d'), { uri: '../c/d', uriBaseId })
    assert.deepEqual(artifactOf('/a', '/a/\u{d800}'), { uri: '%EF%BF%BD', uriBaseId })
  })
})

describe('workflow commands', () => {
  const commands = async (
    root: string,
    args: readonly string[] = [],
    env: Record<string, string> = {},
    cwd = root,
  ) => {
    const ran = await run(['agent', 'lint', ...args, '--format', 'github'], undefined, { cwd, env })
    return { ...ran, lines: ran.stdout === '' ? [] : ran.stdout.trimEnd().split('\n') }
  }

  test('carry file, place, rule, message and fix', async () => {
    const { lines, exit } = await commands(placed('command', '[lint]\nsuppress = [{ rule = "wasm/stub" }]'))
    assert.equal(exit, 1)
    assert.deepEqual(
      lines.map(line => readCommand(line)),
      [
        {
          name: 'warning',
          properties: { file: 'agents/mini/bin/mini.wasm', line: '1', title: STUB },
          data: 'bin/mini.wasm is the placeholder that scaffold wrote; it does nothing\nFix: Build your agent for wasm32-wasip1 and put it at bin/mini.wasm, then run rlp agent digest',
        },
        {
          name: 'error',
          properties: {
            file: 'agents/mini/manifest.toml',
            line: '20',
            endLine: '20',
            col: '13',
            endColumn: '35',
            title: 'manifest/lint-table',
          },
          data: '"reason" is missing\nFix: Add it, for example reason = "The folder is shared by two agents"',
        },
      ],
    )
  })

  test('leave out what is suppressed, and say notice for info', async () => {
    const root = placed('quiet')
    assert.deepEqual((await commands(root, ['--rule', `${STUB}=off`])).lines, [])
    const { lines } = await commands(root, ['--rule', `${STUB}=info`])
    assert.deepEqual(
      lines.map(line => readCommand(line)?.name),
      ['notice'],
    )
  })

  test('count paths from the root of the checkout, wherever the step runs', async () => {
    const root = placed('workspace')
    const fileOf = async (env: Record<string, string>) =>
      readCommand((await commands(root, ['.'], env, join(root, 'agents/mini'))).lines[0] ?? '')?.properties[
        'file'
      ]
    assert.equal(await fileOf({}), 'bin/mini.wasm')
    assert.equal(await fileOf({ GITHUB_WORKSPACE: root }), 'agents/mini/bin/mini.wasm')
    assert.equal(await fileOf({ GITHUB_WORKSPACE: '/elsewhere' }), 'bin/mini.wasm')
    assert.equal(await fileOf({ GITHUB_WORKSPACE: 'agents' }), 'bin/mini.wasm')
  })

  test('are ten of a kind; the rest is in the log, where nothing of it is a command', async () => {
    const caps = `[capabilities]\n${Array.from({ length: 14 }, (_, at) => `"##[error]${at}" = true`).join('\n')}\n`
    const { lines } = await commands(placed('many', '', { 'policy.caps': caps }))
    const shown = lines.filter(line => readCommand(line) !== undefined)
    const rest = lines.filter(line => readCommand(line) === undefined)
    // Ten errors, and the one warning of the fixture.
    assert.equal(shown.length, 11)
    assert.match(rest[0] ?? '', /^GitHub shows 10 annotations of a kind; these 4 are only here:$/)
    assert.equal(rest.length, 5)
    for (const line of rest.slice(1)) {
      assert.match(line, /^error agents\/mini\/policy\.caps:\d+:1 .* \(caps\/unknown-family\)$/)
      assert.ok(!line.includes('##['))
    }
  })

  test('tell of a target that cannot be read', async () => {
    const root = placed('unreadable')
    for (const paths of [['nobody'], ['nobody', 'agents/mini']]) {
      const { lines, exit } = await commands(root, paths)
      assert.equal(exit, 2)
      const told = lines
        .map(line => readCommand(line))
        .find(command => command?.properties['title'] === 'rlp')
      assert.match(told?.data ?? '', /^Cannot find the agent "nobody"/)
    }
  })
})

const PROPERTIES = ['file', 'line', 'endLine', 'col', 'endColumn', 'title']

/** A line as the runner reads it: `::name key=value,key=value::data`, with percent escapes taken back in its order. */
function readCommand(
  line: string,
): { name: string; properties: Record<string, string>; data: string } | undefined {
  const [, name, properties, data] = /^::([a-z]+) (.*?)::(.*)$/.exec(line) ?? []
  if (name === undefined || properties === undefined || data === undefined) return undefined
  const plain = (text: string) => text.replaceAll('%0D', '\r').replaceAll('%0A', '\n')
  const value = (text: string) =>
    plain(text).replaceAll('%3A', ':').replaceAll('%2C', ',').replaceAll('%25', '%')
  const pairs = properties
    .split(',')
    .map(pair => [pair.split('=', 1)[0] ?? '', value(pair.slice(pair.indexOf('=') + 1))])
  return { name, properties: Object.fromEntries(pairs), data: plain(data).replaceAll('%25', '%') }
}

describe('JUnit', () => {
  const CAPS = '[capabilities]\nnope = true\nnone = true\n'
  const report = async (root: string, ...args: string[]) =>
    run(['agent', 'lint', ...args, '--format', 'junit'], undefined, {
      cwd: root,
      env: { CI_PROJECT_DIR: root },
    })
  const casesIn = (text: string) =>
    [...text.matchAll(/<testcase classname="([^"]*)" name="([^"]*)"(?:\/>|><([a-z-]+))/g)].map(
      ([, agent, name, what]) => [agent, name, what],
    )

  test('has a case for each finding, and fails those that make lint fail', async () => {
    const { exit, stdout } = await report(placed('junit', '', { 'policy.caps': CAPS }))
    assert.equal(exit, 1)
    assert.match(stdout, /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites name="rlp agent lint">\n/)
    assert.match(stdout, /\n {2}<testsuite name="agents\/mini" tests="3" failures="2" errors="0">\n/)
    assert.deepEqual(casesIn(stdout), [
      ['agents/mini', 'wasm/stub in bin/mini.wasm', 'system-out'],
      ['agents/mini', 'caps/unknown-family in policy.caps', 'failure'],
      // Pipelines keep one case of a name.
      ['agents/mini', 'caps/unknown-family in policy.caps (2)', 'failure'],
    ])
    assert.match(stdout, />agents\/mini\/policy\.caps:2:1: .*\nFix: /)
  })

  test('says of an agent that passes that it was looked at, and with --strict that it fails', async () => {
    const root = placed('junit-sound')
    const passed = await report(root)
    assert.deepEqual(
      [passed.exit, ...casesIn(passed.stdout)],
      [
        0,
        ['agents/mini', 'nothing fails lint', undefined],
        ['agents/mini', 'wasm/stub in bin/mini.wasm', 'system-out'],
      ],
    )
    const strict = await report(root, '--strict')
    assert.deepEqual(
      [strict.exit, ...casesIn(strict.stdout)],
      [1, ['agents/mini', 'wasm/stub in bin/mini.wasm', 'failure']],
    )
    const suppressed = await report(root, '--rule', `${STUB}=off`)
    assert.deepEqual(casesIn(suppressed.stdout), [['agents/mini', 'nothing fails lint', undefined]])
  })

  test('has an error for what cannot be read', async () => {
    const root = placed('junit-missing')
    for (const paths of [['nobody'], ['agents/mini', 'nobody']]) {
      const { exit, stdout } = await report(root, ...paths)
      assert.equal(exit, 2)
      assert.match(stdout, /<testsuite name="nobody" tests="1" failures="0" errors="1">/)
      assert.match(stdout, /<error message="Cannot find the agent &quot;nobody&quot;/)
      assert.equal(casesIn(stdout).length, paths.length === 1 ? 1 : 3)
    }
  })

  test('is XML to another reader, whatever a bundle says', {
    skip: missing('python3'),
  }, async () => {
    const caps = '[capabilities]\n"]]><failure>&amp;\\u0000\\u202e" = true\n'
    const { stdout } = await report(placed('junit-evil', '', { 'policy.caps': caps }))
    assert.ok(stdout.includes('&lt;failure&gt;'))
    const read =
      'import sys,xml.etree.ElementTree as e;print(len(e.fromstring(sys.stdin.read()).findall(".//failure")))'
    const { status, stdout: count } = spawnSync(PYTHON, ['-c', read], { input: stdout, encoding: 'utf8' })
    assert.deepEqual([status, count], [0, '1\n'])
  })
})

describe('code quality', () => {
  /** What GitLab's documentation names, and nothing else. */
  const isReport = new Ajv2020({ allErrors: true }).compile({
    type: 'array',
    items: {
      type: 'object',
      additionalProperties: false,
      required: ['description', 'check_name', 'fingerprint', 'severity', 'location'],
      properties: {
        description: { type: 'string', minLength: 1 },
        check_name: { type: 'string', minLength: 1 },
        fingerprint: { type: 'string', pattern: '^[0-9a-f]{32}$' },
        severity: { enum: ['info', 'minor', 'major', 'critical', 'blocker'] },
        location: {
          type: 'object',
          additionalProperties: false,
          required: ['path', 'lines'],
          properties: {
            // GitLab joins it with the address of the project.
            path: { type: 'string', pattern: '^[^./]' },
            lines: {
              type: 'object',
              additionalProperties: false,
              required: ['begin'],
              properties: { begin: { type: 'integer', minimum: 1 } },
            },
          },
        },
      },
    },
  })
  interface Issue {
    description: string
    check_name: string
    fingerprint: string
    severity: string
    location: { path: string; lines: { begin: number } }
  }
  const issuesOf = async (root: string, args: readonly string[] = [], cwd = root) => {
    const ran = await run(['agent', 'lint', ...args, '--format', 'codequality'], undefined, {
      cwd,
      env: { CI_PROJECT_DIR: root },
    })
    const issues = JSON.parse(ran.stdout) as Issue[]
    assert.ok(isReport(issues), JSON.stringify(isReport.errors))
    return { exit: ran.exit, issues }
  }

  test('has rule, severity, place and a name of its own for each finding', async () => {
    const root = placed('quality', '', { 'policy.caps': '[capabilities]\nnope = true\nnone = true\n' })
    const { exit, issues } = await issuesOf(root)
    assert.equal(exit, 1)
    assert.deepEqual(
      issues.map(({ check_name, severity, location }) => [
        check_name,
        severity,
        location.path,
        location.lines.begin,
      ]),
      [
        ['wasm/stub', 'minor', 'agents/mini/bin/mini.wasm', 1],
        ['caps/unknown-family', 'critical', 'agents/mini/policy.caps', 2],
        ['caps/unknown-family', 'critical', 'agents/mini/policy.caps', 3],
      ],
    )
    assert.equal(new Set(issues.map(({ fingerprint }) => fingerprint)).size, 3)
    const { results } = await sarifOf(root)
    assert.deepEqual(
      issues.map(({ fingerprint }) => fingerprint),
      results.map(({ partialFingerprints }) => partialFingerprints['rlpFinding/v1']),
    )
    assert.deepEqual(
      (await issuesOf(root, ['.'], join(root, 'agents/mini'))).issues[0]?.location,
      issues[0]?.location,
    )
    assert.deepEqual((await issuesOf(placed('quality-none'), ['--rule', `${STUB}=off`])).issues, [])
    assert.ok(!isReport([{ ...issues[0], severity: 'error' }]))
  })

  test('has no empty list for what cannot be read', async () => {
    const root = placed('quality-missing')
    for (const paths of [['agents/nobody'], ['agents/mini', 'agents/nobody']]) {
      const { exit, issues } = await issuesOf(root, paths)
      assert.equal(exit, 2)
      const told = issues.filter(({ severity }) => severity === 'blocker')
      assert.deepEqual(
        told.map(({ check_name, location }) => [check_name, location.path]),
        [['rlp/NOT_FOUND', 'agents/nobody']],
      )
    }
  })
})

describe('JSON', () => {
  test('is the same by --json and by --format json, and has all that was found', async () => {
    const cwd = placed('json', suppressing(`rule = "${STUB}", reason = "x"`))
    const [flag, format, both] = await Promise.all(
      [['--json'], ['--format', 'json'], ['--json', '--format=json']].map(args =>
        run(['agent', 'lint', ...args], undefined, { cwd }),
      ),
    )
    assert.equal(flag?.stdout, format?.stdout)
    assert.equal(flag?.stdout, both?.stdout)
    assert.deepEqual([flag?.stderr, format?.stderr], ['', ''])
    const { ok, tool, result } = JSON.parse(flag?.stdout ?? '')
    assert.deepEqual([ok, tool, result.passed], [true, 'agent.lint', true])
    assert.deepEqual(result.summary, { agents: 1, errors: 0, infos: 0, suppressed: 1, warnings: 0 })
    assert.deepEqual(result.agents[0].findings[0].suppressed, { by: 'manifest', reason: 'x' })
  })

  test('is an envelope also when the command cannot run', async () => {
    const cwd = placed('failing')
    const [flag, format] = await Promise.all(
      [['--json'], ['--format', 'json']].map(args =>
        run(['agent', 'lint', 'nobody', ...args], undefined, { cwd }),
      ),
    )
    assert.equal(flag?.stdout, format?.stdout)
    assert.deepEqual([flag?.exit, format?.exit], [2, 2])
    assert.deepEqual(JSON.parse(format?.stdout ?? '').code, 'NOT_FOUND')
  })
})
