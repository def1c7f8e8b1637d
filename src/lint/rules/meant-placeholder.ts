// Guesses what an author meant by a placeholder in two braces that this format does not have, and by a grant that differs from another by a slip: a typing
// error, a hyphen for an underscore, a program in another folder. Numbers count: api1 is not api2.
import type { Family } from '../../model/policy.ts'
import { capabilityFamily } from '../../policy/families/index.ts'
import { unsentSecrets } from '../../secret/unsent-secrets.ts'
import { editDistance } from '../../text/edit-distance.ts'
import { quoteText } from '../../text/quote.ts'
import { findInput } from '../../tools/template-input.ts'
import type { TemplateText } from '../../tools/transports/kind.ts'
import type { ToolSubject } from '../subjects.ts'

/** `{{city}}`, `{{ input.city }}`, `{{args.city | urlencode}}`, `{{.City}}`, `<%= city %>`: a name, perhaps with a word before it and a filter behind it. */
const NAMED =
  /^(?:\{\{|<%=?|\{%)\s*\$?(?:(?:inputs?|args?|arguments|params?|parameters|values|json|body|data)\.)?\.?\$?([A-Za-z0-9_-]{1,100}(?:\.[A-Za-z0-9_-]{1,100}){0,8})\s*(?:\|[^{}]{0,100})?(?:\}\}|%>|%\})$/

const VARIABLE = /^\{\{\s*(?:(?:env|secrets?|vars?|process\.env)[.:])?([A-Z_][A-Z0-9_]*)\s*\}\}$/

/** The fix; undefined if it cannot be told. */
export function placeholderMeant(
  text: string,
  where: TemplateText['where'],
  subject: ToolSubject,
): string | undefined {
  const name = NAMED.exec(text)?.[1]
  const fact = name === undefined ? undefined : findInput(subject.tool, name.split('.'), subject.fileAt)
  if (fact?.is === 'known') return writeInput(String(name))
  if (where !== 'header') return undefined
  const [, word, id = ''] = NAMED_SECRET.exec(text) ?? []
  if (subject.tool.secrets.includes(id)) return writeSecret(id)
  const isOther = (word !== undefined || id.includes('/')) && unsentSecrets(subject.tool).length === 1
  return isOther || VARIABLE.test(text) ? secretFix(subject) : undefined
}

/** `{{secrets.api_key}}`, `{{vault:api_key}}`, `{{runloop/mail/api_key}}` */
const NAMED_SECRET = /^\{\{\s*(?:(secrets?|vault|env)[.:])?([A-Za-z0-9_./-]{1,200})\s*\}\}$/

function writeSecret(id: string): string {
  return `Replace it with ${quoteText(`{{secret:${id}}}`, 100)}`
}

/** @param name the path of an argument: `draft.id` */
export function writeInput(name: string): string {
  return `Replace it with ${quoteText(`{{input.${name}}}`, 100)}`
}

/** What to write for a variable in a header: the one secret that the tool lists and does not send, if there is one. */
export function secretFix({ tool }: ToolSubject): string {
  const [only, ...others] = unsentSecrets(tool)
  return only === undefined || others.length > 0
    ? 'List a secret in secrets, and replace it with {{secret:<id>}}'
    : writeSecret(only.id)
}

/** Parts of a name that are shorter are rather two names than one and a slip. */
const SHORTEST = 4

/** The most entries that are compared: a person writes no more. */
const MOST = 200

/** @param key the list that both are entries of */
export function nearGrant(key: Family, entry: string, others: readonly string[]): string | undefined {
  const { scope } = capabilityFamily(key)
  return others.slice(0, MOST).find(other => {
    if (other === entry) return false
    if (scope === 'program' && baseName(other) === baseName(entry)) return true
    return scope === 'name' ? plain(other) === plain(entry) || isSlip(entry, other) : isSlip(entry, other)
  })
}

/** Of a secret or a domain the capitals and the signs between the words are easily mistaken. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9/]/g, '')
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

function isSlip(a: string, b: string): boolean {
  const [one, other] = [a.split(/[./:]/), b.split(/[./:]/)]
  if (one.length !== other.length) return false
  const differing = one.flatMap((part, index) =>
    part === other[index] ? [] : [[part, other[index] ?? ''] as const],
  )
  const [first] = differing
  if (first === undefined || differing.length > 1) return false
  const [x, y] = first
  const isNumbered = x.replace(/[0-9]/g, '') === y.replace(/[0-9]/g, '')
  return Math.min(x.length, y.length) >= SHORTEST && !isNumbered && editDistance(x, y, 1) === 1
}
