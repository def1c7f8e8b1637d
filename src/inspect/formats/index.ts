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

/** By the value of `--format`; `json` is the envelope of every command. A text ends in a newline. */
export const PAGE_WRITERS: Readonly<
  Record<Exclude<PageFormatName, 'json'>, (page: Page, view: Screen) => string>
> = {
  text: (page, { style, columns }) => renderPage(page, style, columns),
  markdown: markdownOf,
  html: htmlOf,
}
