// The interface of a page's format.
import type { Style } from '../../cli/render/style.ts'
import type { PageFormatName } from '../options.ts'
import type { Page } from '../page/page.ts'

/** The reader's screen; only text for a terminal asks. */
export interface Screen {
  readonly style: Style
  readonly columns: number
}

export interface PageFormat {
  /** The value of `--format`; `json` is the envelope of every command. */
  readonly name: Exclude<PageFormatName, 'json'>
  /** Ends in a newline. */
  render(page: Page, view: Screen): string
}
