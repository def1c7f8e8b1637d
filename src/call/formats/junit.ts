// Results of cases → JUnit's XML, which most pipelines show.
import { junitDocument, junitSuite } from '../../report/junit.ts'
import { xmlText } from '../../text/markup.ts'
import type { CaseResult } from '../cases.ts'
import { type CaseFormat, isFulfilled } from './format.ts'

export const caseJunit: CaseFormat = {
  name: 'junit',
  render({ tested, failed }) {
    const suites = tested.map(({ agent, results }) =>
      junitSuite(agent, results.map(caseOf), { failures: results.filter(one => !isFulfilled(one)).length }),
    )
    const broken = failed.map(({ target, error }) => {
      const wrong = `    <testcase name="it can be tested"><error message="${xmlText(error.message)}"/></testcase>`
      return junitSuite(target, [wrong], { errors: 1 })
    })
    return junitDocument('rlp agent test', [...suites, ...broken])
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
