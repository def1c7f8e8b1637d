// Keeps the lines of earlier reports that are about the bundles of this job, and no others. Many lines can say the same of the same bytes:
// a bundle is in many places, or in the reports of many nights. One of them is kept.
import { type LineReading, type ReportFile, readReport } from './report-lines.ts'

/** Characters of all lines that are kept at once. Bundles whose lines do not fit need another pass. */
export const MOST_KEPT = 64 * 1024 * 1024
/** Different lines about the same bytes. A bundle that has more is judged anew. */
const MOST_OF_ONE = 64

/**
 * Reads all reports once.
 * @param digests SHA-256 of bundles, in lower-case hex
 * @throws RlpError as {@link readReport}; then no line may be used
 */
export async function keepLines(
  reports: readonly ReportFile[],
  digests: ReadonlySet<string>,
  { keys, signal }: Pick<LineReading, 'keys' | 'signal'>,
  most: number,
): Promise<Pick<KeptLines, 'about' | 'left'>> {
  const kept = new KeptLines(digests, most)
  const onBundle: LineReading['onBundle'] = (bytes, start, sha256At, end) =>
    kept.add(bytes, start, sha256At, end)
  for (const report of reports) await readReport(report, { keys, signal, onBundle })
  return kept
}

class KeptLines {
  /** Digests whose lines did not fit. */
  readonly left = new Set<string>()
  readonly #wanted: ReadonlySet<string>
  /** Marks how wanted digests begin: a quick no for nearly all lines of a large report, without making a text. */
  readonly #begins = new Uint8Array(2 ** 16)
  readonly #lines = new Map<string, string[]>()
  /** What the lines about a digest say, where there is more than one. */
  readonly #said = new Map<string, Set<string>>()
  #room: number

  constructor(wanted: ReadonlySet<string>, most: number) {
    this.#wanted = wanted
    this.#room = most
    for (const sha256 of wanted) this.#begins[firstDigits(Buffer.from(sha256, 'latin1'), 0)] = 1
  }

  /** Empty if no report says anything of them that may be used. */
  about(sha256: string): readonly string[] {
    const lines = this.#lines.get(sha256) ?? []
    return lines.length > MOST_OF_ONE ? [] : lines
  }

  add(bytes: Buffer, start: number, sha256At: number, end: number): void {
    if (this.#begins[firstDigits(bytes, sha256At)] === 0) return
    const sha256 = bytes.toString('latin1', sha256At, sha256At + 64)
    if (!this.#wanted.has(sha256) || this.left.has(sha256)) return
    const lines = this.#lines.get(sha256)
    if (lines !== undefined && lines.length > MOST_OF_ONE) return
    const text = bytes.toString('utf8', start, end)
    if (lines !== undefined && this.#isSaid(sha256, lines, text)) return
    this.#room -= text.length
    if (lines === undefined) this.#lines.set(sha256, [text])
    else lines.push(text)
    if (this.#room < 0) this.#leave(sha256)
  }

  /** Whether a line says what another one has said. Most bundles have one line, and need no set. */
  #isSaid(sha256: string, lines: readonly string[], text: string): boolean {
    const said = this.#said.get(sha256) ?? new Set(lines.map(saysOf))
    this.#said.set(sha256, said)
    const { size } = said
    return said.add(saysOf(text)).size === size
  }

  #leave(sha256: string): void {
    this.#said.delete(sha256)
    for (const { length } of this.#lines.get(sha256) ?? []) this.#room += length
    this.#lines.delete(sha256)
    this.left.add(sha256)
  }
}

/** 16 bits of the first four digits. */
function firstDigits(bytes: Buffer, at: number): number {
  let bits = 0
  for (let digit = at; digit < at + 4; digit++) {
    const byte = bytes[digit] ?? 0
    bits = (bits << 4) | ((byte + 9 * (byte >> 6)) & 15)
  }
  return bits
}

/** A line without the place of its bundle and the time of its verdict. Texts in it have no bare quotation mark, so they cannot look like members. */
function saysOf(line: string): string {
  const target = line.indexOf(TARGET)
  const verdict = line.indexOf(VERDICT, target)
  if (target === -1 || verdict === -1 || line.slice(target + TARGET.length, verdict).includes('"'))
    return line
  return line.slice(0, target) + line.slice(verdict).replace(JUDGED, '$1')
}

const TARGET = '","target":"'
const VERDICT = '","verdict":"'
const JUDGED = /,"judged":"[^"]{20}"(,"basis":"[0-9a-f]{64}")/
