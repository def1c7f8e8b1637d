// Results of cases → JUnit's XML, which most pipelines show.
import { xmlText } from '../../text/xml-text.ts'
import type { CaseResult } from '../run-cases.ts'
import { type CaseFormat, isFulfilled } from './format.ts'

export const caseJunit: CaseFormat = {
  name: 'junit',
  render({ tested, failed }) {
    const suites = tested.map(({ agent, results }) => {
      const wrong = results.filter(one => !isFulfilled(one)).length
      return [
        `  <testsuite name="${xmlText(agent)}" tests="${results.length}" failures="${wrong}" errors="0">`,
        ...results.map(one => caseOf(one)),
        '  </testsuite>',
      ].join('\n')
    })
    const broken = failed.map(({ target, error }) =>
      [
        `  <testsuite name="${xmlText(target)}" tests="1" failures="0" errors="1">`,
        `    <testcase name="it can be tested"><error message="${xmlText(error.message)}"/></testcase>`,
        '  </testsuite>',
      ].join('\n'),
    )
    return `${['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites name="rlp agent test">', ...suites, ...broken, '</testsuites>'].join('\n')}\n`
  },
}

function caseOf({ file, name, tool, problem, durationMs }: CaseResult): string {
  const attributes = [
    `classname="${xmlText(tool)}"`,
    `name="${xmlText(name)}"`,
    `file="${xmlText(file)}"`,
    `time="${(durationMs / 1000).toFixed(3)}"`,
  ].join(' ')
  if (problem === undefined) return `    <testcase ${attributes}/>`
  return `    <testcase ${attributes}><failure message="${xmlText(problem)}"/></testcase>`
}
