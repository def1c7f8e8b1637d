// Where a tool of kind http may connect to: grants, names and the addresses behind them, certificates, and nothing of the environment.
import assert from 'node:assert/strict'
import http from 'node:http'
import { connect, createServer } from 'node:net'
import { test } from 'node:test'
import { httpHost } from '../../src/call/http/run.ts'
import { Running } from '../../src/io/process/running.ts'
import type { RunOutcome } from '../../src/model/run.ts'
import { type Internet, systemInternet } from '../../src/net/internet.ts'
import { makeAuthority, makeCertificate } from '../support/certificate.ts'
import { httpTool, listen, type RunParts, runTool, serve, serveTls } from '../support/http-tool.ts'

const HOST = httpHost(systemInternet({ env: {}, running: new Running() }))
const PUBLIC = '93.184.215.14'

/** An internet in which every public address is this port of the loopback. */
function pretend(
  port: number,
  answers: readonly (readonly string[])[],
): { internet: Partial<Internet>; dialled: string[]; asked: string[] } {
  const dialled: string[] = []
  const asked: string[] = []
  const left = [...answers]
  const internet: Partial<Internet> = {
    lookup: async host => {
      asked.push(host)
      return (left.shift() ?? []).map(address => ({ address }))
    },
    dial: address => {
      dialled.push(address)
      return connect({ host: '127.0.0.1', port })
    },
  }
  return { internet, dialled, asked }
}

function brief(outcome: RunOutcome): string {
  if (outcome.status === 'answered') return outcome.output
  const { kind, message, retryable, extra } = outcome
  const reason = extra?.['reason'] === undefined ? '' : ` (${extra['reason']})`
  return `${kind}${retryable === false ? '!' : ''}${reason}: ${message}`
}

test('only the host and port that are granted', async t => {
  const port = await serve(t, (_, response) => void response.end('here'))
  const here = `127.0.0.1:${port}`
  const cases: readonly (readonly [url: string, parts: RunParts, answer: string])[] = [
    [`http://${here}/`, { hosts: [here] }, 'here'],
    [`http://${here}/`, { hosts: [] }, `rejected (no_hosts): Cannot call the tool: ${here} is not granted`],
    [
      `http://${here}/`,
      { hosts: ['127.0.0.1', '127.0.0.1:80', `127.0.0.2:${port}`] },
      `rejected (host_not_permitted): Cannot call the tool: ${here} is not granted`,
    ],
    [
      `http://${here}/`,
      { hosts: [here], allowHttp: false },
      `rejected (http_not_permitted): Cannot call the tool: plain http to ${here} is not granted (allow_http)`,
    ],
    [
      'https://api.example/',
      { hosts: ['example', 'xapi.example'] },
      'rejected (host_not_permitted): Cannot call the tool: api.example:443 is not granted',
    ],
    [
      'https://api.example@evil.example/',
      { hosts: ['api.example', 'evil.example'] },
      'rejected (host_not_permitted): Cannot call the tool: its url cannot be used: it has a user name or password',
    ],
    [
      'https://{{input.host}}/',
      { hosts: ['api.example', 'x'], input: { host: 'api.example' } },
      'rejected (host_not_permitted): Cannot call the tool: its url cannot be used: it has a template in host or port',
    ],
  ]
  for (const [url, parts, answer] of cases)
    assert.equal(brief(await runTool(httpTool({ url }), parts)), answer)
})

test('a name that is this host is refused before anybody is asked', async () => {
  for (const host of ['localhost', 'app.localhost']) {
    assert.equal(
      brief(await runTool(httpTool({ url: `http://${host}:80/` }))),
      `rejected (host_not_permitted): Cannot call the tool: ${host}:80 is this host, which has to be written and granted as 127.0.0.1 or [::1]`,
    )
  }
})

test('a plan says so before anybody is asked to confirm anything', () => {
  const limits = { timeoutMs: 1, outputBytes: 1, errorBytes: 1 }
  for (const host of ['localhost', '0.0.0.0', '[::ffff:7f00:1]', '{{input.host}}']) {
    const tool = httpTool({ url: `http://${host}/` })
    const planned = HOST.plan({ tool, input: { host: 'api.example' }, text: '{}', limits, variables: [] })
    assert.ok(!planned.ok && planned.refusal.kind === 'rejected', host)
  }
})

test('some addresses are never reached, granted or not', async () => {
  const never = [
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '[::]',
    '[ff02::1]',
    '[::ffff:7f00:1]',
    '[::7f00:1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '[2001:0:1::]',
  ]
  for (const host of never) {
    const written = host.startsWith('[') ? `[${new URL(`http://${host}/`).hostname.slice(1, -1)}]` : host
    const outcome = await runTool(httpTool({ url: `http://${written}:8080/` }), {
      internet: { dial: () => assert.fail(`${host} was dialled`) },
    })
    assert.match(brief(outcome), /^rejected \(host_not_permitted\): Cannot call the tool: .+:8080 is /)
  }
})

test('a name leads to public addresses, or nowhere', async t => {
  let requests = 0
  const port = await serve(t, (_, response) => {
    requests++
    response.end('public')
  })
  const call = async (addresses: readonly string[]) => {
    const world = pretend(port, [addresses])
    const outcome = await runTool(httpTool({ url: 'http://api.example/' }), { internet: world.internet })
    return { said: brief(outcome), ...world }
  }
  const good = await call([PUBLIC, '2606:4700::1111'])
  assert.deepEqual([good.said, good.dialled, good.asked, requests], ['public', [PUBLIC], ['api.example'], 1])
  const bad = [
    '127.0.0.1',
    '10.1.2.3',
    '172.31.0.1',
    '192.168.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '::1',
    'fe80::1%eth0',
    'fd00::1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '64:ff9b::a00:1',
    'not an address',
    '',
  ]
  for (const address of bad) {
    for (const answer of [[address], [PUBLIC, address], [address, PUBLIC]]) {
      const { said, dialled } = await call(answer)
      assert.match(said, /^rejected \(host_not_permitted\): Cannot call the tool: api\.example leads to "/)
      assert.deepEqual(dialled, [])
    }
  }
  const none = await call([])
  assert.equal(none.said, 'unavailable: Cannot reach api.example:80: the name has no address')
  assert.equal(requests, 1)
})

test('a name is asked for once: who answers differently later is not heard', async t => {
  const port = await serve(t, ({ url }, response) => {
    if (url === '/end') response.end('followed')
    else response.writeHead(302, { location: '/end' }).end()
  })
  const { internet, dialled, asked } = pretend(port, [[PUBLIC], ['127.0.0.1']])
  const outcome = await runTool(httpTool({ url: 'http://rebind.example/' }), { internet })
  assert.equal(brief(outcome), 'followed')
  assert.deepEqual([dialled, asked], [[PUBLIC, PUBLIC], ['rebind.example']])
})

test('the next address is tried when one does not answer, and four at most', async t => {
  const port = await serve(t, (_, response) => void response.end('second'))
  const world = pretend(port, [[PUBLIC, '8.8.8.8']])
  const dial = (address: string, at: number) =>
    address === PUBLIC ? connect({ host: '127.0.0.1', port: 1 }) : connect({ host: '127.0.0.1', port: at })
  const outcome = await runTool(httpTool({ url: `http://api.example:${port}/` }), {
    internet: { ...world.internet, dial },
  })
  assert.equal(brief(outcome), 'second')
  const many = pretend(1, [Array.from({ length: 50 }, (_, index) => `8.8.4.${index}`)])
  const gone = await runTool(httpTool({ url: 'http://api.example/' }), { internet: many.internet })
  assert.equal(brief(gone), 'unavailable: Cannot reach api.example:80: nothing listens there')
  assert.deepEqual(many.dialled, ['8.8.4.0', '8.8.4.1', '8.8.4.2', '8.8.4.3'])
})

test('what cannot be looked up is unavailable', async () => {
  const failing = (code: string) =>
    runTool(httpTool({ url: 'https://api.example/' }), {
      internet: { lookup: () => Promise.reject(Object.assign(new Error('getaddrinfo'), { code })) },
    })
  assert.equal(
    brief(await failing('ENOTFOUND')),
    'unavailable!: Cannot reach api.example:443: there is no such name',
  )
  assert.equal(
    brief(await failing('EAI_AGAIN')),
    'unavailable: Cannot reach api.example:443: the name could not be looked up',
  )
  assert.equal(
    brief(await failing('EAI_FAIL')),
    'unavailable: Cannot reach api.example:443: the connection failed (EAI_FAIL)',
  )
  // What is no error of a connection is our bug, and has to be seen.
  await assert.rejects(failing('ERR_INVALID_ARG_TYPE'), /getaddrinfo/)
})

const authority = makeAuthority('Test authority')
const SNI = new Map<string, string | false | undefined>()

test('certificates are checked, by name and by address', async t => {
  const certificate = makeCertificate(authority, ['api.example', '127.0.0.1'])
  const port = await serveTls(t, certificate, (request, response) => {
    SNI.set(request.headers.host ?? '', Reflect.get(request.socket, 'servername'))
    response.end('secure')
  })
  const { internet } = pretend(port, [[PUBLIC]])
  const byName = await runTool(httpTool({ url: 'https://api.example/' }), {
    internet: { ...internet, ca: authority.cert },
  })
  assert.equal(brief(byName), 'secure')
  assert.equal(SNI.get('api.example'), 'api.example')
  const byAddress = await runTool(httpTool({ url: `https://127.0.0.1:${port}/` }), {
    internet: { ca: authority.cert },
  })
  assert.equal(brief(byAddress), 'secure')
  assert.equal(SNI.get(`127.0.0.1:${port}`), false)
})

test('a certificate that does not fit is an end, whatever the environment says', async t => {
  const past = { from: '20200101000000Z', to: '20200201000000Z' }
  const later = { from: '21900101000000Z', to: '22000201000000Z' }
  const other = makeAuthority('Other authority')
  let requests = 0
  const cases = [
    [makeCertificate(authority, ['other.example', '127.0.0.2']), 'its certificate is for another name'],
    [makeCertificate(authority, ['api.example'], past), 'its certificate has expired'],
    [makeCertificate(authority, ['api.example'], later), 'its certificate is not valid yet'],
    [
      makeCertificate(other, ['api.example']),
      'its certificate comes from an authority that is not trusted here',
    ],
  ] as const
  for (const variable of [undefined, '0']) {
    if (variable !== undefined) process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = variable
    try {
      for (const [certificate, why] of cases) {
        const port = await serveTls(t, certificate, (_, response) => {
          requests++
          response.end()
        })
        const { internet } = pretend(port, [[PUBLIC]])
        const outcome = await runTool(httpTool({ url: 'https://api.example/' }), {
          internet: { ...internet, ca: authority.cert },
        })
        assert.equal(brief(outcome), `unavailable!: Cannot reach api.example:443: ${why}`)
        assert.equal(outcome.facts.started, false)
      }
    } finally {
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
    }
  }
  assert.equal(requests, 0)
})

test('https to what speaks none is an end', async t => {
  const port = await serve(t, (_, response) => void response.end())
  const outcome = await runTool(httpTool({ url: `https://127.0.0.1:${port}/` }))
  assert.match(brief(outcome), /^unavailable!: Cannot reach 127\.0\.0\.1:[0-9]+: no encrypted connection/)
  const silent = await listen(
    t,
    createServer(socket => socket.destroy()),
  )
  const closed = await runTool(httpTool({ url: `https://127.0.0.1:${silent}/` }))
  assert.match(brief(closed), /^unavailable: Cannot reach 127\.0\.0\.1:[0-9]+: the connection was closed/)
  const slow = await listen(t, createServer())
  const late = await runTool(httpTool({ url: `https://127.0.0.1:${slow}/` }), { timeoutMs: 50 })
  assert.equal(brief(late), "timeout: Tool 'web.get' exceeded the 0.05s execution budget.")
})

test('no agent and no proxy of the environment has a part in it', async t => {
  const proxy = await serve(t, (_, response) => void response.end('proxied'))
  const port = await serve(t, (_, response) => void response.end('direct'))
  const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY', 'NODE_USE_ENV_PROXY']
  for (const name of names) process.env[name] = `http://127.0.0.1:${proxy}`
  // An agent is where Node puts a proxy that it takes from the environment.
  t.mock.method(http.Agent.prototype, 'addRequest' as never, () => assert.fail('an agent was used'))
  try {
    assert.equal(brief(await runTool(httpTool({ url: `http://127.0.0.1:${port}/` }))), 'direct')
    assert.throws(() => http.get(`http://127.0.0.1:${port}/`), /an agent was used/)
  } finally {
    for (const name of names) delete process.env[name]
  }
})
