// Targets: smaller texts with a grammar of their own, and the command line as a whole.

import { readIgnoreFile } from '../../../src/agent/ignore-file.ts'
import { lintAgentcli } from '../../../src/lint/lint-file.ts'
import { readCapability } from '../../../src/policy/capability.ts'
import { readHostPort, readUrl } from '../../../src/policy/host.ts'
import { decodeText } from '../../../src/text/decode.ts'
import { pathProblem, splitUstarName } from '../../../src/text/path.ts'
import { printable } from '../../../src/text/printable.ts'
import { readTemplate } from '../../../src/tools/template.ts'
import {
  expectationOfFileName,
  readExpectation,
  readReference,
  referenceText,
} from '../../../src/version/reference.ts'
import { mutateJson } from '../mutate/json.ts'
import { TEXTS } from '../mutate/nasty.ts'
import { mutateText } from '../mutate/text.ts'
import type { Random } from '../random.ts'
import { COMMAND_TARGET } from './command-line.ts'
import { demand, type Target } from './target.ts'
import { WORDS } from './words.ts'

const AGENTCLI = {
  tools: [
    {
      name: 'a',
      description: 'b',
      command: ['./tools/bin/a', '-x'],
      schema: { type: 'object' },
      timeoutSec: 5,
      envPassthrough: ['HOME'],
    },
    {
      name: 'b',
      command: ['/usr/bin/env', 'x'],
      schema: { type: 'object', properties: { q: { type: 'string' } } },
    },
  ],
}
const IGNORE = '# comment\n/build\n*.log\n!keep.log\ndocs/**/x\nfoo/\n[a-c]?.txt\n\\#x\n trailing \n'
const URL_TEXT = 'https://api.mail.example:8443/v1/{{input.a}}?q={{input.b.c}}#x'
const TEMPLATE = 'Bearer {{secret:a/b}} {{input.a.0}} {{ }}'

export const TEXT_TARGETS: readonly Target[] = [
  {
    name: 'agentcli',
    share: 500,
    make: random => mutateJson(random, AGENTCLI, WORDS.agentcli),
    answer: judgeAgentcli,
  },
  {
    name: 'ignore',
    share: 300,
    make: random => mutateText(random, IGNORE, ['**', '*', '!', '[', ']', '/', '?', '{a,b}']),
    answer: judgeIgnore,
  },
  {
    name: 'url',
    share: 300,
    make: random => mutateText(random, URL_TEXT, ['@', '://', '[::1]', '%00', '\\', '?']),
    answer: judgeUrl,
  },
  {
    name: 'template',
    share: 200,
    make: random => mutateText(random, TEMPLATE, ['{{', '}}', 'input.', 'secret:']),
    answer: judgeTemplate,
  },
  { name: 'words', share: 300, make: words, answer: judgeWords },
  COMMAND_TARGET,
]

function judgeAgentcli(bytes: Uint8Array): string {
  const { findings } = lintAgentcli({
    path: 'tools.json',
    label: 'x',
    bytes,
    manifestDir: '/srv/x',
    platform: 'posix',
  })
  for (const { line, column } of findings) demand(line >= 1 && column >= 1, 'a finding without a place')
  return findings.some(({ severity }) => severity === 'error') ? 'errors' : 'reads'
}

const PATHS = [
  'a',
  'build',
  'docs/a/b/x',
  'foo/bar',
  'a'.repeat(250),
  `${'ab/'.repeat(80)}x`,
  'x.log',
  'keep.log',
  '.hidden',
]

function judgeIgnore(bytes: Uint8Array): string {
  const decoded = decodeText(bytes, 64 * 1024)
  if (!decoded.ok) return 'no text'
  const file = readIgnoreFile(decoded.text)
  if (!file.ok) return 'refused'
  for (const path of PATHS) for (const isFolder of [true, false]) file.ignores(path, isFolder)
  return 'reads'
}

function judgeUrl(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString()
  const reach = readUrl(text)
  if ('problem' in reach) return 'refused'
  const parsed = new URL(text.replace(/\{\{[^{}]*\}\}/g, 'x'))
  const port = Number(parsed.port) || (parsed.protocol === 'https:' ? 443 : 80)
  demand(
    parsed.hostname === reach.host && port === reach.port,
    `read as ${reach.host}:${reach.port}, and it is ${parsed.host}`,
  )
  demand(parsed.username === '' && parsed.password === '', 'a user name gets through')
  return 'reads'
}

function judgeTemplate(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString()
  const parts = readTemplate(text)
  demand(parts.map(part => part.text).join('') === text, 'the parts are not the text')
  return parts.some(({ kind }) => kind === 'malformed') ? 'malformed' : 'reads'
}

function words(random: Random): Buffer {
  const base = [
    'mailer@pro@^1.2',
    'mailer-0.1.0.agent.bundle',
    'docs/a.md',
    'net:api.example:443',
    'kb_read:a',
    'api.mаil.example',
    'xn--mnchen-3ya.example:8443',
    '{host}.example',
    '[::1]:80',
    '127.0.0.1',
  ]
  return mutateText(random, random.pick([...base, ...TEXTS]), ['@', '^', '~', '||', '-', '*', ':', '/'])
}

/** A grant, a url and a ceiling read one host the same way, and never one that is not plain ASCII. */
function checkHost(text: string): void {
  const read = readHostPort(text)
  const url = readUrl(`https://${text}/`)
  if ('problem' in read) {
    // What follows these characters is no host to a url.
    demand(/[/?#]/.test(text) || 'problem' in url, 'a url takes a host that no grant can name')
    return
  }
  const plain = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:]+\])$/
  demand(plain.test(read.host) && !read.host.includes('..'), 'a host is not in the grammar')
  if (!('problem' in url)) demand(url.host === read.host, 'a url reads another host than a grant')
}

/** References, file names, paths, capabilities, hosts: each takes any text. */
function judgeWords(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString()
  const reference = readReference(text)
  if (reference !== undefined) demand(referenceText(reference) === text, 'a reference is spelt in two ways')
  readExpectation(text)
  expectationOfFileName(text)
  const problem = pathProblem(text)
  if (problem === undefined) {
    demand(splitUstarName(`agent.bundle/${text}`) !== undefined, 'a path that no header holds')
    demand(!text.split('/').includes('..') && !text.startsWith('/'), 'a path that leads out')
  }
  readCapability(text)
  checkHost(text)
  const shown = printable(text)
  demand(
    !/[\u0000-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2066-\u2069]/.test(shown),
    'a control character is printed',
  )
  return reference === undefined && problem !== undefined ? 'neither' : 'a name'
}
