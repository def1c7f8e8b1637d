// The smallest valid WASI command: scaffold writes it where the author's build will go.
import { WASM_MAGIC } from './read.ts'

const SENTENCE =
  'This module does nothing. It is the placeholder that rlp agent scaffold wrote; put your own build here.'

/** A length or count below 128 is one LEB128 byte; all of them are in this module. */
function sized(content: readonly number[]): number[] {
  if (content.length > 127) throw new RangeError('longer than one LEB128 byte can say')
  return [content.length, ...content]
}

function text(value: string): number[] {
  return sized([...new TextEncoder().encode(value)])
}

function section(id: number, content: readonly number[]): number[] {
  return [id, ...sized(content)]
}

const TYPES = section(1, [1, 0x60, 0, 0]) // one type: no parameters, no results
const FUNCTIONS = section(3, [1, 0]) // one function, of type 0
const MEMORIES = section(5, [1, 0x00, 1]) // one memory of at least one page; WASI asks for it
const EXPORTS = section(7, [2, ...text('memory'), 0x02, 0, ...text('_start'), 0x00, 0])
const CODE = section(10, [1, ...sized([0, 0x0b])]) // no locals, end
const NOTE = section(0, [...text('rlp.stub'), ...new TextEncoder().encode(SENTENCE)])

/** Exports `memory` and a `_start` that returns at once; a custom section `rlp.stub` explains it. */
export const STUB_WASM: Uint8Array = Uint8Array.from([
  ...WASM_MAGIC,
  ...TYPES,
  ...FUNCTIONS,
  ...MEMORIES,
  ...EXPORTS,
  ...CODE,
  ...NOTE,
])

/** Whether the bytes are exactly {@link STUB_WASM}. */
export function isStub(bytes: Uint8Array): boolean {
  return bytes.length === STUB_WASM.length && STUB_WASM.every((byte, at) => bytes[at] === byte)
}
