// The main job, visible: from an empty folder to a trusted bundle, with the built command. Key and trust policy are for the demo only.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { STEPS } from './main-job.ts'

const rlp = resolve('dist/program/rlp.cjs')
const folder = mkdtempSync(join(tmpdir(), 'rlp-demo-'))

try {
  for (const [what, args] of STEPS) {
    const line = args.map(arg => (/^[\w@./:=^-]+$/.test(arg) ? arg : `'${arg}'`)).join(' ')
    process.stdout.write(`\n# ${what}\n$ rlp ${line}\n`)
    const { status } = spawnSync(process.execPath, [rlp, ...args], {
      cwd: folder,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, RUNLOOP_HOME: join(folder, 'home') },
    })
    if (status !== 0) {
      process.stderr.write(`exit ${status}\n`)
      process.exitCode = 1
      break
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
