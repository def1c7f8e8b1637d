// The judge of the verifier: every vector of the conformance kit, and no other test.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { allVectors } from '../../fixtures/conformance/kit.ts'
import { writeKit } from '../../fixtures/conformance/write-kit.ts'
import type { Answer, Judge } from './judge.ts'
import type { Mutant } from './operators.ts'
import { ROOT } from './rooms.ts'

/** @throws Error if it does not agree with the program as it is */
export async function byKit(folder: string): Promise<Judge> {
  const kit = join(folder, 'kit')
  writeKit(kit, allVectors(), join(ROOT, 'fixtures/conformance'))
  const program = join(folder, 'judge-kit.mjs')
  await isBuilt(program, undefined)
  const { found } = await answerOf(program, kit)
  if (found !== undefined)
    throw new Error(`Cannot measure the kit: it does not agree with the program as it is: ${found}`)
  return {
    judged: async mutant => ((await isBuilt(program, mutant)) ? answerOf(program, kit) : undefined),
  }
}

async function isBuilt(outfile: string, mutant: Mutant | undefined): Promise<boolean> {
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
            onLoad({ filter: /\.ts$/ }, ({ path }) => ({
              contents: path === changed ? (mutant?.source ?? '') : readFileSync(path, 'utf8'),
              loader: 'ts',
            }))
          },
        },
      ],
    })
    return true
  } catch {
    return false
  }
}

function answerOf(program: string, kit: string): Promise<Answer> {
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, [program, kit], { stdio: ['ignore', 'pipe', 'ignore'], cwd: ROOT })
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    child.on('error', failed)
    // A program that ends in another way has been noticed.
    child.on('close', () =>
      done(output === '' ? { found: 'the verifier ends without an answer' } : JSON.parse(output)),
    )
  })
}
