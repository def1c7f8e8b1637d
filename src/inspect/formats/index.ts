// The registry of a page's formats: one line each.
import { htmlOf } from '../page/html.ts'
import { markdownOf } from '../page/markdown.ts'
import { renderPage } from '../render-page.ts'
import type { PageFormat } from './format.ts'

export const PAGE_WRITERS: readonly PageFormat[] = [
  { name: 'text', render: (page, { style, columns }) => renderPage(page, style, columns) },
  { name: 'markdown', render: markdownOf },
  { name: 'html', render: htmlOf },
]
