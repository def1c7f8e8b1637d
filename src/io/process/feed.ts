// A text, or chunks that come one after another → the standard input of a program, which is then closed.
import type { Writable } from 'node:stream'
import { firstEvent } from '../wait/first-event.ts'

/** @param input chunks come without an error: who makes them ends the program instead */
export function feed(stdin: Writable | null, input: string | AsyncIterable<Uint8Array> | undefined): void {
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
