// A value → the same with one of its texts or keys steering a terminal, for each of them; and how to find that it did.
import { commandsIn } from '../../../test/support/runner.ts'

/** Clears the screen, sets a title, turns letters round, hides some, begins a line of its own; and commands to a pipeline's runner. */
export const HOSTILE =
  '\u001b[2J\u001b]0;x\u0007\u009b1m\u202eba\u2066c\u200b\ufeff\r\nINJECTED \u2028\u{e0041}\u0008 ::stop-commands::x ##[group]y ##vso[task]z'

const STEERS =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/u

/** What of an output would steer a terminal, or is a line that rlp has not written. */
export function steers(output: string): string | undefined {
  const found = STEERS.exec(output)
  if (found !== null)
    return `U+${found[0].codePointAt(0)?.toString(16)} in ${JSON.stringify(output.slice(Math.max(0, found.index - 60), found.index + 20))}`
  // Annotations are lines of rlp's own.
  const command = commandsIn(output).find(line => !/^::(?:error|warning|notice) (?:file|title)=/.test(line))
  if (command !== undefined) return `a command to the runner: ${command.slice(0, 120)}`
  return /^INJECTED/m.test(output) ? 'a line begins with foreign text' : undefined
}

/** Every text below a value, and every key, poisoned one at a time. Depth is that of documents written for this. */
export function* poisoned(value: unknown, at = ''): Generator<readonly [id: string, value: unknown]> {
  if (typeof value === 'string') yield [at, value + HOSTILE]
  if (typeof value !== 'object' || value === null || value instanceof Date) return
  if (Array.isArray(value)) {
    for (const [index, inner] of value.entries())
      for (const [id, other] of poisoned(inner, `${at}/${index}`)) yield [id, value.with(index, other)]
    return
  }
  for (const [key, inner] of Object.entries(value)) {
    for (const [id, other] of poisoned(inner, `${at}/${key}`)) yield [id, { ...value, [key]: other }]
    const { [key]: _, ...rest } = value as Record<string, unknown>
    yield [`${at}/${key} (the key)`, { ...rest, [key + HOSTILE]: inner }]
    yield [`${at}/${key} (one more)`, { ...value, [`x${HOSTILE}`]: inner }]
  }
}
