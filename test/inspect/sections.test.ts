// The sections of a page, each by itself: what is marked, what is counted, what is said of each line, and which sections are left out.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ComparedSide } from '../../src/inspect/compared.ts'
import type { AgentDiff } from '../../src/inspect/diff.ts'
import type { InspectedSigner, InspectedTool } from '../../src/inspect/inspected.ts'
import { makePage, type PageFacts } from '../../src/inspect/page/make-page.ts'
import {
  counted,
  fileDigest,
  type Item,
  nameOf,
  type Section,
  signerNames,
  type Words,
  whyNotCounted,
} from '../../src/inspect/page/page.ts'
import type { Power, PowerUse } from '../../src/inspect/page/powers.ts'
import { branch, keylessItem } from '../../src/inspect/page/sections/attached.ts'
import { changesSection } from '../../src/inspect/page/sections/changes.ts'
import { maySection, powerWords } from '../../src/inspect/page/sections/permissions.ts'
import {
  filesSection,
  findingsSection,
  overridesSection,
  signersSection,
  skippedSection,
  warningsSection,
} from '../../src/inspect/page/sections/rest.ts'
import { toolsSection } from '../../src/inspect/page/sections/tools.ts'
import type { Finding } from '../../src/model/finding.ts'
import type { CheckedKeyless } from '../../src/model/keyless.ts'
import type { PolicyJudgement, Report } from '../../src/model/report.ts'

const plain = (words: Words = []) => words.map(part => (typeof part === 'string' ? part : part.text)).join('')
/** A line for each item, further in for what opens below it; `*` before what is new, `v` before what is open. */
function lines(items: readonly Item[] | undefined, depth = 0): string[] {
  return (items ?? []).flatMap(({ isNew, mark, words, more, isOpen }) => [
    `${'  '.repeat(depth)}${isNew ? '*' : ''}${isOpen ? 'v' : ''}${mark ?? '-'} ${plain(words)}`,
    ...lines(more, depth + 1),
  ])
}
const DIGEST = 'ab'.repeat(32)

describe('small words', () => {
  test('of a digest its start, or that there is none', () => {
    assert.match(fileDigest(DIGEST), /^blake3:abab/)
    assert.deepEqual([fileDigest(null), fileDigest('')], ['digest not known', 'no digest'])
  })

  test('of an agent its name, variant and version, as far as it has them', () => {
    const none = { name: null, version: null }
    assert.equal(nameOf({ name: 'a', version: '1.0.0', variant: 'pro' }), 'a@pro 1.0.0')
    assert.equal(nameOf({ name: 'a', version: null, variant: null }), 'a')
    assert.equal(nameOf({ ...none, version: '1.0.0' }), '1.0.0')
    assert.equal(nameOf({ ...none, variant: 'pro' }), '?@pro')
    assert.equal(nameOf(none), '')
  })

  test('of signers their names, once each, and how many others there are', () => {
    const by = (...anchors: string[]) => ({ anchors }) as unknown as InspectedSigner
    assert.deepEqual(signerNames([by('a'), by('a'), by('b', 'c')]), ['a', 'b/c'])
    assert.deepEqual(signerNames([by('a'), by()]), ['a', 'a key that no trust policy names'])
    assert.deepEqual(signerNames([by(), by()]), ['2 keys that no trust policy names'])
    assert.deepEqual(signerNames([]), [])
  })

  test('of a signature that does not count the reason', () => {
    assert.equal(whyNotCounted('revoked'), 'its key is revoked')
    assert.equal(whyNotCounted('no anchor'), 'no trust policy names its key')
    assert.equal(whyNotCounted('a development key'), 'its key is a development key')
  })

  test('of verbs how often each is called, the most frequent first, then by name', () => {
    assert.equal(counted(['GET', 'POST', 'POST', 'PUT', 'DELETE']), '2 POST, 1 DELETE, 1 GET and 1 PUT')
    assert.equal(counted(['GET']), '1 GET')
    assert.equal(counted(['GET', 'A', 'GET']), '2 GET and 1 A')
  })
})

describe('what it may do', () => {
  const use = (tool: string, how: string, more: Partial<PowerUse> = {}): PowerUse => ({
    tool,
    how,
    confirm: false,
    ...more,
  })
  const power = (
    kind: Power['kind'],
    name: string,
    uses: readonly PowerUse[] = [],
    grants: readonly string[] = [],
  ) => ({
    kind,
    name,
    grants,
    uses,
  })
  const may = (powers: readonly Power[], before?: readonly Power[], verdict = 'trusted') =>
    maySection(powers, before, verdict)

  test('is what it asks for, while it is not trusted', () => {
    const titles = ['trusted', 'source', 'untrusted'].map(verdict => {
      const { title, note } = may([power('host', 'h:443')], undefined, verdict)
      return [title, note && plain(note)]
    })
    assert.deepEqual(titles, [
      ['What it may do', undefined],
      ['What it asks for', undefined],
      ['What it asks for', 'Nothing of this is granted while the verdict is untrusted.'],
    ])
    assert.deepEqual(lines(may([]).items), ['good It has no permissions, and no tool that may run.'])
  })

  test('says once which of it a host can enforce, where programs are started and nothing is compared', () => {
    for (const kind of ['code', 'every program', 'program'] as const) {
      assert.match(plain(may([power(kind, 'x')]).note), /^A Linux host can hold its programs/)
      assert.equal(may([power(kind, 'x')], []).note, undefined)
    }
    assert.equal(may([power('host', 'h:443')]).note, undefined)
  })

  test('tells the one tool of a thing in its line, and of several how many there are', () => {
    const one = [
      power('host', 'h:443', [use('t', 'GET /a', { verb: 'GET', confirm: true })]),
      power('secret', 's', [use('t', 'https://h:443')]),
      power('program', '/bin/x', [use('t', '/bin/x -a')]),
      power('host', 'h:1', [
        use('t', 'GET /a', { verb: 'GET' }),
        use('u', 'PUT /b', { verb: 'PUT', confirm: true }),
      ]),
      power('program', '/bin/y', [use('t', '/bin/y'), use('u', '/bin/y -b')]),
    ]
    assert.deepEqual(lines(may(one).items), [
      '- reaches h:443: GET /a, by the tool t; asks first',
      '- uses the secret s, given to https://h:443 by the tool t',
      '- runs /bin/x -a as the tool t',
      '- reaches h:1: 2 tools, 1 GET and 1 PUT',
      '  - t: GET /a',
      '  - u: PUT /b; asks first',
      '- runs /bin/y: 2 tools',
      '  - t: /bin/y',
      '  - u: /bin/y -b',
    ])
  })

  test('says of a thing that no tool uses that the program inside may', () => {
    const kinds = ['host', 'code', 'program', 'secret', 'write', 'read', 'every program'] as const
    const told = lines(
      may(kinds.map(kind => power(kind, kind === 'host' ? 'h:443' : kind === 'every program' ? '' : 'x')))
        .items,
    )
    assert.deepEqual(told, [
      '- reaches h:443 (the program inside may; no tool does)',
      'danger runs code given as text, with x (the program inside may; no tool does)',
      '- runs x (the program inside may; no tool does)',
      '- uses the secret x (the program inside may; no tool does)',
      '- reads and writes files below x (the program inside may; no tool does)',
      '- reads files below x (the program inside may; no tool does)',
      'danger may run every program (the program inside may; no tool does)',
    ])
  })

  test('names up to five places that a secret goes to', () => {
    const to = (count: number) => [
      power(
        'secret',
        's',
        Array.from({ length: count }, (_, at) => use(`t${at}`, `h${at}`)),
      ),
    ]
    assert.equal(plain(may(to(5)).items[0]?.words), 'uses the secret s, given to h0, h1, h2, h3, h4')
    assert.equal(
      plain(may(to(6)).items[0]?.words),
      'uses the secret s, given to h0, h1, h2, h3, h4 and 1 more',
    )
    const twice = [power('secret', 's', [use('a', 'h'), use('b', 'h')])]
    assert.equal(plain(may(twice).items[0]?.words), 'uses the secret s, given to h')
  })

  test('marks what is new: a thing, the only use of one, and a use among others', () => {
    const before = [
      power('host', 'same:1', [use('t', 'GET /')]),
      power('host', 'other:1', [use('t', 'GET /')]),
      power('host', 'asks:1', [use('t', 'GET /', { confirm: true })]),
      power('host', 'more:1', [use('t', 'GET /'), use('u', 'GET /')]),
      power('host', 'unused:1'),
    ]
    const after = [
      power('host', 'same:1', [use('t', 'GET /')]),
      power('host', 'other:1', [use('t', 'PUT /')]),
      power('host', 'asks:1', [use('t', 'GET /')]),
      power('host', 'more:1', [use('t', 'GET /'), use('v', 'GET /')]),
      power('host', 'unused:1'),
      power('host', 'new:1', [use('t', 'GET /'), use('u', 'GET /')]),
    ]
    const marks = (items: readonly Item[]): unknown[] =>
      items.map(({ isNew = false, more }) => (more ? [isNew, ...marks(more)] : isNew))
    assert.deepEqual(marks(may(after, before).items), [
      false,
      true,
      true,
      [false, false, true],
      false,
      [true, true, true],
    ])
    assert.ok(!JSON.stringify(marks(may(after).items)).includes('true'))
  })

  test('says of a host how it is reached', () => {
    const words = (name: string, ...grants: string[]) =>
      plain(powerWords({ kind: 'host', name, grants, uses: [] }))
    assert.equal(words('h.example:443'), 'reaches h.example:443')
    assert.equal(words('h.example'), 'reaches h.example, on every port')
    assert.equal(words('http://h.example:80'), 'reaches http://h.example:80, unencrypted over the network')
    assert.equal(words('http://127.0.0.1:9911'), 'reaches http://127.0.0.1:9911, without encryption')
    assert.equal(
      words('http://h.example'),
      'reaches http://h.example, on every port, unencrypted over the network',
    )
    const inClear = (...hosts: string[]) =>
      plain(powerWords({ kind: 'host', name: '', grants: ['net:allow_http'], uses: [], hosts }))
    assert.equal(inClear('127.0.0.1:9911'), 'reaches 127.0.0.1:9911 without encryption')
    assert.equal(
      inClear('a.example', '[::1]:80', 'b.example:80'),
      'reaches a.example, b.example:80 unencrypted over the network, and [::1]:80 without encryption',
    )
    assert.equal(
      inClear('a', 'b', 'c', 'd', 'e', 'f', 'g'),
      'reaches a, b, c, d, e and 2 more unencrypted over the network',
    )
  })

  test('says of a capability its words, for all of it or for one', () => {
    const words = (kind: Power['kind'], name: string) =>
      plain(powerWords({ kind, name, grants: [], uses: [] }))
    assert.equal(words('other', 'model'), 'calls its model')
    assert.equal(words('read', 'kb_read:notes'), 'reads the knowledge base notes')
    assert.equal(words('write', 'fs:/srv'), 'reads, and on some hosts writes, files below /srv')
    // Other things may be called as a capability is.
    assert.equal(words('secret', 'model'), 'uses the secret model')
    assert.equal(words('secret', 'kb_read:notes'), 'uses the secret kb_read:notes')
  })
})

describe('what changed', () => {
  const NOTHING = {
    widened: [],
    narrowed: [],
    described: [],
    agent: [],
    tools: [],
    isReordered: false,
    schemas: [],
    files: [],
  }
  const SIDE = {
    target: 'old.bundle',
    verdict: 'trusted',
    agent: { name: 'a', version: '1.0.0', variant: null },
    signers: [],
    identity: null,
  } as ComparedSide
  const changes = (diff: Partial<AgentDiff>, powers?: readonly Power[], side: Partial<ComparedSide> = {}) =>
    changesSection({ ...SIDE, ...side }, { ...NOTHING, ...diff } as AgentDiff, powers)
  const widened = [{ kind: 'grant' as const, message: 'may reach h' }]

  test('begins with whether it may do more, and with what it is compared', () => {
    assert.equal(plain(changes({}).note), 'Nothing has changed. Compared with old.bundle (trusted).')
    assert.match(plain(changes({ widened }).note), /^It may do more than before, in 1 point\. /)
    assert.match(
      plain(changes({ isReordered: true }).note),
      /^It may do nothing that it might not do before\. /,
    )
    const signers = [{ anchors: ['release'] }, { anchors: [] }] as unknown as InspectedSigner[]
    const { note, title } = changes({}, undefined, { signers })
    assert.match(plain(note), /\(trusted, signed by release and a key that no trust policy names\)\.$/)
    assert.equal(title, 'New since a 1.0.0')
    const nameless = changes({}, undefined, { agent: { name: null, version: null, variant: null } })
    assert.equal(nameless.title, 'New since the other version')
  })

  test('marks each kind of change, and what of it is dangerous', () => {
    const powers: readonly Power[] = [
      {
        kind: 'code',
        name: '/bin/sh',
        grants: ['exec:/bin/sh'],
        uses: [{ tool: 'run', how: 'sh', confirm: false }],
      },
      { kind: 'unknown', name: 'gpu', grants: ['gpu'], uses: [] },
    ]
    const made = changes(
      {
        widened: [
          { kind: 'grant', message: 'may run /bin/sh' },
          { kind: 'grant', message: 'may use "gpu", a capability that this build does not know' },
          { kind: 'grant', message: 'may reach h' },
          { kind: 'tool', tool: 'run', message: 'runs sh as the tool run' },
          { kind: 'tool', tool: 'other', message: 'may run /bin/sh' },
        ],
        narrowed: [{ kind: 'grant', message: 'may reach i' }],
        agent: [{ field: 'version', before: undefined, after: '1.1.0' }],
        tools: [
          { id: 'run', change: 'added', isBreaking: false, fields: [] },
          { id: 'run', change: 'removed', isBreaking: true, fields: [] },
          { id: 'old', change: 'renamed', to: 'run', isBreaking: true, fields: [] },
          {
            id: 'x',
            change: 'changed',
            isBreaking: false,
            fields: [{ field: 'tags', before: ['a'], after: undefined }],
          },
        ],
        isReordered: true,
        schemas: [
          { tool: 'x', side: 'input', is: 'compatible', gaps: [] },
          {
            tool: 'x',
            side: 'result',
            is: 'breaking',
            gaps: [{ at: '/a', message: 'is gone', is: 'breaking' }],
          },
          {
            tool: 'y',
            side: 'input',
            is: 'not decided',
            gaps: [{ at: '', message: 'may differ', is: 'breaking' }],
          },
        ],
        files: [
          { path: 'a', change: 'added', before: null, after: { size: 1000, blake3: DIGEST } },
          {
            path: 'b',
            change: 'changed',
            before: { size: 1, blake3: DIGEST },
            after: { size: 2, blake3: DIGEST },
          },
        ],
      } as unknown as Partial<AgentDiff>,
      powers,
    )
    assert.deepEqual(lines(made.items), [
      '*danger may run /bin/sh',
      '*danger may use "gpu", a capability that this build does not know',
      '*- may reach h',
      '*danger runs sh as the tool run',
      '*- may run /bin/sh',
      'gone may reach i',
      '- version: none → 1.1.0',
      '*danger tool run added',
      'gone tool run removed, breaking for callers',
      'danger tool old is called run now, breaking for callers',
      'vwarning tool x changed',
      '  - tags: ["a"] → none',
      '- the tools are in another order',
      '- input schema of x: compatible',
      'vbad result schema of x: breaking',
      '  - /a: is gone',
      'vwarning input schema of y: not decided',
      '  - may differ (breaking)',
      '- file a added: 1,000 bytes, blake3:abababababab…',
      '- file b changed: 1 bytes, blake3:abababababab… → 2 bytes, blake3:abababababab…',
    ])
  })
})

describe('tools', () => {
  const TOOL: InspectedTool = {
    id: 't',
    description: 'Runs.',
    kind: 'exec',
    target: '/bin/x',
    reaches: null,
    requiresConfirmation: false,
    needs: [],
    exposed: true,
    restricted: null,
    safety: null,
    schemas: { input: {}, result: {} },
  }
  const told = (tool: Partial<InspectedTool>, verdict = 'trusted', dangerous: readonly string[] = []) => {
    const fills = new Map([
      [
        't',
        [
          { path: '', schema: true, beside: '' },
          { path: 'a', schema: { type: 'string' }, beside: '' },
        ],
      ],
    ])
    return lines(toolsSection([{ ...TOOL, ...tool }], verdict, fills as never, new Set(dangerous)).items)
  }

  test('are ok where they are trusted, and never where something dangerous is used', () => {
    assert.deepEqual(told({}), ['vgood t /bin/x', '  - Runs.', '  - takes any string as input.a'])
    assert.equal(told({}, 'untrusted')[0], 'v- t /bin/x')
    assert.equal(told({}, 'trusted', ['t'])[0], 'vdanger t /bin/x')
    assert.equal(told({}, 'trusted', ['u'])[0], 'vgood t /bin/x')
  })

  test('say what keeps them back, and what is said of them', () => {
    const need = (capability: string, by: string | null, reason: string | null, granted = false) => ({
      capability,
      from: 'declared' as const,
      granted,
      reason,
      by,
    })
    const made = told({
      uiSummary: 'Short.',
      requiresConfirmation: true,
      exposed: false,
      restricted: 'withheld' as never,
      needs: [
        need('exec:/bin/x', 'policy.caps', 'x'),
        need('model', null, 'override_unusable'),
        need('time', 'o.caps', 'y'),
        need('random', null, null),
        need('granted', null, null, true),
      ],
      safety: { destructive: true } as never,
    })
    assert.deepEqual(made, [
      'vbad t /bin/x, asks before each call, not exposed',
      '  - in short: Short.',
      '  - Runs.',
      '  - takes any string as input.a',
      '  bad kept back by interfaces.json: withheld',
      '  bad needs exec:/bin/x: not in policy.caps',
      '  bad needs model: override_unusable',
      '  bad needs time: taken away by o.caps',
      '  bad needs random: not granted',
      '  - interfaces.json: destructive true',
    ])
  })
})

describe('what lint says', () => {
  const finding = (rule: string, severity: string, line: number, more: object = {}) =>
    ({ rule, severity, file: 'f', line, message: `m${line}`, ...more }) as unknown as Finding

  test('is errors first, without what is for information', () => {
    const all = [finding('a', 'warning', 1), finding('b', 'info', 2), finding('c', 'error', 3)]
    assert.deepEqual(lines(findingsSection(all)[0]?.items), ['bad f:3 m3 (c)', 'warning f:1 m1 (a)'])
    assert.deepEqual(findingsSection([finding('b', 'info', 2)]), [])
    const off = finding('a', 'warning', 1, { suppressed: { reason: 'why' } })
    assert.deepEqual(lines(findingsSection([off])[0]?.items), [
      'warning f:1 m1 (a), suppressed by its author: why',
    ])
  })

  test('of more than three places of one rule is one line that opens', () => {
    const of = (count: number, severity = 'warning') =>
      Array.from({ length: count }, (_, at) => finding('a', severity, at + 1))
    assert.equal(findingsSection(of(3))[0]?.items.length, 3)
    assert.deepEqual(lines(findingsSection(of(4))[0]?.items), [
      'warning f:1 m1 (a) and 3 more of this rule',
      ...['  - f:1 m1', '  - f:2 m2', '  - f:3 m3', '  - f:4 m4'],
    ])
    assert.equal(findingsSection([...of(2), ...of(2, 'error')])[0]?.items.length, 4)
  })
})

describe('who signed it', () => {
  const signer = (keyid: string, more: Partial<InspectedSigner> = {}): InspectedSigner => ({
    keyid,
    sshFingerprint: `SHA256:${keyid}`,
    result: 'valid',
    anchors: [],
    ...more,
  })
  const told = (
    signers: readonly InspectedSigner[],
    facts: readonly object[] = [],
    judgements: readonly object[] = [],
  ) =>
    lines(
      signersSection(signers, {
        judgements: [
          { signers: facts, beyond: [], policy: 'p', verdict: 'passed', detail: 'd', line: null },
          ...judgements,
        ],
      } as unknown as Report).items,
    )

  test('is said with the key, its name, and why it does not count', () => {
    const signers = [
      signer('k1', { anchors: ['a'] }),
      signer('k2', { anchors: ['b'] }),
      signer('k3'),
      signer('k4', { anchors: ['c'], result: 'invalid' }),
      signer('k5', { anchors: ['d', 'e'], sshFingerprint: null }),
    ]
    const facts = [
      { signer: 'k1', is: 'no anchor' },
      { signer: 'k1', is: 'counted' },
      { signer: 'k2', is: 'revoked' },
      { signer: 'k3', is: 'no anchor' },
      { signer: 'k4', is: 'revoked' },
    ]
    assert.deepEqual(told(signers, facts).slice(0, -1), [
      'good a k1 SHA256:k1',
      'warning b k2 SHA256:k2, which does not count: its key is revoked',
      'warning a key that no trust policy names k3 SHA256:k3',
      'bad c k4 SHA256:k4, and the signature is wrong',
      'warning d, e k5',
    ])
    assert.equal(told([])[0], 'warning No one has signed it.')
  })

  test('is one line for several keys of one signer, and one each for keys without a name', () => {
    const facts = ['k1', 'k2'].map(key => ({ signer: key, is: 'counted' }))
    const named = [signer('k1', { anchors: ['a'] }), signer('k2', { anchors: ['a'] })]
    assert.deepEqual(told(named, facts).slice(0, -1), [
      'vgood a, with 2 keys',
      '  - k1 SHA256:k1',
      '  - k2 SHA256:k2',
    ])
    assert.equal(told([signer('k1'), signer('k2')]).length, 3)
  })

  test('comes with what each policy says, and what is beyond its rule', () => {
    const denied: Partial<PolicyJudgement> = {
      policy: 'q',
      verdict: 'policy_denied',
      detail: 'no',
      line: 7,
      beyond: ['model'],
      signers: [],
    }
    assert.deepEqual(told([], [], [denied]).slice(1), [
      'good p d',
      'vbad q:7 no',
      '  bad beyond the rule: model',
    ])
  })
})

describe('the rest', () => {
  const report = (more: object) =>
    ({ warnings: [], skipped: [], files: [], overrides: [], ...more }) as unknown as Report
  const told = (sections: readonly Section[]) =>
    sections.flatMap(({ id, title, items }) => [`${id}: ${title}`, ...lines(items)])

  test('is left out where there is nothing of it', () => {
    for (const section of [warningsSection, skippedSection, filesSection, overridesSection])
      assert.deepEqual(section(report({})), [])
  })

  test('has what ends soon, what was not checked, and overrides', () => {
    assert.deepEqual(told(warningsSection(report({ warnings: [{ message: 'w' }] }))), [
      'ends-soon: What ends soon',
      'warning w',
    ])
    assert.deepEqual(told(skippedSection(report({ skipped: ['s'] }))), ['skipped: Not checked', '- s'])
    const overrides = [{ path: 'o', key: 'k' }]
    assert.deepEqual(told(overridesSection(report({ overrides }))), [
      'overrides: Overrides on this host',
      '- o for k',
    ])
  })

  test('has every file, and says which is wrong', () => {
    const file = (path: string, result: string) => ({ path, size: 1234, blake3: null, result })
    const files = ['ok', 'mismatch', 'unlisted', 'missing'].map(result => file(result[0] ?? '', result))
    assert.deepEqual(told(filesSection(report({ files }))), [
      'files: 4 files',
      '- o 1,234 bytes, digest not known',
      'bad m 1,234 bytes, digest not known mismatch',
      'bad u 1,234 bytes, digest not known unlisted',
      '- m 1,234 bytes, digest not known',
    ])
  })
})

describe('a branch', () => {
  const told = (members: readonly string[]) =>
    lines(
      branch('thing', members, {
        itemOf: one => ({ words: [one] }),
        whyNot: one => (one.startsWith('!') ? one.slice(0, 2) : undefined),
        where: one => one,
      }),
    )

  test('tells up to three of one reason one by one, and more of them where the first of them is', () => {
    assert.deepEqual(told([]), [])
    assert.deepEqual(told(['!a1', '!a2', '!a3', 'b']), [
      'v- 4 things',
      '  - !a1',
      '  - !a2',
      '  - !a3',
      '  - b',
    ])
    assert.deepEqual(told(['b', '!a1', '!c1', '!a2', '!a3', '!a4']), [
      ...[
        'v- 6 things',
        '  - b',
        '  warning 4 things: !a',
        '    - !a1',
        '    - !a2',
        '    - !a3',
        '    - !a4',
        '  - !c1',
      ],
    ])
  })
})

test('a keyless signature is told with who, which repository, when, and where its entry is', () => {
  const one = (more: object) =>
    lines([
      keylessItem({
        where: 'line 1',
        is: 'signature',
        result: 'not proven',
        certificate: {},
        detail: 'why',
        time: null,
        logIndex: null,
        ...more,
      } as unknown as CheckedKeyless),
    ])[0]
  assert.equal(one({}), 'warning keyless signature: not proven, why (line 1)')
  const proven = {
    result: 'proven',
    time: '2026-11-20T00:00:00Z',
    logIndex: '7',
    certificate: { uri: 'u', email: 'e', repository_id: '9' },
  }
  assert.equal(
    one(proven),
    'good keyless signature by u, repository 9, proven at 2026-11-20T00:00:00Z, entry 7 of its log (line 1)',
  )
  assert.equal(
    one({ is: 'statement', certificate: { email: 'e' } }),
    'warning keyless statement by e: not proven, why (line 1)',
  )
})

describe('a page', () => {
  const NOW = new Date('2026-11-20T00:00:00Z')
  const REPORT = {
    verdict: 'trusted',
    target: 't',
    form: 'archive',
    reasons: [],
    judgements: [],
    policies: [],
    signatures: [],
    warnings: [],
    skipped: ['s'],
    files: [{ path: 'f', size: 1, blake3: null, result: 'ok' }],
    overrides: [],
    identity: null,
    agent: null,
  }
  const page = (report: object | undefined, more: Partial<PageFacts> = {}) =>
    makePage({
      target: 't',
      now: NOW,
      agent: undefined,
      may: undefined,
      powers: undefined,
      inspected: undefined,
      findings: [],
      report: report === undefined ? undefined : ({ ...REPORT, ...report } as unknown as Report),
      ...more,
    })
  const inspected = { signers: [], permissions: null, tools: [], schemas: [] }
  const ids = ({ sections }: ReturnType<typeof page>) => sections.map(({ id }) => id)

  test('has the sections of which something is known, and fewer where it is brief', () => {
    assert.deepEqual(ids(page({})), ['skipped', 'files'])
    assert.deepEqual(ids(page({}, { inspected })), ['tools', 'signers', 'skipped', 'files'])
    assert.deepEqual(ids(page({}, { inspected, isBrief: true })), ['signers', 'skipped'])
    assert.deepEqual(ids(page({}, { inspected: { ...inspected, tools: null } })), [
      'signers',
      'skipped',
      'files',
    ])
    assert.deepEqual(ids(page(undefined, { inspected })), ['tools'])
    const findings = [
      { rule: 'r', severity: 'error', file: 'f', line: 1, message: 'm' },
    ] as unknown as Finding[]
    assert.deepEqual(ids(page({}, { findings })), ['lint', 'skipped', 'files'])
    assert.deepEqual(ids(page({}, { findings, isBrief: true })), ['skipped'])
  })

  test('says why: the policy that let it pass, else the first reason, else what the verdict means', () => {
    const judgement = (verdict: string, line: number | null) => ({
      verdict,
      line,
      policy: 'p',
      detail: 'd',
      signers: [],
    })
    const decided = (report: object | undefined) => {
      const { decided, hint } = page(report)
      return [plain(decided), hint]
    }
    assert.deepEqual(decided({ judgements: [judgement('policy_denied', 1), judgement('passed', 7)] }), [
      'd (p:7)',
      undefined,
    ])
    assert.deepEqual(decided({ judgements: [judgement('passed', null)] }), ['d (p)', undefined])
    const reasons = [
      { code: 'c', message: 'm', hint: 'h' },
      { code: 'd', message: 'n' },
    ]
    assert.deepEqual(decided({ verdict: 'untrusted', reasons, judgements: [judgement('passed', 7)] }), [
      'm',
      'h',
    ])
    assert.match(decided({})[0] ?? '', /every check ran and passed/)
    assert.deepEqual(decided(undefined), ['a folder that an author works in: no signature', undefined])
  })

  test('says which bundle it is, and what it was made under', () => {
    const agent = (manifest: object) =>
      ({ manifest: { name: 'a', version: '1.0.0', ...manifest } }) as unknown as PageFacts['agent']
    const facts = (report: object | undefined, manifest: object = {}) =>
      page(report, { agent: agent(manifest) }).facts.map(plain)
    assert.deepEqual(facts({ identity: 'blake3:1' }, { description: 'Says.', kind: 'k' }), [
      'it says of itself: Says.',
      'k, archive',
      'identity blake3:1',
    ])
    assert.deepEqual(facts({ agent: { kind: 'of the report' } }, { kind: 'k' }), ['of the report, archive'])
    assert.deepEqual(facts(undefined, { kind: 'k' }), ['k'])
    assert.deepEqual(facts({}), [])
    const made = (report: object | undefined) => page(report).made.slice(1).map(plain)
    assert.deepEqual(made(undefined), [])
    assert.deepEqual(made({}), ['under no trust policy'])
    const policies = [
      { path: 'p', role: 'user', digest: null },
      { path: 'q', role: 'given', digest: DIGEST },
    ]
    assert.deepEqual(made({ policies }), [
      'under the user’s trust policy p which could not be read',
      `under the given trust policy q blake3:${DIGEST}`,
    ])
  })

  test('is called by the agent, or by its file', () => {
    const agent = (name: string | null) =>
      ({ manifest: { name, version: name && '1.0.0' } }) as unknown as PageFacts['agent']
    assert.equal(page({}, { agent: agent('a') }).title, 'a 1.0.0')
    for (const one of [undefined, {} as PageFacts['agent']]) assert.equal(page({}, { agent: one }).title, 't')
  })

  test('has no picture of what has no powers', () => {
    assert.equal(page({}).picture, undefined)
  })
})
