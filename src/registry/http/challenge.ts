// WWW-Authenticate → what a registry asks for (RFC 9110 §11.6.1).

export interface Challenge {
  /** Lower case. */
  readonly scheme: string
  readonly params: ReadonlyMap<string, string>
}

const LONGEST = 4 * 1024
const PART =
  /[\s,]*(?:([A-Za-z0-9._~+/-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))|([A-Za-z0-9-]+)(?=\s|$))/y

/** Nothing for what is no list of challenges. */
export function readChallenges(header: string | undefined): readonly Challenge[] {
  const found: { scheme: string; params: Map<string, string> }[] = []
  if (header === undefined || header.length > LONGEST) return found
  PART.lastIndex = 0
  for (let match = PART.exec(header); match !== null; match = PART.exec(header)) {
    const [, name, quoted, plain, scheme] = match
    if (scheme !== undefined) found.push({ scheme: scheme.toLowerCase(), params: new Map() })
    else if (name !== undefined) {
      const last = found.at(-1)
      const value = quoted?.replace(/\\(.)/g, '$1') ?? plain ?? ''
      if (last !== undefined && !last.params.has(name.toLowerCase()))
        last.params.set(name.toLowerCase(), value)
    }
  }
  return found
}
