// Answers → the files of a new agent, with real digests, so that it lints and packs at once.

import { isAgentName, meantName } from '../format/agent/agent-name.ts'
import { blake3Hex } from '../format/blake3.ts'
import { grantedOf, policyOf } from '../format/capability/families/index.ts'
import { isDeviceName, pathProblem } from '../format/path.ts'
import { writePolicy } from '../format/policy/write.ts'
import { doubleQuoted } from '../format/text/double-quoted.ts'
import { writeToolsV1 } from '../format/tools/v1.ts'
import { STUB_WASM } from '../format/wasm/stub.ts'
import { MANIFEST_FILE, POLICY_FILE, TOOLS_FILE } from '../model/agent.ts'
import { RlpError } from '../model/error.ts'
import type { Policy } from '../model/policy.ts'
import type { Tool } from '../model/tools.ts'
import { EDITOR_SCHEMAS } from './editor-schemas.ts'
import { grant, NO_GRANTS } from './grant.ts'

/** The author's answers about the new agent. */
export interface ScaffoldAnswers {
  readonly name: string
  readonly description: string
  /** Undefined: the agent uses no model. */
  readonly model: string | undefined
  readonly modelSecret: string | undefined
  readonly fs: readonly string[]
  readonly net: readonly string[]
  readonly kbRead: readonly string[]
  readonly kbWrite: readonly string[]
  readonly tools: readonly Tool[]
}

/**
 * The files of `agents/<name>/`, by their paths below it. The policy grants what the author answered and exactly what the tools need.
 * @param schemas where an editor finds the published schemas, seen from there
 * @throws RlpError USAGE for a bad name or a tool that needs what no policy can grant
 */
export function scaffold(answers: ScaffoldAnswers, schemas = EDITOR_SCHEMAS): Map<string, Uint8Array> {
  refuseBadName(answers.name)
  const entry = `bin/${answers.name}.wasm`
  const forEditors = (name: string) => `#:schema ${schemas}/${name}.schema.json\n`
  const policy = bytesOf(forEditors('policy') + writePolicy(scaffoldPolicy(answers)))
  const tools = bytesOf(writeToolsV1(answers.tools, `${schemas}/tools.v1.schema.json`))
  const readme = bytesOf(writeReadme(answers, entry))
  const manifest = writeManifest(answers.name, {
    entry: { path: entry, digest: blake3Hex(STUB_WASM) },
    tools: blake3Hex(tools),
    policy: blake3Hex(policy),
    readme: blake3Hex(readme),
  })
  return new Map([
    [MANIFEST_FILE, bytesOf(forEditors('manifest') + manifest)],
    [POLICY_FILE, policy],
    [TOOLS_FILE, tools],
    [README_FILE, readme],
    [entry, STUB_WASM],
  ])
}

const README_FILE = 'README.md'

/** @throws RlpError USAGE for a name that is not allowed */
export function refuseBadName(name: string): void {
  const shown = JSON.stringify(name.length > 60 ? `${name.slice(0, 59)}…` : name)
  // A name of a device is written like any other, and is refused for what it is.
  if (!isAgentName(name) && !isDeviceName(name)) {
    const meant = meantName(name)
    throw new RlpError('USAGE', `Cannot scaffold ${shown}: invalid agent name`, {
      hint: `${meant === undefined ? '' : `Did you mean ${meant}? `}Use lowercase letters, digits, and underscores; must start with a letter`,
    })
  }
  const problem = pathProblem(`bin/${name}.wasm`)
  if (problem === undefined) return
  throw new RlpError('USAGE', `Cannot scaffold ${shown}: the path bin/${name.slice(0, 60)}.wasm ${problem}`, {
    hint: 'Choose another name',
  })
}

/**
 * What the new agent's policy.caps grants.
 *
 * @throws RlpError USAGE for a tool that needs what no policy can grant
 */
export function scaffoldPolicy(answers: ScaffoldAnswers): Policy {
  const asked: Policy = {
    ...NO_GRANTS,
    fs: answers.fs,
    net: { hosts: answers.net, allowHttp: false },
    model: answers.model !== undefined,
    kbRead: answers.kbRead,
    kbWrite: answers.kbWrite,
    secrets: answers.modelSecret === undefined ? [] : [answers.modelSecret],
  }
  const { policy, impossible } = grant(asked, answers.tools)
  const [first] = impossible
  if (first !== undefined)
    throw new RlpError(
      'USAGE',
      `Cannot grant ${JSON.stringify(first.capability)}: no entry of policy.caps means this`,
      { hint: 'Name what is needed, for example net:api.mail.example' },
    )
  return policyOf(family => family.table.sorted(grantedOf(policy, family)))
}

interface Digests {
  readonly entry: { readonly path: string; readonly digest: string }
  readonly tools: string
  readonly policy: string
  readonly readme: string
}

function writeManifest(name: string, { entry, tools, policy, readme }: Digests): string {
  return `[agent]
name = ${doubleQuoted(name)}
version = "0.1.0"
kind = "wasm32-wasip1"

entry_wasm = { path = ${doubleQuoted(entry.path)}, blake3 = "${entry.digest}" }

[ports]
in = []
out = ["out"]

[caps]
file = "policy.caps"

[artifacts.tools]
path = "tools.json"
blake3 = "${tools}"
version = 1

[artifacts.policy]
path = "policy.caps"
blake3 = "${policy}"

[artifacts.files]
"${README_FILE}" = "${readme}"

[schemas.with]
type = "object"
additionalProperties = false
required = ["input"]

[schemas.with.properties.input]
type = "string"
minLength = 1
`
}

function writeReadme({ name, description, model, modelSecret }: ScaffoldAnswers, entry: string): string {
  const secret = modelSecret === undefined ? '' : `, with the secret ${modelSecret}`
  return `# ${name}

${description}

Model: ${model ?? 'none'}${secret}

## Build

\`${entry}\` is a placeholder that does nothing. Build your agent for wasm32-wasip1, put the module there, then run, in the
folder above this one:

    rlp agent digest ${name}
    rlp agent lint ${name}
    rlp agent pack ${name}

\`policy.caps\` says what the agent may do, and \`tools.json\` lists the host tools that it may call.
`
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
