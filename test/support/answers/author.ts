// The functions that write agents: scaffold, init, version, lint, digest, pack, and edit, import and export their tools.
import * as rlp from '../library.ts'
import type { AnswerOf } from './line.ts'

const AGENT = 'agents/mailer'

export const AUTHOR_ANSWERS: Readonly<Record<string, AnswerOf>> = {
  'agent scaffold': ({ cwd, env }) => rlp.scaffold('mailer', { cwd, env }),
  'agent init': ({ cwd, env }) => rlp.init('bare', { cwd, env }),
  'agent lint': async ({ cwd, env }) => {
    const linted = await rlp.lint(AGENT, { cwd, env })
    const { counts, changed } = linted
    return { agents: [linted], changed, passed: counts.errors === 0, summary: { agents: 1, ...counts } }
  },
  'agent version': ({ cwd, env }) => rlp.setVersion(AGENT, 'patch', { cwd, env }),
  'tool add': ({ cwd, env, args }) => {
    const command = args[args.indexOf('--command') + 1] ?? ''
    return rlp.addTool(AGENT, toolRunning(command), { cwd, env, grant: true })
  },
  'tool edit': ({ cwd, env }) => rlp.editTool(AGENT, 'say.it', { description: 'Say it now' }, { cwd, env }),
  'tool import': ({ cwd, env }) =>
    rlp.importTools('agentcli.json', { cwd, env, agent: AGENT, from: 'agentcli', dryRun: true }),
  'agent digest': async ({ cwd, env }) => {
    const digested = await rlp.digest(AGENT, { cwd, env })
    return { agents: [digested], changed: digested.changed }
  },
  'agent test': async ({ cwd, env }) => ({ agents: [await rlp.testTools(AGENT, { cwd, env })] }),
  'agent pack': async ({ cwd, env }) => {
    const packed = await rlp.pack(AGENT, { cwd, env })
    return { bundles: [packed], changed: packed.changed }
  },
  'tool export': ({ cwd, env, args: [bundle = ''] }) =>
    rlp.exportTools(bundle, { cwd, env, to: 'mcp', out: 'mcp.json' }),
  'tool remove': ({ cwd, env }) => rlp.removeTools(AGENT, ['say.it'], { cwd, env }),
}

function toolRunning(command: string): rlp.Tool {
  return {
    id: 'say.it',
    description: 'Say it',
    transport: { kind: 'exec', command, args: ['-e', 'console.log(1)'] },
    inputSchema: { type: 'object', properties: { a: { type: 'string' } } },
    resultSchema: true,
    secrets: [],
    capabilities: [],
    schemaRefs: {},
    requiresConfirmation: false,
    budget: {},
    tags: [],
    rlp: { timeoutMs: undefined, memoryMb: undefined, stdin: false, env: [] },
  }
}
