// rlp tool check-result: whether a tool's answer keeps the tool contract, for its author.

import { checkAgentcliAnswer } from '../agentcli/answer.ts'
import { defineCommand, type Io } from '../cli/command.ts'
import { wrap } from '../cli/render/layout.ts'
import { note, report } from '../cli/render/report.ts'
import { createStyle, type Style, SYMBOLS } from '../cli/render/style.ts'
import { AGENT_OPTIONS } from '../cli/targets.ts'
import { type CheckedResult, checkResult, type Remark } from '../contract/check-result.ts'
import { readInput } from '../io/read/bounded.ts'
import { UsageError } from '../model/error.ts'
import { EXIT } from '../model/exit-code.ts'
import { decodeText } from '../text/decode.ts'
import { printable } from '../text/printable.ts'
import type { AnswerSchema } from './answer-schema.ts'

export const command = defineCommand({
  name: 'tool check-result',
  summary: 'say whether what a tool answered honours the tool contract',
  positionals: [
    { name: 'file', describe: 'a file with one answer, or - for standard input, which is also the default' },
  ],
  options: {
    schema: { type: 'string', placeholder: 'FILE', describe: 'a JSON Schema that the result has to fit' },
    tool: {
      type: 'string',
      placeholder: 'ID',
      describe: 'the tool that answered: the result has to fit its result_schema',
    },
    agent: {
      type: 'string',
      names: 'source',
      placeholder: 'DIR',
      describe: 'the agent of the tool: its folder, or its name',
    },
    agentcli: {
      type: 'boolean',
      describe: 'hold it to agentcli’s page instead: one line of JSON, or an error on standard error',
    },
    stderr: {
      type: 'string',
      placeholder: 'FILE',
      describe: 'with --agentcli: what the program printed on standard error',
    },
    exit: {
      type: 'number',
      placeholder: 'STATUS',
      min: 0,
      max: 255,
      describe: 'with --agentcli: the program’s exit code; 0 by default',
    },
    ...AGENT_OPTIONS,
  },
  examples: [
    ['./bin/render draft.json | rlp tool check-result', 'what a program prints'],
    [
      'rlp tool check-result out.json --tool mail.render --agent agents/mailer',
      'and whether it is what tools.json promises',
    ],
    ['rlp tool check-result out.json --json', 'for a pipeline'],
    [
      'rlp tool check-result out.json --agentcli --exit 1 --stderr err.json',
      'a failure of a program made for agentcli',
    ],
  ],
  notes:
    'Exit code 0: a valid envelope; remarks do not count. 1: the answer breaks the contract, or the result does not fit. The envelope, its kinds and the functions that make it: docs/contract.md.\n\nrlp tool call also accepts plain JSON and plain text, and wraps them. Other hosts of the contract only show such answers.',
  async run(args, io) {
    const file = args.file ?? '-'
    if (args.file === undefined && io.isTTY.stdin)
      throw new UsageError('Cannot check an answer: none was given', {
        field: 'file',
        hint: 'Name a file, or pipe what the tool prints into rlp tool check-result',
      })
    const end = await endOf(args, io)
    const isJudged = [args.schema, args.tool, args.agent].some(given => given !== undefined)
    const against = isJudged ? await (await import('./answer-schema.ts')).answerSchemaOf(args, io) : undefined
    const checked = checkAnswer(await readInput(file, io), against, end)
    const label = file === '-' ? 'standard input' : file
    const { form, passed, remarks, content, fits, unresolved } = checked
    report(io, args, {
      tool: 'tool.check-result',
      result: {
        file,
        form,
        passed,
        remarks,
        content,
        ...(against !== undefined && { schema: { source: against.label, fits } }),
      },
      warnings: unresolved.map(
        ref => `the schema names ${ref}, which is not here: that part was not checked`,
      ),
      quiet: passed ? [] : undefined,
      text: () => renderCheckedAnswer(label, checked, createStyle(io.color), io.columns),
    })
    if (fits === 'not checked') note(io, args, `not held against ${against?.label}: there is no result`)
    return passed ? EXIT.ok : EXIT.bundle
  },
})

/** Undefined without --agentcli. @throws UsageError for its companion options without it */
async function endOf(
  {
    agentcli,
    stderr,
    exit,
  }: { agentcli: boolean | undefined; stderr: string | undefined; exit: number | undefined },
  io: Io,
): Promise<AgentcliEnd | undefined> {
  if (agentcli)
    return {
      stderr: stderr === undefined ? new Uint8Array() : await readInput(stderr, io),
      exitCode: exit ?? 0,
    }
  const field = stderr !== undefined ? 'stderr' : exit !== undefined ? 'exit' : undefined
  if (field === undefined) return undefined
  throw new UsageError(`Cannot use --${field} alone: an envelope is all that the tool contract looks at`, {
    field,
    hint: 'Add --agentcli where the program was made for agentcli',
  })
}

/** The check of an answer → text for people. */
function renderCheckedAnswer(label: string, checked: CheckedAnswer, style: Style, columns: number): string {
  const mark = checked.passed ? style.green(SYMBOLS.ok) : style.red(SYMBOLS.bad)
  const head = `${mark} ${style.bold(printable(label))}  ${formWords(checked)}`
  const fit = checked.fits === true ? ', and its result fits' : ''
  return `${[`${head}${fit}`, ...checked.remarks.flatMap(remark => renderRemark(remark, style, columns))].join('\n')}\n`
}

function renderRemark({ weight, message, fix }: Remark, style: Style, columns: number): string[] {
  const word = weight === 'problem' ? style.red('problem') : style.cyan('remark')
  const lines = wrap(printable(fix), Math.max(30, columns - 9))
  return [
    `  ${word} ${printable(message)}`,
    ...lines.map((line, index) => (index === 0 ? `    ${style.cyan('fix:')} ${line}` : `         ${line}`)),
  ]
}

function formWords({ form }: CheckedAnswer): string {
  if (form.startsWith('failure:')) return `a failure, ${form.slice('failure:'.length)}`
  if (form === 'failure') return 'a failure'
  if (form === 'agentcli') return 'a success, as agentcli reads it'
  if (form === 'agentcli:failure') return 'a failure, as agentcli reads it'
  if (form === 'none') return 'no envelope'
  if (form === 'legacy') return 'a failure in an older form'
  return form === 'result' ? 'a success' : `a success, ${form}`
}

interface CheckedAnswer extends Pick<CheckedResult, 'passed' | 'remarks'> {
  readonly form: CheckedResult['form'] | 'agentcli' | 'agentcli:failure'
  /** What the model reads, if it is known. */
  readonly content?: string
  /** Whether the result matches the schema; undefined if none was given. */
  readonly fits?: boolean | 'not checked'
  /** References of that schema that cannot be resolved here. */
  readonly unresolved: readonly string[]
}

/** How a program made for agentcli ended. */
interface AgentcliEnd {
  readonly stderr: Uint8Array
  readonly exitCode: number
}

/** @param end present if agentcli's rules apply, not the tool contract's */
function checkAnswer(bytes: Uint8Array, against: AnswerSchema | undefined, end?: AgentcliEnd): CheckedAnswer {
  const checked = end === undefined ? checkEnvelope(bytes) : checkOutput(bytes, end)
  const { result, ...told } = checked
  if (against === undefined) return { ...told, unresolved: [] }
  const { unresolved } = against
  if (result === undefined) return { ...told, fits: 'not checked', unresolved }
  const message = against.misfit(result)
  if (message === undefined) return { ...told, fits: true, unresolved }
  const fix = 'Change what the tool answers, or what its schema promises'
  const remarks: Remark[] = [{ weight: 'problem', message, fix }, ...told.remarks]
  return { ...told, passed: false, remarks, fits: false, unresolved }
}

type Checked = Pick<CheckedAnswer, 'form' | 'passed' | 'remarks' | 'content'> & { readonly result: unknown }

function checkOutput(bytes: Uint8Array, { stderr, exitCode }: AgentcliEnd): Checked {
  const read = [bytes, stderr].map(stream => decodeText(stream))
  const problem = read.find(stream => !stream.ok && stream.problem.code !== 'empty')
  if (problem !== undefined && !problem.ok)
    return { ...UNREAD, remarks: [unreadable(problem.problem.message)] }
  const [out = '', error = ''] = read.map(stream => (stream.ok ? stream.text : ''))
  const { ok, content, remarks, result } = checkAgentcliAnswer({ stdout: out, stderr: error, exitCode })
  const passed = !remarks.some(({ weight }) => weight === 'problem')
  return { form: ok ? 'agentcli' : 'agentcli:failure', passed, remarks, content, result }
}

function checkEnvelope(bytes: Uint8Array): Checked {
  const read = decodeText(bytes)
  const isEmpty = !read.ok && read.problem.code === 'empty'
  return read.ok || isEmpty
    ? checkResult(read.ok ? read.text : '')
    : { ...UNREAD, remarks: [unreadable(read.problem.message)] }
}
const UNREAD = { form: 'none', passed: false, result: undefined } as const

/** The sentence is about a file; an answer needs another subject. */
function unreadable(message: string): Remark {
  return {
    weight: 'problem',
    message: message.replace(/^The file/, 'The answer'),
    fix: 'Print UTF-8 text without a byte order mark and without NUL',
  }
}
