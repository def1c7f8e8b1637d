// The command as a process: the built one where it is newer than the sources, else the sources bundled for this run. Not through tsx,
// which would take ten times as long to start, and some commands are started thousands of times.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../test/support/lint-fixtures.ts'
import { PROGRAM } from '../../test/support/run.ts'

let made: Promise<readonly string[]> | undefined

/** Arguments of `node` that start the command. */
export function program(): Promise<readonly string[]> {
  made ??= PROGRAM.length === 1 ? Promise.resolve(PROGRAM) : bundled()
  return made
}

async function bundled(): Promise<readonly string[]> {
  const { build } = await import('esbuild')
  // Below the packages, so that what is not bundled is found.
  const outdir = join(ROOT, 'node_modules/.cache/rlp-torture')
  mkdirSync(outdir, { recursive: true })
  await build({
    absWorkingDir: ROOT,
    entryPoints: { [`rlp-${process.pid}`]: 'src/cli/bin.ts' },
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    outExtension: { '.js': '.mjs' },
    external: ['@napi-rs/blake-hash', 'yargs', 'yargs/*'],
    logLevel: 'error',
  })
  return [join(outdir, `rlp-${process.pid}.mjs`)]
}
