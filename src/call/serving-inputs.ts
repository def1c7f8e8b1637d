// The inputs of the functions that serve tools to an MCP client: its two streams, and who confirms.
import { Writable } from 'node:stream'
import { kindName, wrongValue } from '../model/kind-name.ts'
import { callback, type Input, type InputTable, whether } from '../verb/index.ts'
import { TRUST_CLIENT } from './options.ts'

/** What the client writes: lines of JSON-RPC in chunks of any size. */
export const clientInput: Input<AsyncIterable<Uint8Array>, AsyncIterable<Uint8Array> | undefined> = {
  type: 'AsyncIterable<Uint8Array>',
  isLive: true,
  fromGiven(given: unknown, { field }) {
    if (typeof given === 'object' && given !== null && Symbol.asyncIterator in given)
      return given as AsyncIterable<Uint8Array>
    throw wrongValue(field, kindName(given), 'a stream that is read, or another async iterable of Uint8Array')
  },
}

/** What the client reads. It is written as fast as it takes the text, and stays open. A stream that fails ends the call with `IO`. */
export const clientOutput: Input<Writable, Writable | undefined> = {
  type: 'Writable',
  isLive: true,
  fromGiven(given, { field }) {
    const is = given instanceof Writable ? 'a stream that has ended' : kindName(given)
    if (given instanceof Writable && given.writable) return given
    throw wrongValue(field, is, 'a Writable of node:stream')
  },
}

export const SERVING = {
  /** Confirm every call in advance; without it a call that wants a person's yes is refused. */
  yes: whether('confirm what a person is to be asked about'),
  /** Let the client ask its user where a tool wants confirmation, and believe the answer. Otherwise such a call is refused. */
  trustClientConfirmation: whether(TRUST_CLIENT.describe),
  /** Told what went wrong here or in the protocol, and not in a tool. */
  onTrouble: callback<(message: string) => void>('(message: string) => void'),
} as const satisfies InputTable
