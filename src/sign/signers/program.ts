// Keys that another program has, called `command:` and its absolute path, or a JSON list of it and its fixed arguments: for a hardware
// module or a key service. It is started without a shell, reads one line of JSON, writes one, and ends (docs/keys.md).
import { isAbsolute } from 'node:path'
import { objectIn } from '../../contract/json-text.ts'
import { refuseForeignProgram } from '../../io/owner/programs.ts'
import { type ProgramEnd, runProgram } from '../../io/process/program.ts'
import { Running } from '../../io/process/running.ts'
import { scriptProblem, startFailure } from '../../io/process/start-failure.ts'
import { withoutKeys } from '../../io/process/without-keys.ts'
import { anySignal } from '../../io/wait/any-signal.ts'
import { refuseIfAborted } from '../../io/write/write-atomic.ts'
import { parseJson } from '../../json/parse.ts'
import { RlpError } from '../../model/error.ts'
import { own } from '../../model/own.ts'
import type { AnchorKey, Signer } from '../../model/signer.ts'
import { withoutCredentials } from '../../secret/credential.ts'
import { canonicalBase64, publicKey } from '../../signature/ed25519.ts'
import { readAnchor } from '../../signature/kinds/index.ts'
import { printable, quoted } from '../../text/printable.ts'
import { writeWords } from '../../text/shell-words.ts'
import { type KeyQuery, keyRefused, type SignerKind } from './kind.ts'

const PREFIX = 'command:'
const MOST_WORDS = 64
/** A person may have to touch a device. */
export const PROGRAM_MS = 30_000

export const program: SignerKind = {
  open: query => programSigner(query),
  publicKey: async query => publicKey((await keyOf(query, PROGRAM_MS)).bytes),
  privateKey: async ({ which }) => {
    throw keyRefused(which, 'USAGE', 'it cannot be taken out of the program', 'Sign with it where it is')
  },
}

export async function programSigner(query: KeyQuery, mostMs: number = PROGRAM_MS): Promise<Signer> {
  return {
    key: await keyOf(query, mostMs),
    sign: async message => {
      const payload = Buffer.from(message).toString('base64')
      return ask(query, { rlp: 1, do: 'sign', payload }, readSignatureAnswer, mostMs)
    },
  }
}

function keyOf(query: KeyQuery, mostMs: number): Promise<AnchorKey> {
  return ask(query, { rlp: 1, do: 'public-key' }, readKeyAnswer, mostMs)
}

type Question =
  | { readonly rlp: 1; readonly do: 'public-key' }
  | { readonly rlp: 1; readonly do: 'sign'; readonly payload: string }

async function ask<T>(
  query: KeyQuery,
  question: Question,
  read: (text: string) => ProgramAnswer<T>,
  mostMs: number,
): Promise<T> {
  const { which, signal } = query
  const end = await run(query, question, mostMs)
  const { stdout, exitCode } = end
  if (stdout.isCut) throw failed(which, `it answered with more than ${MOST_ANSWER_BYTES / 1024} KiB`)
  refuseIfAborted(signal)
  const answer = stdout.isText
    ? read(stdout.text)
    : { is: 'nonsense' as const, problem: 'its answer is not UTF-8' }
  if (answer.is === 'error') throw failed(which, `it says ${quoted(answer.message, 300)}`)
  // A program that fails has not answered, whatever it has written before.
  if (exitCode === null) throw failed(which, `it was ended by ${end.signal ?? 'another process'}`)
  if (exitCode !== 0) throw failed(which, `it ended with exit code ${exitCode}`)
  if (answer.is === 'nonsense') throw failed(which, answer.problem)
  return answer.value
}

type Ended = Extract<ProgramEnd, { started: true }>

async function run({ which, env, signal }: KeyQuery, question: Question, mostMs: number): Promise<Ended> {
  const [command = '', ...args] = wordsOf(which)
  refuseForeignProgram(command, args)
  // The system's own library would hand such a text to a shell.
  const script = await scriptProblem(command)
  if (script !== undefined) throw cannotStart(script.message)
  const late = AbortSignal.timeout(mostMs)
  const end = await runProgram({
    command,
    args,
    cwd: '/',
    running: new Running(),
    env: withoutKeys(env),
    stdin: `${JSON.stringify(question)}\n`,
    // Standard error is not read: it may quote a secret, and the program has a word for what people should know.
    outputBytes: MOST_ANSWER_BYTES,
    errorBytes: 0,
    signal: signal === undefined ? late : anySignal(signal, late),
  })
  refuseIfAborted(signal)
  if (!end.started) {
    const { code } = end.error
    throw cannotStart((await startFailure(command, code)).message, code)
  }
  if (late.aborted) throw failed(which, `it did not answer and end within ${mostMs / 1000} s`)
  return end
}

/** The program and its arguments. @throws RlpError USAGE */
function wordsOf(which: string): string[] {
  const text = which.slice(PREFIX.length)
  const words = text.startsWith('[') ? listIn(text) : [text]
  if (words?.[0] !== undefined && isAbsolute(words[0])) return words
  const seen =
    words === undefined
      ? 'what follows command: is no list of texts in JSON'
      : 'what follows command: is no absolute path'
  throw keyRefused(which, 'USAGE', seen, HOW_TO_NAME)
}

const HOW_TO_NAME =
  'Name the program by its whole path, or with its arguments as a list: command:["/opt/signer","--slot","1"]'

/** Fixed words, as a person wrote them: nothing of a bundle is among them. */
function listIn(text: string): string[] | undefined {
  const parsed = parseJson('', Buffer.from(text))
  const list = parsed.ok ? parsed.document.value : undefined
  const isList = Array.isArray(list) && list.length > 0 && list.length <= MOST_WORDS
  return isList && list.every(word => typeof word === 'string' && !word.includes('\0')) ? list : undefined
}

function cannotStart(message: string, errno?: string): RlpError {
  return new RlpError(errno === 'ENOENT' ? 'NOT_FOUND' : 'SIGNER', message, {
    hint: 'After command: comes the whole path of a program that can be executed',
  })
}

function failed(which: string, seen: string): RlpError {
  const hint = `Try it by hand: echo '{"rlp":1,"do":"public-key"}' | ${printable(writeWords(wordsOf(which)), 200)}`
  return keyRefused(which, 'SIGNER', seen, hint)
}

/** No key, signature or sentence is longer. */
const MOST_ANSWER_BYTES: number = 16 * 1024

type ProgramAnswer<T> =
  | { readonly is: 'answered'; readonly value: T }
  /** What the program says to people. */
  | { readonly is: 'error'; readonly message: string }
  | { readonly is: 'nonsense'; readonly problem: string }

/** `{"key":"ed25519:…"}` */
export function readKeyAnswer(text: string): ProgramAnswer<AnchorKey> {
  return readMember(text, 'key', value => {
    const read = readAnchor(value)
    return 'key' in read ? { value: read.key } : { problem: `the key in its answer ${read.problem}` }
  })
}

/** `{"sig":"<base64>"}` */
export function readSignatureAnswer(text: string): ProgramAnswer<Uint8Array> {
  return readMember(text, 'sig', value => {
    const bytes = canonicalBase64(value)
    if (bytes?.length === 64) return { value: new Uint8Array(bytes) }
    return { problem: 'the signature in its answer is not 64 bytes in padded base64' }
  })
}

function readMember<T>(
  text: string,
  name: 'key' | 'sig',
  read: (value: string) => { readonly value: T } | { readonly problem: string },
): ProgramAnswer<T> {
  if (text === '') return nonsense('it answered nothing')
  const line = text.replace(/\r?\n$/, '')
  const object = /[\r\n]/.test(line) ? undefined : objectIn(line)
  if (object === undefined) return nonsense('its answer is not one line with an object in JSON')
  const members = Object.keys(object)
  const value = own(object, name)
  const error = own(object, 'error')
  if (members.length !== 1 || typeof (value ?? error) !== 'string')
    return nonsense(`its answer has other members than one text, "${name}" or "error"`)
  if (typeof error === 'string') return { is: 'error', message: withoutCredentials(error) }
  const made = read(String(value))
  return 'problem' in made ? nonsense(made.problem) : { is: 'answered', ...made }
}

function nonsense(problem: string): { readonly is: 'nonsense'; readonly problem: string } {
  return { is: 'nonsense', problem }
}
