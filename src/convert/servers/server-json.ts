// An agent → server.json, by which a registry of MCP servers lists it and a client installs and starts it (schema of 2025-12-11).

import type { ConversionChange } from '../../model/conversion.ts'
import { UsageError } from '../../model/error.ts'
import { VERSION } from '../../model/rlp-version.ts'
import { grantsOf } from '../../policy/ceiling.ts'
import { isFreeVariable } from '../../policy/needs.ts'
import { secretEnvName } from '../../policy/secret-id.ts'
import { quoted } from '../../text/printable.ts'
import type { ServedAgent, ServerFormat } from './server-format.ts'

const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'
/** Characters of a description, and of a name with its namespace. */
const LONGEST_DESCRIPTION = 100
const LONGEST_NAME = 200
const NAMESPACE = /^[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+$/

export const serverJson: ServerFormat = {
  format: 'server-json',
  summary: 'a server.json for a registry of MCP servers, with --namespace',
  write(agent, { namespace }) {
    const { version, called, policy, tools } = agent
    const changes: ConversionChange[] = []
    const server = {
      $schema: SCHEMA,
      name: nameOf(agent, namespace),
      description: descriptionOf(agent, changes),
      version,
      packages: [
        {
          registryType: 'npm',
          identifier: 'rlp-bundle',
          version: VERSION,
          runtimeHint: 'npx',
          packageArguments: [
            ...['tool', 'serve', called].map(value => ({ type: 'positional', value })),
            { type: 'named', name: '--sandbox', value: 'require' },
          ],
          environmentVariables: variablesOf(agent),
          transport: { type: 'stdio' },
        },
      ],
      _meta: {
        'io.modelcontextprotocol.registry/publisher-provided': {
          'rlp/tools': tools.map(({ id }) => id),
          'rlp/capabilities': grantsOf(policy),
        },
      },
    }
    return { document: server, changes }
  },
}

function nameOf({ name, variant }: ServedAgent, namespace: string | undefined): string {
  const wrong = (state: string) =>
    new UsageError(`Cannot write a server.json: ${state}`, {
      field: 'namespace',
      hint: 'Give --namespace with a domain of yours, backwards, for example io.github.acme',
    })
  if (namespace === undefined) throw wrong('a registry wants to know whose server it is')
  const whole = `${namespace}/${variant === undefined ? name : `${name}-${variant}`}`
  if (!NAMESPACE.test(namespace)) throw wrong(`${quoted(namespace)} is no domain`)
  if (whole.length > LONGEST_NAME) throw wrong(`${quoted(whole)} has more than ${LONGEST_NAME} characters`)
  return whole
}

function descriptionOf({ name, description }: ServedAgent, changes: ConversionChange[]): string {
  const change = (what: ConversionChange['what'], message: string) =>
    void changes.push({ tool: undefined, field: 'description', what, message })
  if (description === undefined || description.trim() === '') {
    change('inferred', 'the manifest has none: it says that these are the tools of the agent')
    return `Tools of the agent ${name}`.slice(0, LONGEST_DESCRIPTION)
  }
  const characters = [...description]
  if (characters.length <= LONGEST_DESCRIPTION) return description
  change(
    'lost',
    `what is after ${LONGEST_DESCRIPTION - 1} characters: a registry takes ${LONGEST_DESCRIPTION}`,
  )
  return `${characters.slice(0, LONGEST_DESCRIPTION - 1).join('')}…`
}

/** What the person who installs it has to provide: secrets first. */
function variablesOf({ tools }: ServedAgent): readonly object[] {
  const secrets = new Map(
    tools.flatMap(({ id, secrets }) =>
      secrets.map(secret => [secretEnvName(secret), { secret, id }] as const),
    ),
  )
  const others = new Set(tools.flatMap(({ rlp }) => rlp.env).filter(name => !secrets.has(name)))
  return [
    ...[...secrets].map(([name, { secret, id }]) => ({
      name,
      description: `The secret ${secret}, for ${id}`,
      isRequired: true,
      isSecret: true,
    })),
    // A client hides what it asks a person for as a secret, as calls mask it.
    ...[...others].map(name => ({ name, ...(!isFreeVariable(name) && { isSecret: true }) })),
  ]
}
