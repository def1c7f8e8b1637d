// docs/operator.md: where overrides are looked for, and what its example does.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { overridePaths } from '../../src/caps/find-overrides.ts'
import { readOverrideFile } from '../../src/caps/overrides.ts'

const page = readFileSync(new URL('../../docs/operator.md', import.meta.url), 'utf8')

test('the page names every place of an override, in order', () => {
  const listed = [...page.matchAll(/^\| `([^`]*<(?:key|agent)>[^`]*)` \|/gm)].map(([, path = '']) => path)
  const paths = overridePaths({ name: 'mailer' }, { home: '~/.runloop' }).map(({ path }) => path)
  assert.deepEqual(
    listed.map(path => path.replace(/<key>|<agent>/, 'mailer')),
    paths,
  )
})

test('its example is a sound override', () => {
  const [, text = ''] = /```toml\n(# ~\/\.runloop\/caps[^`]*)```/.exec(page) ?? []
  const { says, findings } = readOverrideFile({
    label: 'mailer.toml',
    for: 'mailer',
    bytes: new TextEncoder().encode(text),
  })
  assert.deepEqual(findings, [])
  assert.ok(says)
})
