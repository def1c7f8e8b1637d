// The parts of a SARIF 2.1.0 log (OASIS, with errata 01) that every command writes alike. A log has no times and no absolute paths, so
// that the same results give the same bytes.
import { isAbsolute, relative, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { VERSION } from '../model/rlp-version.ts'
import { printable } from '../text/printable.ts'
import { jsonLine } from './json.ts'

export const SARIF_HEAD = {
  $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
  version: '2.1.0',
} as const

/** Readers resolve paths against their checkout; GitHub knows this name. */
const BASE = '%SRCROOT%'

interface SarifRule {
  readonly id: string
}

export function sarifRule(id: string, text: string, level: 'error' | 'warning') {
  return { id, shortDescription: { text }, defaultConfiguration: { level } }
}

/** A run without its results. */
export function sarifRun(
  command: string,
  rules: readonly SarifRule[],
  invocation: { readonly exitCode: number; readonly executionSuccessful?: boolean },
) {
  return {
    tool: {
      driver: { name: command, version: VERSION, semanticVersion: VERSION, language: 'en', rules },
    },
    invocations: [{ executionSuccessful: true, ...invocation }],
    originalUriBaseIds: { [BASE]: { description: { text: 'The folder that rlp was run in.' } } },
    columnKind: 'utf16CodeUnits',
  }
}

/** The whole log, if all results are known. */
export function sarifLog(run: ReturnType<typeof sarifRun>, results: readonly object[]): string {
  return jsonLine({ ...SARIF_HEAD, runs: [{ ...run, results }] })
}

/**
 * One result.
 * @param rules all rules of the run, in its order
 * @param text safe already, see `sarifText`
 */
export function sarifResult<Rest extends object>(
  rules: readonly SarifRule[],
  ruleId: string,
  text: string,
  rest: Rest & { readonly level: string },
) {
  const ruleIndex = rules.findIndex(({ id }) => id === ruleId)
  return { ruleId, ruleIndex, kind: 'fail', message: { text }, ...rest }
}

/**
 * A place in a file.
 * @param path absolute
 * @param region left out for a whole file; a result needs one, because code scanning shows none without a line
 */
export function sarifPlace(cwd: string, path: string, region?: object) {
  return { physicalLocation: { artifactLocation: artifactOf(cwd, path), region } }
}

/** A URI reference relative to `base`, or a `file:` URI if there is no relative path (another drive). */
export function artifactOf(base: string, path: string) {
  const way = relative(base, path)
  if (isAbsolute(way)) return { uri: pathToFileURL(path).href }
  // Buffer replaces invalid text; encodeURIComponent would throw.
  const segments = way.split(sep).map(segment => encodeURIComponent(Buffer.from(segment).toString()))
  return { uri: segments.join('/'), uriBaseId: BASE }
}

/** SARIF's plain text has links, `[text](target)`: text from a bundle must not become one. */
export function sarifText(text: string): string {
  return printable(text).replaceAll('](', '] (')
}
