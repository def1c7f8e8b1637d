// The registry of a page's formats: one line each.
import type { Style } from '../../cli/render/style.ts'
import type { PageFormatName } from '../options.ts'
import { htmlOf } from '../page/html.ts'
import { markdownOf } from '../page/markdown.ts'
import type { Page } from '../page/page.ts'
import { renderPage } from '../render-page.ts'

/** The reader's screen; only text for a terminal asks. */
interface Screen {
  readonly style: Style
  readonly columns: number
}

interface PageFormat {
  /** The value of `--format`; `json` is the envelope of every command. */
  readonly name: Exclude<PageFormatName, 'json'>
  /** Ends in a newline. */
  render(page: Page, view: Screen): string
}

export const PAGE_WRITERS: readonly PageFormat[] = [
  { name: 'text', render: (page, { style, columns }) => renderPage(page, style, columns) },
  { name: 'markdown', render: markdownOf },
  { name: 'html', render: htmlOf },
]
