// `loadBundle` as published, in a process that has done it before, against the hashes and the one signature check that it cannot do without.
import { createHash, createPublicKey, verify as verifySignature } from 'node:crypto'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { blake3Hex } from '../../src/format/blake3.ts'
import { SIGNATURE_FILE } from '../../src/model/agent.ts'
import type { Context } from './group.ts'
import { makeSigned } from './inputs.ts'
import { alternate } from './measure.ts'
import { CannotRun } from './process.ts'
import { type Row, timesAsLong } from './row.ts'

const MOST = 3
/** One is too short to be measured alone. */
const LOADS_A_ROUND = 100
/** Until then the engine compiles: loads become faster, and the heap larger by what was compiled. */
const LOADS_BEFORE = 1000
/** Bytes a load. */
const LEAK_BYTES = 1000

type Library = typeof import('../../src/index.ts')
type Loaded = Awaited<ReturnType<Library['loadBundle']>>

export async function measureLoad({ folder, dist, rounds }: Context): Promise<Row[]> {
  const { bytes, home } = makeSigned(folder)
  const { loadBundle } = (await import(pathToFileURL(join(dist, 'index.js')).href)) as Library
  process.env['RUNLOOP_HOME'] = home
  const load = () => loadBundle(new Uint8Array(bytes), { expect: 'mini' })
  const floor = floorOf(await load())
  for (let warm = 0; warm < LOADS_BEFORE; warm++) await load()
  const collect = collector()
  collect()
  const before = process.memoryUsage().heapUsed
  const found = await alternate(rounds, {
    load: async () => {
      for (let index = 0; index < LOADS_A_ROUND; index++) await load()
    },
    floor: () => {
      for (let index = 0; index < LOADS_A_ROUND; index++) floor()
    },
  })
  collect()
  const grown = (process.memoryUsage().heapUsed - before) / LOADS_A_ROUND / (rounds + 1)
  const pair = {
    what: 'loadBundle of a small signed bundle, warm',
    own: found.load / LOADS_A_ROUND,
    other: found.floor / LOADS_A_ROUND,
  }
  return [
    timesAsLong({ ...pair, name: 'its hashes, signature' }, MOST),
    {
      what: 'loadBundle: heap',
      rlp: '',
      against: '',
      result: `${grown.toFixed(0)} bytes a load`,
      reach: `< ${LEAK_BYTES} bytes`,
      isMet: grown < LEAK_BYTES,
    },
  ]
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
