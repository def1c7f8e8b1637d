// Runs one program, without a shell and in a process group of its own, and returns how it ended and what it wrote. Returns only after the
// whole group is gone, and never later than its limits say.
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { isSystemError } from '../../model/system-error.ts'
import { type Kept, keepOutput } from '../read/bounded.ts'
import { firstEvent, untilAborted, within } from '../wait/within.ts'
import { connectStreams, type ExtraStream } from './descriptors.ts'
import { type Running, Stop, signalGroup } from './running.ts'

export interface Program {
  /** Absolute. */
  readonly command: string
  readonly args: readonly string[]
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** Written to standard input, which is then closed; absent means an empty input. */
  readonly stdin?: string | AsyncIterable<Uint8Array> | undefined
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs?: number | undefined
  /** Bytes kept of each stream. */
  readonly outputBytes: number
  readonly errorBytes: number
  /** Takes what it writes while it runs, beside what is kept. What it wrote before its end is still taken after that. */
  readonly take?: TakeOutput | undefined
  /** Called for every piece of output, on either stream. */
  readonly onOutput?: (() => void) | undefined
  /** Ends the program, and cuts its time to clean up. */
  readonly signal: AbortSignal
  readonly running: Running
  /** Descriptors from 3 on. */
  readonly streams?: readonly ExtraStream[]
  /** A group within the program's that gets the first signal of an end in its place, once there is one. */
  readonly innerGroup?: (() => number | undefined) | undefined
}

export type ProgramEnd =
  | { readonly started: false; readonly error: NodeJS.ErrnoException }
  | {
      readonly started: true
      /** Null if a signal ended it, or if its exit is unknown. */
      readonly exitCode: number | null
      readonly signal: NodeJS.Signals | null
      /** Even SIGKILL did not end it; it may still run. */
      readonly isStuck: boolean
      readonly stdout: Kept
      readonly stderr: Kept
    }

const GRACE_MS = 3000
/** How long processes that a program left behind may keep its pipes open. */
const DRAIN_MS = 500

/** Throws only for our bugs. */
export async function runProgram(program: Program): Promise<ProgramEnd> {
  const { signal, running, graceMs = GRACE_MS, outputBytes, errorBytes, take } = program
  const child = start(program)
  if (child instanceof Error) return { started: false, error: child }
  const ended = endOf(child)
  const { pid, stdout, stderr } = child
  if (pid === undefined || stdout === null || stderr === null)
    return { started: false, error: await failureOf(ended) }
  running.addGroup(pid)
  const closed = new Promise<void>(resolve => void child.once('close', () => resolve()))
  const output = keepOutput(stdout, outputBytes)
  const errors = keepOutput(stderr, errorBytes)
  if (program.onOutput !== undefined)
    for (const stream of [stdout, stderr]) stream.on('data', program.onOutput)
  if (take !== undefined) {
    passOutput(stdout, 'stdout', take)
    passOutput(stderr, 'stderr', take)
  }
  feed(child.stdin, program.stdin)
  const extra = connectStreams(child, program.streams ?? [])
  const stop = new Stop(pid, graceMs, program.innerGroup)
  const onAbort = () => stop.begin()
  signal.addEventListener('abort', onAbort)
  if (signal.aborted) onAbort()
  const end = await Promise.race([ended, stop.givenUp])
  // A group keeps its number while it has members. The number of an empty group may soon belong to another.
  const isLeft = signalGroup(pid, 0)
  signal.removeEventListener('abort', onAbort)
  stop.clear()
  if (take === undefined) await within(closed, stop.graceLeft ?? DRAIN_MS)
  if (isLeft) signalGroup(pid, 'SIGKILL')
  // The one who takes it may be slow.
  if (take !== undefined) await untilAborted(closed, signal)
  await within(closed, DRAIN_MS)
  // A process that left the group and holds a pipe cannot be ended. Do not wait for it.
  for (const stream of [stdout, stderr, ...extra]) stream.destroy()
  running.removeGroup(pid)
  const isStuck = !('exitCode' in end)
  const { exitCode, signal: by } = isStuck ? { exitCode: null, signal: null } : end
  return { started: true, exitCode, signal: by, isStuck, stdout: output(), stderr: errors() }
}

function start({
  command,
  args,
  cwd,
  env,
  stdin,
  streams = [],
}: Program): ChildProcess | NodeJS.ErrnoException {
  const nothing = streams.includes('nothing') ? openSync('/dev/null', 'r+') : undefined
  try {
    return spawn(command, args, {
      cwd,
      env,
      // A session and a group of its own: it has no terminal to ask at, and all of it can be ended.
      detached: true,
      shell: false,
      windowsHide: true,
      stdio: [
        stdin === undefined ? 'ignore' : 'pipe',
        ...(['pipe', 'pipe'] as const),
        ...streams.map(stream => (stream === 'nothing' ? nothing : stream === 'left' ? 'ignore' : 'pipe')),
      ],
    })
  } catch (error) {
    // Some errors of the system are thrown, others become an event.
    if (isSystemError(error)) return error
    throw error
  } finally {
    if (nothing !== undefined) closeSync(nothing)
  }
}

type End =
  | { readonly exitCode: number | null; readonly signal: NodeJS.Signals | null }
  | { readonly error: NodeJS.ErrnoException }

function endOf(child: ChildProcess): Promise<End> {
  return new Promise(resolve => {
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }))
    // A running program can have errors too; they do not end it.
    child.on('error', error => void (child.pid === undefined && resolve({ error })))
  })
}

async function failureOf(ended: Promise<End>): Promise<NodeJS.ErrnoException> {
  const end = await ended
  if ('error' in end) return end.error
  throw new TypeError('a program that was never started has ended')
}

/** @param input chunks come without an error: who makes them ends the program instead */
function feed(stdin: Writable | null, input: string | AsyncIterable<Uint8Array> | undefined): void {
  // A program may close its input without reading it: that is not an error.
  stdin?.on('error', () => {})
  if (typeof input === 'object' && stdin !== null) void feedFrom(stdin, input)
  else stdin?.end(input)
}

async function feedFrom(stdin: Writable, input: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const bytes of input) {
    if (!stdin.writable) return
    if (!stdin.write(bytes)) await firstEvent(stdin, ['drain', 'close'])
  }
  stdin.end()
}

export type ProgramStream = 'stdout' | 'stderr'

/** Resolves when the bytes are taken. Never rejects. */
export type TakeOutput = (stream: ProgramStream, bytes: Uint8Array) => Promise<void>

function passOutput(from: Readable, stream: ProgramStream, take: TakeOutput): void {
  from.on('data', (bytes: Buffer) => {
    from.pause()
    void take(stream, bytes).then(() => from.resume())
  })
}
