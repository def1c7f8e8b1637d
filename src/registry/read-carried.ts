// A reference to a registry or a layout folder → the bundle that it leads to, read, and the agent that it implies.
import { impliedBy, withImplied } from '../format/oci/expectation.ts'
import { readOciReference } from '../format/oci/reference.ts'
import type { Expectation } from '../format/reference.ts'
import { type ReadBundleOptions, readBundle, unreadCandidate } from '../io/read-bundle.ts'
import { RlpError } from '../model/error.ts'
import { UsageError } from '../model/usage-error.ts'
import { expectationIn } from '../verify/expectation.ts'
import type { ReadSource, ReadSourceOptions } from '../verify/source.ts'
import { readPartly } from './read-partly.ts'

/** What keeps it from being read is part of the answer, as for a file. @throws RlpError USAGE, CANCELLED */
export async function readCarried(
  source: string,
  {
    expect: asked,
    mustExpect = false,
    access = { env: process.env },
    through = same,
    partly = false,
    ...read
  }: ReadSourceOptions,
  keep: ReadBundleOptions['keep'],
): Promise<ReadSource> {
  const label = read.label ?? source
  const expect = expectationOf(source, label, asked, mustExpect)
  try {
    const { openCarried } = await import('./open-carried.ts')
    const carried = await openCarried(source, access, read.signal, label)
    const { origin, added, size, part } = carried
    try {
      const candidate =
        partly && part !== undefined
          ? await readPartly(size, part, label)
          : await readBundle(through(carried.chunks()), { ...read, keep, label, size })
      return { expect, candidate: { ...candidate, origin, added } }
    } finally {
      await carried.close()
    }
  } catch (error) {
    if (error instanceof RlpError && error.code !== 'CANCELLED' && !(error instanceof UsageError))
      return { expect, candidate: unreadCandidate(label, error) }
    throw error
  }
}

/** What a reference implies, or what was asked for with the version that its tag names. Asked before anything is sent. */
function expectationOf(
  source: string,
  label: string,
  asked: string | undefined,
  mustExpect: boolean,
): Expectation | 'any' {
  const read = readOciReference(source)
  const implied = 'problem' in read ? undefined : impliedBy(read.value)
  if (asked !== undefined) {
    const expect = expectationIn(asked)
    return expect === 'any' ? expect : withImplied(expect, implied)
  }
  if (mustExpect && implied?.name === undefined) {
    throw new UsageError(`Cannot use "${label}": it does not say which agent it has to be`, {
      field: 'expect',
      hint: 'Add --expect with the name of the agent',
    })
  }
  return implied ?? 'any'
}

function same(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  return chunks
}
