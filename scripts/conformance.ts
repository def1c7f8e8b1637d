// npm run conformance [FOLDER]: writes the conformance kit (docs/spec/index.md). The same bytes each time.
import { chmodSync, copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { allVectors, entryOf, indexText, POLICY_NAME, policyText } from '../fixtures/conformance/kit.ts'

const KIT = join(import.meta.dirname, '../fixtures/conformance')
const folder = process.argv[2] ?? join(import.meta.dirname, '../conformance')

// Only what this program writes: the folder may be one that a person named by mistake.
for (const part of ['bundles', 'policies', 'index.json', 'run.mjs', 'README.md']) {
  rmSync(join(folder, part), { recursive: true, force: true })
}
for (const part of ['', 'bundles', 'policies']) {
  mkdirSync(join(folder, part), { recursive: true })
  // A trust policy that others may write decides nothing.
  chmodSync(join(folder, part), 0o755)
}
const vectors = allVectors()
for (const vector of vectors) writeFileSync(join(folder, entryOf(vector).files.bundle), vector.bundle)
writeFileSync(join(folder, POLICY_NAME), policyText(), { mode: 0o644 })
writeFileSync(join(folder, 'index.json'), indexText(vectors))
for (const name of ['run.mjs', 'README.md']) copyFileSync(join(KIT, name), join(folder, name))
console.log(`${vectors.length} vectors in ${folder}`)
