// Prints a page to standard output or into a file, in the format that was asked for. The formats are registered here, a line each.
import { resolve } from 'node:path'
import type { GlobalArgs, Io } from '../../cli/command.ts'
import { note, report } from '../../cli/render/report.ts'
import { createStyle, type Style } from '../../cli/render/style.ts'
import { writeResult } from '../../io/write/new-files.ts'
import { envelopeLine } from '../../report/json.ts'
import { type PageArgs, type PageFormatName, pageFormat } from '../options.ts'
import { htmlOf } from '../page/html.ts'
import { markdownOf } from '../page/markdown.ts'
import type { Page } from '../page/page.ts'
import { renderPage } from '../render-page.ts'

interface Shown {
  /** The tool contract's name: `agent.inspect`. */
  readonly tool: string
  readonly result: object
  /** For programs. */
  readonly warnings?: readonly string[]
  /** Made only where it is shown. */
  page(): Page
}

/** @throws RlpError as `writeResult`; UsageError for flags that contradict each other */
export async function printPage(
  args: PageArgs & Pick<GlobalArgs, 'color' | 'quiet'>,
  io: Io,
  { tool, result, page, warnings = [] }: Shown,
): Promise<void> {
  const name = pageFormat(args)
  const { out, force } = args
  const json = name === 'json'
  if (out === undefined) {
    report(
      io,
      { ...args, json },
      {
        tool,
        result,
        warnings: json ? warnings : [],
        text: () => rendered(io.color, io.columns),
        isDocument: name !== 'text',
      },
    )
    return
  }
  const text = json ? envelopeLine(tool, result, warnings) : rendered(false, FILE_COLUMNS)
  await writeResult([{ path: resolve(io.cwd, out), label: out, text }], { force, signal: io.signal })
  note(io, args, `wrote ${out}`)

  function rendered(color: boolean, columns: number): string {
    if (name === 'json') throw new TypeError(`no format ${name}`)
    return PAGE_WRITERS[name](page(), { style: createStyle(color), columns })
  }
}

/** A file has no width of its own. */
const FILE_COLUMNS = 100

/** The reader's screen; only text for a terminal asks. */
interface Screen {
  readonly style: Style
  readonly columns: number
}

/** By the value of `--format`; `json` is the envelope of every command. A text ends in a newline. */
const PAGE_WRITERS: Readonly<Record<Exclude<PageFormatName, 'json'>, (page: Page, view: Screen) => string>> =
  {
    text: (page, { style, columns }) => renderPage(page, style, columns),
    markdown: markdownOf,
    html: htmlOf,
  }
