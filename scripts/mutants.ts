// npm run mutants -- [--seed N] [--count N] [--only PATH]: changes one place of the verifier at a time, and asks the conformance kit alone
// whether it notices (docs/torture.md). Exits 1 if it finds fewer than 95 of 100.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { allVectors } from '../fixtures/conformance/kit.ts'
import { writeKit } from '../fixtures/conformance/write-kit.ts'
import { type Mutant, mutantsOf } from './mutants/operators.ts'

const ROOT = join(import.meta.dirname, '..')
// As deep below the project as what is built into it, which finds fixtures from its own place.
const OUT = join(ROOT, '.tests', String(process.pid))
const REACH = 0.95

/** Verification, trust, archive and containment. */
const FILES: Readonly<Record<string, string>> = {
  verify:
    'ceiling contents expectation files findings form freshness manifest marks protocol revocations schemas signature trust verify',
  trust: 'attested believed ceiling judge requirement rule signer valid-until',
  'format/archive': 'header not-canonical reader',
  'format/signature': 'ed25519 envelope key-kind',
  'format/signature/kinds': 'ed25519 index',
  'format/trust': 'anchors policy required-attestations revoked',
  'format/trust/anchor-fields': 'allow-dev field index keys use',
  'format/trust/requirements': 'anchors attestations field index signatures',
  'format/trust/rule-fields': 'agents allow-caps allow-exec allow-net field index',
  'format/capability': 'address capability ceiling folder grant-entry host',
}

/** Changes that are left out, with the reason: they change no verdict and no code, or nothing that the format speaks of. */
interface LeftOut {
  readonly file: string
  readonly from: string
  /** Missing: every change of this line. */
  readonly to?: string
  /** Instead: every change above this line. */
  readonly above?: true
  readonly why: string
}

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '100' },
    only: { type: 'string', default: '' },
  },
})

const leftOut = JSON.parse(readFileSync(join(ROOT, 'scripts/mutants/left-out.json'), 'utf8')) as LeftOut[]
const all = Object.entries(FILES)
  .flatMap(([folder, names]) => names.split(' ').map(name => `${folder}/${name}.ts`))
  .flatMap(file => mutantsOf(file, readFileSync(join(ROOT, 'src', file), 'utf8')))
refuseStale(all)
const order = ({ file, from, to }: Mutant) =>
  createHash('sha256').update(`${values.seed} ${file} ${from} ${to}`).digest('hex')
const queue = all
  .filter(mutant => mutant.file.startsWith(values.only) && !isLeftOut(mutant))
  .sort((a, b) => (order(a) < order(b) ? -1 : 1))

rmSync(OUT, { recursive: true, force: true })
mkdirSync(OUT, { recursive: true })
const KIT = join(OUT, 'kit')
writeKit(KIT, allVectors(), join(ROOT, 'fixtures/conformance'))
const unchanged = await judged('unchanged', undefined)
if (unchanged?.found !== undefined || unchanged?.agreed === undefined)
  throw new Error(`Cannot measure the kit: it does not agree with the program as it is: ${unchanged?.found}`)

const counts = { found: 0, missed: 0 }
const most = Number(values.count)
await Promise.all(Array.from({ length: availableParallelism() }, work))
const total = counts.found + counts.missed
console.log(
  `${total} mutants of ${all.length}, ${unchanged.agreed} vectors: ${counts.found} found, ${counts.missed} not`,
)
rmSync(OUT, { recursive: true, force: true })
process.exitCode = counts.found >= total * REACH ? 0 : 1

/** Takes mutants until enough were tried. What does not build is not counted. */
async function work(): Promise<void> {
  let mutant: Mutant | undefined
  while (counts.found + counts.missed < most) {
    mutant = queue.shift()
    if (mutant === undefined) return
    const answer = await judged(createHash('sha256').update(mutant.source).digest('hex'), mutant)
    if (answer === undefined || counts.found + counts.missed >= most) continue
    const isFound = answer.agreed === undefined
    counts[isFound ? 'found' : 'missed'] += 1
    console.log(`${isFound ? 'found ' : 'MISSED'} ${mutant.file}:${mutant.line}`)
    console.log(`  - ${mutant.from}\n  + ${mutant.to}`)
    if (isFound) console.log(`  ${answer.found}`)
  }
}

/** @returns undefined if it does not build */
async function judged(
  name: string,
  mutant: Mutant | undefined,
): Promise<{ readonly found?: string; readonly agreed?: number } | undefined> {
  const outfile = join(OUT, `${name}.mjs`)
  const changed = mutant && join(ROOT, 'src', mutant.file)
  try {
    await build({
      entryPoints: [join(ROOT, 'scripts/mutants/judge-kit.ts')],
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      packages: 'external',
      logLevel: 'silent',
      plugins: [
        {
          name: 'mutant',
          setup({ onLoad }) {
            onLoad({ filter: /\.ts$/ }, ({ path }) =>
              path === changed ? { contents: mutant?.source ?? '', loader: 'ts' } : undefined,
            )
          },
        },
      ],
    })
  } catch {
    return undefined
  }
  const output = await run(outfile)
  rmSync(outfile)
  // A program that ends in another way has been noticed.
  return output === '' ? { found: 'the verifier ends without an answer' } : JSON.parse(output)
}

function run(program: string): Promise<string> {
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, [program, KIT], { stdio: ['ignore', 'pipe', 'ignore'], cwd: ROOT })
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    child.on('error', failed)
    child.on('close', () => done(output))
  })
}

function isLeftOut({ file, line, from, to }: Mutant): boolean {
  return leftOut.some(one => {
    if (one.file !== file) return false
    if (one.above === true) return line < lineOf(file, one.from)
    return one.from === from && (one.to ?? to) === to
  })
}

/** A reason that no change has any more would hide another one later. */
function refuseStale(mutants: readonly Mutant[]): void {
  for (const { file, from, to, above } of leftOut) {
    if (above === true) {
      lineOf(file, from)
      continue
    }
    const isThere = mutants.some(
      mutant => mutant.file === file && mutant.from === from && (to ?? mutant.to) === mutant.to,
    )
    if (!isThere)
      throw new Error(`Cannot measure the kit: left-out.json names a line that is gone: ${file}: ${from}`)
  }
}

function lineOf(file: string, text: string): number {
  const lines = readFileSync(join(ROOT, 'src', file), 'utf8').split('\n')
  const index = lines.indexOf(text)
  if (index < 0)
    throw new Error(`Cannot measure the kit: left-out.json names a line that is gone: ${file}: ${text}`)
  return index + 1
}
