// What changed between two agents → text for people: permissions first, then what breaks callers.

import type { Style } from '../cli/render/style.ts'
import { wrap } from '../cli/render/wrap.ts'
import { printable } from '../format/text/printable.ts'
import { grouped } from '../lint/render.ts'
import type { ComparedSide } from './compared.ts'
import { type AgentDiff, type FileDifference, isSame } from './diff.ts'
import type { FieldDifference, SchemaDifference, ToolDifference } from './diff-tools.ts'
import { verdictWord } from './render-inspect.ts'
import { changeLines } from './render-permissions.ts'

const LONGEST_VALUE = 60
const DIGEST_DIGITS = 12

interface Sides {
  readonly before: ComparedSide
  readonly after: ComparedSide
}

export function renderDiff({ before, after }: Sides, diff: AgentDiff, style: Style, columns: number): string {
  const { widened, narrowed, agent, tools, isReordered, schemas, files } = diff
  const order = isReordered ? ['~ the tools are in another order'] : []
  const lines = [
    sideLine('-', before, style),
    sideLine('+', after, style),
    ...(isSame(diff) ? ['', 'no differences'] : []),
    ...section('widened', changeLines({ widened, narrowed: [] }, style), style),
    ...section('narrowed', changeLines({ widened: [], narrowed }, style), style),
    ...section(
      'agent',
      agent.flatMap(field => fieldLines(field, '')),
      style,
    ),
    ...section('tools', [...tools.flatMap(tool => toolLines(tool, style)), ...order], style),
    ...section(
      'schemas',
      schemas.flatMap(schema => schemaLines(schema, style, columns)),
      style,
    ),
    ...section('files', files.map(fileLine), style),
  ]
  return `${lines.join('\n')}\n`
}

function section(title: string, lines: readonly string[], style: Style): string[] {
  return lines.length === 0 ? [] : ['', style.bold(title), ...lines.map(line => `  ${line}`)]
}

function sideLine(sign: string, { target, verdict, agent, signers }: ComparedSide, style: Style): string {
  const word = verdict === 'source' ? style.dim('source') : verdictWord(verdict, style)
  const variant = agent.variant === null ? '' : `@${agent.variant}`
  const names = signers.map(({ anchors }) => anchors.join('/') || 'a key that no trust policy names')
  const who = names.length === 0 ? '' : `, signed by ${names.join(' and ')}`
  const is = `${agent.name ?? '?'}${variant} ${agent.version ?? ''}${who}`
  return `${sign} ${style.bold(printable(target))}  ${word}  ${printable(is)}`
}

function toolLines({ id, change, isBreaking, to, fields }: ToolDifference, style: Style): string[] {
  const sign = { added: '+', removed: '-', renamed: '~', changed: '~' }[change]
  const what = change === 'renamed' ? `is called ${printable(to ?? '', 100)} now` : change
  const breaks = isBreaking ? `  ${style.red('breaking')}` : ''
  return [
    `${sign} ${printable(id, 100)}  ${what}${breaks}`,
    ...fields.flatMap(field => fieldLines(field, '    ')),
  ]
}

function fieldLines({ field, before, after }: FieldDifference, indent: string): string[] {
  return [`${indent}${printable(field, 100)}: ${shown(before)} → ${shown(after)}`]
}

function shown(value: unknown): string {
  if (value === undefined) return 'none'
  return printable(typeof value === 'string' ? value : JSON.stringify(value), LONGEST_VALUE)
}

function schemaLines({ tool, side, is, gaps }: SchemaDifference, style: Style, columns: number): string[] {
  const paint = { breaking: style.red, compatible: style.green, 'not decided': style.yellow }[is]
  const reasons = gaps.map(({ at, message, is: gap }) => {
    const doubt = gap !== is ? ` (${gap})` : ''
    return `${at === '' ? '' : `${at}: `}${message}${doubt}`
  })
  return [
    `${printable(tool, 100)} ${side}: ${paint(is)}`,
    ...reasons.flatMap(text => wrap(printable(text), Math.max(30, columns - 6))).map(line => `    ${line}`),
  ]
}

function fileLine({ path, change, before, after }: FileDifference): string {
  const sign = { added: '+', removed: '-', changed: '~' }[change]
  const facts = [before, after].flatMap(file =>
    file === null ? [] : [`${grouped(file.size)} bytes, ${file.blake3.slice(0, DIGEST_DIGITS)}…`],
  )
  return `${sign} ${printable(path)}  ${facts.join(' → ')}`
}
