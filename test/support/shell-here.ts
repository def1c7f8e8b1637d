// Shells in which `rlp` is not a process of its own: main() in this process answers each call. A start of the program takes 0.2 s of
// processor time, and some transcripts make a hundred calls in one line.
import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { builtProgram } from './built.ts'
import { run } from './fake-terminal.ts'

export interface Said {
  /** Both streams in the order in which a terminal shows them. */
  readonly said: string
  readonly status: number | null
}

/** Puts an `rlp` into a folder for PATH. In a shell that {@link shellHere} did not start, it runs the built program. */
export function putRlpHere(path: string): void {
  mkdirSync(path, { recursive: true })
  cpSync(new URL('./shell-here.sh', import.meta.url), join(path, 'rlp'))
  writeFileSync(join(path, 'target'), builtProgram())
}

/**
 * Runs a script with `sh`. Its status is that of the last call of `rlp` in it, or its own if it makes none.
 *
 * @param path the folder that {@link putRlpHere} wrote, which has to be on the PATH in `env`
 */
export async function shellHere(
  script: string,
  path: string,
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
): Promise<Said> {
  const ended = join(path, 'status')
  rmSync(ended, { force: true })
  const child = spawn('sh', ['-c', `exec 2>&1\n${script}`], {
    ...options,
    stdio: ['ignore', 'pipe', 'ignore', ...ASKED],
  })
  const answered = answerCalls(child, path)
  let said = ''
  child.stdout?.setEncoding('utf8').on('data', text => (said += text))
  const status = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  await answered()
  return { said, status: existsSync(ended) ? Number(readFileSync(ended, 'utf8')) : status }
}

/** Descriptors after the standard streams: in a child that has them, `rlp` asks on number 9. */
export const ASKED: readonly ('pipe' | 'ignore')[] = [...Array<'ignore'>(6).fill('ignore'), 'pipe']

/**
 * Answers the calls of `rlp` in a child that was started with {@link ASKED}. Returns what waits for the last answer.
 *
 * @param path the folder that {@link putRlpHere} wrote; the variable `RLP_HERE` names it for a program in a different folder that runs its `rlp`
 */
export function answerCalls(child: ChildProcess, path: string): () => Promise<void> {
  // Calls change the folder and the variables of this process, so they are answered one after the other.
  let turn = Promise.resolve()
  let calls = ''
  const asked = (child.stdio as readonly unknown[])[9] as Duplex
  asked.setEncoding('utf8').on('data', (text: string) => {
    calls += text
    for (let end = calls.indexOf('\n'); end !== -1; end = calls.indexOf('\n')) {
      const call = join(path, `call-${calls.slice(0, end)}`)
      calls = calls.slice(end + 1)
      turn = turn.then(() => answer(call))
    }
  })
  // A program that the script leaves behind holds the descriptor open.
  child.on('exit', () => asked.destroy())
  return () => turn
}

/** Answers a call with a script that prints what the command printed, each part on its stream, and sets `status`. */
async function answer(call: string): Promise<void> {
  const [cwd = '', umask = '', count = '', ...words] = readFileSync(`${call}.words`, 'utf8').split('\0')
  const variables = readFileSync(`${call}.env`, 'utf8').split('\0').filter(Boolean)
  const env = Object.fromEntries(
    variables.map(one => [one.slice(0, one.indexOf('=')), one.slice(one.indexOf('=') + 1)]),
  )
  const parts: string[] = []
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
  const printed = (text: string | Uint8Array) => quoted(Buffer.from(text as string).toString())
  const back = become(cwd, env, Number.parseInt(umask, 8))
  let status: number
  try {
    const ran = await run(words.slice(0, Number(count)), undefined, {
      cwd,
      env,
      input: readFileSync(`${call}.input`, 'utf8'),
      stdout: text => parts.push(`printf %s ${printed(text)} 2>/dev/null\n`),
      stderr: text => parts.push(`printf %s ${printed(text)} >&2\n`),
    })
    status = ran.exit
  } catch (error) {
    // A defect: as a program that breaks.
    parts.push(`printf %s ${printed(String(error))} >&2\n`)
    status = 70
  } finally {
    back()
  }
  await writeFile(`${call}.answer`, `${parts.join('')}status=${status}\n`)
  for (const part of ['words', 'env', 'input', 'answer']) rmSync(`${call}.${part}`)
}

/** Gives this process the folder, the variables and the umask of a call. Returns the way back. */
function become(cwd: string, env: Readonly<Record<string, string>>, umask: number): () => void {
  const before = { cwd: process.cwd(), env: { ...process.env }, umask: process.umask(umask) }
  const set = (variables: Readonly<Record<string, string | undefined>>) => {
    for (const name of Object.keys(process.env)) if (!(name in variables)) delete process.env[name]
    Object.assign(process.env, variables)
  }
  process.chdir(cwd)
  set(env)
  return () => {
    process.chdir(before.cwd)
    set(before.env)
    process.umask(before.umask)
  }
}
