// docs/conversions.md against the tables of the exporters and importers. UPDATE_GOLDEN=1 writes its tables anew.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { EXPORTERS } from '../../src/convert/exporters/index.ts'
import { IMPORTERS } from '../../src/convert/importers/index.ts'
import { type Fates, FIELDS, type Field } from '../../src/model/conversion.ts'

const FILE = 'docs/conversions.md'
const PAGES = [
  ...EXPORTERS.map(({ format, fates }) => ({ heading: `## To \`${format}\``, fates })),
  ...IMPORTERS.map(({ format, fates }) => ({ heading: `## From \`${format}\``, fates })),
]

function tableOf(fates: Fates): string {
  const rows = (Object.keys(FIELDS) as Field[]).flatMap(field => {
    const fate = fates[field]
    if (fate === undefined) return []
    const also = (fate.may ?? []).filter(what => what !== fate.is).join(', ')
    return [`| \`${field}\` ${FIELDS[field]} | ${fate.is} | ${also} | ${fate.note} |`]
  })
  return ['| fact | becomes | also | where, or why not |', '|---|---|---|---|', ...rows].join('\n')
}

for (const { heading, fates } of PAGES) {
  test(heading, () => {
    const page = readFileSync(FILE, 'utf8')
    assert.ok(page.includes(`\n${heading}\n`), `${FILE} has no section ${heading}`)
    const [before = '', after = ''] = page.split(`\n${heading}\n`)
    const next = after.search(/\n## /)
    const section = next === -1 ? after : after.slice(0, next)
    const found = section
      .split('\n')
      .filter(line => line.startsWith('|'))
      .join('\n')
    const expected = tableOf(fates)
    if (process.env['UPDATE_GOLDEN'] === '1' && found !== expected) {
      const words = section
        .split('\n')
        .filter(line => !line.startsWith('|'))
        .join('\n')
        .trim()
      writeFileSync(
        FILE,
        `${before}\n${heading}\n\n${words}\n\n${expected}\n${next === -1 ? '' : after.slice(next)}`,
      )
      process.stdout.write(`wrote ${FILE}\n`)
    } else assert.equal(found, expected)
  })
}
