// Judges the vectors of the conformance kit, and mutants that our own key has signed. Writes one line each, with a digest of the
// whole report.
import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { EVIDENCE_VECTORS } from '../../fixtures/conformance/evidence-vectors.ts'
import { EXPECTATION_VECTORS } from '../../fixtures/conformance/expectation-vectors.ts'
import { GRANT_VECTORS } from '../../fixtures/conformance/grant-vectors.ts'
import { HOUSE_POLICY_VECTORS } from '../../fixtures/conformance/house-policy-vectors.ts'
import { HTTP_VECTORS } from '../../fixtures/conformance/http-vectors.ts'
import { JUDGING_VECTORS } from '../../fixtures/conformance/judging-vectors.ts'
import { allVectors, entryOf, filesOf, heavyVectors } from '../../fixtures/conformance/kit.ts'
import { LOCK_VECTORS } from '../../fixtures/conformance/lock-vectors.ts'
import { MARK_VECTORS } from '../../fixtures/conformance/mark-vectors.ts'
import { POLICY_VECTORS } from '../../fixtures/conformance/policy-vectors.ts'
import type { Vector } from '../../fixtures/conformance/vector.ts'
import { digested, fixtureTree, textOf } from '../../scripts/torture/fixture-tree.ts'
import { mutateBytes } from '../../scripts/torture/mutate/bytes.ts'
import { mutateJson } from '../../scripts/torture/mutate/json.ts'
import { mutateToml } from '../../scripts/torture/mutate/toml.ts'
import { mutateTree } from '../../scripts/torture/mutate/tree.ts'
import { Random } from '../../scripts/torture/random.ts'
import { WORDS } from '../../scripts/torture/targets/words.ts'
import { RlpError } from '../../src/model/error.ts'
import type { Report } from '../../src/model/report.ts'
import { bundleOf, type Tree } from './agent.ts'
import { IS_WHOLE, type Named, tried } from './kept-data.ts'
import { lineFor, reportOn, type Serve } from './kit-judge.ts'
import { ROOT, validFixtureNames } from './lint-fixtures.ts'
import { judge, KEYS, POLICY, signed } from './trust-world.ts'

/** Reports by the name of what was judged. Null: the call was refused. */
export type Reports = ReadonlyMap<string, Report | null>

/** The verdict, its codes, and the first digits of the digest of the whole report. */
export function verdictLines(reports: Reports): Named {
  return new Map(
    [...reports].map(([name, report]) => {
      const codes = [...new Set(report?.reasons.map(({ code }) => code))].join(',')
      const digest = createHash('sha256').update(reportText(report)).digest('hex').slice(0, 16)
      return [name, [`${report?.verdict ?? 'refused'} ${codes || '-'} ${digest}`]]
    }),
  )
}

/** Canonical JSON: the members of each object in the order of their names. */
export function reportText(report: Report | null): string {
  return JSON.stringify(report, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  )
}

/** By day only tables that are made in a few milliseconds: test/product/conformance.test.ts makes all of them, and judges a slice of each. */
const BY_DAY = [
  ...[POLICY_VECTORS, GRANT_VECTORS, JUDGING_VECTORS, HOUSE_POLICY_VECTORS, EXPECTATION_VECTORS],
  ...[MARK_VECTORS, EVIDENCE_VECTORS, LOCK_VECTORS, HTTP_VECTORS],
]

/** The vectors that are judged now. */
export function vectorsNow(): readonly Vector[] {
  if (IS_WHOLE) return [...allVectors(), ...heavyVectors()]
  return tried(
    BY_DAY.flatMap(table => table()),
    97,
    ({ id }) => id.slice(0, id.indexOf('/')),
  )
}

/** @param folder an empty one */
export async function vectorReports(folder: string, vectors: readonly Vector[]): Promise<Reports> {
  for (const [path, content] of filesOf(vectors, [])) {
    const place = join(folder, path)
    mkdirSync(dirname(place), { recursive: true })
    // A trust policy that others may write decides nothing.
    for (let above = dirname(place); above.startsWith(folder); above = dirname(above)) chmodSync(above, 0o755)
    writeFileSync(place, content)
    chmodSync(place, 0o644)
  }
  const { serve } = (await import(join(ROOT, 'fixtures/conformance/serve.mjs'))) as { serve: Serve }
  const entries = vectors.map(entryOf)
  const { host, close } = await serve(entries, folder)
  const port = host.slice(host.indexOf(':'))
  const masked = (report: Report) =>
    JSON.parse(JSON.stringify(report).replaceAll(folder, '<kit>').replaceAll(port, ':<port>')) as Report
  const reports = new Map<string, Report | null>()
  try {
    for (const entry of entries)
      reports.set(nameOf(entry), await orRefused(reportOn(lineFor(folder, entry, host)), masked))
  } finally {
    close()
  }
  return reports
}

/** Without blanks, which end a name in the data. */
export function nameOf({ id }: { readonly id: string }): string {
  return id.replaceAll(' ', '_')
}

async function orRefused(
  judged: Promise<Report>,
  masked: (report: Report) => Report,
): Promise<Report | null> {
  try {
    return masked(await judged)
  } catch (error) {
    if (error instanceof RlpError && error.code === 'USAGE') return null
    throw error
  }
}

/** How many mutants there are. */
const MUTANTS = 2000
/** The release key may grant everything: what is refused is the bundle. */
const ANY = `[anchors]\nr = "${KEYS.release.anchor}"\n[rules]\nr = { allow_caps = "any", allow_net = "any", allow_exec = true }\n`

export function mutantNames(): string[] {
  return Array.from({ length: MUTANTS }, (_, index) => `mutant-${String(index).padStart(4, '0')}`)
}

export async function mutantReports(names: readonly string[]): Promise<Reports> {
  const reports = new Map<string, Report | null>()
  for (const name of names) {
    const random = new Random('kept', name)
    const unsigned = changed(random, fixtureTree(random.pick(validFixtureNames())))
    // Without a manifest there is nothing to sign.
    const tree = 'manifest.toml' in unsigned ? signed(unsigned, 'release') : unsigned
    const bundle = random.once(25) ? mutateBytes(random, bundleOf(tree)) : bundleOf(tree)
    const { report } = await judge(bundle, { policies: [random.once(5) ? POLICY : ANY] })
    reports.set(name, report)
  }
  return reports
}

/** A file or two of a valid agent changed, and mostly the digests that the manifest states of them. */
function changed(random: Random, tree: Tree): Tree {
  let now = tree
  for (let n = random.pick([1, 1, 1, 2]); n > 0; n--) {
    if (random.once(10)) now = mutateTree(random, now)
    else {
      const paths = Object.keys(now).filter(path => /\.(?:toml|caps|json)$/.test(path))
      const path = random.pick(paths.length === 0 ? ['tools.json'] : paths)
      now = { ...now, [path]: changedFile(random, path, now) }
    }
  }
  return random.once(10) ? now : digestedIfRead(now)
}

/** As it is if the manifest leaves no place for digests. */
function digestedIfRead(tree: Tree): Tree {
  try {
    return digested(tree)
  } catch (error) {
    if (error instanceof RlpError) return tree
    throw error
  }
}

function changedFile(random: Random, path: string, tree: Tree): Uint8Array {
  const bytes = Buffer.from((tree[path] ?? '') as string)
  try {
    if (path === 'manifest.toml') return mutateToml(random, textOf(tree, path), WORDS.manifest)
    if (path === 'policy.caps') return mutateToml(random, textOf(tree, path), WORDS.policy)
    const words =
      path === 'tools.json' ? WORDS.tools : path === 'interfaces.json' ? WORDS.interfaces : WORDS.schema
    return mutateJson(random, JSON.parse(textOf(tree, path)), words)
  } catch {
    // The change before this one has left no text of its format.
    return mutateBytes(random, bytes)
  }
}
