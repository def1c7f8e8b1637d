// Results of cases → a line for each, for people.
import { SYMBOLS } from '../../cli/render/style.ts'
import { printable } from '../../text/printable.ts'
import { plural } from '../../text/words.ts'
import { type CaseFormat, isFulfilled } from './format.ts'

export const caseText = {
  name: 'text',
  render({ tested, quiet }, style) {
    const lines = tested.flatMap(({ agent, results }) =>
      results
        .filter(one => !quiet || !isFulfilled(one))
        .map(({ file, name, problem }) => {
          const at = style.dim(printable(`${agent}/${file}`))
          if (problem === undefined) return `${style.green(SYMBOLS.ok)} ${printable(name)}  ${at}`
          return `${style.red(SYMBOLS.bad)} ${style.bold(printable(name))}  ${at}\n    ${printable(problem)}`
        }),
    )
    const all = tested.flatMap(({ results }) => results)
    const wrong = all.filter(one => !isFulfilled(one)).length
    const sum = wrong === 0 ? plural(all.length, 'case') : `${wrong} of ${plural(all.length, 'case')} failed`
    return [...lines, ...(quiet ? [] : [sum])].map(line => `${line}\n`).join('')
  },
} as const satisfies CaseFormat
