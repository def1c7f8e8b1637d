// What is measured on: agents, bundles and files, made in a temporary folder.
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { type AgentFacts, agentTree, type Tree, writeTree } from '../../test/support/agent.ts'
import { signedBundle, signer } from '../../test/support/signed.ts'

const SIGNER = signer(7)

/** `tools.json` and the policy that its tools need. Lint finds nothing. */
export function toolFiles(count: number): Tree {
  const tools = Array.from({ length: count }, (_, index) => ({
    id: `text.sort${index}`,
    description: `Sort the lines of a text in way number ${index}, and give them back in one piece.`,
    transport: { kind: 'exec', command: '/usr/bin/sort', args: ['--key', '{{input.column}}'] },
    input_schema: {
      type: 'object',
      properties: {
        column: {
          type: 'integer',
          description: 'The column that decides, from one',
          minimum: 1,
          maximum: 99,
        },
        text: { type: 'string', description: 'The lines', maxLength: 10_000 },
      },
      required: ['column', 'text'],
      additionalProperties: false,
    },
    result_schema: {
      type: 'object',
      properties: { text: { type: 'string', description: 'The lines in order' } },
      required: ['text'],
      additionalProperties: false,
    },
    capabilities: ['exec:/usr/bin/sort'],
    requires_confirmation: true,
    'x-rlp': { stdin: true },
  }))
  return {
    'tools.json': `${JSON.stringify({ version: 1, tools }, null, 2)}\n`,
    'policy.caps': '[capabilities]\nexec = ["/usr/bin/sort"]\n',
  }
}

/** Writes `<folder>/<name>/`. */
export function makeAgent(folder: string, facts: AgentFacts): string {
  return writeTree(join(folder, facts.name ?? 'mini'), agentTree(facts))
}

/** A folder of agents with ten tools each. */
export function makeAgents(folder: string, count: number): string {
  const files = toolFiles(10)
  for (let index = 0; index < count; index++) makeAgent(folder, { name: `agent_${index}`, files })
  return folder
}

/** A small signed bundle, and a home whose trust policy trusts it. */
export function makeSigned(
  folder: string,
  tree = agentTree({ files: toolFiles(2) }),
): {
  readonly bundle: string
  readonly home: string
  readonly bytes: Buffer
} {
  const bytes = signedBundle(tree, SIGNER)
  const bundle = join(folder, 'mini-1.0.0.agent.bundle')
  writeFileSync(bundle, bytes)
  return { bundle, home: makeHome(folder), bytes }
}

/** So many signed bundles in memory, each of another agent with tools of other names, and a home that trusts them. */
export function makeSignedAgents(
  folder: string,
  count: number,
  tools: number,
): {
  readonly bundles: readonly { readonly name: string; readonly bytes: Buffer }[]
  readonly home: string
} {
  const { 'tools.json': text, ...others } = toolFiles(tools)
  const bundles = Array.from({ length: count }, (_, index) => {
    const name = `agent_${index}`
    const files = { ...others, 'tools.json': String(text).replaceAll('text.sort', `text${index}.sort`) }
    return { name, bytes: signedBundle(agentTree({ name, files }), SIGNER) }
  })
  mkdirSync(folder)
  return { bundles, home: makeHome(folder) }
}

/** Folders of so many small signed bundles, each of another agent, and a home that trusts them. */
export function makeBundles(
  folder: string,
  counts: readonly number[],
): {
  readonly home: string
  /** `bytes`: of the largest bundle. */
  readonly folders: readonly { readonly count: number; readonly path: string; readonly bytes: number }[]
} {
  const files = toolFiles(2)
  const bundles = Array.from({ length: Math.max(...counts) }, (_, index) => {
    const name = `agent_${index}`
    return { file: `${name}-1.0.0.agent.bundle`, bytes: signedBundle(agentTree({ name, files }), SIGNER) }
  })
  const folders = counts.map(count => {
    const path = join(folder, `bundles-${count}`)
    mkdirSync(path)
    const some = bundles.slice(0, count)
    for (const { file, bytes } of some) writeFileSync(join(path, file), bytes)
    return { count, path, bytes: Math.max(...some.map(({ bytes }) => bytes.length)) }
  })
  return { home: makeHome(folder), folders }
}

function makeHome(folder: string): string {
  const home = join(folder, 'home')
  mkdirSync(home, { mode: 0o700 })
  const policy = `[anchors]\nbench = "${SIGNER.anchor}"\n\n[rules]\nbench = { allow_caps = "any", allow_net = "any", allow_exec = true }\n`
  writeFileSync(join(home, 'trust-policy.toml'), policy, { mode: 0o600 })
  return home
}

const BLOCK_BYTES = 1_000_000

/** A file in which no two blocks are the same, and which does not compress. */
export function makeLarge(path: string, bytes: number, seed = 1): void {
  const block = Buffer.alloc(Math.min(bytes, BLOCK_BYTES))
  let state = seed
  for (let at = 0; at + 4 <= block.length; at += 4) {
    // xorshift32: fast, and random enough for a file's content.
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    block.writeInt32LE(state, at)
  }
  const file = openSync(path, 'w')
  for (let at = 0; at < bytes; at += block.length) {
    block.writeUInt32LE(at / block.length, 0)
    writeSync(file, block.subarray(0, bytes - at))
  }
  closeSync(file)
}
