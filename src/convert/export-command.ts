// rlp tool export: an agent's tools in another system's format, and everything that changes on the way.
import { resolve } from 'node:path'
import { type CommandArgs, defineCommand, type Io } from '../cli/command.ts'
import { note, report } from '../cli/render/report.ts'
import { createStyle, SYMBOLS } from '../cli/render/style.ts'
import { plural } from '../format/text/counts.ts'
import { printable, printableJson } from '../format/text/printable.ts'
import { oneTargetOrSource } from '../inspect/look-into.ts'
import { rootsFor } from '../io/root/roots.ts'
import { writeResult } from '../io/write/write-result.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import { trustOf } from '../verify/judging-options.ts'
import { refuseBundle } from '../verify/render-refusal.ts'
import { exportText } from './export.ts'
import { EXPORT_OPTIONS } from './export-options.ts'
import { exportTo } from './export-to.ts'
import { openToExport } from './exported.ts'
import { conversionLines } from './render-export.ts'

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
  const { expect, allowUnsigned } = args
  const opened = await openToExport(
    target,
    { expect, allowUnsigned, signal: io.signal, ...trustOf(args, io) },
    io,
  )
  if ('refused' in opened) return refuseBundle(opened.refused, DOING, args, io)
  const { id: ids, api, namespace } = args
  const place = { place: target.path, namespace }
  const exported = exportTo(opened.agent, args.to, { ids, api, before: opened.changes, ...place })
  const { document, tools, names, changes, apart } = exported
  const isLossy = args.failOnLoss && changes.some(({ what }) => what === 'lost')
  const files = isLossy ? [] : await write(args, exportText(document), names, io)
  const { verdict } = opened
  const shown = { target: target.label, verdict, format: args.to, tools, names, changes, apart, files }
  report(io, args, {
    tool: DOING.tool,
    result: { ...shown, document: args.out === undefined && !isLossy ? document : undefined },
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

/** The names are written first, so that an export never exists without them. */
async function write(args: Args, text: string, names: object, io: Io): Promise<string[]> {
  const wanted = [
    ...(args.names === undefined ? [] : [{ file: args.names, text: exportText(names) }]),
    ...(args.out === undefined ? [] : [{ file: args.out, text }]),
  ]
  const places = wanted.map(({ file, text }) => ({ path: resolve(io.cwd, file), label: file, text }))
  await writeResult(places, { force: args.force, signal: io.signal })
  return wanted.map(({ file }) => file)
}
