// Every limit of src/model/limits.ts: what is beyond it gets a message that names the number, and a way out; or the limit refuses nothing.
import assert from 'node:assert/strict'
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, mock, test } from 'node:test'
import { read } from '../../src/agent/read-agent.ts'
import { outline } from '../../src/agent/read-in-turns.ts'
import { encodeHeader } from '../../src/bundle/archive.ts'
import { ArchiveReader, NotCanonical } from '../../src/bundle/reader.ts'
import { fillUrl } from '../../src/call/http/request.ts'
import { LineTransport, strictly } from '../../src/call/mcp-messages.ts'
import { namesOf, type ServedBundle } from '../../src/call/served-bundles.ts'
import { readTrace } from '../../src/call/trace.ts'
import { readChannelState } from '../../src/channel-file/state.ts'
import { readSigned, writeChannelStatement, writeSigned } from '../../src/channel-file/statement.ts'
import { attestingByKey } from '../../src/evidence/attest.ts'
import { listedNames } from '../../src/fleet/bundle-list.ts'
import { readReport } from '../../src/fleet/report-lines.ts'
import { REFUSED_AGAIN } from '../../src/follow/render-followed.ts'
import { takeOffer } from '../../src/follow/take-offer.ts'
import { runGate } from '../../src/gate/gate.ts'
import { readBundle } from '../../src/io/bundle/read-bundle.ts'
import { bundlesBelow } from '../../src/io/find/search-bundles.ts'
import { readInput } from '../../src/io/read/bounded.ts'
import { Deadline } from '../../src/io/wait/deadline.ts'
import { verifyBundle } from '../../src/library/generated/index.ts'
import { lintAgent } from '../../src/lint/lint.ts'
import { UNPREPARED } from '../../src/lint/rules/rule.ts'
import { RlpError, UsageError } from '../../src/model/error.ts'
import type { FileEntry } from '../../src/model/files.ts'
import * as limits from '../../src/model/limits.ts'
import { nothingPassed } from '../../src/model/report.ts'
import { askerToken } from '../../src/net/serve/asker.ts'
import { UnderWay } from '../../src/net/serve/http-service.ts'
import { ended } from '../../src/registry/http/failure.ts'
import { checkShape } from '../../src/schema/check.ts'
import { newChannelState } from '../../src/trust/channels/advance.ts'
import { Protocol } from '../../src/verify/protocol.ts'
import { checkSignature } from '../../src/verify/signature.ts'
import { verify } from '../../src/verify/verify.ts'
import { agentTree, bundleOf, type Tree } from '../support/agent.ts'
import { attestation, linesOf } from '../support/attested.ts'
import { channelWith, rootOne, withRoot } from '../support/channel-world.ts'
import { temporary } from '../support/folder.ts'
import { examined, PAYLOAD, policyFor, WORLD } from '../support/keyless-world.ts'
import { memoryFiles } from '../support/memory.ts'
import { signedTree, signer } from '../support/signed.ts'
import { JOB_ANCHOR, pair } from '../support/sigstore-world.ts'
import { ASKING, KEYS, signed, testKey, trustContext } from '../support/trust-world.ts'
import { custom, leb, MAGIC } from '../support/wasm.ts'

const folder = temporary('limits')

interface Told {
  readonly message: string
  readonly wayOut: string | undefined
}
type Check = { readonly refusesNothing: string } | (() => Told | Promise<Told>)

const { ARCHIVE_LIMITS, ATTESTATION_LIMITS, PARSE_LIMITS, TEXT_LIMITS, MESSAGE_LIMITS } = limits
const { FETCH_LIMITS } = limits

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

/** What goes beyond each limit. */
const OF_PROXY = {
  refusesNothing: 'of a bundle: test/net/tunnel.test.ts holds what the proxy of a sandbox says',
}

const CHECKS: Readonly<Record<string, Check>> = {
  'ARCHIVE_LIMITS.files': () => archiveOf(ARCHIVE_LIMITS.files + 1, 0),
  'ARCHIVE_LIMITS.fileBytes': () => archiveOf(1, ARCHIVE_LIMITS.fileBytes + 1),
  'ARCHIVE_LIMITS.totalBytes': () => archiveOf(3, ARCHIVE_LIMITS.fileBytes),
  'ARCHIVE_LIMITS.mostFileBytes': () =>
    archiveOf(1, ARCHIVE_LIMITS.mostFileBytes + 1, { ...ARCHIVE_LIMITS, fileBytes: 2 ** 40 }),
  'PARSE_LIMITS.textBytes': () => found('json/too-large', {}, { path: 'tools.json', size: 2 ** 25 }),
  'PARSE_LIMITS.allTextBytes': () => found('json/too-large', {}, { path: 'tools.json', size: 2 ** 25 }),
  'PARSE_LIMITS.allJsonValues': () =>
    found('json/too-large', { 'tools.json': `[${'0,'.repeat(PARSE_LIMITS.allJsonValues)}0]` }),
  'PARSE_LIMITS.jsonMembers': () => {
    const members = Array.from({ length: PARSE_LIMITS.jsonMembers + 1 }, (_, at) => `"k${at}":0`)
    return found('json/too-large', { 'tools.json': `{${members}}` })
  },
  'PARSE_LIMITS.jsonDepth': () =>
    found('json/unsafe-value', { 'tools.json': nested(PARSE_LIMITS.jsonDepth + 1) }),
  'PARSE_LIMITS.tomlDepth': () =>
    found('toml/unsafe-value', { 'policy.caps': `a = ${nested(PARSE_LIMITS.tomlDepth)}\n` }),
  'PARSE_LIMITS.tomlString': () =>
    found('toml/too-large', { 'policy.caps': `a = "${'x'.repeat(PARSE_LIMITS.tomlString)}"\n` }),
  'PARSE_LIMITS.tomlWord': () =>
    found('toml/too-large', { 'policy.caps': `${'x'.repeat(PARSE_LIMITS.tomlWord + 1)} = 1\n` }),
  'PARSE_LIMITS.allTomlTokens': () =>
    found('toml/too-large', {
      'policy.caps': Array.from({ length: PARSE_LIMITS.allTomlTokens }, (_, at) => `k${at} = 1\n`).join(''),
    }),
  'PARSE_LIMITS.trustPolicyTokens': async () => {
    const text = '[anchors]\n'.padEnd(10 + 6 * PARSE_LIMITS.trustPolicyTokens, 'a=[1]\n')
    const candidate = await readBundle(bundleOf(signed(ASKING, 'release')), { keep: 'parsed' })
    const trust = trustContext({ policies: [text] })
    const [reason] = (await verify(await outline(candidate), { expect: 'any', trust })).report.reasons
    return { message: reason?.message ?? '', wayOut: reason?.hint }
  },
  'PARSE_LIMITS.wasmBytes': () => found('wasm/not-validated', {}, { path: 'bin/mini.wasm', size: 2 ** 26 }),
  'PARSE_LIMITS.allWasmBytes': () =>
    found('wasm/not-validated', {}, { path: 'bin/mini.wasm', size: 2 ** 26 }),
  'PARSE_LIMITS.wasmSections': () =>
    found('wasm/malformed', {
      'bin/mini.wasm': wasm(
        Array(PARSE_LIMITS.wasmSections + 1)
          .fill(custom(''))
          .flat(),
      ),
    }),
  'PARSE_LIMITS.wasmEntries': () => {
    const count = PARSE_LIMITS.wasmEntries + 1
    const body = [...leb(count), ...new Uint8Array(4 * count)]
    return found('wasm/malformed', { 'bin/mini.wasm': wasm([1, ...leb(body.length)], body) })
  },
  'LOOK_LIMITS.fileBytes': { refusesNothing: 'lint looks for credentials in the beginning of a file' },
  'LOOK_LIMITS.allBytes': { refusesNothing: 'lint looks for credentials in the first files' },
  MAX_ENVELOPE_BYTES: () => {
    const agent = read(
      memoryFiles({ ...agentTree(), 'SIGNATURES/manifest.sig': '{}'.padEnd(2 ** 17) }),
      'mini',
    )
    const protocol = new Protocol()
    checkSignature(agent, protocol)
    const [reason] = protocol.checks.flatMap(({ reasons }) => reasons)
    return { message: reason?.message ?? '', wayOut: reason?.hint }
  },
  MAX_SIGNATURES: () => {
    const many = Array.from({ length: limits.MAX_SIGNATURES + 1 }, (_, at) => signer(20 + at))
    const error = thrown(() => signedTree(agentTree(), many))
    assert.ok(error instanceof RlpError)
    return { message: error.message, wayOut: error.hint }
  },
  MAX_NAME_LENGTH: () => {
    const name = 'x'.repeat(limits.MAX_NAME_LENGTH + 1)
    const manifest = String(agentTree()['manifest.toml']).replace('"mini"', `"${name}"`)
    return found('manifest/name', { 'manifest.toml': manifest })
  },
  MAX_FILLED_URL: () => {
    const filled = fillUrl(`https://a.example/${'x'.repeat(limits.MAX_FILLED_URL)}`, {})
    return inOne('message' in filled ? filled.message : '')
  },
  MCP_NAME_LENGTH: () => {
    const entry = { listed: { name: 'x'.repeat(limits.MCP_NAME_LENGTH + 1) } }
    const bundle = { agent: 'mini', target: { label: 'mini' }, entries: [entry] }
    const error = thrown(() => namesOf([bundle as unknown as ServedBundle], true))
    assert.ok(error instanceof UsageError)
    return { message: error.message, wayOut: error.hint }
  },
  TRACE_LINE_BYTES: async () => {
    const file = join(folder('trace'), 'trace')
    writeFileSync(file, '')
    truncateSync(file, limits.TRACE_LINE_BYTES + 1)
    const error = await readTrace(file, 'trace', () => assert.fail('read')).catch((error: RlpError) => error)
    assert.ok(error instanceof RlpError)
    return { message: error.message, wayOut: error.hint }
  },
  'ATTESTATION_LIMITS.bytes': { refusesNothing: 'a larger line is no envelope: a line that is not ours' },
  'ATTESTATION_LIMITS.allBytes': () =>
    attested(Buffer.from(`${'x'.repeat(ATTESTATION_LIMITS.bytes)}\n`.repeat(17))),
  'ATTESTATION_LIMITS.lines': () => attested(Buffer.from('x\n'.repeat(ATTESTATION_LIMITS.lines + 1))),
  'ATTESTATION_LIMITS.signerEnvelopes': () => unread(65, 0, 1),
  'ATTESTATION_LIMITS.signerBytes': () => unread(3, 400_000, 1),
  'ATTESTATION_LIMITS.signatures': () => unread(ATTESTATION_LIMITS.signatures / 16 + 1, 0, 16),
  ...Object.fromEntries(
    ['connections', 'headerBytes', 'headersMs', 'requestMs', 'idleMs'].map(name => [
      `SERVICE_LIMITS.${name}`,
      { refusesNothing: 'of an asker that does what HTTP clients do: others are hung up on' },
    ]),
  ),
  'SERVICE_LIMITS.leastToken': () => tokenOf('x'.repeat(limits.SERVICE_LIMITS.leastToken - 1)),
  'SERVICE_LIMITS.mostToken': () => tokenOf('x'.repeat(limits.SERVICE_LIMITS.mostToken + 1)),
  'SERVICE_LIMITS.underWay': () => {
    const underWay = new UnderWay({ name: 'question', mostBytes: limits.GATE_LIMITS.lineBytes })
    const taken = Array.from({ length: limits.SERVICE_LIMITS.underWay + 1 }, () => underWay.take('0')).at(-1)
    return { message: taken !== undefined && 'why' in taken ? taken.why : '', wayOut: 'ask again' }
  },
  'SERVICE_LIMITS.underWayBytes': () => {
    const underWay = new UnderWay({ name: 'question', mostBytes: limits.GATE_LIMITS.lineBytes })
    const all = limits.SERVICE_LIMITS.underWayBytes / limits.GATE_LIMITS.lineBytes
    const taken = Array.from({ length: all + 1 }, () => underWay.take(undefined)).at(-1)
    return { message: taken !== undefined && 'why' in taken ? taken.why : '', wayOut: 'ask again' }
  },
  'KEYLESS_LIMITS.bytes': { refusesNothing: 'of strangers: it is listed, and decides nothing' },
  'KEYLESS_LIMITS.certificateBytes': { refusesNothing: 'of strangers: it is listed, and decides nothing' },
  'KEYLESS_LIMITS.stampBytes': { refusesNothing: 'of strangers: it is listed, and decides nothing' },
  'KEYLESS_LIMITS.allBytes': () => {
    const line = `{"verificationMaterial":"${'x'.repeat(60_000)}"}\n`
    return attested(Buffer.from(line.repeat(limits.KEYLESS_LIMITS.allBytes / 60_000 + 1)))
  },
  'KEYLESS_LIMITS.bundles': () =>
    attested(Buffer.from('{"verificationMaterial":1}\n'.repeat(limits.KEYLESS_LIMITS.bundles + 1))),
  'KEYLESS_LIMITS.verified': async () => {
    const { privateKey: by } = pair()
    const lines = Array.from({ length: limits.KEYLESS_LIMITS.verified + 1 }, () =>
      WORLD.line(PAYLOAD, {}, { by }),
    )
    const { report } = (await examined({ policy: policyFor(JOB_ANCHOR), lines })).verification
    const [reason] = report.reasons
    return { message: reason?.message ?? '', wayOut: reason?.hint }
  },
  'MESSAGE_LIMITS.bytes': () => sent('x'.repeat(MESSAGE_LIMITS.bytes), 0),
  'MESSAGE_LIMITS.unreadBytes': () => sent('x', MESSAGE_LIMITS.unreadBytes + 1),
  'MESSAGE_LIMITS.jsonValues': () => {
    const message = thrown(() => strictly(JSON.parse)(`[${'0,'.repeat(MESSAGE_LIMITS.jsonValues)}0]`))
    return inOne(String(message))
  },
  REPORT_LINE_BYTES: async () => {
    const path = join(folder('report'), 'report')
    writeFileSync(path, '{"type":"summary",', { mode: 0o600 })
    truncateSync(path, limits.REPORT_LINE_BYTES + 1)
    const { signal } = new AbortController()
    const error = await readReport({ path, label: path }, { keys: [], signal, onBundle() {} }).catch(
      (error: RlpError) => error,
    )
    assert.ok(error instanceof RlpError)
    return { message: error.message, wayOut: error.hint }
  },
  'FOLDER_LIMITS.entries': () => {
    const root = folder('entries')
    writeFileSync(join(root, 'a'), '')
    return searched(root, limits.FOLDER_LIMITS.entries)
  },
  'FOLDER_LIMITS.depth': () => {
    const root = folder('depth')
    mkdirSync(join(root, ...Array(limits.FOLDER_LIMITS.depth + 1).fill('d')), { recursive: true })
    return searched(root)
  },
  'FOLDER_LIMITS.listed': { refusesNothing: 'more names come in several pieces' },
  LIST_LINE_BYTES: async () => {
    const stdin = async function* () {
      yield new Uint8Array(limits.LIST_LINE_BYTES + 1)
    }
    const listed = listedNames('-', false, { stdin } as unknown as Parameters<typeof listedNames>[2])
    for await (const one of listed) return inOne('problem' in one ? one.problem : '')
    return inOne('')
  },
  'GATE_LIMITS.lineBytes': () => asked('x'.repeat(limits.GATE_LIMITS.lineBytes + 1)),
  'GATE_LIMITS.idLength': () => asked(JSON.stringify({ id: 'x'.repeat(limits.GATE_LIMITS.idLength + 1) })),
  'GATE_LIMITS.nameLength': () =>
    asked(JSON.stringify({ bundle: 'x'.repeat(limits.GATE_LIMITS.nameLength + 1) })),
  'MODULE_LIMITS.mostMemoryMb': { refusesNothing: 'of an option of a person, not of a bundle' },
  'MODULE_LIMITS.mostSeconds': { refusesNothing: 'of an option of a person, not of a bundle' },
  'MODULE_LIMITS.seconds': { refusesNothing: 'a run may name more' },
  'MODULE_LIMITS.engineMemoryMb': { refusesNothing: 'it comes on top of the memory of a module' },
  'MODULE_LIMITS.startBytes': { refusesNothing: 'the last line of what the sandbox said is shown' },
  'GATE_LIMITS.withinMs': { refusesNothing: 'a question may name more' },
  'GATE_LIMITS.mostMs': () =>
    asked(JSON.stringify({ bundle: 'a', within_ms: limits.GATE_LIMITS.mostMs + 1 })),
  'FETCH_LIMITS.seconds': () => waited('late', FETCH_LIMITS.seconds),
  'FETCH_LIMITS.bytesPerSecond': () => waited('slow', FETCH_LIMITS.slowSeconds),
  'FETCH_LIMITS.slowSeconds': () => waited('slow', FETCH_LIMITS.slowSeconds),
  'FETCH_LIMITS.attachedSeconds': () =>
    waited('late', FETCH_LIMITS.attachedSeconds, deadline =>
      deadline.within(deadline.times.attachedMs, 'what is attached'),
    ),
  'CHANNEL_LIMITS.envelopeBytes': () => channelText(new Uint8Array(limits.CHANNEL_LIMITS.envelopeBytes + 1)),
  'CHANNEL_LIMITS.signatures': () => {
    const { payload } = rootOne(new Date())
    const sig = new Uint8Array(64)
    const many = Array.from({ length: limits.CHANNEL_LIMITS.signatures + 1 }, (_, at) => ({
      keyid: `k${at}`,
      sig,
    }))
    return channelText(writeSigned(payload, many))
  },
  'CHANNEL_LIMITS.keys': () => {
    const keys = Array.from(
      { length: limits.CHANNEL_LIMITS.keys + 1 },
      (_, at) => signer(20 + at).anchor,
    ).sort()
    const { statement } = rootOne(new Date())
    return channelText(writeSigned(writeChannelStatement({ ...statement, keys }), []))
  },
  'CHANNEL_LIMITS.files': () => {
    const names = Array.from({ length: limits.CHANNEL_LIMITS.files }, (_, at) => `a${at}`).sort()
    return channelRelease([...names, 'trust-policy.toml'].map(name => ({ name, size: 1 })))
  },
  'CHANNEL_LIMITS.fileBytes': () =>
    channelRelease([{ name: 'trust-policy.toml', size: limits.CHANNEL_LIMITS.fileBytes + 1 }]),
  'CHANNEL_LIMITS.roots': async () => {
    const now = new Date()
    let contents = channelWith('', now)
    for (let root = 0; root <= limits.CHANNEL_LIMITS.roots; root++) contents = withRoot(contents, now)
    const [first] = contents.roots
    const offer = {
      async *pinned() {
        if (first !== undefined) yield first.envelope
      },
      root: async (version: number) => contents.roots[version - 1]?.envelope,
      heartbeat: async () => undefined,
      release: async () => undefined,
      file: async () => undefined,
    }
    const { refused } = await takeOffer(newChannelState(first?.digest ?? ''), offer, now)
    return { message: refused?.problem ?? '', wayOut: REFUSED_AGAIN }
  },
  'CHANNEL_LIMITS.stateBytes': () => {
    const read = readChannelState(new Uint8Array(limits.CHANNEL_LIMITS.stateBytes + 1))
    return { message: 'problem' in read ? read.problem : '', wayOut: REFUSED_AGAIN }
  },
  'CHANNEL_LIMITS.storedRoots': { refusesNothing: 'a root a day for eleven years' },
  'CHANNEL_LIMITS.releaseDays': { refusesNothing: 'test/channel holds the words of rlp channel push' },
  'CHANNEL_LIMITS.updateSeconds': { refusesNothing: 'how long an update waits, in words of FETCH_LIMITS' },
  'CHANNEL_LIMITS.clockSeconds': { refusesNothing: 'it is said in minutes' },
  'TUNNEL_LIMITS.tunnels': { refusesNothing: 'of a bundle: the next connection gets 503' },
  'TUNNEL_LIMITS.headBytes': OF_PROXY,
  'TUNNEL_LIMITS.helloBytes': OF_PROXY,
  'TUNNEL_LIMITS.headMs': OF_PROXY,
  'TUNNEL_LIMITS.connectMs': OF_PROXY,
  'TUNNEL_LIMITS.allBytes': OF_PROXY,
  'TUNNEL_LIMITS.lingerMs': { refusesNothing: 'a connection is closed' },
  'TUNNEL_LIMITS.told': { refusesNothing: 'further refusals are not told' },
  WATCHED_FOLDERS: { refusesNothing: 'more folders are looked at in turns' },
  'TEXT_LIMITS.id': () => shaped({ id: 'x'.repeat(TEXT_LIMITS.id + 1) }),
  'TEXT_LIMITS.url': () => shaped({ transport: http({ url: 'x'.repeat(TEXT_LIMITS.url + 1) }) }),
  'TEXT_LIMITS.header': () =>
    shaped({ transport: http({ headers: { a: 'x'.repeat(TEXT_LIMITS.header + 1) } }) }),
  'TEXT_LIMITS.argument': () =>
    shaped({ transport: { kind: 'exec', command: 'a', args: ['x'.repeat(TEXT_LIMITS.argument + 1)] } }),
  'TEXT_LIMITS.grant': () => shaped({ capabilities: ['x'.repeat(TEXT_LIMITS.grant + 1)] }),
  'TEXT_LIMITS.description': () => shaped({ description: 'x'.repeat(TEXT_LIMITS.description + 1) }),
}

function channelText(bytes: Uint8Array) {
  const read = readSigned(bytes, 'root', 0)
  return { message: read.ok ? '' : read.problem, wayOut: REFUSED_AGAIN }
}

function channelRelease(files: readonly { readonly name: string; readonly size: number }[]) {
  const hex = '1'.repeat(64)
  const statement = {
    ...({ kind: 'release' } as const),
    channel: hex,
    epoch: 1,
    version: 1,
    expires: '2027-01-01T00:00:00Z',
    files: files.map(file => ({ ...file, blake3: hex, sha256: hex })),
  } as const
  const read = readSigned(writeSigned(writeChannelStatement(statement), []), 'release', 0)
  return { message: read.ok ? '' : read.problem, wayOut: REFUSED_AGAIN }
}

const LIMITS = Object.entries(limits).flatMap(([name, value]): [name: string, most: number][] =>
  typeof value === 'number'
    ? [[name, value]]
    : typeof value === 'object'
      ? Object.entries(value).map(([key, most]) => [`${name}.${key}`, most])
      : [],
)

test('each limit is asked for', () => {
  assert.deepEqual(LIMITS.map(([name]) => name).sort(), Object.keys(CHECKS).sort())
})

describe('a message names the limit, and a way out', () => {
  for (const [name, most] of LIMITS) {
    const check = CHECKS[name]
    if (check === undefined || 'refusesNothing' in check) continue
    test(name, async () => {
      const { message, wayOut } = await check()
      assert.match(message, new RegExp(`\\b${most}\\b`))
      assert.match(wayOut ?? '', /^[A-Za-z].{8,}/s)
      assert.doesNotMatch(message, /^:/)
    })
  }
  test('of an input that is a file or standard input', async () => {
    const big = async function* () {
      yield new Uint8Array(PARSE_LIMITS.textBytes + 1)
    }
    const io = { cwd: '.', stdin: big } as unknown as Parameters<typeof readInput>[1]
    await assert.rejects(readInput('-', io), (error: RlpError) => {
      assert.match(error.message, /16 MiB \(16777216 bytes\)/)
      assert.match(error.hint ?? '', /^Split it/)
      return true
    })
  })
  test('of all files of a folder, also when it is packed', () => {
    const half = ARCHIVE_LIMITS.fileBytes
    const large = ['a', 'b', 'c'].map(path => ({ path, size: half }))
    const { message, wayOut } = found('files/limit', {}, ...large)
    assert.match(
      message,
      /^All files together have \d+ bytes; a bundle has at most 1 GiB \(1073741824 bytes\)$/,
    )
    assert.match(wayOut ?? '', /\.bundleignore/)
    assert.match(
      found('files/limit', {}, { path: 'a', size: half + 1 }).message,
      /512 MiB \(536870912 bytes\)/,
    )
  })
})

/** So many files of so many bytes, as far as the reader takes them. */
function archiveOf(files: number, size: number, most = ARCHIVE_LIMITS): Told {
  const ignore = () => {}
  const reader = new ArchiveReader({ open: ignore, write: ignore, close: ignore }, most)
  const piece = new Uint8Array(2 ** 24)
  const error = thrown(() => {
    for (let at = 0; at < files; at++) {
      reader.push(encodeHeader(`f${String(at).padStart(6, '0')}`, size))
      for (let left = size; left > 0; left -= piece.length) reader.push(piece.subarray(0, left))
    }
  })
  assert.ok(error instanceof NotCanonical)
  return { message: error.message, wayOut: error.hint }
}

/** The first finding of a rule about an agent with these files; large ones have no content in memory. */
function found(rule: string, changes: Tree, ...large: { path: string; size: number }[]): Told {
  const whole = memoryFiles({ ...agentTree(), ...changes })
  const paths = new Set(large.map(({ path }) => path))
  const list: FileEntry[] = [
    ...whole.list.filter(({ path }) => !paths.has(path)),
    ...large.map(entry => ({ ...entry, head: new Uint8Array(MAGIC) })),
  ]
  const files = { ...whole, list, get: (path: string) => list.find(entry => entry.path === path) }
  const finding = lintAgent(read(files, 'mini'), UNPREPARED).find(one => one.rule === rule)
  return { message: finding?.message ?? '', wayOut: finding?.fix }
}

function wasm(...parts: readonly (readonly number[])[]): Uint8Array {
  return Buffer.concat([MAGIC, ...parts].map(part => Uint8Array.from(part)))
}

function http(more: object) {
  return { kind: 'http', method: 'GET', url: 'https://a.example', ...more }
}

/** What is said of a folder that is searched for bundles. */
async function searched(path: string, entries = 0): Promise<Told> {
  const search = { passed: nothingPassed(), met: { entries } }
  for await (const { problem } of bundlesBelow({ path, label: 'all' }, search))
    return { message: problem?.message ?? '', wayOut: problem?.hint }
  return { message: '', wayOut: undefined }
}

/** What the gate answers to a line. */
async function asked(line: string): Promise<Told> {
  const answers: string[] = []
  await runGate({
    questions: (async function* () {
      yield Buffer.from(`${line}\n`)
    })(),
    answer: one => answers.push(one),
    unread: () => 0,
    isOver: () => false,
    onDefect: error => assert.fail(String(error)),
    cwd: '.',
    signal: new AbortController().signal,
    trust: {},
  })
  const [reason] = JSON.parse(answers[0] ?? '').reasons
  return { message: reason.message, wayOut: reason.hint }
}

/** What the schema says of one tool. */
function shaped(more: object): Told {
  const tool = {
    id: 'a',
    description: 'd',
    transport: http({}),
    input_schema: {},
    result_schema: {},
    ...more,
  }
  const problems = checkShape('toolsV1', { version: 1, tools: [tool] })
  const problem = problems.find(({ keyword }) => keyword.startsWith('max'))
  return { message: problem?.message ?? JSON.stringify(problems), wayOut: problem?.fix }
}

/** What is said of an answer to a client that has not read so much. */
async function sent(text: string, unread: number): Promise<Told> {
  const trouble: string[] = []
  const line = new LineTransport<{ text: string }>(
    { input: (async function* () {})(), output: () => {}, unread: () => unread },
    { read: JSON.parse, write: JSON.stringify, instead: () => undefined },
  )
  line.onerror = error => trouble.push(error.message)
  await line.send({ text })
  return inOne(trouble.join())
}

/** A message to a program has its way out behind the colon or semicolon. */
function inOne(whole: string): Told {
  return { message: whole, wayOut: /[:;] (?=\w+ [^:;]*$)(.*)$/.exec(whole)?.[1] }
}

function thrown(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  return undefined
}

/** What is said of a registry that has given nothing for so long, and not of one that has a millisecond left. */
async function waited(why: string, seconds: number, part = (all: Deadline) => all): Promise<Told> {
  mock.timers.enable({ apis: ['setTimeout'] })
  let now = 0
  const clock = mock.method(performance, 'now', () => now)
  try {
    const deadline = part(new Deadline(new AbortController().signal, why === 'late' ? { slowMs: 1e9 } : {}))
    const over_ = deadline.waiting(() => new Promise(() => undefined)).catch(() => undefined)
    // In steps, so that each look at the rate has its turn.
    for (; now < seconds * 1000 - 1; now++) if (now % 1000 === 0) mock.timers.tick(1000)
    assert.equal(deadline.signal.aborted, false)
    now += 1001
    mock.timers.tick(1001)
    await over_
    const { over } = deadline
    assert.equal(over?.why, why)
    const { message, hint } = ended('read a manifest', 'registry.example', over ?? assert.fail())
    return { message, wayOut: hint }
  } finally {
    clock.mock.restore()
    mock.timers.reset()
  }
}

/** One more envelope for a file that is full. */
async function tokenOf(text: string): Promise<Told> {
  const path = join(folder('token'), 'token')
  writeFileSync(path, text, { mode: 0o600 })
  const failed = askerToken({ is: 'tcp', host: '127.0.0.1', port: 0 }, path, '/')
  const { message, hint } = (await failed.catch(error => error)) as RlpError
  return { message, wayOut: hint }
}

/** The reason of a bundle with so many statements that are not required, each by as many keys, of which one signature holds. */
async function unread(count: number, size: number, keys: number): Promise<Told> {
  const signers = Array.from({ length: keys }, (_, at) => testKey(60 + at))
  const anchors = signers.map(({ anchor }, at) => `k${at} = { key = "${anchor}", use = ["attest"] }\n`)
  const by = signers.map((_, at) => `"k${at}"`).join(', ')
  const trustPolicy = `[anchors]\nrelease = "${KEYS.release.anchor}"\n${anchors.join('')}
[rules]\nrelease = { allow_caps = "any", allow_net = "any", allow_exec = true }
[require]\nattestations = [{ type = "https://a.example", by = [${by}] }]\n`
  const files = signed(ASKING, 'release')
  const lines = Array.from({ length: count }, (_, at) =>
    attestation(files, signers, { type: `x-${at}`, predicate: { x: 'x'.repeat(size) } }),
  )
  const forged = String(linesOf(...lines)).replaceAll(/"sig":"../g, '"sig":"AA')
  const attestations = keys === 1 ? linesOf(...lines) : Buffer.from(forged)
  const given = { trustPolicy, attestations, expect: 'any', home: false, state: false } as const
  const { reasons } = await verifyBundle(bundleOf(files), given)
  return { message: reasons[0]?.message ?? '', wayOut: reasons[0]?.hint }
}

async function attested(full: Uint8Array): Promise<Told> {
  const path = join(folder('attested'), 'b.intoto.jsonl')
  writeFileSync(path, full)
  const one = { ...signer(1), sign: async (message: Uint8Array) => signer(1).sign(message) }
  const { signal } = new AbortController()
  const stated = { payload: Buffer.from('{}'), type: 'https://a.example', label: 'b', identity: '' }
  const failed = attestingByKey(one).attest(stated, { path, label: 'b.intoto.jsonl' }, { signal })
  const { message, hint } = (await failed.catch(error => error)) as RlpError
  return { message, wayOut: hint }
}
