// Results of cases → JUnit's XML, which most pipelines show.
import { printable } from '../../format/text/printable.ts'
import { own } from '../../model/own.ts'
import type { CaseResult } from '../run-cases.ts'
import { type CaseFormat, isFulfilled } from './format.ts'

export const junit: CaseFormat = {
  name: 'junit',
  render({ tested, failed }) {
    const suites = tested.map(({ agent, results }) => {
      const wrong = results.filter(one => !isFulfilled(one)).length
      return [
        `  <testsuite name="${escaped(agent)}" tests="${results.length}" failures="${wrong}" errors="0">`,
        ...results.map(one => caseOf(one)),
        '  </testsuite>',
      ].join('\n')
    })
    const broken = failed.map(({ target, error }) =>
      [
        `  <testsuite name="${escaped(target)}" tests="1" failures="0" errors="1">`,
        `    <testcase name="it can be tested"><error message="${escaped(error.message)}"/></testcase>`,
        '  </testsuite>',
      ].join('\n'),
    )
    return `${['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites name="rlp agent test">', ...suites, ...broken, '</testsuites>'].join('\n')}\n`
  },
}

function caseOf({ file, name, tool, problem, durationMs }: CaseResult): string {
  const attributes = [
    `classname="${escaped(tool)}"`,
    `name="${escaped(name)}"`,
    `file="${escaped(file)}"`,
    `time="${(durationMs / 1000).toFixed(3)}"`,
  ].join(' ')
  if (problem === undefined) return `    <testcase ${attributes}/>`
  return `    <testcase ${attributes}><failure message="${escaped(problem)}"/></testcase>`
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

/** XML takes no control characters, not even as entities. */
function escaped(text: string): string {
  return printable(text).replace(/[&<>"]/g, found => own(ENTITIES, found) ?? found)
}
