// rlp tool export: an agent's tools in another system's format, and everything that changes on the way.

import { resolve } from 'node:path'
import { type CommandArgs, defineCommand, type Io } from '../cli/command.ts'
import type { OptionTable } from '../cli/option.ts'
import { note, report } from '../cli/render/report.ts'
import { createStyle, SYMBOLS } from '../cli/render/style.ts'
import { oneTargetOrSource } from '../inspect/look-into.ts'
import { rootsFor } from '../io/root/roots.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import { printable, printableJson } from '../text/printable.ts'
import { plural } from '../text/words.ts'
import { LOOK_UP_OPTION, TRUST_OPTIONS, trustOf } from '../verify/judging-options.ts'
import { refuseBundle } from '../verify/render.ts'
import { exportText } from './export.ts'
import { EXPORT_FORMATS, exportFrom } from './export-from.ts'
import { conversionLines } from './render.ts'

const EXPORT_OPTIONS = {
  to: {
    type: 'string',
    required: true,
    choices: EXPORT_FORMATS.map(({ format }) => format),
    placeholder: 'FORMAT',
    describe: EXPORT_FORMATS.map(({ format, summary }) => `${format}: ${summary}`).join('. '),
  },
  api: {
    type: 'string',
    choices: ['chat', 'responses'],
    default: 'chat',
    placeholder: 'API',
    describe: 'openai: for chat completions, or for the responses API',
  },
  namespace: {
    type: 'string',
    placeholder: 'DOMAIN',
    describe: 'server-json: a domain of yours, backwards, before the agent’s name: io.github.acme',
  },
  out: {
    type: 'string',
    alias: 'o',
    placeholder: 'FILE',
    describe: 'where to write it; standard output if left out',
  },
  names: {
    type: 'string',
    placeholder: 'FILE',
    describe: 'write there which tool has which other name; rlp tool import --names reads it',
  },
  force: { type: 'boolean', describe: 'replace files that hold something else' },
  'fail-on-loss': { type: 'boolean', describe: 'exit with 1, and write nothing, if a fact would be lost' },
  expect: {
    type: 'string',
    placeholder: 'NAME[@VARIANT][@RANGE]',
    describe:
      'which agent a bundle has to be, or blake3:HEX for one bundle; a name, and a file called <name>-<version>.agent.bundle, imply it',
  },
  ...TRUST_OPTIONS,
  'allow-unsigned': { type: 'boolean', describe: 'take a sound bundle without signature' },
  root: LOOK_UP_OPTION,
} as const satisfies OptionTable

const AGENT = {
  name: 'agent',
  required: true,
  names: 'installed or source',
  describe:
    'an agent’s folder, a bundle, an unpacked bundle, a tools.json, or a name: of an installed agent, or of a folder in agents',
} as const
const IDS = {
  name: 'id',
  many: true,
  complete: 'none',
  describe: 'tools to export; all of them when absent',
} as const

type Args = CommandArgs<typeof EXPORT_OPTIONS, readonly [typeof AGENT, typeof IDS]>

const DOING = { doing: 'export the tools of', tool: 'tool.export' }

export const command = defineCommand({
  name: 'tool export',
  summary: 'write an agent’s tools for OpenAI, MCP, Agent Tool or agentcli',
  positionals: [AGENT, IDS],
  options: EXPORT_OPTIONS,
  examples: [
    ['rlp tool export agents/mailer --to openai', 'of a folder that you work in, to standard output'],
    [
      'rlp tool export dist/mailer-0.1.0.agent.bundle --to mcp --out tools.json',
      'of a bundle, which is verified first',
    ],
    ['rlp tool export tools.json --to openai', 'of a tools.json alone, an agent’s or agentcli’s'],
    [
      'rlp tool export mailer mail.send --to agentcli --fail-on-loss',
      'one tool of an installed agent; fails if a fact would be lost',
    ],
    ['rlp tool export mailer --to vscode-mcp --out mcp.json', 'how VS Code starts a server of them'],
  ],
  notes:
    'References are put in their places. What the format cannot hold, what had to be made up and what has another name there is said, each as a warning; with --json also in result.changes and result.names. How a call is run is no part of OpenAI’s and MCP’s words: it stays in the agent.\n\nA bundle that rlp agent verify would not call trusted is not exported. A tools.json alone has no schemas and no interfaces.json beside it: name the agent’s folder where it has.',
  run: runExport,
})

async function runExport(args: Args, io: Io): Promise<ExitCode> {
  const roots = await rootsFor(args.root, io.cwd)
  const target = await oneTargetOrSource(DOING.doing, args.agent, io, roots)
  if (target.isSourceByName === true)
    note(io, args, `${args.agent} is not installed: its source ${target.label} is exported, unverified`)
  const { expect, allowUnsigned, id: ids, to, api, namespace, force, failOnLoss } = args
  const fileAt = (file: string | undefined) =>
    file === undefined ? undefined : { path: resolve(io.cwd, file), label: file }
  const exporting = {
    to,
    ids,
    api,
    namespace,
    out: fileAt(args.out),
    names: fileAt(args.names),
    force,
    failOnLoss,
  }
  const judged = { expect, allowUnsigned, signal: io.signal, ...trustOf(args, io) }
  const exported = await exportFrom(target, judged, exporting, io)
  if ('refused' in exported) return refuseBundle(exported.refused, DOING, args, io)
  const { answer, isLossy } = exported
  const { document, tools, changes, apart, files } = answer
  report(io, args, {
    tool: DOING.tool,
    result: answer,
    warnings: conversionLines(changes),
    isDocument: true,
    quiet: args.out === undefined ? undefined : files,
    text: () => {
      if (isLossy) return ''
      if (args.out === undefined) return exportText(document).split('\n').map(printableJson).join('\n')
      const style = createStyle(io.color)
      return `${style.green(SYMBOLS.ok)} ${style.bold(printable(args.out))}  ${plural(tools, 'tool')}\n`
    },
  })
  if (apart.length > 0)
    note(io, args, `no part of ${args.to}: ${apart.join(', ')}; the host that runs the calls keeps it`)
  if (isLossy) note(io, args, 'nothing was written: --fail-on-loss')
  return isLossy ? EXIT.bundle : EXIT.ok
}
