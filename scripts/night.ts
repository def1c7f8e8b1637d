// npm run night: everything that takes too long for `.ci/run`: all cases of every property, all campaigns, and every program that rlp is
// compared with. A step that fails does not keep the others from running. Ends with a table, and with exit 1 if a step failed.
// Usage: npm run night [-- --seed S] [--only STEP]
import { spawnSync } from 'node:child_process'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

interface Step {
  readonly name: string
  readonly line: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

const { values } = parseArgs({
  options: { seed: { type: 'string' }, only: { type: 'string', multiple: true } },
})
// Each day has its own seed, so that other nights try other cases.
const { only, seed = String(Math.floor(Date.now() / 86_400_000)) } = values

/** Steps name the programs of the system that they need in RLP_NEEDS: a missing one is then a failure. A new program is a new line. */
const STEPS: readonly Step[] = [
  {
    name: 'tests',
    line: ['npm', 'test', '--silent'],
    env: {
      RLP_TEST_RUNS: 'all',
      RLP_NEEDS: 'nodes ssh-agent ssh-add softhsm2-util pkcs11-tool docker-registry faketime sandbox',
    },
  },
  { name: 'kit', line: ['npm', 'run', '--silent', 'conformance', '--', '--large'] },
  ...['readers', 'writers', 'limits'].map(name => ({
    name,
    line: ['bash', 'scripts/other-programs.sh', name],
  })),
  {
    name: 'registry',
    line: ['npm', 'run', '--silent', 'test:registry'],
    env: { RLP_NEEDS: 'docker-registry skopeo htpasswd' },
  },
  { name: 'engines', line: ['bash', 'scripts/engines/install.sh'] },
  {
    name: 'schedulers',
    line: ['npm', 'run', '--silent', 'test:schedulers'],
    env: {
      RLP_TEST_RUNS: 'all',
      RLP_NEEDS: 'sbatch slurmctld slurmd munged bwrap parallel ssh sshd rsync sqlite3 engines',
    },
  },
  { name: 'pages', line: ['npm', 'run', '--silent', 'test:browser'], env: { RLP_NEEDS: 'chromium' } },
  { name: 'soak', line: ['npm', 'run', '--silent', 'soak'] },
  { name: 'campaigns', line: ['npm', 'run', '--silent', 'torture', '--', '--seed', seed] },
]

const unknown = only?.find(name => !STEPS.some(step => step.name === name))
if (!/^[0-9]{1,9}$/.test(seed) || unknown !== undefined) {
  console.error(
    unknown === undefined
      ? `--seed takes a number, not ${seed}`
      : `there is no step ${unknown}: ${STEPS.map(({ name }) => name).join(', ')}`,
  )
  process.exit(2)
}

console.log(`seed ${seed}: npm run night -- --seed ${seed} tries the same cases\n`)
const rows = STEPS.filter(({ name }) => only?.includes(name) ?? true).map(({ name, line, env }) => {
  const [program = '', ...args] = line
  console.log(`\n== ${name}: ${program} ${args.join(' ')}`)
  const begun = performance.now()
  const { status } = spawnSync(program, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, RLP_TEST_SEED: seed, ...env },
  })
  return { name, status, seconds: (performance.now() - begun) / 1000 }
})

console.log(`\nseed ${seed}`)
for (const { name, status, seconds } of rows)
  console.log(`${seconds.toFixed(0).padStart(7)} s  ${status === 0 ? 'passed' : 'FAILED'}  ${name}`)
process.exitCode = rows.every(({ status }) => status === 0) ? 0 : 1
