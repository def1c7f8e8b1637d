// The steps of verification, one function each, in the order of the report. Each says what it proves.
import { artifactsOf, isDigest } from './format/manifest.ts'
import { type Expectation, expectationText, meets } from './format/reference.ts'
import { lint } from './lint.ts'
import { type Agent, MANIFEST_FILE, PENDING_DIGEST, SIGNATURE_FILE, SIGNATURE_FOLDER } from './model/agent.ts'
import type { Candidate } from './model/bundle.ts'
import type { Files } from './model/files.ts'
import type { Finding } from './model/finding.ts'
import type { Reason } from './model/report.ts'
import { RULES } from './rules/index.ts'
import type { Rule } from './rules/rule.ts'
import type { Protocol } from './verify-protocol.ts'

const BUNDLE_RULES = RULES.filter(rule => rule.scope === 'bundle')
const family = (...names: string[]) =>
  BUNDLE_RULES.filter(({ id }) => names.some(name => id.startsWith(`${name}/`)))
/** Digests have a step of their own. */
const DIGEST_RULES = family('manifest').filter(({ id }) => /^manifest\/(?:digest-|file-missing)/.test(id))
const MANIFEST_RULES = [
  ...family('toml').map(rule => only(rule, MANIFEST_FILE)),
  ...family('manifest').filter(rule => !DIGEST_RULES.includes(rule) && rule.id !== 'manifest/tools-version'),
]
const CONTENT_RULES = [
  ...family('json', 'tools', 'schema', 'caps', 'wasm', 'secrets'),
  ...family('toml').map(rule => except(rule, MANIFEST_FILE)),
  ...family('manifest').filter(({ id }) => id === 'manifest/tools-version'),
]
const FORM_RULES = family('files').filter(({ id }) => id !== 'files/required')
const REQUIRED_RULES = family('files').filter(({ id }) => id === 'files/required')

/** The bytes are the one byte sequence of their files; a folder holds plain files under plain names and nothing else. */
export function checkForm(candidate: Candidate, protocol: Protocol): boolean {
  const { files, refusal } = candidate
  if (refusal !== undefined) {
    const { why, message, hint } = refusal
    const code = why === 'io' ? 'unreadable' : 'not_canonical'
    protocol.fail('archive', why === 'io' ? 'indeterminate' : 'invalid', [
      { code, message, ...(hint !== undefined && { hint }) },
    ])
    return false
  }
  const odd = files.oddities.map(({ path, what }) => ({
    code: 'not_canonical',
    message: `${path} is ${what === 'empty-directory' ? 'an empty folder' : `a ${what}`}; a bundle holds plain files only`,
  }))
  const named = files.list
    .filter(({ path }) => path !== SIGNATURE_FILE && path.startsWith(`${SIGNATURE_FOLDER}/`))
    .map(({ path }) => ({ code: 'not_canonical', message: `${path} may not stand beside ${SIGNATURE_FILE}` }))
  const reasons = [...odd, ...named, ...reasonsOf(lint(read(candidate), FORM_RULES))]
  if (reasons.length > 0) protocol.fail('archive', 'invalid', reasons)
  else protocol.pass('archive', `${files.list.length} files in canonical form`)
  return reasons.length === 0
}

/** Form rules look at paths only, so nothing needs to be parsed for them. */
function read(candidate: Candidate): Agent {
  return {
    label: candidate.label,
    form: 'bundle',
    files: candidate.files,
    documents: new Map(),
    unreadable: [],
    shapes: new Map(),
    manifest: undefined,
    policy: undefined,
    tools: undefined,
  }
}

/** The manifest is strict TOML of the right shape, names one entry and the files by their fixed names, and nothing twice. */
export function checkManifest(agent: Agent, protocol: Protocol): void {
  const findings = lint(agent, [...REQUIRED_RULES, ...MANIFEST_RULES])
  protocol.findings.push(...findings)
  if (findings.length > 0) protocol.fail('manifest', 'invalid', reasonsOf(findings))
  else protocol.pass('manifest', 'strict TOML, one entry, every file named once')
}

/** Who vouches for the manifest's bytes. Nothing under SIGNATURES/ is the only way to be unsigned. */
export function checkSignature(files: Files, protocol: Protocol): void {
  if (files.get(SIGNATURE_FILE)) {
    protocol.fail('signature', 'indeterminate', [
      {
        code: 'signature_unsupported',
        message: 'The bundle is signed, and this build does not check signatures yet',
      },
    ])
    return
  }
  protocol.fail('signature', 'unsigned', [{ code: 'no_signature', message: 'Nothing under SIGNATURES/' }])
}

/** Every packed file is the one its digest names, and no file goes without. */
export function checkFiles(agent: Agent, protocol: Protocol): void {
  const findings = agent.manifest === undefined ? [] : lint(agent, DIGEST_RULES)
  const stated = new Map(artifactsOf(agent.manifest ?? NOTHING).map(({ path, blake3 }) => [path, blake3]))
  for (const { path, size, digest = '' } of agent.files.list) {
    const isRoot = path === MANIFEST_FILE || path === SIGNATURE_FILE
    const named = stated.get(path)
    const isRight = isDigest(named) && named !== PENDING_DIGEST && named.toLowerCase() === digest
    const result = isRoot ? 'root' : !stated.has(path) ? 'unlisted' : isRight ? 'passed' : 'mismatch'
    protocol.files.push({ path, size, blake3: digest, result })
  }
  protocol.findings.push(...findings)
  if (findings.length > 0) protocol.fail('files', 'invalid', reasonsOf(findings))
  else if (agent.manifest === undefined)
    protocol.skip('files', 'No digest was compared: the manifest cannot be read')
  else
    protocol.pass(
      'files',
      `${protocol.files.filter(({ result }) => result === 'passed').length} digests compared`,
    )
}

const NOTHING = { entries: [], files: [], policy: undefined, tools: undefined } as unknown as NonNullable<
  Agent['manifest']
>

/** policy.caps, tools.json and the schemas are strict text of the right shape, in versions this build knows. */
export function checkSchemas(agent: Agent, protocol: Protocol): void {
  const findings = lint(agent, CONTENT_RULES).filter(({ severity }) => severity === 'error')
  protocol.findings.push(...findings)
  const newer = findings.filter(({ undecidable }) => undecidable)
  const wrong = findings.filter(({ undecidable }) => !undecidable)
  if (wrong.length > 0) protocol.fail('schemas', 'invalid', reasonsOf(wrong))
  if (newer.length > 0) protocol.fail('schemas', 'indeterminate', reasonsOf(newer))
  if (findings.length === 0)
    protocol.pass('schemas', `tools.json version ${agent.tools?.version}, policy.caps and schemas`)
}

/** It is the agent that was asked for, and not another one that is sound as well. */
export function checkExpectation(agent: Agent, expected: Expectation | 'any', protocol: Protocol): void {
  if (expected === 'any') {
    protocol.skip('expectation', 'Any agent was accepted: no name was expected')
    return
  }
  const { name, version, variant } = agent.manifest ?? {}
  if (name === undefined || version === undefined) {
    protocol.skip(
      'expectation',
      'Name and version could not be read, so they were not compared with what was expected',
    )
    return
  }
  const found = { name, version, ...(variant !== undefined && { variant }) }
  if (meets(found, expected)) {
    protocol.pass('expectation', `it is ${expectationText(expected)}`)
    return
  }
  const is = expectationText({ name, variant, range: version })
  protocol.fail('expectation', 'untrusted', [
    { code: 'unexpected_agent', message: `Expected ${expectationText(expected)}, found ${is}` },
  ])
}

function reasonsOf(findings: readonly Finding[]): Reason[] {
  // A rule's fix is advice for authors; who verifies a bundle must not be told to change it.
  return findings.map(({ rule, file, line, column, message }) => ({
    code: rule,
    message: `${file === '' ? '' : `${file}:${line}:${column} `}${message}`,
  }))
}

function only(rule: Rule, file: string): Rule {
  return { ...rule, check: agent => [...rule.check(agent)].filter(problem => problem.file === file) }
}

function except(rule: Rule, file: string): Rule {
  return { ...rule, check: agent => [...rule.check(agent)].filter(problem => problem.file !== file) }
}
