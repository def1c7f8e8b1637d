// The operator's overrides: they only ever tighten, in any order, and one that cannot be used is never "no override".
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { denials, effectivePolicy } from '../../src/caps/effective.ts'
import { findOverrides, overridePaths } from '../../src/caps/find-overrides.ts'
import { readOverrideFile } from '../../src/caps/overrides.ts'
import { capsTable } from '../../src/caps/permissions.ts'
import { Ways } from '../../src/io/owner/ways.ts'
import { loadBundle, NotVerifiedError } from '../../src/library/generated/index.ts'
import type { PolicyOverride } from '../../src/model/override.ts'
import type { Policy } from '../../src/model/policy.ts'
import { excessOf, tighten } from '../../src/policy/override.ts'
import { readPolicy } from '../../src/policy/read.ts'
import { NO_GRANTS } from '../../src/scaffold/grant.ts'
import { checkShape } from '../../src/schema/check.ts'
import { parseToml } from '../../src/toml/parse.ts'
import { agentTree, bundleOf } from '../support/agent.ts'
import {
  grantsArbitrary,
  overrideArbitrary,
  policyOf,
  TOOL,
  toolArbitrary,
} from '../support/arbitrary-caps.ts'
import { temporary } from '../support/folder.ts'
import { IS_ROOT, NOBODY, rlp } from '../support/run.ts'
import { runs } from '../support/runs.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

function parsedToml(text: string): unknown {
  const parsed = parseToml('x', bytes(text))
  assert.ok(parsed.ok)
  return parsed.document.value
}

function policy(text: string): Policy {
  const value = parsedToml(`[capabilities]\n${text}`)
  assert.deepEqual(checkShape('policy', value), [])
  return readPolicy(value)
}

function override(text: string): PolicyOverride {
  const { says, findings } = readOverrideFile({
    label: 'x',
    for: 'mini',
    bytes: bytes(`[capabilities]\n${text}`),
  })
  assert.ok(says, JSON.stringify(findings))
  return says
}

describe('what is left', () => {
  const table: readonly (readonly [base: string, override: string, left: string])[] = [
    ['time = true', '', 'time = true'],
    ['time = true\nmodel = true', 'time = false', 'model = true'],
    ['exec = true', 'exec = ["/bin/x"]', 'exec = ["/bin/x"]'],
    ['exec = ["/bin/x", "/bin/y"]', 'exec = ["/bin/y", "/bin/z"]', 'exec = ["/bin/y"]'],
    ['exec = ["/bin/x"]', 'exec = true', 'exec = ["/bin/x"]'],
    ['exec = ["/bin/x"]', 'exec = false', ''],
    ['secrets = ["a", "b"]', 'secrets = ["b", "c"]', 'secrets = ["b"]'],
    ['secrets = ["a"]', 'secrets = false', ''],
    ['net = ["a.example"]', 'net = false', ''],
    ['fs = ["/a"]\nfs_rw = ["/b"]', 'fs = false', ''],
    ['fs = ["/a", "/b"]', 'fs_ro = ["/a"]', 'fs = ["/a"]'],
    ['fs_ro = ["/a"]', 'fs_rw = ["/a"]', 'fs_ro = ["/a"]'],
    ['fs_rw = ["/a/"]', 'fs_rw = ["/a"]', 'fs_rw = ["/a/"]'],
    ['fs_rw = ["/a"]', 'fs_rw = ["/a/sub"]', ''],
    ['net = ["A.example:8443"]', 'net = ["a.example"]', 'net = ["a.example:8443"]'],
    ['net = ["a.example", "a.example:8443"]', 'net = ["a.example:8443"]', 'net = ["a.example:8443"]'],
    ['net = ["a.example"]', 'net = { allow_http = false }', ''],
    [
      'net = { hosts = ["a.example"], allow_http = true }',
      'net = { hosts = ["a.example"], allow_http = false }',
      'net = ["a.example"]',
    ],
    [
      'net = { hosts = ["a.example"], allow_http = true }',
      'net = { hosts = ["a.example"], allow_http = true }',
      'net = { hosts = ["a.example"], allow_http = true }',
    ],
  ]
  for (const [base, said, left] of table) {
    test(`${base.replaceAll('\n', '; ')} with ${said || 'nothing said'}`, () => {
      assert.deepEqual(tighten(policy(base), override(said)), policy(left))
    })
  }
})

describe('for every policy, tool and override', () => {
  const overrides = fc.array(overrideArbitrary, { maxLength: 3 })
  const named = (all: readonly PolicyOverride[]) => all.map((says, index) => ({ label: String(index), says }))
  const denied = (tool: Parameters<typeof denials>[0], base: Policy, all: readonly PolicyOverride[]) =>
    denials(tool, effectivePolicy(base, named(all))).map(({ need }) => JSON.stringify(need))

  test('one more override never gives a tool anything', () => {
    fc.assert(
      fc.property(toolArbitrary, grantsArbitrary, overrides, overrideArbitrary, (tool, grants, all, more) => {
        const after = denied(tool, policyOf(grants), [...all, more])
        for (const need of denied(tool, policyOf(grants), all)) assert.ok(after.includes(need), need)
      }),
      { numRuns: runs(1000) },
    )
  })

  test('the order of overrides never matters', () => {
    fc.assert(
      fc.property(toolArbitrary, grantsArbitrary, overrides, (tool, grants, all) => {
        const base = policyOf(grants)
        const reversed = [...all].reverse()
        assert.deepEqual(denied(tool, base, reversed), denied(tool, base, all))
        const sorted = ({ fs, fsRo, fsRw, net, secrets }: Policy) =>
          [[...fs, ...fsRo], fsRw, net.hosts, secrets].map(list => [...new Set(list)].sort())
        assert.deepEqual(
          sorted(effectivePolicy(base, named(reversed)).policy),
          sorted(effectivePolicy(base, named(all)).policy),
        )
      }),
      { numRuns: runs(500) },
    )
  })

  test('one that leaves everything changes nothing', () => {
    fc.assert(
      fc.property(toolArbitrary, grantsArbitrary, (tool, grants) => {
        assert.deepEqual(denied(tool, policyOf(grants), [override('')]), denied(tool, policyOf(grants), []))
      }),
    )
  })
})

test('a port that an override adds to a host without one is not a new grant', () => {
  const base = policy('net = ["a.example"]')
  const says = override('net = ["a.example:8443"]')
  const tool = {
    ...TOOL,
    transport: { kind: 'http' as const, method: 'GET', url: 'https://a.example:8443/', headers: {} },
  }
  // Positive control: granted where the policy says so.
  const wide = policy('net = ["a.example", "a.example:8443"]')
  assert.deepEqual(denials(tool, effectivePolicy(wide, [{ label: 'o', says }])), [])
  assert.deepEqual(tighten(base, says).net.hosts, ['a.example:8443'])
  assert.deepEqual(
    denials(tool, effectivePolicy(base, [{ label: 'o', says }])).map(({ by }) => by),
    ['policy.caps'],
  )
  assert.match(excessOf(base, says)[0]?.message ?? '', /leaves nothing: without a port/)
})

test('who takes a grant away is named', () => {
  const base = policy('exec = ["/bin/x"]')
  const by = (...all: string[]) =>
    denials(
      TOOL,
      effectivePolicy(
        base,
        all.map((said, index) => ({ label: `override ${index}`, says: override(said) })),
      ),
    ).map(denial => denial.by)
  assert.deepEqual(by(''), [])
  assert.deepEqual(by('', 'exec = false'), ['override 1'])
  assert.deepEqual(
    denials(TOOL, effectivePolicy(NO_GRANTS)).map(({ by, reason }) => [by, reason]),
    [['policy.caps', 'cap_missing']],
  )
})

test('what is said in vain is told', () => {
  const base = policy('net = ["a.example"]\nfs = ["/a"]\nkb_read = ["x"]\nexec = false')
  const told = (said: string) =>
    excessOf(base, override(said)).map(({ key, message }) => `${key}: ${message}`)
  assert.deepEqual(told('net = ["a.example:443"]\nfs = ["/a"]\nkb_read = true\nexec = false'), [])
  const all = told('net = ["b.example"]\nfs_rw = ["/a"]\nkb_read = ["y"]\nexec = true\ntime = true')
  assert.deepEqual(
    all.map(text => text.split(': ')[0]),
    ['fs_rw', 'net', 'kb_read', 'exec', 'time'],
  )
  for (const text of all) assert.match(text, /policy\.caps does not grant it, and an override never grants/)
})

describe('an override file', () => {
  const read = (text: string) => readOverrideFile({ label: 'o.caps', for: 'mini', bytes: bytes(text) })

  test('that is sound says what it says, with its digest', () => {
    const { says, digest, findings } = read('[capabilities]\nexec = false\n')
    assert.deepEqual([says?.keys, findings], [new Set(['exec']), []])
    assert.match(digest ?? '', /^[0-9a-f]{64}$/)
  })

  const broken: readonly (readonly [text: string, rule: string, line: number])[] = [
    ['', 'toml/syntax', 1],
    ['[capabilities\n', 'toml/syntax', 2],
    ['[capabilities]\nexec = false\nexec = true\n', 'toml/duplicate-key', 3],
    ['[capabilites]\nexec = false\n', 'caps/shape', 1],
    ['[capabilities]\nexec = "no"\n', 'caps/shape', 2],
    ['[capabilities]\nsecrets = "x"\n', 'caps/shape', 2],
    ['[capabilities]\ntime = []\n', 'caps/shape', 2],
    // It would leave standing what was meant to be revoked.
    ['[capabilities]\nexce = false\n', 'caps/unknown-family', 2],
    ['[capabilities]\nnet = ["*.example"]\n', 'caps/entry', 2],
    ['\u0000', 'toml/encoding', 1],
  ]
  for (const [text, rule, line] of broken) {
    test(`${JSON.stringify(text)} says nothing: ${rule}`, () => {
      const { says, findings } = read(text)
      assert.equal(says, undefined)
      const errors = findings.filter(({ severity }) => severity === 'error')
      assert.deepEqual([errors[0]?.rule, errors[0]?.line, errors[0]?.file], [rule, line, 'o.caps'])
    })
  }
})

describe('on disk', () => {
  const folder = temporary('overrides')
  const put = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o755 })
    writeFileSync(path, text, { mode: 0o644 })
  }
  const SAID = '[capabilities]\nexec = false\n'

  test('all six places are looked at, the system’s first', async () => {
    const root = folder('places')
    const places = { system: join(root, 'etc'), home: join(root, 'home') }
    const all = overridePaths({ name: 'mailer', variant: 'pro' }, places)
    assert.deepEqual(
      all.map(({ for: target, path }) => [target, path.slice(root.length + 1)]),
      [
        ['mailer', 'etc/policy-overrides/mailer.caps'],
        ['mailer@pro', 'etc/policy-overrides/mailer_pro.caps'],
        ['mailer', 'home/policy-overrides/mailer/policy.caps'],
        ['mailer@pro', 'home/policy-overrides/mailer_pro/policy.caps'],
        ['mailer', 'home/caps/overrides/mailer.toml'],
        ['mailer@pro', 'home/caps/overrides/mailer@pro.toml'],
      ],
    )
    assert.deepEqual(await findOverrides({ name: 'mailer', variant: 'pro' }, new Ways(), places), [])
    for (const { path } of all) put(path, SAID)
    const found = await findOverrides({ name: 'mailer', variant: 'pro' }, new Ways(), places)
    assert.deepEqual(
      found.map(file => [file.label, 'bytes' in file]),
      all.map(({ path }) => [path, true]),
    )
    // A variant's override is not everybody's.
    assert.equal((await findOverrides({ name: 'mailer' }, new Ways(), places)).length, 3)
    assert.equal((await findOverrides({ name: 'other' }, new Ways(), places)).length, 0)
  })

  test('a name never leads out of the folder', () => {
    for (const name of ['../../etc/passwd', '..', 'a/b', '', '.']) {
      for (const { path } of overridePaths({ name }, { system: '/s', home: '/h' })) {
        assert.match(
          path,
          /^\/(?:s\/policy-overrides\/_*[a-z_]*\.caps|h\/policy-overrides\/[a-z_]*\/?policy\.caps)$/,
        )
      }
    }
  })

  for (const [what, spoil] of [
    ['writable by others', (path: string) => chmodSync(path, 0o646)],
    ['writable by a group', (path: string) => chmodSync(path, 0o664)],
    ['in a folder that others may write', (path: string) => chmodSync(dirname(path), 0o777)],
  ] as const) {
    test(`one that is ${what} is there and cannot be used`, async () => {
      const home = folder(what)
      const path = join(home, 'policy-overrides/mailer/policy.caps')
      put(path, SAID)
      assert.ok(
        'bytes' in ((await findOverrides({ name: 'mailer' }, new Ways(), { system: home, home }))[0] ?? {}),
      )
      spoil(path)
      const [file] = await findOverrides({ name: 'mailer' }, new Ways(), { system: home, home })
      assert.ok(file && 'problem' in file)
      assert.match(file.problem, /others may write it$/)
      assert.equal(readOverrideFile(file).says, undefined)
    })
  }

  test('a folder in its place, or a link to nothing, is not "no override"', async () => {
    const home = folder('odd')
    mkdirSync(join(home, 'policy-overrides/mailer/policy.caps'), { recursive: true })
    mkdirSync(join(home, 'caps/overrides'), { recursive: true })
    symlinkSync('/nowhere', join(home, 'caps/overrides/mailer.toml'))
    const found = await findOverrides({ name: 'mailer' }, new Ways(), { system: home, home })
    assert.deepEqual(
      found.map(file => 'problem' in file),
      [true, true],
    )
  })

  test('one that may not be read is not "no override"', {
    skip: IS_ROOT ? false : 'needs root',
  }, async () => {
    const cwd = folder('unreadable')
    chmodSync(cwd, 0o777)
    await rlp(['agent', 'scaffold', 'mailer', '--non-interactive'], { cwd, uid: NOBODY })
    const path = join(cwd, 'home/caps/overrides/mailer.toml')
    put(path, SAID)
    chmodSync(path, 0o600)
    const env = { RUNLOOP_HOME: join(cwd, 'home') }
    const { exit, stdout } = await rlp(['caps', 'show', 'mailer', '--json'], { cwd, uid: NOBODY, env })
    assert.equal(exit, 3)
    assert.equal(JSON.parse(stdout).result.agents[0].effective, null)
  })
})

describe('loadBundle', () => {
  const folder = temporary('load-overrides')
  const tools = JSON.stringify({
    version: 1,
    tools: [
      {
        id: 'text.query',
        description: 'Run a jq filter.',
        transport: { kind: 'exec', command: '/usr/bin/jq' },
        input_schema: true,
        result_schema: true,
      },
    ],
  })
  const bundle = bundleOf(
    agentTree({ files: { 'policy.caps': '[capabilities]\nexec = ["/usr/bin/jq"]\n', 'tools.json': tools } }),
  )
  const home = folder('home')
  const file = join(home, 'caps/overrides/mini.toml')
  const load = (text: string | undefined) => {
    if (text !== undefined) {
      mkdirSync(dirname(file), { recursive: true, mode: 0o755 })
      writeFileSync(file, text, { mode: 0o644 })
    }
    const before = process.env['RUNLOOP_HOME']
    process.env['RUNLOOP_HOME'] = home
    return loadBundle(bundle, { expect: 'mini', allowUnsigned: true }).finally(() => {
      if (before === undefined) delete process.env['RUNLOOP_HOME']
      else process.env['RUNLOOP_HOME'] = before
    })
  }

  test('exposes what the overrides leave', async () => {
    const plain = await load(undefined)
    assert.deepEqual([plain.tools.length, plain.denied], [1, []])
    const tight = await load('[capabilities]\nexec = false\n')
    assert.deepEqual(tight.policy.exec, [])
    assert.deepEqual(tight.tools, [])
    assert.deepEqual(tight.denied, [
      { id: 'text.query', capability: 'exec:/usr/bin/jq', reason: 'cap_missing', by: file },
    ])
  })

  test('hands out nothing when one cannot be used', async () => {
    await assert.rejects(load('[capabilities]\nexce = false\n'), (error: unknown) => {
      assert.ok(error instanceof NotVerifiedError)
      assert.equal(error.verdict, 'indeterminate')
      const [reason] = error.report.reasons
      assert.equal(reason?.code, 'override_unusable')
      assert.match(reason?.message ?? '', /mini\.toml:2: No runtime knows the capability "exce"$/)
      return true
    })
  })
})

test('the table says for each grant what is left of it', () => {
  const base = policy(
    'net = { hosts = ["A.example"], allow_http = true }\nfs_rw = ["/d"]\nkb_read = true\ntime = true',
  )
  const said = [override('net = ["a.example:443"]\nfs = ["/d"]'), override('kb_read = ["x"]\ntime = false')]
  const text = (left: { is: string; entries?: readonly string[] }) => left.entries?.join() ?? left.is
  assert.deepEqual(
    capsTable(base, said, undefined).map(({ key, entry, overrides, effective }) => [
      key,
      entry,
      ...overrides.map(text),
      text(effective),
    ]),
    [
      ['fs_rw', '/d', '/d to read', 'silent', '/d to read'],
      ['net', 'A.example', 'a.example:443', 'silent', 'a.example:443'],
      // Plain http is left for the hosts that are left.
      ['net', 'allow_http', 'a.example:443', 'silent', 'a.example:443'],
      ['time', undefined, 'silent', 'nothing', 'nothing'],
      ['kb_read', '*', 'silent', 'x', 'x'],
    ],
  )
  for (const text of ['net = false', 'net = { hosts = ["a.example"], allow_http = false }'])
    assert.deepEqual(
      capsTable(base, [override(text)], undefined).find(({ hosts }) => hosts !== undefined)?.effective,
      { is: 'nothing' },
    )
  assert.deepEqual(
    capsTable(base, [undefined], undefined).map(({ effective }) => effective.is),
    ['unknown', 'unknown', 'unknown', 'unknown', 'unknown'],
  )
})
