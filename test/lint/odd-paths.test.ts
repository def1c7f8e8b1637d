// Commands and granted paths that are more than the path of one thing: lines, patterns, places without files. Programs and folders whose
// names have spaces are the control.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { read } from '../../src/agent/read-agent.ts'
import { lintAgent } from '../../src/lint/lint.ts'
import { UNPREPARED } from '../../src/lint/rules/rule.ts'
import { oddCommand, programIn } from '../../src/tools/command-oddities.ts'
import { agentTree } from '../support/agent.ts'
import { memoryFiles } from '../support/memory.ts'

describe('a command', () => {
  for (const [command, is] of [
    ['/usr/bin/jq', undefined],
    ['/usr/bin/[', undefined],
    ['/usr/bin/g++', undefined],
    ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome', undefined],
    ['/opt/My Tools/run', undefined],
    ['/opt/R&D/run', undefined],
    ['/devel/proc/run', undefined],
    ['/usr/bin/jq -c', 'line'],
    ['/bin/sh -c id', 'line'],
    ['/usr/local/bin/python3 script.py', 'line'],
    ['/bin/cat /etc/passwd', 'line'],
    ['/opt/tool --json', 'line'],
    ['/bin/ls;id', 'shell'],
    ['/bin/ls | /bin/cat', 'shell'],
    ['/bin/$X', 'shell'],
    ['/bin/*', 'shell'],
    ['/usr/bin/pytho?', 'shell'],
    ['/bin/[a-z]s', 'shell'],
    ['/bin/a&&b', 'shell'],
    ['/bin/sleep&', 'shell'],
    ['/bin/`id`', 'shell'],
    ['/proc/self/exe', 'elsewhere'],
    ['/dev/tcp/a.example/80', 'elsewhere'],
    ['/sys/x', 'elsewhere'],
  ] as const) {
    test(`${command} is ${is ?? 'plain'}`, () => assert.equal(oddCommand(command)?.is, is))
  }

  test('of a line is its first word', () => {
    assert.equal(programIn('/usr/bin/jq -c .'), '/usr/bin/jq')
    assert.equal(programIn('/opt/My Tools/run'), '/opt/My Tools/run')
  })
})

function rulesOf(command: string, policy: string, args: readonly string[] = []): string[] {
  const tool = {
    id: 'a.tool',
    description: 'Does one thing.',
    transport: { kind: 'exec', command, args },
    input_schema: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
    result_schema: true,
  }
  const files = {
    'policy.caps': `[capabilities]\n${policy}\n`,
    'tools.json': JSON.stringify({ version: 1, tools: [tool] }),
  }
  const families = /^(?:tools\/(?:command|shell|code|fetched)|caps\/)/
  return lintAgent(read(memoryFiles(agentTree({ files })), 'mini'), UNPREPARED)
    .map(({ rule }) => rule)
    .filter(rule => families.test(rule))
}

describe('a line as command', () => {
  test('is never granted: not by the fix, and not in silence', () => {
    assert.deepEqual(rulesOf('/usr/bin/jq -c', ''), ['caps/not-granted', 'tools/command-line'])
    assert.deepEqual(rulesOf('/usr/bin/jq -c', 'exec = ["/usr/bin/jq"]'), ['tools/command-line'])
    assert.deepEqual(rulesOf('/usr/bin/jq -c', 'exec = ["/usr/bin/jq -c"]'), [
      'caps/plain-path',
      'tools/command-line',
    ])
    assert.deepEqual(rulesOf('/bin/ls;id', ''), ['tools/command-line'])
    assert.deepEqual(rulesOf('/usr/bin/jq', ''), ['caps/not-granted'])
    assert.deepEqual(rulesOf('/usr/bin/jq', 'exec = ["/usr/bin/jq"]'), [])
  })

  test('hides no shell, no code and nothing that is fetched', () => {
    const all = 'exec = ["/bin/sh", "/usr/bin/npx"]'
    assert.ok(rulesOf('/bin/sh -c id', all).includes('tools/shell-command'))
    assert.ok(rulesOf('/bin/sh', all, ['-c', 'id']).includes('tools/shell-command'))
    assert.ok(rulesOf('/bin/sh -c', all, ['echo {{input.a}}']).includes('tools/code-injection'))
    assert.ok(rulesOf('/usr/bin/npx some-tool', all).includes('tools/fetched-program'))
  })
})

describe('a granted path', () => {
  const said = (policy: string) =>
    rulesOf('/usr/bin/jq', `exec = ["/usr/bin/jq"]\n${policy}`).filter(rule => rule !== 'caps/unused-grant')
  for (const [policy, ...expected] of [
    ['fs = ["~/notes", "/srv/a b"]'],
    ['fs = ["/srv/{a"]', 'caps/entry'],
    ['secrets = ["x/{agent}"]', 'caps/entry'],
    ['fs_ro = ["/srv/$a/{b}"]', 'caps/entry'],
    ['fs = ["/home/*"]', 'caps/plain-path'],
    ['fs_ro = ["/srv/$USER"]', 'caps/plain-path'],
    ['fs_ro = ["/srv/{a,b}"]', 'caps/entry'],
    ['fs_rw = ["/srv//a"]', 'caps/plain-path'],
    ['fs_rw = ["/dev"]', 'caps/broad-grant'],
    ['fs_rw = ["/dev/null"]'],
    ['fs = ["/proc/1/environ"]', 'caps/broad-grant'],
    ['fs = ["/sys"]', 'caps/broad-grant'],
    ['fs = ["/etc/passwd"]', 'caps/broad-grant'],
    ['fs = ["/etc//passwd"]', 'caps/broad-grant', 'caps/plain-path'],
    ['fs = ["/home/ada"]', 'caps/broad-grant'],
    ['fs = ["/home/ada/notes"]'],
    ['fs = ["/srv/a", "/srv//a"]', 'caps/duplicate-grant', 'caps/plain-path'],
  ] as const)
    test(`${policy}: ${expected.join(' and ') || 'nothing'}`, () => assert.deepEqual(said(policy), expected))
})
