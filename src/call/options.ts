// The options that the commands of this room have in common, and what holds the programs that they start.
import type { GlobalArgs, Io } from '../cli/command.ts'
import type { ArgsOf, OptionTable } from '../cli/option.ts'
import { warn } from '../cli/render/report.ts'
import { readInput } from '../io/read/bounded.ts'
import type { Setting } from '../io/setting.ts'
import { UsageError } from '../model/error.ts'
import { openSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { decodeText } from '../text/decode.ts'
import { LOOK_UP_OPTION, TRUST_OPTIONS, trustOf } from '../verify/judging-options.ts'
import type { Streams } from './mcp-messages.ts'
import type { OpenOptions } from './open-agent.ts'
import { SECRET_SOURCES } from './secrets/index.ts'

/** Which agent to use, and under which conditions. */
export const OPEN_OPTIONS = {
  ...TRUST_OPTIONS,
  root: LOOK_UP_OPTION,
  expect: {
    type: 'string',
    placeholder: 'NAME[@VARIANT][@RANGE]',
    describe:
      'which agent it has to be, or blake3:HEX for one bundle; a name, and a file called <name>-<version>.agent.bundle, imply it',
  },
  'allow-unsigned': { type: 'boolean', describe: 'use a sound bundle without signature' },
  unverified: {
    type: 'boolean',
    describe: 'use a folder that you work in, given as a path, without verification',
  },
} as const satisfies OptionTable

export function openOptionsOf(args: ArgsOf<typeof OPEN_OPTIONS, readonly []>, io: Io): OpenOptions {
  const { expect, allowUnsigned, unverified } = args
  return { expect, allowUnsigned, unverified, signal: io.signal, ...trustOf(args, io) }
}

/** Up to an hour, as in tools.json. */
const SECONDS = { type: 'number', placeholder: 'SECONDS', min: 0.001, max: 3600 } as const

export const SOURCE_NAMES = SECRET_SOURCES.map(({ name, takes }) => (takes ? `${name}:${takes}` : name)).join(
  ', ',
)

/** For every command that starts programs. */
export const HELD_OPTIONS = {
  sandbox: {
    type: 'string',
    choices: ['auto', 'require', 'off'],
    describe:
      'auto: hold programs to their grants where that works here; require: where it does not, start none; off: hold none to them',
  },
  audit: { type: 'string', placeholder: 'FILE', describe: 'append a line about each call' },
} as const satisfies OptionTable

/** How to call. */
export const CALL_OPTIONS = {
  yes: { type: 'boolean', alias: 'y', describe: 'confirm what a person is to be asked about' },
  timeout: {
    ...SECONDS,
    describe: 'in place of the tool’s own time limit',
  },
  'idle-timeout': {
    ...SECONDS,
    describe: 'end a program that prints nothing for this long',
  },
  'secrets-from': {
    type: 'string',
    placeholder: 'SOURCE',
    default: 'env',
    describe: `where secrets come from: ${SOURCE_NAMES}`,
  },
  'with-secrets': {
    type: 'boolean',
    describe: 'give secrets and granted variables also to tools of an agent that is not trusted',
  },
  cwd: {
    type: 'string',
    placeholder: 'DIR',
    describe: 'where programs start, in place of an empty folder of their own',
  },
  ...HELD_OPTIONS,
  trace: {
    type: 'string',
    placeholder: 'FILE',
    describe: 'append each call and its answer, without secrets, for rlp tool replay',
  },
} as const satisfies OptionTable

/** Of the commands that serve. */
export const TRUST_CLIENT = {
  type: 'boolean',
  describe: 'let the client ask its user where a tool wants confirmation, and believe the answer',
} as const

export type CallArgs = ArgsOf<typeof CALL_OPTIONS, readonly []>

/** Standard input and output, for one client. */
export function streamsOf(io: Io, trouble: (message: string) => void): Streams {
  return {
    input: io.stdin(),
    output: text => io.stdout(text),
    unread: () => io.unread?.() ?? 0,
    signal: io.signal,
    trouble,
  }
}

/** @throws UsageError for --json where clients are served */
export function refuseJson({ json }: GlobalArgs): void {
  if (!json) return
  throw new UsageError('Cannot serve with --json: standard output speaks MCP', {
    field: 'json',
    hint: 'Leave it out; --trace FILE records calls and answers',
  })
}

/**
 * JSON itself, `@file`, or `-` for standard input. The call checks whether it is JSON and fits.
 * @throws UsageError for bytes that are not text, RlpError if the file cannot be read
 */
export async function readArguments(given: string, io: Setting): Promise<string> {
  const name = given === '-' ? '-' : given.startsWith('@') ? given.slice(1) : undefined
  if (name === undefined) return given
  const read = decodeText(await readInput(name, io))
  if (read.ok) return read.text
  const { message } = read.problem
  throw new UsageError(`Cannot use the arguments in "${name}": ${message}`, { field: 'args' })
}

/**
 * What holds the programs of one command, before it reads anything of a bundle.
 * @param args all of them: the sandbox keeps what they name from programs
 * @throws RlpError as {@link openSandbox}
 */
export async function sandboxFor(args: Pick<CallArgs, 'sandbox'> & GlobalArgs, io: Io): Promise<Sandbox> {
  const sandbox = await openSandbox(args.sandbox, { ...io, told: [args] })
  if (sandbox.note !== undefined) warn(io, args, sandbox.note)
  return sandbox
}
