// `loadBundle` as published, in a process that has done it before, against the hashes and the one signature check that it cannot do without.
import { createHash, createPublicKey, verify as verifySignature } from 'node:crypto'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { blake3Hex } from '../../src/bundle/blake3.ts'
import { SIGNATURE_FILE } from '../../src/model/agent.ts'
import type { Context } from './group.ts'
import { makeSignedAgents } from './inputs.ts'
import { alternate } from './measure.ts'
import { CannotRun } from './process.ts'
import { type Row, timesAsLong } from './row.ts'

/** So many bundles are loaded in turn, each of another agent with tools of its own: no memory of one's texts helps with the next. */
const BUNDLES = 64
/** Until then the engine compiles: loads become faster, and the heap larger by what was compiled. */
const LOADS_BEFORE = 1000
/** Bytes a load. */
const LEAK_BYTES = 1000
const KEPT = 16
/** Times a bundle's bytes. */
const MOST_KEPT = 3

type Library = typeof import('../../src/library/generated/index.ts')
type Loaded = Awaited<ReturnType<Library['loadBundle']>>

export async function measureLoad({ folder, dist, rounds }: Context): Promise<Row[]> {
  const { loadBundle } = (await import(pathToFileURL(join(dist, 'library/index.js')).href)) as Library
  const collect = collector()
  const heap = () => {
    collect()
    return process.memoryUsage().heapUsed
  }
  const of = (tools: number) => {
    const { bundles, home } = makeSignedAgents(join(folder, `${tools}-tools`), BUNDLES, tools)
    let next = 0
    return () => {
      const { name, bytes } = at(bundles, next++ % BUNDLES)
      process.env['RUNLOOP_HOME'] = home
      return loadBundle(new Uint8Array(bytes), { expect: name })
    }
  }
  const timed = async (what: string, load: () => Promise<Loaded>, most: number) => {
    const floor = floorOf(await load())
    const found = await alternate(rounds, {
      load: async () => {
        for (let index = 0; index < BUNDLES; index++) await load()
      },
      floor: () => {
        for (let index = 0; index < BUNDLES; index++) floor()
      },
    })
    const [own, other] = [found.load / BUNDLES, found.floor / BUNDLES]
    return timesAsLong({ what, own, other, name: 'its hashes, signature' }, most)
  }
  const [small, large] = [of(2), of(200)]
  for (let warm = 0; warm < LOADS_BEFORE; warm++) await small()
  const before = heap()
  const smallRow = await timed('loadBundle of a small signed bundle, warm', small, 3)
  const grown = (heap() - before) / BUNDLES / (rounds + 1)
  const largeRow = await timed('loadBundle of 200 tools, warm', large, 6)
  const empty = heap()
  const held: Loaded[] = []
  for (let index = 0; index < KEPT; index++) held.push(await large())
  const kept = (heap() - empty) / KEPT
  const size = at(held, 0).paths.reduce((sum, path) => sum + at(held, 0).bytes(path).length, 0)
  return [
    smallRow,
    figure(
      'loadBundle: heap',
      `${grown.toFixed(0)} bytes a load`,
      `< ${LEAK_BYTES} bytes`,
      grown < LEAK_BYTES,
    ),
    largeRow,
    figure(
      'loadBundle of 200 tools: heap kept',
      `${(kept / size).toFixed(2)} times its bytes`,
      `<= ${MOST_KEPT} times`,
      kept <= MOST_KEPT * size,
    ),
  ]
}

function figure(what: string, result: string, reach: string, isMet: boolean): Row {
  return { what, rlp: '', against: '', result, reach, isMet }
}

function at<T>(list: readonly T[], index: number): T {
  const one = list[index]
  if (one === undefined) throw new CannotRun(`there is no bundle ${index}`)
  return one
}

function collector(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}

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
      throw new CannotRun('the floor does not verify')
  }
}
