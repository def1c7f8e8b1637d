// The internet, as an interface that tests replace. Names are looked up in a separate process, because the system's lookup cannot be
// cancelled: in this process, a thread that hangs in it would keep the process from ending, and four would stop all file reading.

import { objectIn } from '../contract/json-text.ts'
import { runProgram } from '../io/process/program.ts'
import type { Running } from '../io/process/running.ts'
import { withoutKeys } from '../io/process/without-keys.ts'
import { WIRE, type Wire } from './connect.ts'
import type { Lookup } from './target.ts'

export interface Internet extends Wire {
  readonly lookup: Lookup
}

export function systemInternet(options: LookupOptions): Internet {
  return { ...WIRE, lookup: systemLookup(options) }
}

interface LookupOptions {
  /** The environment of this process. The system's resolver may read settings from it. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly running: Running
  /** What is run, before the name, and prints `{"addresses":[…]}` or `{"code":…}`. */
  readonly command?: readonly string[]
}

const ASK = `require('node:dns').lookup(process.argv[1], { all: true }, (error, found) => {
  process.stdout.write(JSON.stringify(error ? { code: error.code } : { addresses: found.map(one => one.address) }))
})`
/** No host has this many addresses. */
const MOST_BYTES = 64 * 1024

export function systemLookup({
  env,
  running,
  command = [process.execPath, '-e', ASK],
}: LookupOptions): Lookup {
  const [program = '', ...args] = command
  return async (host, signal) => {
    const end = await runProgram({
      command: program,
      args: [...args, '--', host],
      cwd: '/',
      signal,
      running,
      env: passedOn(env),
      // The process holds nothing that needs time to close.
      graceMs: 0,
      outputBytes: MOST_BYTES,
      errorBytes: 0,
    })
    signal.throwIfAborted()
    if (!end.started) throw failed(end.error.code)
    const said = objectIn(end.stdout.text)
    const addresses = said?.['addresses']
    if (!Array.isArray(addresses)) throw failed(said?.['code'])
    return addresses.map(address => ({ address: String(address) }))
  }
}

/** Without keys, and without the variables that change what Node runs. */
function passedOn(env: LookupOptions['env']): Record<string, string> {
  return Object.fromEntries(Object.entries(withoutKeys(env)).filter(([name]) => !name.startsWith('NODE_')))
}

/** With the system's code: http-failure.ts turns codes into sentences. */
function failed(code: unknown): Error {
  return Object.assign(new Error('the name could not be looked up'), {
    code: typeof code === 'string' ? code : 'EAI_FAIL',
  })
}
