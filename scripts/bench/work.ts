// How long the work itself takes, in one process that has done it before; and agents by the thousand.
import { createHash, createPublicKey, verify as verifySignature } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { blake3Hex } from '../../src/format/blake3.ts'
import { lint } from '../../src/lint.ts'
import { SIGNATURE_FILE } from '../../src/model/agent.ts'
import { read } from '../../src/read.ts'
import { agentTree } from '../../test/support/agent.ts'
import { memoryFiles } from '../../test/support/memory.ts'
import { makeAgents, makeSigned, RLP, toolFiles } from './inputs.ts'
import { alternate, median, ROUNDS, run } from './measure.ts'
import { ms, type Row, times } from './table.ts'

/** Agents by the thousand: whole processes, so that reading and printing count. */
export async function agentRows(folder: string): Promise<Row[]> {
  const rows: Row[] = []
  for (const count of [1, 10, 100, 1000]) {
    const agents = join(folder, `agents-${count}`)
    mkdirSync(agents)
    makeAgents(agents, count)
    const found = await alternate({
      lint: () => run(process.execPath, [RLP, 'agent', 'lint', agents], { cwd: folder }),
    })
    const each = found.lint / count
    const isPromised = count >= 100
    rows.push({
      what: `rlp agent lint, ${count} agents of 10 tools`,
      rlp: ms(found.lint),
      against: '',
      result: `${ms(each)} each`,
      reach: isPromised ? '< 5 ms each' : '',
      ...(isPromised && { isMet: each < 5 }),
    })
  }
  return rows
}

/** Reads and lints a large tools.json, against `JSON.parse` of the same text. */
export async function toolsRow(count: number): Promise<Row> {
  const tree = agentTree({ files: toolFiles(count) })
  const text = String(tree['tools.json'])
  const files = memoryFiles(tree)
  const found = await alternate({
    lint: () => {
      const [finding] = lint(read(files, 'mini'), undefined, new Date())
      if (finding !== undefined)
        throw new Error(`${finding.file}:${finding.line} ${finding.rule} ${finding.message}`)
    },
    parse: () => JSON.parse(text),
  })
  const ratio = found.lint / found.parse
  return {
    what: `lint of ${count} tools, ${(text.length / 1e6).toFixed(1)} MB, warm`,
    rlp: ms(found.lint),
    against: `${ms(found.parse)} JSON.parse`,
    result: times(ratio),
    reach: '<= 20x',
    isMet: ratio <= 20,
  }
}

const LOADS = 1000
/** In bytes per load, over a thousand: what a cache that is filled once takes is no leak. */
const LEAK_BYTES = 1000

/** `loadBundle` as published, against the hashes and the one signature check that it cannot do without. */
export async function loadRow(folder: string): Promise<Row> {
  const { bytes, home } = makeSigned(folder)
  const { loadBundle } = (await import(
    pathToFileURL(resolve('dist/index.js')).href
  )) as typeof import('../../src/index.ts')
  process.env['RUNLOOP_HOME'] = home
  const load = () => loadBundle(new Uint8Array(bytes), { expect: 'mini' })
  const floor = floorOf(await load())
  const pairs: [number, number][] = []
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let warm = 0; warm < 100; warm++) await load()
  collect()
  const before = process.memoryUsage().heapUsed
  for (let part = 0; part < ROUNDS; part++) {
    const count = Math.ceil(LOADS / ROUNDS)
    const begin = performance.now()
    for (let index = 0; index < count; index++) await load()
    const between = performance.now()
    for (let index = 0; index < count; index++) floor()
    pairs.push([(between - begin) / count, (performance.now() - between) / count])
  }
  collect()
  const growth = process.memoryUsage().heapUsed - before
  const [ours, theirs] = [median(pairs.map(([one]) => one)), median(pairs.map(([, other]) => other))]
  const ratio = ours / theirs
  return {
    what: `loadBundle, small signed bundle, ${LOADS} times, warm`,
    rlp: ms(ours),
    against: `${ms(theirs)} its hashes and signature`,
    result: `${times(ratio)}, heap +${(growth / 1024).toFixed(0)} KiB`,
    reach: '<= 3x, no leak',
    isMet: ratio <= 3 && growth < LOADS * LEAK_BYTES,
  }
}

type Loaded = Awaited<ReturnType<typeof import('../../src/index.ts').loadBundle>>

/** The same bytes through BLAKE3 and SHA-256, and one Ed25519 verification, in a bare loop. */
function floorOf(bundle: Loaded): () => void {
  const files = bundle.report.files.map(({ path }) => bundle.bytes(path))
  const manifest = bundle.bytes('manifest.toml')
  const envelope = JSON.parse(Buffer.from(bundle.bytes(SIGNATURE_FILE)).toString()) as {
    payloadType: string
    payload: string
    signatures: { keyid: string; sig: string }[]
  }
  const payload = Buffer.from(envelope.payload, 'base64')
  const signed = Buffer.concat([
    Buffer.from(`DSSEv1 ${envelope.payloadType.length} ${envelope.payloadType} ${payload.length} `),
    payload,
  ])
  const [{ keyid, sig } = { keyid: '', sig: '' }] = envelope.signatures
  const der = Buffer.concat([
    Buffer.from('302a300506032b6570032100', 'hex'),
    Buffer.from(keyid.slice('ed25519:'.length), 'base64'),
  ])
  return () => {
    for (const file of files) blake3Hex(file)
    createHash('sha256').update(manifest).digest()
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
    if (!verifySignature(null, signed, key, Buffer.from(sig, 'base64')))
      throw new Error('the floor does not verify')
  }
}
