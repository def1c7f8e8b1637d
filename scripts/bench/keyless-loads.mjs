// Loads of a process that no loader of TypeScript is in: that one takes 0.3 ms for each import(), and a keyless signature has three.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { bundleFromJSON } from '@sigstore/bundle'
import { TrustedRoot } from '@sigstore/protobuf-specs'
import { toSignedEntity, toTrustMaterial, Verifier } from '@sigstore/verify'

/** Of one round. */
const LOADS = 20
const [given = ''] = process.argv.slice(2)
const { dist, rounds, keyless, keyed, root } = JSON.parse(given)
const { loadBundle } = await import(pathToFileURL(join(dist, 'library/index.js')).href)
const material = toTrustMaterial(TrustedRoot.fromJSON(JSON.parse(readFileSync(root, 'utf8'))))
const line = readFileSync(`${keyless.bundle}.intoto.jsonl`)
// From memory: what the file beside a bundle costs is not what is compared.
const loadOf = ({ bundle, home }, attestations) => {
  const bytes = readFileSync(bundle)
  return () => loadBundle(new Uint8Array(bytes), { expect: 'mini', home, attestations })
}
const works = [
  { name: 'keyless', work: loadOf(keyless, line) },
  { name: 'key', work: loadOf(keyed, false) },
  {
    name: 'library',
    work: () =>
      new Verifier(material).verify(toSignedEntity(bundleFromJSON(JSON.parse(line.toString('utf8'))))),
  },
]
const taken = { keyless: [], key: [], library: [] }
for (let round = -1; round < rounds; round++) {
  for (const { name, work } of round % 2 === 0 ? works : works.toReversed()) {
    const begin = performance.now()
    for (let count = 0; count < LOADS; count++) await work()
    if (round >= 0) taken[name].push((performance.now() - begin) / LOADS)
  }
}
console.log(JSON.stringify(taken))
