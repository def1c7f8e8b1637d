// The built program on a terminal of its own, with a person who types whole lines there.
import { spawn } from 'node:child_process'
import { PYTHON } from './python.ts'
import { NO_HOME, PROGRAM } from './run.ts'

export interface Typing {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  /** Typed at once, before the program has started. */
  readonly ahead?: string
  /** Lines, each with the end of the question that it answers. Enter is pressed after each. */
  readonly lines: readonly (readonly [question: string, typed: string])[]
}

/** Waits for the question and then half a second, as a person does, and types. Prints what the terminal showed, and the exit code. */
const TYPIST = `
import json, os, pty, select, sys, time
given = json.loads(sys.argv[1])
pid, terminal = pty.fork()
if pid == 0:
    os.execvpe(given["line"][0], given["line"], given["env"])
if given["ahead"]:
    os.write(terminal, given["ahead"].encode())
shown, asked, lines, end = "", 0, given["lines"], time.time() + 30
while time.time() < end:
    if lines and lines[0][0] in shown[asked:]:
        asked = len(shown)
        time.sleep(0.5)
        os.write(terminal, (lines.pop(0)[1] + "\\r").encode())
    if select.select([terminal], [], [], 0.05)[0]:
        try:
            read = os.read(terminal, 65536)
        except OSError:
            break
        if not read:
            break
        shown += read.decode("utf-8", "replace")
else:
    os.kill(pid, 9)
status = os.waitpid(pid, 0)[1]
print(json.dumps({"shown": shown, "exit": os.waitstatus_to_exitcode(status)}))
`

/** Runs `rlp <args>` on a terminal. Needs Python. */
export function typing(
  args: readonly string[],
  { cwd, env, ahead = '', lines }: Typing,
): Promise<{ readonly shown: string; readonly exit: number }> {
  const given = {
    line: [process.execPath, ...PROGRAM, ...args],
    env: { ...process.env, RUNLOOP_HOME: NO_HOME, NO_COLOR: '1', TERM: 'xterm', ...env },
    ahead,
    lines,
  }
  const child = spawn(PYTHON, ['-c', TYPIST, JSON.stringify(given)], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', chunk => (printed += chunk))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', () => resolve(JSON.parse(printed)))
  })
}
