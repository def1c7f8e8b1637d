// Target: one structure again and again. The worker bounds the processor time and the memory of a case: at the largest size that is some
// microseconds and some hundred bytes of memory for each byte, which work that grows with the square exceeds many times.

import { read } from '../../../src/agent/read-agent.ts'
import { lintAgent } from '../../../src/lint/lint.ts'
import { UNPREPARED } from '../../../src/lint/rules/rule.ts'
import { memoryFiles } from '../../../test/support/memory.ts'
import { fixtureTree } from '../fixture-tree.ts'
import type { Random } from '../random.ts'
import { demand, type Target } from './target.ts'

const AGENT = fixtureTree('every-transport')
const SIZES = [1_000, 30_000, 300_000] as const

const tool = (more: string) => `{"id":"a#","description":"d","input_schema":{},"result_schema":{},${more}}`
const http = (more: string) => tool(`"transport":{"kind":"http","method":"GET",${more}}`)
const exec = (more: string) => tool(`"transport":{"kind":"exec","command":"/bin/sh",${more}}`)

/** `before`, then `unit` as often as fits, then `after`; `#` in the unit counts. */
interface Repeat {
  readonly file: string
  readonly before: string
  readonly unit: string
  readonly after: string
}

const inTool = (text: string): Repeat => {
  const [before = '', unit = '', after = ''] = text.split('@')
  return { file: 'tools.json', before: `{"version":1,"tools":[${before}`, unit, after: `${after}]}` }
}
const inSchema = (before: string, unit: string, after: string): Repeat => ({
  file: 'schemas/mail.send.request.v1.json',
  before,
  unit,
  after,
})
const inPolicy = (before: string, unit: string, after: string): Repeat => ({
  file: 'policy.caps',
  before: `[capabilities]\n${before}`,
  unit,
  after,
})

const REPEATS: readonly Repeat[] = [
  inTool(http('"url":"https://a.example/@{{input.a}}/@"')),
  inTool(exec('"args":["@{{input.a}}/@"]')),
  inTool(exec('"args":[@"{{input.a#}}",@"x"]')),
  inTool(exec('"args":["-c","@echo x | sh; @"]')),
  inTool(http('"url":"https://a.example/","headers":{@"h#":"{{secret:a}}",@"x":"y"}')),
  inTool(
    `@${http('"url":"https://a#.example/"')},@${tool('"transport":{"kind":"exec","command":"/bin/true"}')}`,
  ),
  inTool(tool('"transport":{"kind":"exec","command":"/bin/true"},"secrets":[@"a#",@"x"]')),
  inTool(
    tool('"transport":{"kind":"exec","command":"/bin/true"},"capabilities":[@"net:h#.example",@"time"]'),
  ),
  inTool(tool('"transport":{"kind":"exec","command":"/bin/true"},"x-more":[@{},@{}]')),
  inSchema('{"enum":[', '{},', '{}]}'),
  inSchema('{"enum":[', '"v#",', '0]}'),
  inSchema('{"properties":{', '"p#":{},', '"x":{}}}'),
  inSchema('{"required":[', '"p#",', '"x"]}'),
  inSchema('{"allOf":[', '{"$ref":"#/allOf/0"},', '{}]}'),
  inSchema('{"$defs":{', '"d#":{"items":{"type":"strng"}},', '"x":{}}}'),
  inSchema('{"x-a":', '[', ''),
  inPolicy('net = [', '"h#.example",', ']\n'),
  inPolicy('fs_ro = [', '"/srv/f#",\n', ']\n'),
  inPolicy('', 'x# = true\n', ''),
  inPolicy('', '# a comment\n', ''),
  inPolicy('net = [', '[],', ']\n'),
]

function written({ before, unit, after }: Repeat, size: number): string {
  const parts: string[] = []
  for (let length = 0, count = 0; length < size; count++) {
    const part = unit.includes('#"') || /#[^/ ]/.test(unit) ? unit.replaceAll('#', String(count)) : unit
    parts.push(part)
    length += part.length
  }
  return before + parts.join('') + after
}

export const REPEATS_TARGET: Target = {
  name: 'repeats',
  share: 60,
  make(random: Random) {
    return Buffer.from(JSON.stringify({ repeat: random.pick(REPEATS), size: random.pick(SIZES) }))
  },
  answer(input) {
    const { repeat, size } = JSON.parse(Buffer.from(input).toString()) as { repeat: Repeat; size: number }
    const agent = read(memoryFiles({ ...AGENT, [repeat.file]: written(repeat, size) }), 'agent')
    const findings = lintAgent(agent, UNPREPARED)
    demand(
      findings.every(({ line, column }) => line >= 1 && column >= 1),
      'a finding is nowhere',
    )
    return findings.some(({ rule }) => rule.endsWith('/too-large')) ? 'too large' : 'judged'
  },
}
