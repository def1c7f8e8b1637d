import { quoteText } from '../../../format/text/quote.ts'
import { judgedPatterns } from '../pattern-facts.ts'
import type { SourceRule } from '../rule.ts'
import { placeIn } from '../schema-list.ts'
import { schemasInSteps } from '../schemas.ts'

export const schemaPatternUndecided: SourceRule = {
  id: 'schema/pattern-undecided',
  severity: 'info',
  scope: 'source',
  summary: 'a pattern of which lint cannot say whether it is slow',
  why: 'It may be fine. It is long, deep or it takes the checker more steps than it may take, which are the same on every machine; a missing finding does not mean that it is fast.',
  fix: 'Write it in a simpler way, or look at it yourself: a text of many characters that nearly fits must fail at once.',
  *check(agent, prepared) {
    yield* schemasInSteps(agent)
    for (const { where, pointer, part, pattern, fact } of judgedPatterns(agent, prepared)) {
      yield
      if (fact.is !== 'undecided') continue
      yield {
        ...placeIn(where, pointer, part),
        message: `Whether the pattern ${quoteText(pattern, 40)} is slow was not decided: ${fact.why}`,
        fix: 'Write it in a simpler way, or try it on a long text that nearly fits',
      }
    }
  },
}
