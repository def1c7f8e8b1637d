// Everything about a bundle → text for people: the verdict first, then the content.

import { type Style, SYMBOLS } from '../cli/render/style.ts'
import { pad, width, wrap } from '../cli/render/wrap.ts'
import { withReadableHosts } from '../format/capability/readable-host.ts'
import { printable } from '../format/text/printable.ts'
import { grouped, plural } from '../lint/render.ts'
import type { Report } from '../model/report.ts'
import type { Verdict } from '../model/verdict.ts'
import type { Inspected, InspectedTool } from './inspected.ts'

const MOST_REASONS = 5
const DIGEST_DIGITS = 12

/** A verdict's word in its colour. */
export function verdictWord(verdict: Verdict, style: Style): string {
  const paint = verdict === 'trusted' ? style.green : verdict === 'unsigned' ? style.yellow : style.red
  return style.bold(paint(verdict))
}

export function renderInspected(report: Report, inspected: Inspected, style: Style, columns: number): string {
  const { verdict, target, agent, manifestDigest, form } = report
  const name = agent && `${agent.name}${agent.variant ? `@${agent.variant}` : ''} ${agent.version}`
  const lines = [
    `${verdictWord(verdict, style)}  ${printable(target)}`,
    ...(verdict === 'trusted' ? [] : reasonLines(report, style, columns)),
    ...(agent === null ? [] : [`  ${style.bold(printable(name ?? ''))}, ${printable(agent.kind)}, ${form}`]),
    ...(manifestDigest === null ? [] : [`  ${style.dim(`manifest blake3:${manifestDigest}`)}`]),
    ...section('signed by', signerLines(inspected, style), style),
    ...overrideLines(report, style),
    ...section('what it may do', inspected.permissions ?? [], style),
    ...section('tools', inspected.tools?.flatMap(tool => toolLines(tool, style, columns)) ?? [], style),
    ...section(
      'schemas',
      inspected.schemas.map(path => printable(path)),
      style,
    ),
    ...section(plural(report.files.length, 'file'), fileLines(report, style), style),
    ...section('not checked', skippedLines(report, columns), style),
  ]
  return `${lines.join('\n')}\n`
}

function section(title: string, lines: readonly string[], style: Style): string[] {
  return lines.length === 0 ? [] : ['', style.bold(title), ...lines.map(line => `  ${line}`)]
}

function reasonLines({ reasons }: Report, style: Style, columns: number): string[] {
  const shown = reasons.slice(0, MOST_REASONS).map(({ message }) => message)
  if (reasons.length > MOST_REASONS)
    shown.push(`… and ${reasons.length - MOST_REASONS} more; rlp agent verify lists them`)
  return shown.flatMap(text =>
    wrap(printable(text), Math.max(30, columns - 4)).map(
      (line, index) => `  ${index === 0 ? style.red(SYMBOLS.bad) : ' '} ${line}`,
    ),
  )
}

function skippedLines({ skipped }: Report, columns: number): string[] {
  return skipped.flatMap(text =>
    wrap(printable(text), Math.max(30, columns - 4)).map(
      (line, index) => `${index === 0 ? '-' : ' '} ${line}`,
    ),
  )
}

function signerLines({ signers }: Inspected, style: Style): string[] {
  return signers.map(({ keyid, result, anchors }) => {
    const name = anchors.length === 0 ? 'a key that no trust policy names' : anchors.join(', ')
    const mark =
      result === 'invalid' ? style.red(SYMBOLS.bad) : anchors.length > 0 ? style.green(SYMBOLS.ok) : '-'
    return `${mark} ${printable(name)}  ${style.dim(printable(keyid, 100))}`
  })
}

function overrideLines({ overrides }: Report, style: Style): string[] {
  const lines = overrides.map(({ path, key }) => `${printable(path)}  ${style.dim(printable(`for ${key}`))}`)
  return section('overrides of policy.caps', lines, style)
}

function toolLines(tool: InspectedTool, style: Style, columns: number): string[] {
  const { id, description, target, reaches, requires_confirmation: asks, needs, exposed } = tool
  const { restricted, safety } = tool
  const mark = exposed ? style.green(SYMBOLS.ok) : style.red(SYMBOLS.bad)
  const narrow = Math.max(30, columns - 6)
  return [
    `${mark} ${style.bold(printable(id, 100))}${asks ? '  asks before each call' : ''}${exposed ? '' : '  not exposed'}`,
    ...wrap(printable(description), narrow).map(line => `    ${line}`),
    `    ${printable(target)}${reaches === null ? '' : style.dim(`  ${SYMBOLS.arrow} ${printable(withReadableHosts(reaches))}`)}`,
    ...(restricted === null ? [] : [`    ${style.red(`kept back by interfaces.json: ${restricted}`)}`]),
    ...Object.entries(safety ?? {}).map(
      ([key, value]) => `    interfaces.json: ${printable(key)} ${printable(JSON.stringify(value), 100)}`,
    ),
    ...needs.map(({ capability, from, granted, by, reason }) => {
      const what = `needs ${printable(withReadableHosts(capability), 200)}${from === 'implied' ? '' : ' (listed)'}`
      if (granted) return `    ${what}: granted`
      const who =
        by === 'policy.caps' ? 'not granted by policy.caps' : by === null ? reason : `taken away by ${by}`
      return `    ${style.red(`${what}: ${printable(who ?? 'not granted')}`)}`
    }),
  ]
}

function fileLines({ files }: Report, style: Style): string[] {
  const sizes = files.map(({ size }) => grouped(size))
  const wide = Math.max(0, ...sizes.map(size => size.length))
  const longest = Math.min(50, Math.max(0, ...files.map(({ path }) => width(printable(path)))))
  return files.map(({ path, blake3, result }, index) => {
    const is = result === 'mismatch' || result === 'unlisted' ? `  ${style.red(result)}` : ''
    const digest = style.dim(`blake3:${blake3.slice(0, DIGEST_DIGITS)}…`)
    return `${pad(printable(path), longest)}  ${(sizes[index] ?? '').padStart(wide)} bytes  ${digest}${is}`
  })
}
