// agent verify of a prefix: every repository below it, as its registry lists them. A list that breaks off is never taken for a whole one.
import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, beforeEach, describe, test } from 'node:test'
import type { FleetRecord } from '../../src/fleet/task.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { made, RELEASE, world } from '../support/install-world.ts'
import { FakeRegistry, type Meddle, say } from '../support/oci-registry.ts'
import { authFile } from '../support/registry-access.ts'

const folder = temporary('prefixes')
const here = world(folder('world'))
const server = await new FakeRegistry().start()
const other = await new FakeRegistry().start()
after(() => Promise.all([server.stop(), other.stop()]))
for (const { host } of [server, other]) {
  here.put('b', made({}, RELEASE))
  assert.equal((await here.rlp('agent', 'push', 'b', `oci://${host}/agents/mini`)).exit, 0)
}

beforeEach(() => {
  server.repositories = ['agents/mini', 'agents/team/mini', 'agentsmore/mini', 'zoo/mini']
  server.page = 1000
  server.meddle = undefined
  other.repositories = undefined
  other.meddle = undefined
  writeFileSync(join(here.home, 'config.toml'), '[registries]\n', { mode: 0o600 })
})

const at = (parts: string, { host } = server) => `oci://${host}/${parts}`

async function verified(words: readonly string[], more: { input?: string; env?: object } = {}) {
  server.asked.length = 0
  other.asked.length = 0
  process.env['RUNLOOP_HOME'] = here.home
  const ran = await run(['agent', 'verify', ...words, '--format', 'ndjson'], undefined, {
    cwd: here.cwd,
    env: { RUNLOOP_HOME: here.home, ...more.env },
    ...(more.input !== undefined && { input: more.input }),
  })
  const lines = ran.stdout
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line))
  const records = lines.filter(({ type }) => type === 'bundle') as FleetRecord[]
  const of = (verdict: string) => records.flatMap(one => (one.verdict === verdict ? one.target : [])).sort()
  return {
    ...ran,
    records,
    trusted: of('trusted'),
    undecided: records
      .filter(({ verdict }) => verdict === 'indeterminate')
      .map(({ target, reasons }) => [target, reasons[0]?.code, reasons[0]?.message.replace(/^.*": /, '')]),
    summary: lines.find(({ type }) => type === 'summary'),
    pages: server.asked.filter(({ url }) => url.startsWith('/v2/_catalog')).map(({ url }) => url),
  }
}

describe('a prefix', () => {
  test('is every repository below it, and no other', async () => {
    const { exit, trusted, undecided, summary, stderr, pages } = await verified([at('agents/')])
    assert.deepEqual(trusted, [at('agents/mini:1.0.0'), at('agents/team/mini:1.0.0')])
    assert.deepEqual([exit, undecided, pages], [0, [], ['/v2/_catalog?n=1000']])
    assert.deepEqual(summary.listedBy, { [server.host]: 2 })
    assert.match(stderr, new RegExp(`2 repositories as listed by ${server.host}; only a lock or a list`))
  })

  test('of a whole registry is everything that it lists', async () => {
    assert.equal((await verified([at('')])).trusted.length, 4)
  })

  test('without its slash is one repository, which is not listed', async () => {
    const { trusted, pages, summary } = await verified([at('agents/mini')])
    assert.deepEqual([trusted, pages, summary.listedBy], [[at('agents/mini:1.0.0')], [], undefined])
  })

  test('is read from a list of names beside what is here, and a wrong one ends nothing', async () => {
    here.put('mini-1.0.0.agent.bundle', made({}, RELEASE))
    const input = `${at('agents/')}\nmini-1.0.0.agent.bundle\noci://x_y/\n`
    const { exit, trusted, undecided } = await verified(['--bundles-from', '-'], { input })
    assert.deepEqual(trusted, [
      'mini-1.0.0.agent.bundle',
      at('agents/mini:1.0.0'),
      at('agents/team/mini:1.0.0'),
    ])
    assert.deepEqual([exit, undecided.map(([target]) => target)], [3, ['oci://x_y/']])
  })

  test('with a range is the newest version in each repository', async () => {
    const { trusted } = await verified([at('agents/'), '--expect', 'mini@^1'])
    assert.deepEqual(trusted, [at('agents/mini'), at('agents/team/mini')])
  })

  test('with --json has whole reports, and says whose list it is', async () => {
    const { exit, envelope } = await here.rlp('agent', 'verify', at('agents/'))
    const targets = envelope.result?.bundles?.map(({ target }) => target)
    assert.deepEqual([exit, targets], [0, [at('agents/mini:1.0.0'), at('agents/team/mini:1.0.0')]])
    assert.deepEqual(envelope.result?.['listedBy'], { [server.host]: 2 })
    server.repositories = ['agents/mini', 'Agents']
    const broken = await here.rlp('agent', 'verify', at('agents/'))
    assert.equal(broken.exit, 3)
    const [reason] = broken.envelope.result?.bundles?.at(-1)?.reasons ?? []
    assert.match(
      `${reason?.message}`,
      /^Cannot list every repository of .*a name that no repository can have$/,
    )
  })

  test('for people ends with whose list it is', async () => {
    const { exit, stdout, stderr } = await here.say('agent', 'verify', at('agents/'))
    assert.equal(exit, 0, stderr)
    assert.match(stdout, /agents\/team\/mini:1\.0\.0/)
    assert.match(stderr, /as listed by/)
  })

  for (const words of [
    ['agent', 'list'],
    ['agent', 'inspect'],
    ['agent', 'pull'],
    ['agent', 'install'],
    ['agent', 'sbom', '--key', 'k'],
    ['lock', 'add'],
    ['lock', 'update'],
    ['tool', 'list'],
  ])
    test(`is refused by ${words.slice(0, 2).join(' ')}, which says who takes it`, async () => {
      const [first = '', second = '', ...more] = words
      if (second === 'update') writeFileSync(join(here.cwd, 'rlp.lock'), 'version = 1\n')
      const { exit, envelope } = await here.rlp(first, second, at('agents/'), ...more)
      assert.equal(exit, 2, JSON.stringify(envelope))
      assert.match(`${envelope.message} ${envelope.hint}`, /every repository below it|one repository/)
    })
})

describe('the pages of a list', () => {
  test('are read by their links', async () => {
    server.repositories = Array.from({ length: 7 }, (_, count) => `agents/a${count}/mini`)
    server.page = 3
    const { exit, trusted, pages } = await verified([at('agents/')])
    assert.deepEqual([exit, trusted.length, pages.length], [0, 7, 3])
  })

  test('are asked for by the last name, where a full page has no link', async () => {
    const all = Array.from({ length: 1003 }, (_, count) => `zoo/a${String(count).padStart(4, '0')}`)
    server.repositories = [...all, 'agents/mini']
    server.meddle = (request, response, { repositories = [] }) => {
      const to = new URL(request.url ?? '', 'http://x')
      if (to.pathname !== '/v2/_catalog') return false
      const from = repositories.indexOf(to.searchParams.get('last') ?? '') + 1
      return say(response, 200, JSON.stringify({ repositories: repositories.slice(from, from + 1000) }))
    }
    const { exit, trusted, pages } = await verified([at('agents/')])
    assert.deepEqual([exit, trusted], [0, [at('agents/mini:1.0.0')]])
    assert.deepEqual(pages, ['/v2/_catalog?n=1000', '/v2/_catalog?n=1000&last=zoo%2Fa0999'])
  })
})

describe('a list is incomplete', () => {
  const answers =
    (status: number, body: unknown, headers: Record<string, string> = {}): Meddle =>
    ({ url = '' }, response) => {
      if (!url.startsWith('/v2/_catalog')) return false
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
      return say(response, status, typeof body === 'string' ? body : JSON.stringify(body))
    }
  const one = { repositories: ['agents/mini'] }
  for (const [name, meddle, found, words] of [
    ['without a list at all', answers(404, '404 page not found'), 0, /it is not there .*answered 404/],
    ['where it wants to know who asks', answers(401, '{}'), 0, /it wants to know who asks/],
    ['where it may not be read', answers(403, '{}'), 0, /it does not allow that/],
    ['where the registry has a problem', answers(500, '{}'), 0, /answered 500/],
    ['where it is no JSON', answers(200, '<html>'), 0, /no list of repositories/],
    ['where it is no list', answers(200, { repositories: 'agents/mini' }), 0, /no list of repositories/],
    ['where it is empty', answers(200, { repositories: null }), 0, /lists no repository below it/],
    ['where only others are in it', answers(200, { repositories: ['a'] }), 0, /lists no repository below it/],
    [
      'where a name has a wrong form',
      answers(200, { repositories: ['agents/mini', '../x'] }),
      1,
      /a name that no repository can have/,
    ],
    [
      'where a name is a number',
      answers(200, { repositories: ['agents/mini', 1] }),
      1,
      /a name that no repository can have/,
    ],
    [
      'where its link leads back to the page',
      answers(200, one, { link: '</v2/_catalog?n=1000>; rel="next"' }),
      1,
      /names no repository that an earlier one does not name/,
    ],
    [
      'where it goes on at another host',
      answers(200, one, { link: '<http://127.0.0.1:1/v2/_catalog?last=a>; rel="next"' }),
      1,
      /goes on at another place/,
    ],
    [
      'where it goes on at another path',
      answers(200, one, { link: '</v2/agents/mini/tags/list?last=a>; rel="next"' }),
      1,
      /goes on at another place/,
    ],
  ] as const)
    test(name, async () => {
      // The control: the same list without the fault.
      const whole = await verified([at('agents/')])
      assert.deepEqual([whole.exit, whole.undecided], [0, []])
      server.meddle = meddle
      const { exit, trusted, undecided } = await verified([at('agents/')])
      assert.deepEqual([exit, trusted.length], [3, found])
      const [[target, code, message] = [], ...more] = undecided
      assert.deepEqual([target, code, more], [at('agents/'), 'listing_incomplete', []])
      assert.match(`${message}`, words)
    })

  test('where its pages never end, without a new name', async () => {
    let count = 0
    server.meddle = ({ url = '' }, response) => {
      if (!url.startsWith('/v2/_catalog')) return false
      response.setHeader('link', `</v2/_catalog?last=x${count++}>; rel="next"`)
      return say(response, 200, JSON.stringify({ repositories: ['agents/mini', 'zoo/mini'].slice(0, count) }))
    }
    const { exit, trusted, pages } = await verified([at('agents/')])
    assert.deepEqual([exit, trusted.length, pages.length], [3, 1, 3])
  })

  test('and an invalid bundle still decides', async () => {
    server.repositories = ['agents/mini', '../x']
    here.put('broken.agent.bundle', Buffer.from('x'))
    const { exit, undecided } = await verified([at('agents/'), 'broken.agent.bundle'])
    assert.deepEqual([exit, undecided.length], [1, 1])
  })
})

describe('jobs that share a prefix', () => {
  const jobs = [1, 2]
  const run = (index: number) => verified([at(''), '--shard', `${index}/2`, '--run', 'night'])
  const merged = async (reports: readonly string[]) => {
    for (const [index, text] of reports.entries()) writeFileSync(join(here.cwd, `part-${index}`), text)
    const names = reports.map((_, index) => `part-${index}`)
    rmSync(join(here.cwd, 'whole'), { force: true })
    return here.say('report', 'merge', ...names, '--out', 'whole')
  }

  test('judge each repository once, and ask for the tags of no other', async () => {
    server.repositories = Array.from({ length: 12 }, (_, count) => `r${count}/mini`)
    const found: string[] = []
    const reports: string[] = []
    for (const index of jobs) {
      const { exit, trusted, summary, stdout } = await run(index)
      assert.deepEqual([exit, summary.listed.targets], [0, 12])
      assert.equal(summary.listed.here, trusted.length)
      assert.equal(server.asked.filter(({ url }) => url.includes('/tags/list')).length, trusted.length)
      found.push(...trusted)
      reports.push(stdout)
    }
    assert.deepEqual(found.sort(), server.repositories.map(name => at(`${name}:1.0.0`)).sort())
    const { exit, stderr } = await merged(reports)
    assert.equal(exit, 0, stderr)
    const whole = readFileSync(join(here.cwd, 'whole'), 'utf8').trim().split('\n').at(-1) ?? ''
    assert.deepEqual(JSON.parse(whole).listedBy, { [server.host]: 12 })
  })

  test('all say that the list is incomplete, and one says why', async () => {
    server.repositories = ['a/mini', 'b/mini', 'c/mini', '../x']
    const reports: string[] = []
    const records: string[] = []
    for (const index of jobs) {
      const { exit, undecided, stdout } = await run(index)
      assert.equal(exit, 3)
      records.push(...undecided.map(([, code]) => `${code}`))
      reports.push(stdout)
    }
    assert.deepEqual(records, ['listing_incomplete'])
    assert.equal((await merged(reports)).exit, 3)
  })
})

describe('who is asked for a list', () => {
  test('its own login goes to it, for the catalog alone', async t => {
    const login = 'alice:pw-17'
    const guarded = await new FakeRegistry({ login }).start()
    t.after(() => guarded.stop())
    guarded.repositories = ['agents/mini']
    const env = authFile(here.cwd, { [guarded.host]: login })
    const { exit, undecided } = await verified([at('agents/', guarded)], { env })
    assert.deepEqual([exit, undecided], [2, []], 'nothing is stored there')
    const scopes = guarded.asked.flatMap(({ url }) => new URL(url, 'http://x').searchParams.getAll('scope'))
    assert.deepEqual(scopes, ['registry:catalog:*', 'repository:agents/mini:pull'])
    const without = await verified([at('agents/', guarded)])
    assert.deepEqual(
      without.undecided.map(([, code]) => code),
      ['listing_incomplete'],
    )
  })

  test('a mirror lists what is read from it, under the written names', async () => {
    const config = join(here.home, 'config.toml')
    writeFileSync(
      config,
      `[registries.mirrors]\n"oci://dev.example/agents" = "oci://${other.host}/house"\n`,
      {
        mode: 0o600,
      },
    )
    other.repositories = ['house/mini', 'house/x/mini', 'agents/mini']
    const { exit, trusted, summary, pages } = await verified(['oci://dev.example/agents/'])
    assert.deepEqual(
      [exit, trusted],
      [0, ['oci://dev.example/agents/mini:1.0.0', 'oci://dev.example/agents/x/mini:1.0.0']],
    )
    assert.deepEqual([summary.listedBy, pages], [{ [other.host]: 2 }, []])
  })

  test('a mirror of a part is not listed, so the list of the whole is incomplete', async () => {
    const config = join(here.home, 'config.toml')
    const line = `"${at('agents/team')}" = "oci://${other.host}/house"`
    writeFileSync(config, `[registries.mirrors]\n${line}\n`, { mode: 0o600 })
    const { exit, trusted, undecided } = await verified([at('agents/')])
    assert.deepEqual([exit, trusted.length], [3, 2])
    assert.match(`${undecided[0]?.[2]}`, /names a mirror of oci:.*\/agents\/team\/, whose list is not read/)
  })

  test('a folder in place of a registry has no list', async () => {
    const config = join(here.home, 'config.toml')
    writeFileSync(config, `[registries.mirrors]\n"oci://dev.example" = "oci-layout:${here.cwd}/m"\n`, {
      mode: 0o600,
    })
    const { exit, undecided } = await verified(['oci://dev.example/agents/'])
    assert.deepEqual([exit, undecided[0]?.[1]], [3, 'listing_incomplete'])
  })
})
