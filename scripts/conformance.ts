// npm run conformance -- [FOLDER] [--large] [--archive]: writes the conformance kit (docs/spec/kit.md). The same bytes each time.
import { join } from 'node:path'
import { allVectors, heavyVectors } from '../fixtures/conformance/kit.ts'
import { LARGE_VECTORS } from '../fixtures/conformance/large-vectors.ts'
import { writeArchive } from '../fixtures/conformance/write-archive.ts'
import { writeKit } from '../fixtures/conformance/write-kit.ts'
import { writerVectors } from '../fixtures/conformance/writer-vectors.ts'

const ROOT = join(import.meta.dirname, '..')
const args = process.argv.slice(2)
const folder = args.find(arg => !arg.startsWith('--')) ?? join(ROOT, 'conformance')
const vectors = [...allVectors(), ...heavyVectors(), ...(args.includes('--large') ? LARGE_VECTORS() : [])]
writeKit(folder, vectors, join(ROOT, 'fixtures/conformance'))
console.log(`${vectors.length} vectors for readers and ${writerVectors().length} for writers in ${folder}`)
if (args.includes('--archive')) console.log(writeArchive(folder))
