// Every finding of lint, one a line.
import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Vector } from '../../fixtures/conformance/vector.ts'
import { read } from '../../src/agent/read-agent.ts'
import { readBundle } from '../../src/io/bundle/read-bundle.ts'
import { lint } from '../../src/library/generated/index.ts'
import { lintAgent } from '../../src/lint/lint.ts'
import { prepareLint } from '../../src/lint/lint-target.ts'
import { RULES, USUAL_RULES } from '../../src/lint/rules/index.ts'
import { UNPREPARED } from '../../src/lint/rules/rule.ts'
import type { Finding } from '../../src/model/finding.ts'
import type { Named } from './kept-data.ts'
import { type Placed, placeLintFixture, ROOT, readExpectation, readPlaced } from './lint-fixtures.ts'

/** The date of all judging here, for rules about dates. */
const NOW = new Date('2026-06-01T00:00:00Z')
/** Agents of other people, beside the checkout. They are not part of the project. */
export const REAL: string = join(ROOT, '../shared/real')

/** The fixtures of rules, by `<family>/<rule>`, with every rule there is. */
export async function fixtureFindings(ids: readonly string[]): Promise<Named> {
  const found = new Map<string, readonly string[]>()
  for (const id of ids) {
    const isSparse = readExpectation(id).made.some(({ kind }) => kind === 'sparse')
    const placed = await placeLintFixture(id)
    try {
      found.set(id, await linesOf(placed, isSparse ? 'held' : 'all'))
    } finally {
      await placed.remove()
    }
  }
  return found
}

async function linesOf(placed: Placed, digest: 'all' | 'held'): Promise<string[]> {
  const agent = await readPlaced(placed, digest)
  return lintAgent(agent, await prepareLint(agent), RULES, NOW).map(lineOf)
}

/** Lists what lint reads below a folder: agents, and tools of agentcli. Paths below it, without fixtures of rules. */
export function lintable(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(path => !path.startsWith('lint/'))
    .flatMap(path =>
      basename(path) === 'manifest.toml'
        ? [dirname(path)]
        : /agentcli.*\.tools\.json$/.test(path)
          ? [path]
          : [],
    )
    .sort()
}

/** Agents and tools below a folder, as `rlp agent lint` reads them, with every rule there is. */
export async function pathFindings(folder: string, paths: readonly string[]): Promise<Named> {
  const rules = Object.fromEntries(RULES.map(({ id, severity }) => [id, severity]))
  const found = new Map<string, readonly string[]>()
  for (const path of paths) {
    const { findings } = await lint(join(folder, path), { now: NOW, rules })
    found.set(path, findings.map(lineOf))
  }
  return found
}

/** Rules with a finding in every vector, because its files are those of a bundle and its folder has a different name. */
const OF_EVERY_VECTOR = /^(?:files\/signatures|manifest\/name-mismatch)$/
const VECTOR_RULES = USUAL_RULES.filter(({ id }) => !OF_EVERY_VECTOR.test(id))

/** The bundles of vectors, as if an author had their files. Those whose archive cannot be read have no findings. */
export async function vectorFindings(vectors: readonly Vector[]): Promise<string[]> {
  const found: string[] = []
  for (const { bundle } of vectors) {
    const { files, refusal } = await readBundle(bundle, { keep: 'all' })
    if (refusal !== undefined) continue
    for (const finding of lintAgent(read(files, 'vector'), UNPREPARED, VECTOR_RULES, NOW))
      found.push(lineOf(finding))
  }
  return found
}

function lineOf({ rule, severity, suppressed, file, line, column, message, fix }: Finding): string {
  const place = `${JSON.stringify(file).slice(1, -1)}:${line}:${column}`
  const words = [message, fix].map(text => JSON.stringify(text)).join(' ')
  return `${severity} ${rule} ${place} ${words}${suppressed === undefined ? '' : ' suppressed'}`
}
