// npm run conformance: writes the conformance kit (docs/spec/kit.md). The same bytes each time.
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { allVectors, heavyVectors } from '../fixtures/conformance/kit.ts'
import { LARGE_VECTORS } from '../fixtures/conformance/large-vectors.ts'
import { writeArchive } from '../fixtures/conformance/write-archive.ts'
import { writeKit } from '../fixtures/conformance/write-kit.ts'
import { writerVectors } from '../fixtures/conformance/writer-vectors.ts'

const USAGE = 'Usage: npm run conformance [-- [FOLDER] [--large] [--archive]]'
const ROOT = join(import.meta.dirname, '..')
const { values, folder } = given()
if (values.help)
  console.log(`${USAGE}\n\nWrites the kit into FOLDER, else into conformance/. docs/spec/kit.md says more.`)
else write()

function write(): void {
  const vectors = [...allVectors(), ...heavyVectors(), ...(values.large ? LARGE_VECTORS() : [])]
  writeKit(folder, vectors, join(ROOT, 'fixtures/conformance'))
  console.log(`${vectors.length} vectors for readers and ${writerVectors().length} for writers in ${folder}`)
  if (values.archive) console.log(writeArchive(folder))
}

function given() {
  try {
    const { values, positionals } = parseArgs({
      options: {
        large: { type: 'boolean', default: false },
        archive: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
      allowPositionals: true,
    })
    const [folder = join(ROOT, 'conformance'), ...others] = positionals
    return others.length > 0 ? usage('There is more than one folder') : { values, folder }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return usage(error.message)
  }
}

function usage(problem: string): never {
  console.error(`conformance: ${problem}\n${USAGE}`)
  process.exit(2)
}
