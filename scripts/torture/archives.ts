// Campaign 3: every archive that another program was fooled by. Each is refused for its own reason, with nothing accepted from it and
// nothing written, by the verifier and by install, plain and in gzip.
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { outline } from '../../src/agent/read-in-turns.ts'
import { readBundle } from '../../src/io/bundle/read-bundle.ts'
import { verify } from '../../src/verify/verify.ts'
import { contents, type World, world } from '../../test/support/install-world.ts'
import { KEYS, trustContext } from '../../test/support/trust-world.ts'
import { EXTENDED } from './archives/extended.ts'
import { JOINED } from './archives/joined.ts'
import { LINKS } from './archives/links.ts'
import { NAMES } from './archives/names.ts'
import { SIZES } from './archives/sizes.ts'
import { BUNDLE, type Trick } from './archives/trick.ts'
import { WRAPPED } from './archives/wrapped.ts'
import type { Campaign, Session } from './campaign.ts'

/** By what they play with. */
export const TRICKS: Readonly<Record<string, readonly Trick[]>> = {
  links: LINKS,
  names: NAMES,
  sizes: SIZES,
  extended: EXTENDED,
  joined: JOINED,
  wrapped: WRAPPED,
}

const ANY = '{ allow_caps = "any", allow_net = "any", allow_exec = true }'
const POLICY = `[anchors]\nr = "${KEYS.release.anchor}"\n[rules]\nr = ${ANY}\n`
const TRUST = trustContext({ policies: [POLICY] })

export const campaign: Campaign = {
  name: 'archives',
  summary: 'every known trick with archives is refused for its own reason, and nothing is written',
  isEndless: false,
  async run(session) {
    const here = installWorld(session)
    await control(session, here)
    for (const [kind, tricks] of Object.entries(TRICKS)) {
      // All of them are verified in a slice too; a few are also tried to be installed.
      const installed = new Set(session.some(tricks, 2))
      for (const trick of tricks) {
        if (!session.begin(trick.name, kind)) continue
        const found = [
          ...(await notVerified(trick, kind !== 'wrapped')),
          ...(installed.has(trick) ? await notInstalled(trick, here) : []),
        ]
        const after = trick.after === undefined ? '' : ` (${trick.after})`
        for (const what of found) session.defect({ case: trick.name, what: what + after, input: trick.bytes })
      }
    }
  },
}

function installWorld({ folder }: Session): World {
  const cwd = join(folder, 'cwd')
  mkdirSync(cwd)
  return world(cwd)
}

/** Without the trick the bundle is trusted: else every refusal below would prove nothing. */
async function control(session: Session, here: World): Promise<void> {
  if (!session.begin('control')) return
  for (const bytes of [BUNDLE, gzipSync(BUNDLE)]) {
    const verdict = await judged(bytes)
    if (verdict.word !== 'trusted')
      session.defect({ case: 'control', what: `it is ${verdict.word}: ${verdict.message}` })
  }
  const { envelope } = await here.install(
    here.put('good', BUNDLE),
    '--allow-unsigned',
    '--trust-policy',
    here.put('p.toml', Buffer.from(POLICY)),
    '--yes',
    '--root',
    'control',
  )
  if (!envelope.ok)
    session.defect({ case: 'control', what: `it is not installed: ${JSON.stringify(envelope)}` })
}

async function notVerified({ bytes, says }: Trick, isPlain: boolean): Promise<string[]> {
  const found: string[] = []
  for (const form of isPlain ? [bytes, gzipSync(bytes)] : [bytes]) {
    const { word, codes, message, isAccepted } = await judged(form)
    if (word !== 'invalid' || isAccepted || codes.join() !== 'not_canonical' || !says.test(message))
      found.push(`expected invalid, not_canonical and ${says}; found ${word}, ${codes} and "${message}"`)
  }
  return found
}

async function notInstalled({ bytes }: Trick, here: World): Promise<string[]> {
  const before = Object.keys(contents(here.cwd)).length
  here.put('trick', bytes)
  const { exit, envelope } = await here.install('trick', '--allow-unsigned', '--force', '--yes')
  const now = Object.keys(contents(here.cwd)).length
  return [
    ...(exit === 1 && !envelope.ok
      ? []
      : [`install ends with ${exit}: ${JSON.stringify(envelope).slice(0, 300)}`]),
    ...(now - before > 1 || existsSync(here.root) ? [`install wrote ${now - before - 1} files`] : []),
  ]
}

async function judged(bytes: Uint8Array) {
  const { report, bundle } = await verify(await outline(await readBundle(bytes, { keep: 'all' })), {
    expect: 'any',
    trust: TRUST,
    allowUnsigned: true,
  })
  const { verdict: word, reasons } = report
  return {
    word,
    codes: reasons.map(({ code }) => code),
    message: reasons[0]?.message ?? '',
    isAccepted: bundle !== undefined,
  }
}
