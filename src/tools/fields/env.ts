import { quoted } from '../../text/printable.ts'
import { LEFT_TO_THE_HOST, LIST, type ToolField } from './field.ts'

export const env = {
  ...LIST,
  at: ['x-rlp', 'env'],
  flags: {
    env: {
      type: 'strings',
      placeholder: 'NAME',
      describe: 'exec: environment variable it gets from the host',
    },
  },
  typed(given, refuse) {
    const names = given as readonly string[]
    const odd = names.find(name => !/^[A-Z_][A-Z0-9_]*$/.test(name))
    if (odd !== undefined)
      throw refuse(`${quoted(odd)} is not a name of capital letters, digits and underscores`)
    return [...new Set(names)]
  },
  fates: {
    ...LEFT_TO_THE_HOST,
    'agent-tool': 'external_mappings, env',
    agentcli: 'envPassthrough',
  },
} as const satisfies ToolField<readonly string[]>
