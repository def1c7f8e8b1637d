// A tool's templates + arguments → the request: what is filled in stays where it was put, and what cannot be said plainly is refused.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { questionLines } from '../../src/call/ask-pages.ts'
import { secondsOf, shownText, statusFailure } from '../../src/call/http/answer.ts'
import { followRedirect, httpRequest, maskedRequest } from '../../src/call/http/request.ts'
import { httpHost } from '../../src/call/http/run.ts'
import { inputText } from '../../src/call/input-text.ts'
import { RETRYABLE } from '../../src/contract/envelope.ts'
import { Running } from '../../src/io/process/running.ts'
import { REQUEST_ENFORCED } from '../../src/model/sandbox.ts'
import { systemInternet } from '../../src/net/internet.ts'
import { anyText } from '../support/any-text.ts'
import { type HttpParts, httpTool } from '../support/http-tool.ts'
import { among, runs } from '../support/runs.ts'

const HOST = httpHost(systemInternet({ env: {}, running: new Running() }))

function build(parts: HttpParts, input: unknown = {}, secrets: Readonly<Record<string, string>> = {}) {
  return httpRequest(httpTool(parts), input, JSON.stringify(input), new Map(Object.entries(secrets)))
}

/** The url, or kind, field and message of the refusal. */
function urlOf(template: string, input: unknown): string {
  const built = build({ url: template }, input)
  return 'url' in built ? built.url : `${built.kind} ${built.field ?? '-'}: ${built.message}`
}

test('values of a url are encoded for the place where they are', () => {
  const cases: readonly (readonly [template: string, input: unknown, url: string])[] = [
    [
      'https://h.example/{{input.a}}',
      { a: "a/b?c#d e%2F&ä+;=:@!'()*$," },
      'https://h.example/a%2Fb%3Fc%23d%20e%252F%26%C3%A4%2B%3B%3D%3A%40%21%27%28%29%2A%24%2C',
    ],
    ['https://h.example/?q={{input.a}}', { a: 'x&y=1#z\r\n' }, 'https://h.example/?q=x%26y%3D1%23z%0D%0A'],
    ['https://h.example/v{{input.a}}.{{input.b}}/x', { a: 1, b: -2.5 }, 'https://h.example/v1.-2.5/x'],
    ['https://h.example/{{input.a}}', { a: 1e21 }, 'https://h.example/1e%2B21'],
    ['https://h.example/{{input.a}}', { a: false }, 'https://h.example/false'],
    ['https://h.example/{{input.a.0.b}}', { a: [{ b: 'x' }] }, 'https://h.example/x'],
    ['https://h.example?{{input.a}}=1', { a: 'k=v' }, 'https://h.example/?k%3Dv=1'],
    ['https://h.example/?q={{input.a}}', { a: '' }, 'https://h.example/?q='],
    ['https://h.example/?q={{input.a}}', { a: '../..' }, 'https://h.example/?q=..%2F..'],
    ['https://h.example/a{{input.a}}', { a: '' }, 'https://h.example/a'],
    ['https://h.example/a%20b/{{input.a}}', { a: 'src/index.ts' }, 'https://h.example/a%20b/src%2Findex.ts'],
    ['https://h.example/{{input.a}}', { a: '...' }, 'https://h.example/...'],
    ['https://h.example/{{input.a}}', { a: 'a..b' }, 'https://h.example/a..b'],
    ['https://h.example/{{input.a}}', { a: '😀' }, 'https://h.example/%F0%9F%98%80'],
    ['https://h.example/{{input.__proto__}}', JSON.parse('{"__proto__":"own"}'), 'https://h.example/own'],
    ['https://h.example/x#part', {}, 'https://h.example/x'],
  ]
  for (const [template, input, url] of cases) assert.equal(urlOf(template, input), url)
})

test('no value climbs, empties a segment, or breaks out of it', () => {
  const climbs = "invalid_args a: Property 'a' must not hold the path segments . or .."
  const climbing = [
    '.',
    '..',
    '../x',
    'x/..',
    'x/../y',
    '..\\x',
    '%2e',
    '%2E%2e',
    '.%2e',
    '%252e%252e',
    'x%2f..%2fy',
    '..;',
    '..;a=b/x',
    '%25252e%25252e',
    '.. ',
    ' ..',
    '..%20',
    './',
    '/.',
    'x/.\\y',
    '%5c..',
  ]
  for (const a of climbing) assert.equal(urlOf('https://h.example/{{input.a}}/x', { a }), climbs, a)
  const controls =
    "invalid_args a: Property 'a' must not hold control characters: it is part of the path of a url"
  const cases: readonly (readonly [template: string, input: unknown, refusal: string])[] = [
    [
      'https://h.example/{{input.a}}/x',
      { a: '' },
      "invalid_args a: Property 'a' must not be empty: it is a whole path segment of the url",
    ],
    ['https://h.example/.{{input.a}}', { a: '.' }, climbs],
    ['https://h.example/{{input.a}}{{input.b}}', { a: '.', b: 'x' }, climbs],
    ['https://h.example/{{input.b}}.{{input.a}}', { b: '', a: '' }, climbs],
    ['https://h.example/%2e{{input.a}}', { a: '' }, climbs],
    ['https://h.example/{{input.a}}', { a: 'a\nb' }, controls],
    ['https://h.example/{{input.a}}', { a: '\u007f' }, controls],
    ['https://h.example/{{input.a}}', { a: 'a\0b' }, "invalid_args a: Property 'a' must not hold NUL"],
    ['https://h.example/?q={{input.a}}', { a: 'a\0b' }, "invalid_args a: Property 'a' must not hold NUL"],
    [
      'https://h.example/?q={{input.a}}',
      { a: '\ud800' },
      "invalid_args a: Property 'a' holds half a character",
    ],
    [
      'https://h.example/?q={{input.a}}',
      { a: 'x'.repeat(16_385) },
      "invalid_args a: Property 'a' is too long for a url",
    ],
    [
      'https://h.example/?q={{input.a}}',
      { a: 'ä'.repeat(5000) },
      'invalid_args -: The url would be longer than 16384 characters: shorten its values',
    ],
  ]
  for (const [template, input, refusal] of cases) assert.equal(urlOf(template, input), refusal)
})

test('what has no plain text, or is not there, is refused with its place', () => {
  const inherited = Object.create({ a: 'x' }) as object
  const cases: readonly (readonly [path: string, input: unknown, refusal: string])[] = [
    ['a', {}, 'invalid_args a: Missing required property: a'],
    ['a', { a: null }, 'invalid_args a: Missing required property: a'],
    ['a.b.1', { a: { b: ['x'] } }, 'invalid_args a.b[1]: Missing required property: a.b[1]'],
    ['a.b', { a: 'text' }, 'invalid_args a.b: Missing required property: a.b'],
    ['a.0', { a: 'text' }, 'invalid_args a.0: Missing required property: a.0'],
    ['a', { a: {} }, "invalid_args a: Property 'a' must be a string, a number or a boolean"],
    ['a.0', { a: [[]] }, "invalid_args a[0]: Property 'a[0]' must be a string, a number or a boolean"],
    ['a.length', { a: [] }, 'invalid_args a.length: Missing required property: a.length'],
    ['a.01', { a: ['x', 'y'] }, 'invalid_args a.01: Missing required property: a.01'],
    ['constructor.name', {}, 'invalid_args constructor: Missing required property: constructor'],
    ['__proto__', {}, 'invalid_args __proto__: Missing required property: __proto__'],
    ['a', inherited, 'invalid_args a: Missing required property: a'],
  ]
  for (const [path, input, refusal] of cases) {
    assert.equal(urlOf(`https://h.example/{{input.${path}}}`, input), refusal)
    assert.equal(urlOf(`https://h.example/?q={{input.${path}}}`, input), refusal)
    const inHeader = build({ url: 'https://h.example/', headers: { a: `{{input.${path}}}` } }, input)
    assert.ok('kind' in inHeader)
    assert.equal(`${inHeader.kind} ${inHeader.field}: ${inHeader.message}`, refusal)
  }
  assert.deepEqual(inputText({ a: '' }, ['a']), { field: 'a', text: '', isNumber: false })
})

test('a url that is not plain is not filled', () => {
  const cases = [
    'https://{{input.a}}/',
    'https://h.example:{{input.a}}/',
    'https://h.example{{input.a}}/',
    'https://{{input.a}}@h.example/',
    '{{input.a}}://h.example/',
    'https://h.example/{{input.a}',
    'https://h.example/{{ input.a }}',
    'https://h.example/{{secret:a}}',
    'https://h.example/?k={{secret:a}}',
    'https://h.example/#{{input.a}}',
    'https://h.example/%{{input.a}}',
    'https://h.example/%2{{input.a}}',
    'file:///{{input.a}}',
    'https://h.example\\{{input.a}}',
  ]
  for (const template of cases)
    assert.match(
      urlOf(template, { a: 'ab' }),
      /^rejected -: Cannot (?:send the request|call the tool): /,
      template,
    )
})

test('a name that stands for nothing is refused, and one in another script is asked', () => {
  assert.equal(urlOf('https://xn--mnchen-3ya.example/x', {}), 'https://xn--mnchen-3ya.example/x')
  const none = 'rejected -: Cannot send the request: no server can have the name in its url'
  assert.equal(urlOf('https://xn--a/{{input.a}}', { a: 1 }), none)
})

test('a header is one line of ASCII, and only the listed secrets are in it', () => {
  const header = (template: string, input: unknown = {}, secrets = {}, ids: readonly string[] = ['id']) => {
    const built = build(
      { url: 'https://h.example/', headers: { 'X-A': template }, secrets: ids },
      input,
      secrets,
    )
    if ('headers' in built) return built.headers.find(([name]) => name === 'x-a')?.[1]
    return `${built.kind}${built.retryable === false ? '!' : ''} ${built.field ?? '-'}: ${built.message}`
  }
  assert.equal(header('Bearer {{secret:id}}', {}, { id: 's3cret' }), 'Bearer s3cret')
  assert.equal(header('{{input.a}};{{input.a}}', { a: 'x y' }), 'x y;x y')
  for (const [text, why] of [
    ['a\r\nHost: evil', 'has a line break'],
    ['a\n', 'has a line break'],
    ['a\0', 'has a control character'],
    ['a\u001b[0m', 'has a control character'],
    ['\u007f', 'has a control character'],
    ['ä', 'has a character that is not ASCII'],
    ['\u2028', 'has a character that is not ASCII'],
    ['\ud800', 'has a character that is not ASCII'],
    // Cut to one byte it would be a line break.
    ['\u010a', 'has a character that is not ASCII'],
  ] as const) {
    assert.equal(
      header('{{input.a}}', { a: text }),
      `invalid_args a: Property 'a' ${why}: it is part of a header`,
    )
    assert.equal(
      header('{{secret:id}}', {}, { id: text }),
      `unavailable! -: Cannot use the secret "id" in a header: it ${why}`,
    )
    assert.match(header(`x${text}`) ?? '', /^rejected -: .*its header "X-A" cannot be set by a tool/)
  }
  assert.equal(
    header('{{input.a}}', { a: 'x'.repeat(9000) }),
    "invalid_args a: Property 'a' is longer than 8192 characters: it is part of a header",
  )
  assert.equal(
    header('{{secret:id}}'),
    'unavailable! -: Cannot use the secret "id" in a header: it is not there',
  )
  // Resolved or not, what the tool does not list was never held against the policy.
  assert.equal(
    header('{{secret:other}}', {}, { other: 'canary' }),
    'unavailable! -: Cannot use the secret "other" in a header: it is not there',
  )
  assert.match(header('{{secret:id}') ?? '', /^rejected/)
})

test('headers that steer the connection are no tool’s', () => {
  const names = [
    'Host',
    'content-length',
    'Transfer-Encoding',
    'Connection',
    'Keep-Alive',
    'Upgrade',
    'TE',
    'Trailer',
    'Expect',
    'Proxy-Authorization',
    'proxy-connection',
    'a b',
    'a:',
    'ä',
    '',
    'x\r\ny',
  ]
  for (const name of names) {
    const built = build({ url: 'https://h.example/', headers: { [name]: 'x' } })
    assert.ok('kind' in built && built.kind === 'rejected', name)
  }
  const twice = build({ url: 'https://h.example/', headers: { 'X-A': '1', 'x-a': '2' } })
  assert.ok('kind' in twice && twice.kind === 'rejected')
  const odd = build({ url: 'https://h.example/', headers: JSON.parse('{"__proto__":"x"}') })
  assert.ok('headers' in odd && odd.headers.some(([name, value]) => name === '__proto__' && value === 'x'))
})

test('no method that opens a tunnel or reads the request back', () => {
  for (const method of ['CONNECT', 'TRACE', 'TRACK', 'get', 'GET /', '', 'G\r\nET']) {
    const built = build({ method, url: 'https://h.example/' })
    assert.ok('kind' in built && built.kind === 'rejected', method)
  }
})

test('a dry run shows the request, and placeholders for its secrets', () => {
  const url = 'https://h.example/{{input.a}}'
  const headers = { Authorization: 'Bearer {{secret:runloop/x}}' }
  const tool = httpTool({ method: 'POST', url, headers, secrets: ['runloop/x', 'ä'] })
  assert.deepEqual(maskedRequest(tool, { a: 1 }, '{"a":1}'), {
    method: 'POST',
    url: 'https://h.example/1',
    headers: [
      ['authorization', 'Bearer {{secret:runloop/x}}'],
      ['accept', 'application/json, */*;q=0.5'],
      ['accept-encoding', 'identity'],
      ['user-agent', 'rlp'],
      ['content-type', 'application/json'],
    ],
    body: '{"a":1}',
  })
})

test('a plan has all of it, for people and for programs', () => {
  const headers = { 'x-a': '{{input.a}}', authorization: '{{secret:s}}' }
  const tool = httpTool({ method: 'POST', url: 'https://h.example/?q={{input.a}}', headers, secrets: ['s'] })
  const limits = { timeoutMs: 1500, outputBytes: 1, errorBytes: 1 }
  const planned = HOST.plan({ tool, input: { a: 'x y' }, text: '{"a":"x y"}', limits, variables: [] })
  const usual = {
    accept: 'application/json, */*;q=0.5',
    'accept-encoding': 'identity',
    'user-agent': 'rlp',
    'content-type': 'application/json',
  }
  const all = { 'x-a': 'x y', authorization: '{{secret:s}}', ...usual }
  assert.deepEqual(planned, {
    ok: true,
    plan: {
      argv: ['POST', 'https://h.example/?q=x%20y'],
      cwd: '',
      envKeys: [],
      detail: {
        kind: 'http',
        method: 'POST',
        url: 'https://h.example/?q=x%20y',
        headers: all,
        body: '{"a":"x y"}',
        timeout_ms: 1500,
        sandbox: { enforced: REQUEST_ENFORCED },
      },
      lines: [
        ['request', 'POST https://h.example/?q=x%20y'],
        ...Object.entries(all).map(([name, value]) => ['header', `${name}: ${value}`]),
        ['body', '{"a":"x y"}'],
        ['time limit', '1.5 s'],
      ],
    },
  })
  assert.deepEqual(HOST.plan({ tool, input: {}, text: '{}', limits, variables: [] }), {
    ok: false,
    refusal: { kind: 'invalid_args', field: 'a', message: 'Missing required property: a' },
  })
})

test('a host in punycode has its readable form beside it, on a line of its own', () => {
  const limits = { timeoutMs: 1000, outputBytes: 1, errorBytes: 1 }
  const shown = (url: string) => {
    const planned = HOST.plan({
      tool: httpTool({ method: 'GET', url }),
      input: {},
      text: '{}',
      limits,
      variables: [],
    })
    assert.ok(planned.ok)
    const lines = questionLines({
      agent: { name: 'mini 1.0.0', bundle: null } as never,
      tool: httpTool({ method: 'GET', url }),
      plan: planned.plan,
      arguments: {},
    })
    return { host: planned.plan.lines.filter(([label]) => label === 'host'), asked: lines?.join('\n') ?? '' }
  }
  assert.deepEqual(shown('https://mail.example/a').host, [])
  const { host, asked } = shown('https://xn--pi-6kc.example:8443/xn--mnchen-3ya.example')
  assert.deepEqual(host, [['host', 'xn--pi-6kc.example (\u0430pi.example)']])
  assert.match(asked, /^request {6}GET https:\/\/xn--pi-6kc\.example:8443\/xn--mnchen-3ya\.example$/m)
  assert.match(asked, /^host {9}xn--pi-6kc\.example \(\u0430pi\.example\)$/m)
})

/** Pieces of a url that a template may be made of; what is before a value ends no escape. */
const piece = fc.constantFrom('v1', 'a-b', '.', '..', 'x.', '%20', 'é', ';p=1', '')
const value = fc.oneof(
  anyText(),
  fc.string(),
  fc.constantFrom(
    '.',
    '..',
    '/',
    '\\',
    '%2e',
    '?',
    '#',
    '&',
    '@evil.example',
    '//evil.example',
    ':',
    '\t',
    '%',
    '..;',
  ),
  fc.double(),
  fc.boolean(),
)

test('whatever is filled in, origin, segments and parameters stay those of the template', () => {
  const segment = fc.tuple(piece, fc.boolean(), piece)
  const input = fc.dictionary(fc.constantFrom('a', 'b'), value, {
    minKeys: 2,
    maxKeys: 2,
    noNullPrototype: true,
  })
  let filled = 0
  fc.assert(
    fc.property(
      fc.array(segment, { maxLength: 4 }),
      fc.array(segment, { maxLength: 3 }),
      input,
      (segments, parameters, input) => {
        const text = ([before, isFilled, after]: readonly [string, boolean, string], name: string) =>
          `${before}${isFilled ? `{{input.${name}}}` : ''}${after}`
        const path = segments.map(part => `/${text(part, 'a')}`).join('')
        const query = parameters.map((part, index) => `k${index}=${text(part, 'b')}`).join('&')
        const template = `https://h.example:8443${path}${query === '' ? '' : `?${query}`}`
        const built = build({ url: template }, input)
        if ('kind' in built) {
          // Only a url whose author has written . or .. himself is refused for what is not an argument.
          const isOwn = built.kind === 'rejected' && segments.flat().some(one => one === '.' || one === '..')
          if (!isOwn) assert.equal(built.kind, 'invalid_args')
          return
        }
        filled++
        const url = new URL(built.url)
        const plain = new URL(template.replaceAll(/\{\{[^}]*\}\}/g, 'x'))
        assert.equal(url.origin, plain.origin)
        assert.equal(url.username + url.password + url.hash, '')
        assert.equal(url.pathname.split('/').length, plain.pathname.split('/').length)
        assert.deepEqual([...url.searchParams.keys()], [...plain.searchParams.keys()])
        assert.equal(url.href, built.url)
      },
    ),
    { numRuns: runs(500) },
  )
  assert.ok(filled > among(50, 500), `only ${filled} were filled`)
})

test('whatever is filled in, no header has a control character or another name', () => {
  let filled = 0
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'grapheme-ascii' }), value), fc.string(), (input, secret) => {
      const headers = { 'X-A': 'a {{input.a}}', 'X-B': '{{secret:id}}' }
      const built = build(
        { url: 'https://h.example/', headers, secrets: ['id'] },
        { a: input },
        { id: secret },
      )
      if ('kind' in built) return
      filled++
      assert.deepEqual(
        built.headers.map(([name]) => name),
        ['x-a', 'x-b', 'accept', 'accept-encoding', 'user-agent'],
      )
      for (const [, text] of built.headers) assert.match(text, /^[\t\x20-\x7e]*$/)
    }),
    { numRuns: runs(300) },
  )
  assert.ok(filled > among(30, 300), `only ${filled} were filled`)
})

test('whatever a server redirects to, the origin stays', () => {
  const request = {
    method: 'POST',
    url: 'https://h.example/a/b',
    headers: [['x-key', 's']],
    body: '{}',
  } as const
  const url = fc
    .tuple(
      fc.constantFrom('https', 'http', 'ftp'),
      fc.constantFrom(
        'h.example',
        'evil.example',
        'h.example.evil.example',
        'h.example@evil.example',
        'a@h.example',
      ),
      fc.constantFrom('', ':443', ':8443'),
      fc.constantFrom('', '/', '/a/b?c#d', '?q', '#x', '@evil.example'),
    )
    .map(([scheme, host, port, rest]) => `${scheme}://${host}${port}${rest}`)
  const place = fc.oneof(
    url,
    fc.string(),
    fc.constantFrom(
      '//evil.example/',
      '\\\\evil.example',
      '/\\evil.example',
      'https:evil',
      '/x',
      '?y',
      '..',
      'https://h.example:443/',
      'https://name@h.example/',
      '//:word@h.example/',
    ),
  )
  let followed = 0
  fc.assert(
    fc.property(place, fc.constantFrom(301, 302, 303, 307, 308), (location, status) => {
      const next = followRedirect(request, status, location, text => text)
      assert.ok(next !== undefined)
      if ('kind' in next) return
      followed++
      const url = new URL(next.url)
      assert.deepEqual([url.origin, url.username, url.password, url.hash], ['https://h.example', '', '', ''])
    }),
  )
  assert.ok(followed > 5)
  assert.equal(
    followRedirect(request, 200, '/x', text => text),
    undefined,
  )
})

test('Retry-After is whole seconds, bounded', () => {
  const now = Date.parse('2026-11-20T08:00:00Z')
  const cases: readonly (readonly [text: string | undefined, seconds: number | undefined])[] = [
    ['0', 0],
    [' 120 ', 120],
    ['99999999999999999999', 86_400],
    ['Fri, 20 Nov 2026 08:01:30 GMT', 90],
    ['Fri, 20 Nov 2026 07:00:00 GMT', 0],
    ['Fri, 20 Nov 2036 07:00:00 GMT', 86_400],
    ['-5', undefined],
    ['1.5', undefined],
    ['1e3', undefined],
    ['soon', undefined],
    ['2026', 2026],
    ['Fri, 99 Nov 2026 07:00:00 GMT', undefined],
    ['', undefined],
    [undefined, undefined],
  ]
  for (const [text, seconds] of cases) assert.equal(secondsOf(text, now), seconds, text)
})

test('a piece that is shown is one short line without secrets', () => {
  const shown = (text: string, secrets: readonly string[]) =>
    shownText(text, { secrets: new Map(secrets.map(value => [value, value])), hide: text => text })
  assert.equal(shown(' a\r\n\tb\u001b[31m c\u202e ', []), 'a b[31m c')
  assert.equal(shown('x'.repeat(500), []), `${'x'.repeat(200)}…`)
  assert.equal(shown('1234 abcde xyz', ['1234', 'abcde', 'xyz', '']), '***REDACTED*** ***REDACTED*** xyz')
  assert.equal(
    shown('k=aa\\"b and aa%22b and aa"b', ['aa"b']),
    'k=***REDACTED*** and ***REDACTED*** and ***REDACTED***',
  )
  // Longer than all that is looked at, or cut by the reader of the answer.
  const long = 'token-'.repeat(5000)
  assert.equal(shown(`bad ${long}`, [long]), 'bad ***REDACTED***')
  assert.equal(shown('bad canary-wo', ['x', 'canary-word']), 'bad ***REDACTED***')
  // A secret that crosses the end of what is shown does not leave its beginning there.
  const secret = 'canary'.repeat(10)
  assert.doesNotMatch(shown(`${'x'.repeat(180)}${secret}`, [secret]), /canary/)
  assert.doesNotMatch(shown(`${'x'.repeat(180)}line one\nline two`, ['line one\r\nline two']), /line/)
})

test('the page says of every status what the code says', () => {
  const page = readFileSync('docs/running-http.md', 'utf8')
  const rows = [...page.matchAll(/^\| ([^|]*[0-9][^|]*|every other status) \| `([a-z_]+)` \| (yes|no) \|$/gm)]
  const meaning = (status: number) => {
    const row =
      rows.find(([, numbers = '']) => numbers.split(', ').includes(`${status}`)) ??
      rows.find(([, numbers = '']) => status >= 500 && status <= 599 && numbers.endsWith('other 5xx')) ??
      rows.at(-1)
    return [row?.[2], row?.[3]]
  }
  assert.equal(rows.length, 6)
  for (let status = 100; status < 1000; status++) {
    if (status >= 200 && status <= 299) continue
    const { kind, retryable = RETRYABLE[kind] } = statusFailure(status, '', undefined)
    assert.deepEqual(meaning(status), [kind, retryable ? 'yes' : 'no'], `${status}`)
  }
})
