// `UPDATE_GOLDEN=1`: what `rlp agent digest` would write, put back into the fixtures. A fixture that would then say something else is
// left alone, because its wrong digest is the point of it.
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Agent, MANIFEST_FILE } from '../../src/model/agent.ts'
import { RlpError } from '../../src/model/error.ts'
import { type Digested, digestManifest } from '../../src/pack/digest.ts'
import {
  findingLine,
  LINT_FIXTURES,
  lintFixtureIds,
  lintPlaced,
  type Placed,
  placeLintFixture,
  placeValidFixture,
  ROOT,
  readExpectation,
  VALID_FIXTURES,
  validFixtureNames,
} from './lint-fixtures.ts'

/** Refreshes the digests of all fixtures. */
export async function updateFixtures(): Promise<void> {
  for (const name of validFixtureNames()) {
    await refresh(await placeValidFixture(name), join(ROOT, VALID_FIXTURES, name), name, [])
  }
  for (const id of lintFixtureIds()) {
    await refresh(
      await placeLintFixture(id),
      join(ROOT, LINT_FIXTURES, id, 'agent'),
      id,
      readExpectation(id).findings,
    )
  }
}

async function refresh(
  placed: Placed,
  fixture: string,
  id: string,
  expected: readonly string[],
): Promise<void> {
  try {
    const { agent } = await lintPlaced(placed, 'all', id)
    const digested = digestOf(agent)
    if (digested === undefined || digested.changes.length === 0) return
    await writeFile(join(placed.path, MANIFEST_FILE), digested.text)
    const { findings } = await lintPlaced(placed, 'all', id)
    const isSame = findings.map(findingLine).join('\n') === expected.join('\n')
    if (isSame && existsSync(join(fixture, MANIFEST_FILE)))
      await writeFile(join(fixture, MANIFEST_FILE), digested.text)
  } finally {
    await placed.remove()
  }
}

/** Undefined when the agent is too broken to be digested, which is what some fixtures are about. */
function digestOf(agent: Agent): Digested | undefined {
  try {
    return digestManifest(agent)
  } catch (error) {
    if (error instanceof RlpError && (error.code === 'LINT_FAILED' || error.code === 'NOT_EDITABLE'))
      return undefined
    throw error
  }
}
