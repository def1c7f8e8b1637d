// The options of commands that print a page.
import { extname } from 'node:path'
import type { CommandArgs } from '../cli/command.ts'
import type { OptionTable } from '../cli/option.ts'
import { formatGiven } from '../cli/render/report.ts'
import { own } from '../model/own.ts'

const PAGE_FORMATS = ['text', 'json', 'markdown', 'html'] as const

export type PageFormatName = (typeof PAGE_FORMATS)[number]

export const PAGE_OPTIONS = {
  format: {
    type: 'string',
    placeholder: 'FORMAT',
    choices: PAGE_FORMATS,
    describe: 'how to show it; json is the same as --json. Left out, the ending of --out decides',
  },
  out: {
    type: 'string',
    alias: 'o',
    placeholder: 'FILE',
    describe: 'where to write it; standard output if left out',
  },
  force: { type: 'boolean', describe: 'with --out: replace a file that holds something else' },
} as const satisfies OptionTable

export type PageArgs = Pick<
  CommandArgs<typeof PAGE_OPTIONS, readonly []>,
  'format' | 'out' | 'force' | 'json'
>

const BY_ENDING: Readonly<Record<string, PageFormatName>> = {
  '.html': 'html',
  '.htm': 'html',
  '.md': 'markdown',
  '.json': 'json',
}

/** The format, if the flags about it agree. */
export function pageFormat({ format, json, out }: PageArgs): PageFormatName {
  const ending = out === undefined ? undefined : own(BY_ENDING, extname(out).toLowerCase())
  return formatGiven({ format, json }, ending)
}
