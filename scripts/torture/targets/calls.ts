// Targets: what surrounds a call. A person who says yes has seen all of it; no spelling of a path, a variable or a secret gets past its
// rule; and no file that was put in the place of ours is followed.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, posix, win32 } from 'node:path'
import { questionPages } from '../../../src/call/ask-pages.ts'
import type { ConfirmQuestion } from '../../../src/call/context.ts'
import { execPlan } from '../../../src/call/exec/plan.ts'
import { shownText } from '../../../src/call/http/answer.ts'
import { width } from '../../../src/cli/render/layout.ts'
import { withMutex } from '../../../src/io/mutex.ts'
import { appendLine, openLines } from '../../../src/io/write/append-log.ts'
import { RlpError } from '../../../src/model/error.ts'
import type { Policy } from '../../../src/model/policy.ts'
import type { Tool } from '../../../src/model/tools.ts'
import { isForbiddenEnv } from '../../../src/policy/code-variables.ts'
import { isGranted } from '../../../src/policy/containment.ts'
import { implied } from '../../../src/policy/need.ts'
import { NO_GRANTS } from '../../../src/scaffold/grant.ts'
import { printable } from '../../../src/text/printable.ts'
import { UNHELD } from '../../../test/support/unheld.ts'
import { TEXTS } from '../mutate/nasty.ts'
import { mutateText } from '../mutate/text.ts'
import type { Random } from '../random.ts'
import { demand, type Target } from './target.ts'

const TOOL = {
  id: 'a.b',
  description: 'Does it.',
  capabilities: [],
  secrets: [],
  rlp: { stdin: true, env: [] },
}
const UNITS = ['x', ' ', '\n', '界', '\u202e', '\u001b[2J', '"', '🙂', 'e\u0301', ...TEXTS]
const FOLDER = '/srv/data'
const POLICY: Policy = { ...NO_GRANTS, fsRw: [FOLDER] }
/** Of families that decide which code runs. */
const VARIABLES = [
  'LD_',
  'DYLD_',
  'PERL5',
  'RUBY',
  'GIT_',
  'PYTHON',
  'NODE_OPT',
  'BASH_',
  'JAVA_',
  'npm_config_',
]

export const CALL_TARGETS: readonly Target[] = [
  { name: 'confirm', share: 120, make: question, answer: judgeQuestion },
  {
    name: 'folder',
    share: 300,
    make: random =>
      mutateText(random, `${FOLDER}/${random.pick(['x', '..\\..\\etc', '../etc', '.', '~/x'])}`, [
        ...['/', '\\', '..', './', '/../', '\0', '\n', '%2e%2e', '\u2028', '~', 'fs_rw:'],
      ]),
    answer: judgeFolder,
  },
  {
    name: 'variable',
    share: 100,
    make: random =>
      Buffer.from(random.pick(VARIABLES) + random.pick(['', 'X', 'LIB', 'SSH', '\n', ' ', '__'])),
    answer(input) {
      const name = Buffer.from(input).toString()
      for (const spelt of [name, name.toLowerCase(), name.toUpperCase()])
        demand(isForbiddenEnv(spelt), `${spelt} may be passed on`)
      return 'refused'
    },
  },
  { name: 'redirect', share: 200, make: redirect, answer: judgeRedirect },
  {
    name: 'planted',
    share: 30,
    make: random =>
      Buffer.from(
        `${random.pick(['link', 'dangling', 'fifo', 'folder', 'chain'])} ${random.pick(['lock', 'log', 'audit'])}`,
      ),
    answer: judgePlanted,
  },
]

function question(random: Random): Buffer {
  const text = () =>
    random
      .pick(UNITS)
      .repeat(1 + random.below(random.once(8) ? 3000 : 40))
      .slice(0, 2500)
  const args = Array.from({ length: random.below(12) }, text)
  const given = Object.fromEntries(Array.from({ length: random.below(6) }, () => [text(), [text()]]))
  return Buffer.from(JSON.stringify({ args, given, columns: 20 + random.below(120) }))
}

/** What is cut cannot be confirmed: the pages hold all of it, or there are no pages. */
function judgeQuestion(bytes: Uint8Array): string {
  const { args, given, columns } = JSON.parse(Buffer.from(bytes).toString())
  const limits = { timeoutMs: 1000, outputBytes: 1, errorBytes: 1 }
  const tool = TOOL as unknown as Tool
  const plan = execPlan(
    tool,
    { command: '/bin/x', args },
    { env: {}, variables: [], cwd: '/tmp', limits, sandbox: UNHELD },
  )
  const agent = { name: 'mini 1.0.0', bundle: null } as unknown as ConfirmQuestion['agent']
  const pages = questionPages({ agent, tool, plan, arguments: given }, columns, 24)
  if (pages === undefined) {
    demand(bytes.length > 2_000, 'a short call cannot be confirmed')
    return 'too long'
  }
  for (const line of pages.flat()) demand(width(line) <= columns + 2, 'a line is wider than the terminal')
  for (const page of pages) demand(page.length <= 16, 'a page is longer than a terminal')
  const bare = (text: string) => text.replace(/\s+/g, '')
  const shown = bare(pages.flat().join(''))
  const whole = Number.POSITIVE_INFINITY
  const json = JSON.stringify(given, null, 2).split('\n')
  demand(shown.endsWith(bare(json.map(line => printable(line, whole)).join(''))), 'an argument is cut')
  for (const arg of args as string[]) {
    const spelt = [arg, JSON.stringify(arg)].map(one => bare(printable(one, whole)))
    demand(
      spelt.some(one => shown.includes(one)),
      'an argument of the command is not shown',
    )
  }
  return pages.length > 1 ? 'pages' : 'one page'
}

function judgeFolder(bytes: Uint8Array): string {
  const path = Buffer.from(bytes).toString()
  if (!isGranted(implied(`fs_rw:${path}`, []), POLICY)) return 'refused'
  const places = [posix.normalize(path), win32.normalize(path).replaceAll('\\', '/')]
  for (const place of places)
    demand(
      place === FOLDER || place.startsWith(`${FOLDER}/`),
      `${JSON.stringify(path)} is granted, and is ${place}`,
    )
  demand(!/[\u0000-\u001f\u007f\u2028\u2029]/.test(path), 'a control character is granted')
  return 'granted'
}

const SECRET = 'Tr0ub4dor-XyZ-Ünique'

function redirect(random: Random): Buffer {
  const spelt = random.pick([SECRET, SECRET.toLowerCase(), new URL(`http://${SECRET}.x/`).hostname])
  const around = mutateText(random, 'redirects to https://@/path?x=@ and more', ['.', '/', ' ', '\u200b'])
  return Buffer.from(around.toString().replaceAll('@', `${spelt}.evil.example`))
}

function judgeRedirect(bytes: Uint8Array): string {
  const request = { secrets: new Map([['s', SECRET]]), hide: (text: string) => text }
  const shown = shownText(Buffer.from(bytes).toString(), request)
  const ascii = new URL(`http://${SECRET}.x/`).hostname.slice(0, -2)
  for (const spelt of [SECRET, SECRET.toLowerCase(), ascii])
    demand(!shown.includes(spelt), 'a secret in a host is shown')
  return shown.includes('***') || shown.includes('…') ? 'masked' : 'shown'
}

/** Puts something in the place of a lock or a log. It is refused, at once, and what a link leads to stays as it was. */
async function judgePlanted(input: Uint8Array, folder: string): Promise<string> {
  const [what = '', where = ''] = Buffer.from(input).toString().split(' ')
  const path = join(folder, 'planted')
  const theirs = join(folder, 'theirs')
  writeFileSync(theirs, 'theirs')
  if (what === 'fifo') execFileSync('mkfifo', [path])
  else if (what === 'folder') mkdirSync(path)
  else if (what === 'chain') {
    symlinkSync(theirs, join(folder, 'between'))
    symlinkSync(join(folder, 'between'), path)
  } else symlinkSync(what === 'link' ? theirs : join(folder, 'nothing'), path)
  const use =
    where === 'lock'
      ? withMutex(path, 'try it', async () => 'taken', undefined, 50)
      : where === 'audit'
        ? Promise.resolve().then(() => {
            appendLine(path, 'log', 'x\n')
            return 'taken'
          })
        : openLines(path, 'log').then(async log => {
            await log.append('x\n')
            await log.close()
            return 'taken'
          })
  const answer = await use.catch(error => {
    if (error instanceof RlpError) return error.code
    throw error
  })
  demand(answer !== 'taken', `a ${what} is used as a ${where}`)
  demand(readFileSync(theirs, 'utf8') === 'theirs', 'what a link leads to was written')
  demand(!existsSync(join(folder, 'nothing')), 'what a link leads to was made')
  return answer
}
