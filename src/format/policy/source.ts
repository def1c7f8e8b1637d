// Reads the bytes of a trust policy: its content, or every reason why it decides nothing, with lines. The parser for texts that are not plain
// is loaded if one needs it; read-policy.ts reads at once.
import type { Document, Parsed, Pointer } from '../../model/document.ts'
import { PARSE_LIMITS } from '../../model/limits.ts'
import type { PolicySource } from '../../model/trust.ts'
import { blake3Hex } from '../blake3.ts'
import { parseJson } from '../json/parse.ts'
import { lineColumn } from '../text/decode.ts'
import { ParseBudget } from '../text/parse-budget.ts'
import { readToml, readTomlBy } from '../toml/read.ts'
import type { TomlSyntax } from '../toml/read-tree.ts'
import { readTrustPolicy } from '../trust/policy.ts'
import { unusablePolicy } from './unusable.ts'

/** The last ones read: a host judges thousands of bundles by the same two files. */
const READ = new Map<string, PolicySource>()
const MAX_KNOWN = 8

/** @param path name of the file in messages */
export async function readPolicyOnDemand(
  path: string,
  role: PolicySource['role'],
  bytes: Uint8Array,
): Promise<PolicySource> {
  return (
    readPolicyBy(undefined, path, role, bytes) ??
    readPolicyBy(await import('../toml/syntax.ts'), path, role, bytes)
  )
}

/** Undefined for a text that needs the parser, without one. */
export function readPolicyBy(syntax: TomlSyntax, ...policy: PolicyBytes): PolicySource
export function readPolicyBy(syntax: undefined, ...policy: PolicyBytes): PolicySource | undefined
export function readPolicyBy(
  syntax: TomlSyntax | undefined,
  ...[path, role, bytes]: PolicyBytes
): PolicySource | undefined {
  const digest = blake3Hex(bytes)
  const known = READ.get(path)
  if (known?.digest === digest && known.role === role) return known
  const read = readToml(path, bytes, new ParseBudget(PARSE_LIMITS.trustPolicyTokens))
  const parsed = read.ok !== 'needs parser' ? read : syntax && readTomlBy(syntax, read)
  if (parsed === undefined) return undefined
  const source = sourceOf(path, role, digest, parsed)
  if (READ.size >= MAX_KNOWN) READ.clear()
  READ.set(path, source)
  return source
}

type PolicyBytes = readonly [path: string, role: PolicySource['role'], bytes: Uint8Array]

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
