import {
  credentialArgument,
  credentialIn,
  credentialParameter,
  isLiteralCredential,
} from '../../../format/credential.ts'
import { readTemplate } from '../../../format/template.ts'
import { quoteText } from '../../../format/text/quote.ts'
import { TOOLS_FILE } from '../../../model/agent.ts'
import type { Pointer } from '../../../model/document.ts'
import type { Transport } from '../../../model/tools.ts'
import type { Rule } from '../rule.ts'

export const secretsLiteral: Rule = {
  id: 'secrets/literal',
  severity: 'warning',
  scope: 'source',
  summary: 'a credential is written into tools.json',
  why: 'Whoever gets the bundle gets the credential, for as long as it is valid: a signed file cannot be cleaned afterwards.',
  fix: 'Revoke it, put a new one into the store of secrets, and write {{secret:<id>}} in a header.',
  *check(agent) {
    for (const [index, { transport }] of (agent.tools?.tools ?? []).entries()) {
      for (const { at, what } of literals(transport)) {
        yield {
          file: TOOLS_FILE,
          place: { pointer: ['tools', index, 'transport', ...at] },
          // The credential itself has no place in a report.
          message: what,
          fix: transport.kind === 'exec' ? FIX_EXEC : FIX_HTTP,
        }
      }
    }
  },
}

const FIX_HTTP = 'Revoke it, list a secret in secrets, and write {{secret:<id>}} in a header'
const FIX_EXEC = 'Revoke it, and list a secret in secrets: the program gets it in its environment'

interface Literal {
  readonly at: Pointer
  readonly what: string
}

function* literals(transport: Transport): Generator<Literal> {
  if (transport.kind === 'exec') {
    const flagged = credentialArgument(transport.args)
    for (const [index, arg] of transport.args.entries()) {
      const kind = credentialIn(arg)
      const what = kind ?? (index === flagged ? 'a credential' : undefined)
      if (what !== undefined) yield { at: ['args', index], what: `The argument holds ${what}` }
    }
    return
  }
  const { url, headers } = transport
  const parameter = credentialParameter(url)
  const inUrl = credentialIn(url)
  if (inUrl !== undefined) yield { at: ['url'], what: `The url holds ${inUrl}` }
  else if (parameter !== undefined)
    yield { at: ['url'], what: `The url holds a credential as ${quoteText(parameter)}` }
  for (const [name, value] of Object.entries(headers)) {
    const parts = readTemplate(value)
    const text = parts.map(part => (part.kind === 'text' ? part.text : ' ')).join('')
    const kind = credentialIn(text)
    const isWhole = parts.every(part => part.kind === 'text') && isLiteralCredential(name, text)
    if (kind === undefined && !isWhole) continue
    yield { at: ['headers', name], what: `The header ${quoteText(name)} holds ${kind ?? 'a credential'}` }
  }
}
