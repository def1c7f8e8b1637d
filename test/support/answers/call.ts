// The functions that call tools and look at bundles.
import { join } from 'node:path'
import {
  callTool,
  capsShow,
  diff,
  inspect,
  listTools,
  loadBundle,
  replay,
  verifyBundle,
} from '../../../src/library/generated/index.ts'
import type { AnswerOf } from './line.ts'

const INSTALLED = 'home/agents/mailer.agent.bundle'

export const CALL_ANSWERS: Readonly<Record<string, AnswerOf>> = {
  'agent inspect': ({ cwd, args: [bundle = ''], env }) => inspect(bundle, { cwd, env }),
  'agent diff': ({ cwd, args: [before = '', after = ''], env }) => diff(before, after, { cwd, env }),
  'agent verify': async ({ cwd, args: [bundle = ''] }) => {
    const report = await verifyBundle(join(cwd, bundle), { expect: 'mailer@=0.1.1', label: bundle })
    const skipped = { files: 0, links: 0, own: 0, special: 0 }
    return { bundles: [report], passed: true, summary: { bundles: 1, trusted: 1 }, skipped }
  },
  'caps show': async ({ cwd, args: [folder = ''], env }) => ({
    agents: [await capsShow(folder, { cwd, env })],
  }),
  // The command is given a name, and calls the file as agent list does.
  'tool list': async ({ cwd, env }) => ({
    agents: [{ ...(await listTools(INSTALLED, { cwd, env })), target: `~/${INSTALLED}` }],
    refused: [],
  }),
  // The answer of the tool is the whole answer.
  'tool call': async ({ cwd, args: [tool = '', , , input = ''], env }) => {
    const bundle = await loadBundle(join(cwd, INSTALLED), { expect: 'mailer' })
    return (await callTool(bundle, tool, JSON.parse(input), { cwd, env, trace: 'calls.ndjson' })).envelope
      .result
  },
  'tool replay': ({ cwd, args: [trace = ''], env }) => replay(trace, { cwd, env }),
}
