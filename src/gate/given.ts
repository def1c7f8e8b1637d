// A gate as a caller of the library opens it, and what it asks.
import type { CallerOptions, PathGiven } from '../io/library/caller.ts'
import type { TrustOptions } from '../verify/input.ts'
import type { GateAnswer } from './answer.ts'

export interface GateListening {
  /** `unix:PATH`, or `127.0.0.1:PORT` with `tokenFile`. */
  readonly at: string
  /** A file with the token that askers at a port have to send. */
  readonly tokenFile?: PathGiven
  /** Folders, and beginnings of references, below which questions over HTTP may name bundles. */
  readonly serve?: readonly string[]
  /** Locks, and files of statements, that questions over HTTP may name, by their names. */
  readonly locks?: Readonly<Record<string, PathGiven>>
  readonly attestations?: Readonly<Record<string, PathGiven>>
}

export interface GateOptions extends CallerOptions, Pick<TrustOptions, 'trustPolicy' | 'home' | 'state'> {
  /** Answer other programs over HTTP too (docs/gate.md). */
  readonly listen?: GateListening
  /** Told a defect of rlp; the question was refused. */
  readonly onDefect?: (error: unknown) => void
}

/** As a question of docs/gate.md, with bytes as they are. */
export interface GateAsk {
  /** A path or a reference, or the bytes themselves. */
  readonly bundle: string | Uint8Array
  /** Which agent it has to be; a file called `<name>-<version>.agent.bundle` implies it. */
  readonly expect?: string
  /** The path of what came with it; the file beside the bundle where this is left out. */
  readonly attestations?: string
  /** The path of a lock; the bundle has to be as it pins it. */
  readonly lock?: string
  /** How long the answer may take. */
  readonly withinMs?: number
}

export interface OpenGate {
  /** Where it listens, as an asker calls it; undefined without `listen`. */
  readonly address: string | undefined
  /** One question. Policies, marks and overrides are read for it; what cannot be decided is not allowed. */
  ask(question: GateAsk): Promise<GateAnswer>
  /** Ends it; questions that were asked are answered. */
  close(): Promise<void>
}
