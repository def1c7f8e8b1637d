// A folder with the conformance kit, against the verifier that this file is built with: the first vector that differs, or how many agreed.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { channelEntryOf, Entry } from '../../fixtures/conformance/kit.ts'
import { answerToChannel } from '../../test/support/kit-channel.ts'
import { answerTo, lineFor, type Serve } from '../../test/support/kit-judge.ts'

/** The whole kit takes some seconds. A verifier that goes on and on has been found out. */
const MOST_SECONDS = 180
/** Every so many vectors first, then those beside them: a vector of the kind that a change breaks comes soon. */
const STRIDE = 37

const [, , kit = ''] = process.argv

setTimeout(() => report({ found: 'it does not end' }), MOST_SECONDS * 1000).unref()

const { vectors, channels } = JSON.parse(readFileSync(join(kit, 'index.json'), 'utf8')) as {
  vectors: readonly Entry[]
  channels: readonly ReturnType<typeof channelEntryOf>[]
}
const { serve } = (await import(join(kit, 'serve.mjs'))) as { serve: Serve }
const { host } = await serve(vectors, kit)
for (const channel of channels) {
  const difference = await otherAnswer(channel)
  if (difference !== undefined) report({ found: `${channel.id}: ${difference}` })
}
const order = vectors.map((_, index) => index).sort((a, b) => (a % STRIDE) - (b % STRIDE) || a - b)
for (const index of order) {
  const vector = vectors[index]
  const difference = vector && (await differenceOf(vector))
  if (difference !== undefined) report({ found: `${vector?.id}: ${difference}` })
}
report({ agreed: vectors.length + channels.length })

/** @returns what it said in place of what the vector names; undefined if it agrees */
async function differenceOf(vector: Entry): Promise<string | undefined> {
  const { verdict, codes, mayRefuse } = vector
  try {
    const answer = await answerTo(lineFor(kit, vector, host))
    if (mayRefuse && answer.verdict === 'refused') return undefined
    const [first] = answer.codes
    const isRight = codes.length === 0 ? first === undefined : codes.includes(first ?? '')
    return answer.verdict === verdict && isRight ? undefined : `${answer.verdict} ${first}`
  } catch (error) {
    return `it throws ${error instanceof Error ? error.name : typeof error}`
  }
}

/** @returns what it said of a trust channel in place of what the vector names; undefined if it agrees */
async function otherAnswer(vector: ReturnType<typeof channelEntryOf>): Promise<string | undefined> {
  const { root, clock, verdict, codes, known, undecided } = vector
  const updates = vector.updates.map(update => ({ clock: update.clock, folder: join(kit, update.folder) }))
  try {
    const answer = JSON.stringify(await answerToChannel({ root, updates, clock }))
    return answer === JSON.stringify({ verdict, codes, ...known, undecided }) ? undefined : answer
  } catch (error) {
    return `it throws ${error instanceof Error ? error.name : typeof error}`
  }
}

function report(answer: { readonly found: string } | { readonly agreed: number }): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`)
  process.exit(0)
}
