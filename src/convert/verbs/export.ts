// rlp tool export: an agent's tools in another system's format, and everything that changes on the way.
import { note, report } from '../../cli/render/report.ts'
import { SYMBOLS } from '../../cli/render/style.ts'
import { seenBundle } from '../../inspect/inputs.ts'
import { oneTargetOrSource } from '../../inspect/look-into.ts'
import { EXIT } from '../../model/exit-code.ts'
import { printable, printableJson } from '../../text/printable.ts'
import { plural } from '../../text/words.ts'
import { commandOf, defineVerb, needed, text, texts, typedOnly, whether } from '../../verb/index.ts'
import { oneWord } from '../../verb/kinds/choices.ts'
import { labelledFile } from '../../verb/kinds/paths.ts'
import { judgedWith } from '../../verify/bundle-inputs.ts'
import { JUDGING, judgingBy, lookUpRoot } from '../../verify/judging-inputs.ts'
import { NotVerifiedError } from '../../verify/make-report.ts'
import { usedRefusal } from '../../verify/render.ts'
import { exportText } from '../export.ts'
import { EXPORT_FORMATS, type ExportOutcome, type ExportResult, exportFrom } from '../export-from.ts'
import { conversionLines } from '../render.ts'

const DOING = 'export the tools of'

/**
 * The tools of an agent in another system's format, with everything that changed on the way. Writes nothing but the files that `out` and
 * `names` name.
 *
 * @example
 * const { document, changes } = await exportTools('agents/mailer', { to: 'openai' })
 * console.log(JSON.stringify(document), changes.filter(({ what }) => what === 'lost'))
 *
 * @throws {@link NotVerifiedError} for a bundle that may not be used
 * @throws {@link RlpError} `NOT_FOUND`, `LINT_FAILED` when its tools cannot be read, `USAGE`, `CANCELLED`; `EXISTS` without `force`
 */
export const verb = defineVerb({
  name: 'tool export',
  summary: 'write an agent’s tools for OpenAI, MCP, Agent Tool or agentcli',
  called: 'exportTools',
  arguments: ['agent', 'ids'],
  inputs: {
    agent: needed(
      seenBundle(
        'an agent’s folder, a bundle, an unpacked bundle, a tools.json, or a name: of an installed agent, or of a folder in agents',
        { doing: DOING, find: oneTargetOrSource, names: 'installed or source' },
      ),
    ),
    /** Only these tools; all where this is left out. */
    ids: texts('tools to export; all of them when absent', { flag: 'id', complete: 'none' }),
    /** The system whose words are wanted. */
    to: needed(
      text(EXPORT_FORMATS.map(({ format, summary }) => `${format}: ${summary}`).join('. '), {
        choices: EXPORT_FORMATS.map(({ format }) => format),
        placeholder: 'FORMAT',
      }),
    ),
    /** Which of OpenAI's two shapes; `chat` where this is left out. */
    api: oneWord('openai: for chat completions, or for the responses API', ['chat', 'responses'], {
      default: 'chat',
      placeholder: 'API',
    }),
    /** Of `server-json`: a domain of the publisher, backwards, that is put before the agent's name. */
    namespace: text('server-json: a domain of yours, backwards, before the agent’s name: io.github.acme', {
      placeholder: 'DOMAIN',
    }),
    /** Write the document there. */
    out: labelledFile('where to write it; standard output if left out', {
      alias: 'o',
      doing: 'export into',
    }),
    /** Write there which tool has which other name; {@link importTools} takes it as `names`. */
    names: labelledFile('write there which tool has which other name; rlp tool import --names reads it', {
      doing: 'export into',
    }),
    /** Replace files that hold something else. */
    force: whether('replace files that hold something else'),
    /** Write nothing, and leave the document out, if a fact would be lost. */
    failOnLoss: whether('exit with 1, and write nothing, if a fact would be lost'),
    /** Which agent it has to be; a file called `<name>-<version>.agent.bundle` implies it. */
    expect: text(
      'which agent a bundle has to be, or blake3:HEX for one bundle; a name, and a file called <name>-<version>.agent.bundle, imply it',
      { placeholder: 'NAME[@VARIANT][@RANGE]' },
    ),
    ...JUDGING,
    /** Take a sound bundle without signature. */
    allowUnsigned: whether('take a sound bundle without signature'),
    root: typedOnly(lookUpRoot),
  },
  isLong: true,
  async run({ agent, expect, allowUnsigned, root, ...asked }, world): Promise<ExportOutcome> {
    const source = await agent(root)
    const { label, notInstalled } = source.target
    if (notInstalled !== undefined)
      world.tell(`${notInstalled} is not installed: its source ${label} is exported, unverified`)
    const judging = { ...judgingBy(asked, world), expect, allowUnsigned, root }
    return exportFrom(source.target, judgedWith(judging, source), asked, world)
  },
  answer: ({ answer }): ExportResult => answer,
})

export const command = commandOf(verb, {
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
  print({ answer, isLossy }, { asked: { out, to }, args, io, style }) {
    const { document, tools, changes, apart, files } = answer
    report(io, args, {
      tool: 'tool.export',
      result: answer,
      warnings: conversionLines(changes),
      isDocument: true,
      quiet: out === undefined ? undefined : files,
      text() {
        if (isLossy) return ''
        if (out === undefined) return exportText(document).split('\n').map(printableJson).join('\n')
        return `${style.green(SYMBOLS.ok)} ${style.bold(printable(out.label))}  ${plural(tools, 'tool')}\n`
      },
    })
    if (apart.length > 0)
      note(io, args, `no part of ${to}: ${apart.join(', ')}; the host that runs the calls keeps it`)
    if (isLossy) note(io, args, 'nothing was written: --fail-on-loss')
  },
  exit: ({ isLossy }) => (isLossy ? EXIT.bundle : EXIT.ok),
  refused: (error, { io }) =>
    error instanceof NotVerifiedError ? usedRefusal(error.report, DOING, io) : undefined,
})
