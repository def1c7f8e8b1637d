// Bytes as they come → lines, each looked at once: a message of many megabytes comes in hundreds of pieces.

const NEWLINE = 0x0a

/**
 * Lines without their newline; what stands behind the last one is none.
 *
 * @param most bytes of a line
 * @throws RangeError for a longer one, before it is read to its end
 */
export async function* linesIn(input: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<string> {
  let begun: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of input) {
    let rest = chunk
    for (let at = rest.indexOf(NEWLINE); at !== -1; at = rest.indexOf(NEWLINE)) {
      yield Buffer.concat([...begun, rest.subarray(0, at)]).toString()
      begun = []
      bytes = 0
      rest = rest.subarray(at + 1)
    }
    if (rest.length === 0) continue
    // A reader may use its buffer again.
    begun.push(Uint8Array.from(rest))
    bytes += rest.length
    if (bytes > most) throw new RangeError(`a message is longer than ${most} bytes`)
  }
}
