// Target: a text of hundreds of thousands of letters, alike but for its end, in the place of any other text: what an expression that
// tries one way after the other never gets to the end of.

import { parse, stringify } from 'smol-toml'
import { read } from '../../../src/agent/read-agent.ts'
import { outline } from '../../../src/agent/read-in-turns.ts'
import { usable } from '../../../src/caps/overrides.ts'
import { createStyle } from '../../../src/cli/render/style.ts'
import { readBundle } from '../../../src/io/bundle/read-bundle.ts'
import { lintAgent } from '../../../src/lint/lint.ts'
import { lintAgentcli } from '../../../src/lint/lint-file.ts'
import { renderFindings } from '../../../src/lint/render.ts'
import { UNPREPARED } from '../../../src/lint/rules/rule.ts'
import { readPolicySource } from '../../../src/trust-policy/read-policy.ts'
import { verify } from '../../../src/verify/verify.ts'
import { bundleOf } from '../../../test/support/agent.ts'
import { memoryFiles } from '../../../test/support/memory.ts'
import { fixtureTree, textOf } from '../fixture-tree.ts'
import type { Random } from '../random.ts'
import { demand, type Target } from './target.ts'
import { WORDS } from './words.ts'

const UNITS = [
  ...' acA0-_=/.:*@#"\',\\|%$&?!+~^<>[](){}\n\t',
  ...[
    '{{',
    '}}',
    '{{input.a',
    '../',
    'a/',
    'a.',
    'a:',
    'a=',
    'eyJ',
    '-eyJ',
    'sk-',
    '-----BEGIN ',
    '${',
    '$(',
    'x,',
    ' a',
    'a ',
    '0.',
    '::',
    '://',
    '%0',
    '\\u',
    '\\"',
    '[[',
    '(a',
    '🙂',
    '\u200d',
    '\u202e',
    'İ',
  ],
] as const
const ENDS = ['', '!', '\u0001', 'x', '}', '"', ' '] as const
/** Long enough that a square is seconds: a million steps are milliseconds, ten thousand million are not. */
const LENGTH = 120_000

const AGENT = fixtureTree('every-transport')
const RECORDS = fixtureTree('interfaces')
const FILES = [
  'tools.json',
  'policy.caps',
  'manifest.toml',
  'schemas/mail.send.request.v1.json',
  'interfaces.json',
  'agentcli',
  'trust',
  'override',
] as const

const AGENTCLI = JSON.stringify({
  tools: [
    {
      name: 'a',
      description: 'b',
      command: ['./tools/bin/a', 'x'],
      schema: { type: 'object' },
      envPassthrough: ['HOME'],
    },
  ],
})
const TRUST =
  '[anchors]\nrelease = "ed25519:AA"\n[rules]\nrelease = { allow_caps = ["kb_read:a"], allow_net = ["a.example:1"], agents = ["m"] }\n[revoked]\n"ed25519:AA" = { since = "2026-01-01", reason = "x" }\n'

export const LONG_TARGET: Target = {
  name: 'long',
  share: 700,
  make(random) {
    const file = random.pick(FILES)
    const long = random.pick(UNITS).repeat(LENGTH).slice(0, LENGTH) + random.pick(ENDS)
    return Buffer.from(
      JSON.stringify({
        file,
        text: written(random, file, `${random.pick(['', '', '-', 'a', 'net:', 'https://'])}${long}`),
      }),
    )
  },
  async answer(input) {
    const { file, text } = JSON.parse(Buffer.from(input).toString()) as {
      file: (typeof FILES)[number]
      text: string
    }
    const bytes = Buffer.from(text)
    if (file === 'agentcli') {
      const { agent, findings } = lintAgentcli({
        path: 'tools.json',
        label: 'x',
        bytes,
        manifestDir: '/x',
        platform: 'posix',
      })
      renderFindings({ agent, findings }, createStyle(false), 80)
    } else if (file === 'trust') readPolicySource('trust-policy.toml', 'given', bytes)
    else if (file === 'override') usable([{ label: 'o', for: 'm', bytes }])
    else {
      const tree = { ...(file === 'interfaces.json' ? RECORDS : AGENT), [file]: bytes }
      const agent = read(memoryFiles(tree), 'agent')
      const findings = lintAgent(agent, UNPREPARED)
      const shown = renderFindings({ agent, findings }, createStyle(false), 80)
      demand(shown.length < 2_000_000, `its findings are ${shown.length} characters`)
      await verify(await outline(await readBundle(bundleOf(tree), { keep: 'parsed' })), { expect: 'any' })
    }
    return file
  },
}

/** The document with one of its texts or keys replaced. */
function written(random: Random, file: (typeof FILES)[number], long: string): string {
  if (file === 'agentcli') return JSON.stringify(put(random, JSON.parse(AGENTCLI), long))
  if (file === 'trust') return stringify(put(random, parse(TRUST), long) as Record<string, unknown>)
  const from = textOf(
    file === 'interfaces.json' ? RECORDS : AGENT,
    file === 'override' ? 'policy.caps' : file,
  )
  // As it is, too: a comment, a syntax error, a key without quotes.
  if (random.once(6)) return random.once(2) ? `${from}\n${long}` : `${long}\n${from}`
  if (!file.endsWith('.json')) return stringify(put(random, parse(from), long) as Record<string, unknown>)
  const value = JSON.parse(from)
  if (file.startsWith('schemas/') && random.once(3)) value[random.pick(WORDS.schema)] = long
  return JSON.stringify(put(random, value, long))
}

function put(random: Random, value: unknown, long: string): unknown {
  if (typeof value === 'string') return random.once(3) ? value + long : long
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  const keys = Object.keys(value)
  const key = random.pick(keys.length === 0 ? [''] : keys)
  if (Array.isArray(value))
    return value.map((inner, index) => (String(index) === key ? put(random, inner, long) : inner))
  const table = value as Record<string, unknown>
  if (random.once(12)) return { ...table, [long]: table[key] }
  return { ...table, [key]: put(random, table[key], long) }
}
