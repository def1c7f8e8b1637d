// The HTML page in a real browser: it asks for nothing, says nothing on the console, fits every width, and axe finds nothing.
// `npm run test:browser`; without Chromium it is skipped with that reason, or fails where RLP_NEEDS=chromium says that it has to be there.
import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { type Browser, chromium, type Page as Tab } from 'playwright-core'
import { temporary } from '../support/folder.ts'
import { policyText, RELEASE, STRANGER, world } from '../support/install-world.ts'
import { SAMPLES } from '../support/page-samples.ts'

const PROGRAM = '/usr/bin/chromium'
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const isThere = existsSync(PROGRAM)
const skip = isThere || process.env['RLP_NEEDS'] === 'chromium' ? false : `there is no ${PROGRAM}`

const folder = temporary('browser')
/** A policy under which the signer may grant nothing. */
const NARROW = ['--trust-policy', 'narrow.toml']
/** Where to keep pictures, to be looked at. */
const pictures = process.env['RLP_PICTURES']

describe('the page in a browser', { skip }, () => {
  let browser: Browser
  const here = world(folder('pages'))

  before(async () => {
    const narrow = here.put(
      'narrow.toml',
      Buffer.from(policyText().replaceAll('allow_exec = true', 'allow_exec = false')),
    )
    chmodSync(join(here.cwd, narrow), 0o644)
    for (const [name, make] of Object.entries(SAMPLES)) here.put(name, make(RELEASE, STRANGER))
    const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking']
    browser = await chromium.launch({ executablePath: PROGRAM, args })
    if (pictures !== undefined) mkdirSync(pictures, { recursive: true })
  })
  after(() => browser.close())

  for (const name of Object.keys(SAMPLES)) {
    test(name, async () => {
      const args = name === 'upgrade' ? ['--against', 'small'] : name === 'denied' ? NARROW : []
      await here.say('agent', 'inspect', name, ...args, '--out', `${name}.html`)
      const path = join(here.cwd, `${name}.html`)
      const verdict = { denied: 'policy_denied', stranger: 'untrusted' }[name] ?? 'trusted'
      assert.match(readFileSync(path, 'utf8'), new RegExp(`<strong>${verdict}</strong>`))
      for (const colorScheme of ['light', 'dark'] as const) {
        const tab = await browser.newPage({ colorScheme, viewport: { width: 1600, height: 900 } })
        const heard = listen(tab)
        await tab.goto(pathToFileURL(path).href)
        for (const width of [320, 480, 800, 1200, 1600]) {
          await tab.setViewportSize({ width, height: 900 })
          const wide = await tab.evaluate('document.documentElement.scrollWidth')
          assert.ok(Number(wide) <= width, `${name} ${colorScheme}: ${wide} of ${width}`)
          // The page says that a picture goes on exactly where it is cut off.
          const [isCut, isSaid] = (await tab.evaluate(PICTURE)) as boolean[]
          assert.equal(isSaid, isCut, `${name} at ${width}`)
          assert.equal(isCut, width < 736, `${name} at ${width}`)
          if (pictures !== undefined && (width === 320 || width === 1200))
            await tab.screenshot({
              path: join(pictures, `${name}-${colorScheme}-${width}.png`),
              fullPage: true,
            })
        }
        await tab.evaluate('document.querySelectorAll("details").forEach(one => { one.open = true })')
        assert.deepEqual(heard, [], `${name} ${colorScheme}`)
        assert.deepEqual(await violations(tab), [], `${name} ${colorScheme}`)
        await tab.close()
      }
      const tab = await browser.newPage()
      await tab.goto(pathToFileURL(path).href)
      const paper = await tab.pdf()
      assert.equal(paper.subarray(0, 5).toString(), '%PDF-')
      await tab.close()
    })
  }
})

/** Whether the picture is wider than its place, and whether a sentence says so. */
const PICTURE = `(() => {
  const { scrollWidth, clientWidth } = document.querySelector('.wide')
  return [scrollWidth > clientWidth, document.querySelector('.narrow').offsetHeight > 0]
})()`

/** Everything that the page says, asks for or opens. */
function listen(tab: Tab): string[] {
  const heard: string[] = []
  tab.on('console', message => heard.push(`console: ${message.text()}`))
  tab.on('pageerror', error => heard.push(`error: ${error.message}`))
  tab.on('dialog', dialog => heard.push(`dialog: ${dialog.message()}`))
  tab.on('request', request => {
    if (!request.url().startsWith('file:') || !request.isNavigationRequest()) heard.push(request.url())
  })
  return heard
}

/** Evaluated by the debugger: the page's own policy allows no script. */
async function violations(tab: Tab): Promise<string[]> {
  await tab.evaluate(axe)
  const found = await tab.evaluate('axe.run().then(({ violations }) => violations)')
  const list = found as { id: string; nodes: { html: string }[] }[]
  return list.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`)
}
