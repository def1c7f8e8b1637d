// A page → one HTML file: no script, no request, every text of the bundle a text node (docs/reports.md).
import { createHash } from 'node:crypto'
import { own } from '../../model/own.ts'
import { STYLE } from './html-style.ts'
import { escaped, wordsHtml } from './html-text.ts'
import type { Emphasis, Item, Page, Section } from './page.ts'
import { shortenPage } from './shorten.ts'
import { svgOf } from './svg.ts'

/** Lists that are longer help no one to decide, and keep the file from a size that a browser shows. */
const MOST = { items: 4000, list: 500, below: 500 }

const TONE: Readonly<Record<string, string>> = {
  trusted: 'good',
  unsigned: 'unclear',
  indeterminate: 'unclear',
  source: 'unclear',
}

export function htmlOf(given: Page): string {
  const page = shortenPage(given, MOST)
  const { title, verdict, decided, hint, facts, made, target } = page
  const tone = own(TONE, verdict) ?? 'bad'
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`,
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    '<meta name="referrer" content="no-referrer">',
    `<title>${escaped(verdict)}: ${escaped(title)}</title>`,
    `<style>${STYLE}</style>`,
    '</head>',
    '<body>',
    '<main>',
    `<h1><bdi>${escaped(title)}</bdi></h1>`,
    `<p class="soft"><bdi>${escaped(target)}</bdi></p>`,
    `<div class="verdict is-${tone}"><p><strong>${escaped(verdict)}</strong> <span>${wordsHtml(decided)}</span></p>`,
    ...(hint === undefined ? [] : [`<p>What to do: ${escaped(hint, 1000)}</p>`]),
    '</div>',
    ...[...facts, ...made].map(words => `<p class="soft">${wordsHtml(words)}</p>`),
    ...page.sections.flatMap(section => [
      ...sectionHtml(section),
      ...(section.id === 'may' && page.picture ? figure(svgOf(page.picture())) : []),
    ]),
    '</main>',
    '</body>',
    '</html>',
    '',
  ].join('\n')
}

/** The style sheet is allowed by its own digest, so a style that a text smuggled in would not apply. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

function figure(svg: string): string[] {
  return [
    '<figure>',
    '<p class="narrow">This picture is wider than the page: move it sideways to see the rest.</p>',
    '<div class="wide" tabindex="0" role="region" aria-label="Picture of what it reaches">',
    svg,
    '</div>',
    '<figcaption>The list above says the same in words. New: dashed, with round corners and a plus sign. Red: look here first.</figcaption>',
    '</figure>',
  ]
}

function sectionHtml({ id, title, note, items }: Section): string[] {
  return [
    `<section aria-labelledby="${id}">`,
    `<h2 id="${id}">${escaped(title)}</h2>`,
    ...(note === undefined ? [] : [`<p>${wordsHtml(note)}</p>`]),
    ...list(items),
    '</section>',
  ]
}

function list(items: readonly Item[]): string[] {
  return items.length === 0 ? [] : ['<ul>', ...items.map(itemHtml), '</ul>']
}

function itemHtml({ isNew, mark, words, more }: Item): string {
  const line = [
    isNew ? markHtml('new') : '',
    mark === undefined ? '' : markHtml(mark),
    wordsHtml(words),
  ].join('')
  if (more === undefined || more.length === 0) return `<li>${line}</li>`
  return `<li><details><summary>${line}</summary>${list(more).join('\n')}</details></li>`
}

const WORD: Readonly<Record<Emphasis | 'new', string>> = {
  new: 'new',
  gone: 'gone',
  danger: 'look here',
  warning: 'note',
  good: 'ok',
  bad: 'no',
}

function markHtml(mark: keyof typeof WORD): string {
  return `<span class="mark ${mark}">${WORD[mark]}</span> `
}
