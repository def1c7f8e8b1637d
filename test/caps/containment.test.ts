// Tools ⊆ policy: the spellings of hosts, and what must hold for every tool and policy. The cases of the existing runtime are
// in cases/runloop/capabilities.ts.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { Policy } from '../../src/model/policy.ts'
import type { Tool } from '../../src/model/tools.ts'
import { readCapability } from '../../src/policy/capability.ts'
import { policyGrants } from '../../src/policy/ceiling.ts'
import { denialReason, isGranted, notGranted } from '../../src/policy/containment.ts'
import { capabilityFamily } from '../../src/policy/families/index.ts'
import { isUnder, rootOf } from '../../src/policy/folder.ts'
import { readUrl } from '../../src/policy/host.ts'
import type { Need } from '../../src/policy/need.ts'
import { needsOf } from '../../src/policy/needs.ts'
import { grant, NO_GRANTS } from '../../src/scaffold/grant.ts'
import { grantArbitrary, grantsArbitrary, policyOf, TOOL, toolArbitrary } from '../support/arbitrary-caps.ts'
import { processorTime } from '../support/processor-time.ts'
import { runs } from '../support/runs.ts'

function declared(capability: string): Need {
  return { capability, at: [], from: 'declared' }
}

/** The need that a url implies; one that cannot be read implies what no policy grants. */
function urlNeed(url: string): Need {
  const reach = readUrl(url)
  if ('problem' in reach) return { capability: 'net:', at: [], from: 'implied' }
  return { capability: `net:${reach.host}:${reach.port}`, at: [], from: 'implied', scheme: reach.scheme }
}

test('a need is granted where a policy has one of its names', () => {
  let granted = 0
  fc.assert(
    fc.property(grantsArbitrary, toolArbitrary, (grants, tool) => {
      const policy = policyOf(grants)
      const names = new Set(
        policyGrants(policy)
          .filter(({ isPlainHttp }) => !isPlainHttp)
          .map(({ family, scope }) => `${family} ${capabilityFamily(family).need.nameOf(scope)}`),
      )
      for (const need of needsOf(tool)) {
        const capability = readCapability(need.capability)
        if ('problem' in capability) continue
        const { grantedBy, namesFor } = capabilityFamily(capability.family).need
        const found = [...namesFor(capability.scope, need.scheme)].some(name =>
          grantedBy.some(family => names.has(`${family} ${name}`)),
        )
        const isInClear = need.scheme === 'http' && !policy.net.allowHttp
        assert.equal(found && !isInClear, isGranted(need, policy), need.capability)
        granted += found ? 1 : 0
      }
    }),
    { numRuns: runs(2000) },
  )
  assert.ok(granted > 5, `${granted}`)
})

describe('what a tool needs', () => {
  const HTTP: Tool = {
    ...TOOL,
    transport: { kind: 'http', method: 'GET', url: 'https://a.example/{{input.x}}', headers: {} },
  }

  test('is what it lists, then transport, secrets and environment', () => {
    const tool: Tool = {
      ...HTTP,
      capabilities: ['kb_write:drafts'],
      secrets: ['runloop/a/b'],
      rlp: { ...TOOL.rlp, env: ['TZ', 'LANG', 'LC_TIME', 'TERM', 'HOME_PAGE'] },
    }
    assert.deepEqual(
      needsOf(tool).map(({ capability, at }) => [capability, at.join('.')]),
      [
        ['kb_write:drafts', 'capabilities.0'],
        ['net:a.example:443', 'transport.url'],
        ['secrets:runloop/a/b', 'secrets.0'],
        ['secrets:env/HOME_PAGE', 'x-rlp.env.4'],
      ],
    )
    assert.equal(needsOf(TOOL)[0]?.capability, 'exec:/bin/x')
  })

  test('an environment name is free only if it is on the list, whole and as it is spelled', () => {
    const needed = (name: string) => needsOf({ ...TOOL, rlp: { ...TOOL.rlp, env: [name] } }).slice(1)
    for (const free of ['LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TERM']) assert.deepEqual(needed(free), [], free)
    for (const name of [
      'LANGUAGE',
      'XLANG',
      'lang',
      'LC_',
      'LC_all',
      'LC_ALL2',
      'XLC_ALL',
      'LC_ALL\n',
      'TZDIR',
      'MY_TZ',
      'TERMINFO',
      'TERM\n',
      'PATH',
      'HOME',
      '',
    ])
      assert.deepEqual(
        needed(name).map(({ capability, from }) => [capability, from]),
        [[`secrets:env/${name}`, 'implied']],
        JSON.stringify(name),
      )
  })

  test('does not shrink when capabilities is left out', () => {
    const policy: Policy = { ...NO_GRANTS, net: { hosts: ['b.example'], allowHttp: false } }
    assert.equal(notGranted(HTTP, policy).length, 1)
  })

  test('is never granted when the url cannot be read', () => {
    const everything: Policy = {
      ...policyOf([]),
      net: { hosts: ['a.example', 'x.a.example', 'evil.example'], allowHttp: true },
      exec: true,
      kbRead: true,
      kbWrite: true,
    }
    for (const url of [
      'https://{{input.h}}/',
      'https://u@a.example/',
      'https://a.example./',
      'file:///etc',
      'javascript:x',
    ]) {
      const tool = { ...HTTP, transport: { ...HTTP.transport, url } } as Tool
      assert.deepEqual(
        notGranted(tool, everything).map(({ capability }) => capability),
        ['net:'],
        url,
      )
    }
  })
})

describe('all of a family', () => {
  test('is more than a list names', () => {
    const named = { kbRead: ['a'], kbWrite: ['a'], secrets: ['runloop/a/b'], exec: ['/bin/a'] }
    const policy: Policy = { ...NO_GRANTS, ...named }
    for (const one of ['kb_read:a', 'kb_write:a', 'secrets:runloop/a/b', 'exec:/bin/a'])
      assert.ok(isGranted(declared(one), policy), one)
    for (const all of [
      'kb_read',
      'kb_write',
      'secrets',
      'exec',
      'kb_read:b',
      'secrets:runloop/a',
      'exec:/bin',
    ])
      assert.ok(!isGranted(declared(all), policy), all)
    const whole: Policy = { ...policy, kbRead: true, kbWrite: true, exec: true }
    for (const all of ['kb_read', 'kb_write', 'exec']) assert.ok(isGranted(declared(all), whole), all)
  })
})

describe('folders', () => {
  const below = (roots: readonly string[], folder: string) =>
    isUnder(new Set(roots.flatMap(root => rootOf(root) ?? [])), folder)

  test('one is under itself and what it is in, and under nothing else', () => {
    for (const folder of ['/a/b', '/a/b/']) {
      for (const root of ['/', '/a', '/a/', '/a/b']) assert.ok(below([root], folder), `${folder} ${root}`)
      for (const root of ['/a/b/c', '/b', '/a/bc', '~/', '~/a']) assert.ok(!below([root], folder), root)
    }
    for (const root of ['~/', '~/a']) assert.ok(below([root], '~/a/b'), root)
    for (const root of ['/', '/a', '~/a/b/c', '~/b']) assert.ok(!below([root], '~/a/b'), root)
    for (const odd of ['/a/../b', '/a/./b', '~a/b', 'a/b', '~', '']) assert.ok(!below(['/', '~/'], odd), odd)
  })

  test('whatever the names: segment by segment', () => {
    const folder = fc
      .tuple(fc.constantFrom('/', '~/'), fc.array(fc.constantFrom('a', 'ab', '~', 'b'), { maxLength: 4 }))
      .map(([start, names]) => start + names.join('/'))
    fc.assert(
      fc.property(folder, folder, (root, asked) => {
        const isPrefix = asked === root || asked.startsWith(root.endsWith('/') ? root : `${root}/`)
        assert.equal(below([root], asked), isPrefix, `${asked} under ${root}`)
      }),
    )
  })
})

describe('hosts', () => {
  const grants: readonly (readonly [grant: string, http: boolean, url: string, granted: boolean])[] = [
    // Case, on the side of the grant; a url has one spelling only. Another script is written in punycode on both sides.
    ['API.Example', false, 'https://api.example/', true],
    ['xn--mnchen-3ya.example', false, 'https://xn--mnchen-3ya.example/', true],
    ['münchen.example', false, 'https://xn--mnchen-3ya.example/', false],
    ['xn--mnchen-3ya.example', false, 'https://münchen.example/', false],
    ['api.example', false, 'https://API.example/', false],
    ['faß.example', false, 'https://fass.example/', false],
    // Ports: without one the usual one of the scheme.
    ['a.example', false, 'https://a.example/', true],
    ['a.example', false, 'https://a.example:443/', true],
    ['a.example', false, 'https://a.example:8443/', false],
    ['a.example:443', false, 'https://a.example/', true],
    ['a.example:8443', false, 'https://a.example/', false],
    ['a.example:8443', false, 'https://a.example:8443/', true],
    ['a.example', false, 'http://a.example/', false],
    ['a.example', true, 'http://a.example/', true],
    ['a.example', true, 'http://a.example:443/', false],
    ['a.example:80', true, 'http://a.example/', true],
    ['a.example:80', true, 'https://a.example/', false],
    // Addresses.
    ['[::1]', false, 'https://[::1]/', true],
    ['[0:0:0:0:0:0:0:1]', false, 'https://[::1]/', true],
    ['[::1]:8443', false, 'https://[::1]:8443/', true],
    ['127.0.0.1', false, 'https://127.0.0.1/', true],
    ['127.0.0.1', false, 'https://0x7f.1/', false],
    ['127.0.0.1', false, 'https://2130706433/', false],
    ['127.0.0.1', false, 'https://[::ffff:127.0.0.1]/', false],
    ['127.1', false, 'https://127.0.0.1/', false],
    // Neither parents nor children nor neighbours.
    ['example', false, 'https://a.example/', false],
    ['a.example', false, 'https://x.a.example/', false],
    ['a.example', false, 'https://evila.example/', false],
    ['*.example', false, 'https://a.example/', false],
    // User names, trailing dots, templates.
    ['a.example', false, 'https://a.example@evil.example/', false],
    ['evil.example', false, 'https://a.example@evil.example/', false],
    ['a.example', false, 'https://a.example./', false],
    ['a.example.', false, 'https://a.example/', false],
    ['a.example', false, 'https://a.example/{{input.path}}?q={{input.q}}', true],
    ['a.example', false, 'https://a.example{{input.path}}', false],
    ['a.example', false, 'https://a.example:{{input.port}}/', false],
    ['a.example', false, 'https://{{input.sub}}.a.example/', false],
    ['a.example', false, '{{input.scheme}}://a.example/', false],
    ['a.example', false, 'https://a.example\\@evil.example/', false],
    ['a.example', false, 'https://a.example\u3002/', false],
    ['a.example', false, 'https:a.example/', false],
  ]
  for (const [host, allowHttp, url, expected] of grants) {
    test(`${host}${allowHttp ? ' with http' : ''} ${expected ? 'grants' : 'does not grant'} ${url}`, () => {
      const policy: Policy = { ...NO_GRANTS, net: { hosts: [host], allowHttp } }
      assert.equal(isGranted(urlNeed(url), policy), expected)
    })
  }

  test('say why they are not granted', () => {
    const of = (hosts: string[], url: string) =>
      denialReason(urlNeed(url), { ...NO_GRANTS, net: { hosts, allowHttp: false } })
    assert.equal(of([], 'https://a.example/'), 'no_hosts')
    assert.equal(of(['a.example'], 'http://a.example/'), 'http_not_permitted')
    assert.equal(of(['b.example'], 'https://a.example/'), 'host_not_permitted')
    assert.equal(denialReason(declared('secrets:x'), NO_GRANTS), 'secret_not_permitted')
    assert.equal(denialReason(declared('kb_read:x'), NO_GRANTS), 'namespace_not_permitted')
    assert.equal(denialReason(declared('exec:/x'), NO_GRANTS), 'cap_missing')
  })
})

describe('folders', () => {
  const table: readonly (readonly [grants: Partial<Policy>, need: string, granted: boolean])[] = [
    [{ fsRo: ['/data'] }, 'fs:/data', true],
    [{ fsRo: ['/data/'] }, 'fs_ro:/data/sub/x', true],
    [{ fsRo: ['/data'] }, 'fs_rw:/data', false],
    [{ fsRw: ['/data'] }, 'fs_ro:/data/x', true],
    [{ fs: ['/data'] }, 'fs:/database', false],
    [{ fs: ['/data'] }, 'fs:/data/../etc', false],
    [{ fs: ['/data/..'] }, 'fs:/etc', false],
    [{ fs: ['/data'] }, 'fs', false],
    [{ fs: ['/'] }, 'fs', true],
    [{ fs: ['/'] }, 'fs:/etc/passwd', true],
    [{ fs: ['/'] }, 'fs:~/x', false],
    [{ fs: ['~/'] }, 'fs:~/x', true],
    [{ fs: ['~/x'] }, 'fs:~/xy', false],
    // The empty root is no root, whatever text begins with it.
    [{ fs: [''] }, 'fs:/etc', false],
    [{ fs: ['relative'] }, 'fs:relative/x', false],
    [{ fs: ['/'] }, `fs:${'/a'.repeat(3000)}`, false],
  ]
  for (const [grants, need, expected] of table) {
    test(`${JSON.stringify(grants)} ${expected ? 'grants' : 'does not grant'} ${need.slice(0, 40)}`, () => {
      assert.equal(isGranted(declared(need), { ...NO_GRANTS, ...grants }), expected)
    })
  }
})

describe('for every tool and policy', () => {
  const missing = (tool: Tool, policy: Policy) => notGranted(tool, policy).map(need => JSON.stringify(need))

  test('one more grant never adds a need that is not granted, and one less never removes one', () => {
    fc.assert(
      fc.property(toolArbitrary, grantsArbitrary, grantArbitrary, (tool, grants, more) => {
        const before = missing(tool, policyOf(grants))
        const after = missing(tool, policyOf([...grants, more]))
        assert.ok(after.every(need => before.includes(need)))
      }),
      { numRuns: runs(500) },
    )
  })

  test('the order of grants and of needs never matters', () => {
    const shuffled = <T>(items: readonly T[]) => fc.shuffledSubarray([...items], { minLength: items.length })
    const scene = fc
      .tuple(toolArbitrary, grantsArbitrary)
      .chain(([tool, grants]) =>
        fc.tuple(fc.constant(tool), fc.constant(grants), shuffled(grants), shuffled(tool.capabilities)),
      )
    fc.assert(
      fc.property(scene, ([tool, grants, others, capabilities]) => {
        const ids = (tool: Tool, policy: Policy) =>
          notGranted(tool, policy)
            .map(({ capability }) => capability)
            .sort()
        assert.deepEqual(ids({ ...tool, capabilities }, policyOf(others)), ids(tool, policyOf(grants)))
      }),
      { numRuns: runs(500) },
    )
  })

  test('what grant adds is enough, and is needed', () => {
    fc.assert(
      fc.property(toolArbitrary, grantsArbitrary, (tool, grants) => {
        const { policy, impossible } = grant(policyOf(grants), [tool])
        assert.deepEqual(missing(tool, policy).sort(), impossible.map(need => JSON.stringify(need)).sort())
        if (notGranted(tool, policyOf(grants)).length === 0) assert.deepEqual(policy, policyOf(grants))
      }),
      { numRuns: runs(500) },
    )
  })

  test('what a later need brings in is not impossible', () => {
    const asking = (...capabilities: string[]): Tool => ({ ...TOOL, capabilities })
    const impossible = (tool: Tool) => grant(NO_GRANTS, [tool]).impossible.map(need => need.capability)
    assert.deepEqual(impossible(asking('fs')), ['fs'])
    assert.deepEqual(impossible(asking('fs', 'fs:/')), [])
  })

  test('the vocabulary of these tests has both answers', () => {
    const answers = fc
      .sample(fc.tuple(toolArbitrary, grantsArbitrary), { numRuns: 300, seed: 1 })
      .map(([tool, grants]) => notGranted(tool, policyOf(grants)).length === 0)
    assert.ok(answers.includes(true) && answers.includes(false))
  })
})

test('a million grants and needs take one pass', () => {
  const hosts = Array.from({ length: 20_000 }, (_, index) => `h${index}.example`)
  const policy: Policy = { ...NO_GRANTS, net: { hosts, allowHttp: false }, secrets: hosts, exec: hosts }
  const tool: Tool = { ...TOOL, capabilities: hosts.flatMap(host => [`net:${host}`, `secrets:${host}`]) }
  const begin = processorTime()
  assert.equal(notGranted(tool, policy).length, 1)
  assert.ok(processorTime() - begin < 5000)
})

describe('an answer that is remembered', () => {
  const granting: Policy = { ...NO_GRANTS, net: { hosts: ['a.example', 'b.example:80'], allowHttp: true } }
  const denying: Policy = { ...NO_GRANTS, net: { hosts: ['a.example:1'], allowHttp: false } }
  const need = (capability: string, scheme?: 'http' | 'https'): Need => ({
    ...declared(capability),
    ...(scheme && { scheme }),
  })
  const NEEDS = [
    need('net:a.example:80'),
    need('net:a.example:80', 'http'),
    need('net:a.example:80', 'https'),
    need('net:a.example:443', 'https'),
    need('net:b.example', 'http'),
    need('net:b.example', 'https'),
    need('net:a.example:1'),
    need('net'),
    need('exec:/usr/bin/jq'),
    need('constructor'),
    need('__proto__'),
    need(''),
  ]
  const answers = (policy: Policy) => NEEDS.map(one => denialReason(one, policy))

  test('is that of the first time, for each scheme and under each policy', () => {
    // Each need under a policy that nothing was asked of before.
    const fresh = (policy: Policy) => NEEDS.map(one => denialReason(one, { ...policy }))
    const [granted, denied] = [fresh(granting), fresh(denying)]
    assert.equal(granted.filter(reason => reason === undefined).length, 2)
    assert.equal(denied.filter(reason => reason === undefined).length, 1)
    for (let round = 0; round < 3; round++) {
      assert.deepEqual(answers(granting), granted)
      assert.deepEqual(answers(denying), denied)
    }
  })

  test('takes no more memory than a thousand, and further ones are judged each time', () => {
    let judged = 0
    const policy: Policy = {
      ...NO_GRANTS,
      net: {
        hosts: ['h7.example', 'h1400.example'],
        get allowHttp() {
          judged++
          return true
        },
      },
    }
    const needs = Array.from({ length: 1500 }, (_, index) => need(`net:h${index}.example:80`, 'http'))
    const asked = () => needs.filter(one => isGranted(one, policy)).map(({ capability }) => capability)
    const granted = ['net:h7.example:80', 'net:h1400.example:80']
    assert.deepEqual(asked(), granted)
    assert.equal(judged, 1500)
    assert.deepEqual(asked(), granted)
    assert.equal(judged, 2000)
  })
})

describe('folders that one reader takes for another', () => {
  const policy = (folder: string): Policy => ({ ...NO_GRANTS, fsRw: [folder] })
  const need = (folder: string) => declared(`fs_rw:${folder}`)

  test('the control: a folder below the granted one', () => {
    assert.equal(isGranted(need('/srv/data/in'), policy('/srv/data')), true)
  })
  for (const folder of [
    '/srv/data/..\\..\\etc',
    '/srv/data/a\\b',
    '/srv/data/\0',
    '/srv/data/a\nb',
    '/srv/data/\u007f',
    '/srv/data/\u0085',
    '/srv/data/\u2028',
  ])
    test(`${JSON.stringify(folder)} is in no grant, and grants nothing`, () => {
      assert.equal(isGranted(need(folder), policy('/srv/data')), false)
      assert.equal(isGranted(need(folder), policy('/')), false)
      assert.equal(isGranted(need(folder), policy(folder)), false)
    })
})

test('the white space that a domain loses is the one of Unicode', () => {
  for (let code = 0; code < 0x1_0000; code++) {
    const character = String.fromCharCode(code)
    const isSpace = /^\p{White_Space}$/u.test(character)
    const name = code.toString(16)
    const { granted } = capabilityFamily('kb_read').entries
    assert.equal(granted(`${character}mail`), isSpace ? 'mail' : `${character}mail`, name)
  }
})
