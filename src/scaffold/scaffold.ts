// Makes the files of a new agent from the answers of its author, with real digests, so that it lints and packs at once. Its starter opening
// is a YAML document (DSL version 0) that runs the agent once.
import { isAgentName, meantName } from '../agent/agent-name.ts'
import { blake3Hex } from '../bundle/blake3.ts'
import { MANIFEST_FILE, POLICY_FILE, TOOLS_FILE } from '../model/agent.ts'
import { RlpError } from '../model/error.ts'
import type { Policy } from '../model/policy.ts'
import type { Tool } from '../model/tools.ts'
import { editPolicy } from '../policy/edit.ts'
import { grantedOf, policyOf } from '../policy/families/index.ts'
import { writePolicy } from '../policy/write.ts'
import { doubleQuoted } from '../text/double-quoted.ts'
import { isDeviceName, pathProblem } from '../text/path.ts'
import { parseToml } from '../toml/parse.ts'
import { writeToolsV1 } from '../tools/v1.ts'
import { STUB_WASM } from '../wasm/stub.ts'
import { grant, NO_GRANTS, withWholeList } from './grant.ts'

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
 * @param schemas where an editor finds the published schemas, seen from there; undefined if it finds none
 * @throws RlpError USAGE for a bad name or a tool that needs what no policy can grant
 */
export function scaffoldFiles(given: ScaffoldAnswers, schemas?: string): Map<string, Uint8Array> {
  refuseBadName(given.name)
  const policies = policiesOf(given)
  const answers = {
    ...given,
    tools: given.tools.map((tool, at) => withWholeList(tool, policies[at] ?? NO_GRANTS)),
  }
  const entry = `bin/${answers.name}.wasm`
  const policy = bytesOf(policyText(answers, schemas))
  const tools = bytesOf(writeToolsV1(answers.tools, toolsSchema(schemas)))
  const readme = bytesOf(readmeText(answers, entry))
  const manifest = manifestText(answers.name, {
    description: answers.description === usualDescription(answers.name) ? undefined : answers.description,
    entry: { kind: 'wasm32-wasip1', path: entry, digest: blake3Hex(STUB_WASM) },
    tools: blake3Hex(tools),
    policy: blake3Hex(policy),
    readme: blake3Hex(readme),
  })
  return new Map([
    [MANIFEST_FILE, bytesOf(schemaLine(schemas, 'manifest') + manifest)],
    [POLICY_FILE, policy],
    [TOOLS_FILE, tools],
    [README_FILE, readme],
    [entry, STUB_WASM],
  ])
}

/** The answer of an author who has nothing to say. */
export function usualDescription(name: string): string {
  return `Agent ${name}`
}

/** The first line of a TOML file that an editor checks; nothing where no schema is found. */
export function schemaLine(schemas: string | undefined, name: 'manifest' | 'policy'): string {
  return schemas === undefined ? '' : `#:schema ${schemas}/${name}.schema.json\n`
}

/** The same for tools.json. */
export function toolsSchema(schemas: string | undefined): string | undefined {
  return schemas && `${schemas}/tools.v1.schema.json`
}

/**
 * @param doing for the message
 * @param hint where else the name comes from
 * @throws RlpError USAGE for a name that is not allowed
 */
export function refuseBadName(name: string, doing = 'scaffold', hint = ''): void {
  const shown = JSON.stringify(name.length > 60 ? `${name.slice(0, 59)}…` : name)
  // A name of a device is written like any other, and is refused for what it is.
  if (!isAgentName(name) && !isDeviceName(name)) {
    const meant = meantName(name)
    throw new RlpError('USAGE', `Cannot ${doing} ${shown}: invalid agent name`, {
      hint: `${meant === undefined ? '' : `Did you mean ${meant}? `}Use lowercase letters, digits, and underscores; must start with a letter${hint}`,
    })
  }
  const problem = pathProblem(`bin/${name}.wasm`)
  if (problem === undefined) return
  throw new RlpError('USAGE', `Cannot ${doing} ${shown}: the path bin/${name.slice(0, 60)}.wasm ${problem}`, {
    hint: 'Choose another name',
  })
}

/**
 * What the new agent's policy.caps grants.
 *
 * @throws RlpError USAGE for a tool that needs what no policy can grant
 */
export function scaffoldPolicy(answers: ScaffoldAnswers): Policy {
  return policiesOf(answers).at(-1) ?? NO_GRANTS
}

/** What the author asked for, and then with the needs of one tool more at a time. */
function policiesOf({ tools, ...answers }: ScaffoldAnswers): Policy[] {
  const asked: Policy = {
    ...NO_GRANTS,
    fs: answers.fs,
    net: { hosts: answers.net, allowHttp: false },
    model: answers.model !== undefined,
    kbRead: answers.kbRead,
    kbWrite: answers.kbWrite,
    secrets: answers.modelSecret === undefined ? [] : [answers.modelSecret],
  }
  let policy = policyOf(family => family.table.sorted(grantedOf(asked, family)))
  const policies = [policy]
  for (const tool of tools) {
    const granted = grant(policy, [tool])
    const [first] = granted.impossible
    if (first !== undefined)
      throw new RlpError(
        'USAGE',
        `Cannot grant ${JSON.stringify(first.capability)}: no entry of policy.caps means this`,
        { hint: 'Name what is needed, for example net:api.mail.example' },
      )
    policy = granted.policy
    policies.push(policy)
  }
  return policies
}

/** Written as the commands that the wizard names at its end write it: `rlp tool add` changes the file for each tool. */
function policyText(answers: ScaffoldAnswers, schemas: string | undefined): string {
  const [asked = NO_GRANTS, ...wider] = policiesOf(answers)
  return wider.reduce((text, policy) => {
    const parsed = parseToml(POLICY_FILE, bytesOf(text))
    if (!parsed.ok) throw new TypeError(`a policy that was written here: ${parsed.problem.message}`)
    return editPolicy(parsed.document, policy)
  }, schemaLine(schemas, 'policy') + writePolicy(asked))
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

const README_FILE = 'README.md'

interface ReadmeFacts {
  readonly name: string
  readonly description: string
  readonly model: string | undefined
  readonly modelSecret: string | undefined
}

export interface NewEntry {
  readonly kind: 'wasm32-wasip1' | 'native-shim'
  readonly path: string
  readonly digest: string
}

/** What is stated of a new agent. */
interface Stated {
  /** Undefined where the author has said nothing. */
  readonly description: string | undefined

  readonly entry: NewEntry
  readonly tools: string
  readonly policy: string
  /** Undefined where there is none. */
  readonly readme: string | undefined
}

export function manifestText(name: string, { description, entry, tools, policy, readme }: Stated): string {
  const said = description === undefined ? '' : `description = ${doubleQuoted(description)}\n`
  return `[agent]
name = ${doubleQuoted(name)}
version = "0.1.0"
${said}kind = "${entry.kind}"

${entry.kind === 'wasm32-wasip1' ? 'entry_wasm' : 'entry_native'} = { path = ${doubleQuoted(entry.path)}, blake3 = "${entry.digest}" }

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

${readme === undefined ? '' : `[artifacts.files]\n"${README_FILE}" = "${readme}"\n\n`}[schemas.with]
type = "object"
additionalProperties = false
required = ["input"]

[schemas.with.properties.input]
type = "string"
minLength = 1
`
}

function readmeText({ name, description, model, modelSecret }: ReadmeFacts, entry: string): string {
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

/** The author's answers about the opening. */
export interface OpeningAnswers {
  readonly agent: string
  readonly goal: string
  /** A parameter's name, see {@link isParamName}. */
  readonly param: string
}

/** Whether a text can name an opening's parameter: it is also used inside `{{params.<name>}}`. */
function isParamName(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(text)
}

export function paramProblem(text: string): string | undefined {
  return isParamName(text) ? undefined : 'write letters, digits and underscores, not beginning with a digit'
}

/** What an opening says where its author has said nothing. */
export const PARAM = 'prompt'

export function goalFor(agent: string): string {
  return `run the ${agent} agent`
}

/** Where an opening goes if nothing else is said. */
export function openingFile(agent: string): string {
  return `examples/openings/${agent}.yaml`
}

/**
 * The document. Every text is quoted, including keys that people choose: YAML 1.1 readers take a bare `on` or `no` for a boolean.
 * @throws TypeError if agent or param is not a name; the caller checks that
 */
export function writeOpening({ agent, goal, param }: OpeningAnswers): string {
  if (!isAgentName(agent) || !isParamName(param))
    throw new TypeError('an opening needs the names of an agent and a parameter')
  return `version: 0
name: ${doubleQuoted(agent)}
goals:
  - ${doubleQuoted(goal)}
params:
  ${doubleQuoted(param)}: "example input"

policy:
  budget_tokens: 4000
  timeout_ms: 15000
  confirm_external: true

nodes:
  - id: ${doubleQuoted(`${agent}_node`)}
    use: ${doubleQuoted(`agent:${agent}`)}
    with:
      input: ${doubleQuoted(`{{params.${param}}}`)}
    timeout_ms: 10000

edges: []

success:
  any_of:
    - ${doubleQuoted(`exists(${agent}_node.out)`)}
`
}
