import { TOOLS_FILE } from '../../../model/agent.ts'
import { isForbiddenEnv } from '../../../policy/code-variables.ts'
import { secretEnvName } from '../../../policy/secret-id.ts'
import { quoteText } from '../../../text/quote.ts'
import { transportKind } from '../../../tools/transports/index.ts'
import type { BundleRule } from '../rule.ts'

export const toolsEnv: BundleRule = {
  id: 'tools/env',
  severity: 'error',
  scope: 'bundle',
  step: 'schemas',
  summary: 'a tool asks for a variable that changes which code runs',
  why: 'LD_PRELOAD, PYTHONPATH, NODE_OPTIONS, PATH and their like load other code into the program that was reviewed, or put another in its place.',
  fix: 'Leave the variable out; give the program what it needs as an argument or in a file.',
  looks: 'tool',
  check({ agent, at, tool: { rlp, secrets, transport } }, report) {
    for (let position = 0; position < rlp.env.length; position++) {
      const name = rlp.env[position] ?? ''
      if (!isForbiddenEnv(name)) continue
      report({
        file: TOOLS_FILE,
        place: { pointer: [...at, 'x-rlp', 'env', position] },
        message: `${quoteText(name)} changes which code the program runs`,
        fix: agent.policy?.secrets.includes(`env/${name}`)
          ? `Leave the variable out, and ${quoteText(`env/${name}`)} out of secrets in policy.caps`
          : 'Leave the variable out',
      })
    }
    if (transportKind(transport).secrets.in !== 'environment') return
    for (let position = 0; position < secrets.length; position++) {
      const id = secrets[position] ?? ''
      const name = secretEnvName(id)
      if (!isForbiddenEnv(name)) continue
      report({
        file: TOOLS_FILE,
        place: { pointer: [...at, 'secrets', position] },
        message: `The secret ${quoteText(id)} reaches the program as ${quoteText(name)}, which changes which code it runs`,
        fix: 'Give the secret another id, for example runloop/<scope>/<name>',
      })
    }
  },
}
