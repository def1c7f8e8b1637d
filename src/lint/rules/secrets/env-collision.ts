import { secretEnvName } from '../../../format/capability/secret-id.ts'
import { quoteText } from '../../../format/text/quote.ts'
import { TOOLS_FILE } from '../../../model/agent.ts'
import type { Rule } from '../rule.ts'
import { secretIds } from '../secret-ids.ts'

export const secretsEnvCollision: Rule = {
  id: 'secrets/env-collision',
  severity: 'warning',
  scope: 'source',
  summary: 'two secrets share one environment variable',
  why: 'Secrets are looked up and handed to programs as variables. With two ids for one variable, one of them gets the value of the other, and the wrong host or program with it.',
  fix: 'Give the secrets ids that differ in more than punctuation and capitals.',
  *check(agent) {
    const first = new Map<string, string>()
    for (const { id, file, pointer } of secretIds(agent)) {
      yield
      // A grant of a variable is not a secret of its own; the variable is its name.
      const name = id.startsWith('env/') ? id.slice('env/'.length) : secretEnvName(id)
      const other = first.get(name)
      if (other === undefined) first.set(name, id)
      else {
        const message = `${quoteText(id)} and ${quoteText(other)} are both the variable ${quoteText(name)}`
        yield { file, place: { pointer }, message, fix: FIX }
      }
    }
    for (const [index, { rlp, secrets }] of (agent.tools?.tools ?? []).entries()) {
      yield
      const names = new Map(secrets.map(id => [secretEnvName(id), id]))
      for (const [position, name] of rlp.env.entries()) {
        yield
        const id = names.get(name)
        if (id === undefined || first.get(name) !== id) continue
        const pointer = ['tools', index, 'x-rlp', 'env', position]
        const message = `${quoteText(name)} is also the variable of the secret ${quoteText(id)}`
        yield {
          file: TOOLS_FILE,
          place: { pointer },
          message,
          fix: 'Leave the variable out, or rename the secret',
        }
      }
    }
  },
}

const FIX = 'Give one of them an id that differs in more than punctuation and capitals'
