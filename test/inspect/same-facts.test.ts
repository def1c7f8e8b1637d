// The review page says of each power the same tools as rlp caps show --sandbox: in its list, in its picture, and over any agent.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { Override } from '../../src/caps/overrides.ts'
import { shownOf } from '../../src/caps/permissions.ts'
import { capsReport } from '../../src/caps/report.ts'
import type { Item } from '../../src/inspect/page/page.ts'
import { makePicture } from '../../src/inspect/page/picture.ts'
import { type Power, powersIn } from '../../src/inspect/page/powers.ts'
import { maySection, powerWords } from '../../src/inspect/page/sections/permissions.ts'
import type { Agent } from '../../src/model/agent.ts'
import type { PolicyOverride } from '../../src/model/override.ts'
import type { Policy } from '../../src/model/policy.ts'
import type { Tool } from '../../src/model/tools.ts'
import { readHostPort } from '../../src/policy/host.ts'
import { profileOf } from '../../src/sandbox/profile.ts'
import { NO_GRANTS } from '../../src/scaffold/grant.ts'
import {
  grantsArbitrary,
  overrideArbitrary,
  policyOf,
  TOOL,
  toolArbitrary,
} from '../support/arbitrary-caps.ts'
import { runs } from '../support/runs.ts'
import { UNHELD } from '../support/unheld.ts'

/** What both say of one agent. */
function told(policy: Policy, tools: readonly Tool[], says: readonly PolicyOverride[] = []) {
  const agent = { label: 'a', documents: new Map(), policy, tools: { version: 1, tools } } as unknown as Agent
  const overrides = says.map((one, index) => ({ label: `${index}`, says: one, findings: [], agent }))
  const shown = shownOf(agent, policy, overrides as unknown as Override[])
  return { caps: capsReport(shown, UNHELD), powers: powersIn(agent, overrides) ?? [] }
}

const usersOf = ({ uses }: Power) => uses.flatMap(({ tool, isDenied }) => (isDenied ? [] : [tool]))
const sorted = (texts: Iterable<string>) => [...new Set(texts)].sort()

/** Where the home is that of the sandbox. */
function folderAt(name: string): string {
  return profileOf({ capabilities: [`fs_ro:${name}`] }, '/nowhere').reads[0] ?? name
}

function hostAt(text: string): string {
  const target = readHostPort(text)
  return 'problem' in target ? text : `${target.host}:${target.port ?? 443}`
}

/** What the page says that a tool has, in the words of the sandbox. */
function hadOnPage(powers: readonly Power[], tool: string) {
  const own = powers.filter(power => usersOf(power).includes(tool))
  const folders = (kind: Power['kind'], begins: RegExp) =>
    own
      .filter(({ name, ...power }) => power.kind === kind && begins.test(name))
      .map(({ name }) => folderAt(name.replace(/^fs:/, '')))
  const writes = folders('write', /^[/~]/)
  const reads = [...folders('read', /^[/~]/), ...folders('write', /^fs:/)]
  const hosts = own.filter(({ kind, name }) => kind === 'host' && !name.startsWith('http://'))
  return {
    reads: sorted(reads.filter(path => !writes.includes(path))),
    writes: sorted(writes),
    hosts: sorted(hosts.map(({ name }) => hostAt(name))),
  }
}

const agents = fc.record({
  grants: grantsArbitrary,
  tools: fc
    .array(toolArbitrary, { maxLength: 5 })
    .map(list => list.map((tool, index) => ({ ...tool, id: `tool.${index}` }))),
  says: fc.oneof(fc.constant([]), fc.array(overrideArbitrary, { maxLength: 2 })),
})

/** Few drawn tools are granted what they need, so most of the policies grant all of it. */
const granted = agents.map(({ grants, ...rest }) => {
  const policy = policyOf(grants)
  const all = {
    ...NO_GRANTS,
    net: { hosts: ['a.example', 'b.example:443', '[::1]', '[::1]:8443'], allowHttp: true },
  }
  const more = {
    fs: ['/'],
    fsRo: ['/data'],
    fsRw: ['/data/sub', '~/'],
    secrets: ['x', 'y', 'runloop/a/b', 'env/HOME_PAGE'],
    kbRead: true,
    kbWrite: true,
    exec: ['/bin/x', '/bin/y'],
    time: true,
    model: true,
  } as const
  return { ...rest, policy: grants.length % 4 === 0 ? policy : { ...all, ...more } }
})

describe('over any agent', () => {
  test('a tool has the same folders and hosts on the page and in the sandbox', () => {
    let held = 0
    fc.assert(
      fc.property(granted, ({ policy, tools, says }) => {
        const { caps, powers } = told(policy, tools, says)
        for (const { id, sandbox } of caps.tools ?? []) {
          if (sandbox === undefined) continue
          held++
          const { reads, writes, hosts } = sandbox
          const page = hadOnPage(powers, id)
          assert.deepEqual(page, { reads, writes, hosts: sorted(hosts.map(hostAt)) })
        }
      }),
      { numRuns: runs(1000) },
    )
    assert.ok(held > 5, `${held}`)
  })

  test('a grant has the same tools on the page and in the rows', () => {
    let found = 0
    fc.assert(
      fc.property(granted, ({ policy, tools, says }) => {
        const { caps, powers } = told(policy, tools, says)
        for (const { key, entry, tools: expected } of caps.grants) {
          const text = entry === undefined || entry === '*' ? key : `${key}:${entry}`
          const own = powers.filter(({ grants }) => grants.includes(text))
          // Without a host there is nothing that plain http could be granted for.
          if (own.length === 0 && text === 'net:allow_http' && policy.net.hosts.length === 0) continue
          assert.ok(own.length > 0, text)
          const onPage = own.flatMap(power => [...usersOf(power), ...(power.parts ?? [])])
          assert.deepEqual(sorted(onPage), sorted(expected ?? []), text)
          found += onPage.length
        }
      }),
      { numRuns: runs(1000) },
    )
    assert.ok(found > 5, `${found}`)
  })

  test('a tool that is not exposed has nothing, and the page says so', () => {
    fc.assert(
      fc.property(granted, ({ policy, tools, says }) => {
        const { caps, powers } = told(policy, tools, says)
        const isGranted = new Map(caps.tools?.map(({ id, granted }) => [id, granted]))
        for (const { uses } of powers)
          for (const { tool, isDenied } of uses) assert.equal(isGranted.get(tool), isDenied !== true)
      }),
      { numRuns: runs(500) },
    )
  })

  test('list and picture name the same tools', () => {
    fc.assert(
      fc.property(granted, ({ policy, tools, says }) => {
        const { powers } = told(policy, tools, says)
        const { items } = maySection(powers, undefined, 'trusted')
        const { groups, reached, lines } = makePicture('a', powers, undefined)
        for (const [index, power] of powers.entries()) {
          const ids = sorted(power.uses.map(({ tool }) => tool))
          const inList = sorted(textsIn(items[index]).filter(text => ids.includes(text)))
          if (power.kind !== 'secret' || ids.length === 1) assert.deepEqual(inList, ids)
          if (index >= 15 || groups.length > 15) continue
          assert.equal(reached[index]?.label, powerWords(power).map(textOf).join(''))
          const linked = lines.filter(({ to }) => to === index).map(({ from }) => groups[from])
          const count = linked.filter(group => group?.label !== 'the program inside')
          assert.equal(count.length > 0, ids.length > 0, JSON.stringify(power))
          const isInside = linked.length > count.length
          assert.ok(!isInside || usersOf(power).length === 0, JSON.stringify(power))
        }
      }),
      { numRuns: runs(500) },
    )
  })
})

const textOf = (part: Item['words'][number]) => (typeof part === 'string' ? part : part.text)

function textsIn(item: Item | undefined): string[] {
  const { words = [], more = [] } = item ?? {}
  return [...words.map(textOf), ...more.flatMap(textsIn)]
}

describe('in words', () => {
  const lines = (policy: Partial<Policy>, tools: readonly Tool[], ...says: PolicyOverride[]) =>
    maySection(told({ ...NO_GRANTS, ...policy }, tools, says).powers, undefined, 'trusted').items.map(item =>
      item.words.map(textOf).join(''),
    )
  const http = (id: string, url: string): Tool => ({
    ...TOOL,
    id,
    requiresConfirmation: false,
    transport: { kind: 'http', method: 'GET', url, headers: {} },
  })
  const program = (id: string, ...capabilities: string[]): Tool => ({
    ...TOOL,
    id,
    capabilities,
    requiresConfirmation: false,
  })
  const net = (hosts: readonly string[]) => ({ net: { hosts, allowHttp: true } })

  test('plain http names its hosts, and the tools that use it', () => {
    const tools = [http('a.one', 'http://127.0.0.1:9911/x'), http('a.two', 'http://127.0.0.1:9911/y')]
    assert.deepEqual(lines(net(['127.0.0.1:9911']), tools), [
      'reaches http://127.0.0.1:9911, without encryption: 2 tools, 2 GET',
    ])
    assert.deepEqual(lines(net(['127.0.0.1:9911', 'b.example:443']), tools), [
      'reaches http://127.0.0.1:9911, without encryption: 2 tools, 2 GET',
      'reaches b.example:443 unencrypted over the network (the program inside may; no tool does)',
      'reaches b.example:443 (the program inside may; no tool does)',
    ])
  })

  test('a host that one tool reaches in clear and another does not is told twice', () => {
    const tools = [http('a.clear', 'http://b.example:8443/'), http('a.secure', 'https://b.example:8443/')]
    assert.deepEqual(lines(net(['b.example:8443']), tools), [
      'reaches b.example:8443: GET /, by the tool a.secure; the tool a.clear has a part of it',
      'reaches http://b.example:8443, unencrypted over the network: GET /, by the tool a.clear',
    ])
  })

  test('a folder names the tools that list it, and those that list a part of it', () => {
    const tools = [program('a.notes', 'fs_ro:/srv/notes'), program('a.all', 'fs_ro:/srv', 'fs_rw:/var/x')]
    const may = { fsRo: ['/srv'], fsRw: ['/var/x'], exec: ['/bin/x'] }
    assert.deepEqual(lines(may, tools).slice(1), [
      'reads and writes files below /var/x, by the tool a.all',
      'reads files below /srv, by the tool a.all; the tool a.notes has a part of it',
      'reads files below /srv/notes, by the tool a.notes',
    ])
  })

  test('a folder that a tool writes is not told as one that it reads too', () => {
    const tools = [program('a.x', 'fs_ro:/srv', 'fs_rw:/srv')]
    assert.deepEqual(lines({ fsRw: ['/srv'], exec: ['/bin/x'] }, tools).slice(1), [
      'reads and writes files below /srv, by the tool a.x',
    ])
  })

  test('a grant of all names the tools that have a part of it', () => {
    const tools = [program('a.x', 'kb_read:docs', 'time')]
    assert.deepEqual(lines({ exec: true, kbRead: true, time: true }, tools), [
      'may run every program (the program inside may; the tool a.x has a part of it)',
      'runs /bin/x as the tool a.x',
      'reads the knowledge base docs, by the tool a.x',
      'reads every knowledge base (the program inside may; the tool a.x has a part of it)',
      'reads the clock, by the tool a.x',
    ])
  })

  test('a tool of kind http has no folder, whatever it lists', () => {
    const tool = { ...http('a.x', 'https://b.example/'), capabilities: ['fs_ro:/srv', 'time'] }
    assert.deepEqual(
      lines({ net: { hosts: ['b.example:443'], allowHttp: false }, fsRo: ['/srv'], time: true }, [tool]),
      [
        'reaches b.example:443: GET /, by the tool a.x',
        'reads files below /srv (the program inside may; no tool does)',
        'reads the clock, by the tool a.x',
      ],
    )
  })
})
