// Target: what a client or a tool sends in any number of pieces, full of values. It is put together as it was, counted before it is built,
// and a refused request is answered under its own id.

import { linesIn, RefusedMessage, strictly } from '../../../src/call/mcp-messages.ts'
import { holdsMoreValues } from '../../../src/json/count.ts'
import { MESSAGE_LIMITS, PARSE_LIMITS } from '../../../src/model/limits.ts'
import type { Random } from '../random.ts'
import { demand, type Target } from './target.ts'

const PARTS = [
  '{},',
  '[],',
  '0,',
  '"a",',
  '{"id":9,"method":"z"},',
  '{"a":1,"a":2},',
  '" ] } \\" ",',
  ' ,',
  '{"__proto__":1},',
]
const ID = 7

/** Most are small; some hold more values than are ever built. */
function message(random: Random): string {
  const part = random.pick(PARTS)
  const count = random.once(10) ? random.below(600_000) : random.below(40)
  const open = random.once(10) ? '['.repeat(random.below(2 * PARSE_LIMITS.jsonDepth)) : '['
  const list = `${open}${part.repeat(count)}0${']'.repeat(open.length)}`
  const id = random.once(2)
  const params = `"params":{"id":1,"list":${list}}`
  return `{"jsonrpc":"2.0",${id ? `"id":${ID},` : ''}"method":"m",${params}${id ? '' : `,"id":${ID}`}}`
}

export const MESSAGE_TARGET: Target = {
  name: 'message',
  share: 300,
  make: random => Buffer.from(`${message(random)}\n`),
  async answer(input) {
    const text = Buffer.from(input).toString()
    const size = input.length > 10_000 ? 4096 : 1
    const lines: string[] = []
    for await (const line of linesIn(pieces(input, size), MESSAGE_LIMITS.bytes)) lines.push(line)
    demand(lines.join('\n') === text.trimEnd(), 'a line is not what was sent')
    const isMany = holdsMoreValues(text, MESSAGE_LIMITS.jsonValues)
    const read = strictly((line: string) => {
      demand(!isMany, 'a message of too many values was parsed')
      return JSON.parse(line) as object
    })
    try {
      read(text)
      return 'read'
    } catch (error) {
      if (!(error instanceof RefusedMessage)) throw error
      demand((error.answer as { id: unknown }).id === ID, 'an answer has the id of another')
      return isMany ? 'too many' : 'refused'
    }
  },
}

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
