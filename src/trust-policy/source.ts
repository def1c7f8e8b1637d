// Reads the bytes of a trust policy and the trusted root that it names: its content, or every reason why it decides nothing, with lines. A policy with
// identities and without authorities decides nothing (docs/spec/keyless.md, Y-7). The parser is loaded if a text is not plain.
import { blake3Hex } from '../bundle/blake3.ts'
import { parseJson } from '../json/parse.ts'
import type { Parsed, Pointer } from '../model/document.ts'
import { PARSE_LIMITS } from '../model/limits.ts'
import { isTable, own } from '../model/own.ts'
import type { PolicySource } from '../model/trust.ts'
import { lineColumn } from '../text/decode.ts'
import { ParseBudget } from '../text/parse-budget.ts'
import { type NeedsParser, readToml, readTomlBy, type TomlSyntax } from '../toml/read.ts'
import { readTrustPolicy } from './policy.ts'
import { hasIdentities } from './trusted-root.ts'
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
  const lineOf = (pointer: Pointer) => lineColumn(document.text, document.locate(pointer, 'key').start).line
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

/** @param bytes what is there under the name; undefined: nothing is */
export function withRoot(source: PolicySource, bytes: Uint8Array | undefined): PolicySource {
  const { policy, path, role, digest } = source
  const named = policy?.trustedRoot
  if (policy === undefined || named === undefined || !hasIdentities(policy)) return source
  const unusable = (problem: string) => {
    const line = source.lineOf(['sigstore', 'trusted_root'])
    const where = line === undefined ? path : `${path}:${line}`
    return {
      ...unusablePolicy(path, role, digest, [`${where}: ${problem}`]),
      hint: HINT,
      channel: source.channel,
    }
  }
  if (bytes === undefined) return unusable(`there is no file ${named.file} beside the policy`)
  if (blake3Hex(bytes) !== named.blake3)
    return unusable(`${named.file} has another digest than the policy names`)
  if (!namesAuthorities(bytes))
    return unusable(`${named.file} is no trusted root: it names no certificate authority`)
  return { ...source, root: { blake3: named.blake3, bytes } }
}

/** As far as it can be seen without the libraries, which are loaded where one is needed. */
function namesAuthorities(bytes: Uint8Array): boolean {
  const parsed = parseJson('root', bytes)
  if (!parsed.ok || !isTable(parsed.document.value)) return false
  const authorities = own(parsed.document.value, 'certificateAuthorities')
  return Array.isArray(authorities) && authorities.length > 0
}

/** The name of the file that has to be read for it; undefined where none is. */
export function rootFileOf({ policy }: PolicySource): string | undefined {
  return policy !== undefined && hasIdentities(policy) ? policy.trustedRoot?.file : undefined
}

const HINT =
  'Put the trusted root beside the policy, and its BLAKE3 into [sigstore]; docs/keyless.md shows how'
