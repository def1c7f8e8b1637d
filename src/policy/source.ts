// Reads the bytes of a trust policy: its content, or every reason why it decides nothing, with lines. The parser for texts that are not plain
// is loaded if one needs it; read-policy.ts reads at once.

import { blake3Hex } from '../bundle/blake3.ts'
import { parseJson } from '../json/parse.ts'
import type { Document, Parsed, Pointer } from '../model/document.ts'
import { PARSE_LIMITS } from '../model/limits.ts'
import type { PolicySource } from '../model/trust.ts'
import { lineColumn } from '../text/decode.ts'
import { ParseBudget } from '../text/parse-budget.ts'
import { type NeedsParser, readToml, readTomlBy, type TomlSyntax } from '../toml/read.ts'
import { readTrustPolicy } from '../trust-policy/policy.ts'
import { unusablePolicy } from './unusable.ts'

/** The last ones read: a host judges thousands of bundles by the same two files. */
const READ = new Map<string, PolicySource>()
const MAX_KNOWN = 8

/** A text that needs the parser, and the digest of its bytes. */
interface NotPlain {
  readonly digest: string
  readonly text: NeedsParser
}

/** @param path name of the file in messages */
export async function readPolicyOnDemand(
  path: string,
  role: PolicySource['role'],
  bytes: Uint8Array,
): Promise<PolicySource> {
  const begun = readPlainPolicy(path, role, bytes)
  return 'text' in begun ? finishPolicy(await import('../toml/syntax.ts'), role, begun) : begun
}

/** The policy, if the plain reader can read its text or it was read before. */
export function readPlainPolicy(
  path: string,
  role: PolicySource['role'],
  bytes: Uint8Array,
): PolicySource | NotPlain {
  const digest = blake3Hex(bytes)
  const known = READ.get(path)
  if (known?.digest === digest && known.role === role) return known
  const read = readToml(path, bytes, new ParseBudget(PARSE_LIMITS.trustPolicyTokens))
  return read.ok === 'needs parser' ? { digest, text: read } : remember(sourceOf(path, role, digest, read))
}

/** Reads what {@link readPlainPolicy} could not. */
export function finishPolicy(
  syntax: TomlSyntax,
  role: PolicySource['role'],
  { digest, text }: NotPlain,
): PolicySource {
  return remember(sourceOf(text.path, role, digest, readTomlBy(syntax, text)))
}

function remember(source: PolicySource): PolicySource {
  if (READ.size >= MAX_KNOWN) READ.clear()
  READ.set(source.path, source)
  return source
}

function sourceOf(path: string, role: PolicySource['role'], digest: string, parsed: Parsed): PolicySource {
  if (!parsed.ok) {
    const { offset, message } = parsed.problem
    const line = offset === undefined || parsed.text === undefined ? 1 : lineColumn(parsed.text, offset).line
    return unusablePolicy(path, role, digest, [`${path}:${line}: ${message}`])
  }
  const { document } = parsed
  const result = readTrustPolicy(document)
  if (!result.ok) {
    const problems = result.problems.map(({ pointer, part, message }) => {
      const { line, column } = lineColumn(document.text, document.locate(pointer, part).start)
      return `${path}:${line}:${column}: ${message}`
    })
    return unusablePolicy(path, role, digest, problems)
  }
  const lineOf = (pointer: Pointer) => lineAt(document, pointer)
  return { path, role, digest, policy: result.policy, problems: [], lineOf }
}

/**
 * A policy that the caller wrote as an object with the tables of the file, held against the same rules. It has no lines.
 *
 * @param value anything: what is no such object decides nothing
 */
export function policyOfTable(path: string, value: unknown): PolicySource {
  const unusable = (problems: readonly string[]) => unusablePolicy(path, 'given', undefined, problems)
  let text: string | undefined
  try {
    text = JSON.stringify(value)
  } catch (error) {
    return unusable([`${path}: it cannot be written as text: ${error instanceof Error ? error.message : ''}`])
  }
  const bytes = new TextEncoder().encode(text ?? '')
  const parsed = parseJson(path, bytes)
  if (!parsed.ok) return unusable([`${path}: ${parsed.problem.message}`])
  const { document } = parsed
  if (!document.text.startsWith('{')) return unusable([`${path}: it must be an object`])
  const result = readTrustPolicy(document)
  if (!result.ok)
    return unusable(
      result.problems.map(({ pointer, message }) => `${path}: ${pointer.join('.')}: ${message}`),
    )
  const lineOf = () => undefined
  return { path, role: 'given', digest: blake3Hex(bytes), policy: result.policy, problems: [], lineOf }
}

function lineAt(document: Document, pointer: Pointer): number {
  return lineColumn(document.text, document.locate(pointer, 'key').start).line
}
