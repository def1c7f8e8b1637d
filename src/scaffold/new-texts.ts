// Answers and digests → the texts of a new agent's manifest and README.
import { doubleQuoted } from '../text/escape.ts'

export const README_FILE = 'README.md'

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

export function readmeText({ name, description, model, modelSecret }: ReadmeFacts, entry: string): string {
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
