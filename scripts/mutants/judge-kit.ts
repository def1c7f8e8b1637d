// The whole conformance kit against the verifier that this file is built with: the first vector that differs, or how many agreed.
import { allVectors } from '../../fixtures/conformance/kit.ts'
import { differenceOf } from '../../test/support/judge-vector.ts'

/** No vector takes a second. A mutant that runs on is one that the kit has found. */
const MOST_SECONDS = 120

setTimeout(() => report('it does not end'), MOST_SECONDS * 1000).unref()

function report(found: string): void {
  process.stdout.write(`${JSON.stringify({ found })}\n`)
  process.exit(0)
}

const vectors = allVectors()
// Every eleventh first, eleven times: a vector of the kind that a mutant breaks comes soon.
for (let start = 0; start < 11; start++) {
  for (let index = start; index < vectors.length; index += 11) {
    const vector = vectors[index]
    if (vector === undefined) continue
    let difference: string | undefined
    try {
      difference = await differenceOf(vector)
    } catch (error) {
      difference = `it throws ${error instanceof Error ? error.name : typeof error}`
    }
    if (difference !== undefined) report(`${vector.id}: ${difference}`)
  }
}
process.stdout.write(`${JSON.stringify({ agreed: vectors.length })}\n`)
