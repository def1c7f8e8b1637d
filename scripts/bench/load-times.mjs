// Times warm loads against the hashes and the signature check that they cannot do without, and prints JSON. In a process without a loader of
// TypeScript, which takes 0.3 ms for each import().
//
// node --expose-gc load-times.mjs <JSON>: { dist, rounds, sets: { <name>: folder with `home` and `<agent>.agent.bundle` } }
import { createHash, createPublicKey, verify } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { blake3 as blake3InScript } from '@noble/hashes/blake3.js'

const { dist, rounds, before, sets } = JSON.parse(process.argv[2])
const { loadBundle } = await import(pathToFileURL(join(dist, 'library/index.js')).href)
const blake3 = await nativeBlake3()

/** As the library hashes, which takes the native package where it is installed. */
async function nativeBlake3() {
  try {
    const native = await import('@napi-rs/blake-hash')
    return bytes => native.default.blake3(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))
  } catch {
    return blake3InScript
  }
}

function readSet(folder) {
  const bundles = readdirSync(folder)
    .filter(name => name.endsWith('.agent.bundle'))
    .map(name => ({
      expect: name.slice(0, -'.agent.bundle'.length),
      bytes: new Uint8Array(readFileSync(join(folder, name))),
    }))
  let next = 0
  const load = () => {
    const { bytes, expect } = bundles[next++ % bundles.length]
    process.env.RUNLOOP_HOME = join(folder, 'home')
    return loadBundle(bytes, { expect })
  }
  return { count: bundles.length, load }
}

/** The same bytes through BLAKE3 and SHA-256, and one Ed25519 verification with a key that is known, in a bare loop. */
function floorOf(bundle) {
  const files = bundle.report.files.map(({ path }) => bundle.bytes(path))
  const manifest = bundle.bytes('manifest.toml')
  const envelope = JSON.parse(Buffer.from(bundle.bytes('SIGNATURES/manifest.sig')).toString())
  const payload = Buffer.from(envelope.payload, 'base64')
  const head = `DSSEv1 ${envelope.payloadType.length} ${envelope.payloadType} ${payload.length} `
  const signed = Buffer.concat([Buffer.from(head), payload])
  const [{ keyid, sig }] = envelope.signatures
  const x = Buffer.from(keyid.slice('ed25519:'.length), 'base64').toString('base64url')
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  return () => {
    for (const file of files) blake3(file)
    createHash('sha256').update(manifest).digest()
    if (!verify(null, signed, key, Buffer.from(sig, 'base64'))) throw new Error('the floor does not verify')
  }
}

const heap = () => {
  gc()
  return process.memoryUsage().heapUsed
}
const found = {}
for (const [name, folder] of Object.entries(sets)) {
  const { count, load } = readSet(folder)
  for (let warm = 0; warm < before[name]; warm++) await load()
  const floor = floorOf(await load())
  const taken = { load: [], floor: [] }
  const start = heap()
  for (let round = -1; round < rounds; round++) {
    const works = { load, floor }
    for (const which of round % 2 === 0 ? ['load', 'floor'] : ['floor', 'load']) {
      const begin = performance.now()
      for (let index = 0; index < count; index++) await works[which]()
      if (round >= 0) taken[which].push((performance.now() - begin) / count)
    }
  }
  const grown = (heap() - start) / count / (rounds + 1)
  const empty = heap()
  const held = []
  for (let index = 0; index < 16; index++) held.push(await load())
  const kept = (heap() - empty) / held.length
  const size = held[0].paths.reduce((sum, path) => sum + held[0].bytes(path).length, 0)
  found[name] = { ...taken, grown, kept: kept / size }
}
console.log(JSON.stringify(found))
