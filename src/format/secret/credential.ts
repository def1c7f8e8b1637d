// A text → the kind of a literal credential in it, if there is one. Only unmistakable forms: a false alarm costs more trust in the linter
// than it saves.
import type { Range } from '../../model/document.ts'
import { maskRanges } from '../text/mask.ts'

/** Bounded to one pass over any text: a part that can be long is never followed by one that can fail. */
const SHAPES: readonly (readonly [kind: string, shape: RegExp])[] = [
  ['a private key', /-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY-----/],
  // The middle of one of our own key files, without the lines around it.
  ['a private key', /MC4CAQAwBQYDK2VwBCIEI[A-Za-z0-9+/]{20}/],
  ['an AWS access key', /(?<![A-Z0-9])A(?:KIA|SIA)[A-Z2-7]{16}(?![A-Z0-9])/],
  ['a GitHub token', /(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{22})/],
  ['a GitLab token', /(?<![A-Za-z0-9])glpat-[A-Za-z0-9_-]{20}/],
  ['a Slack token', /(?<![A-Za-z0-9])xox[abeoprs]-[A-Za-z0-9-]{10}/],
  ['a Stripe key', /(?<![A-Za-z0-9])[rs]k_live_[A-Za-z0-9]{16}/],
  ['an API key', /(?<![A-Za-z0-9_-])sk-[A-Za-z0-9_-]{20}/],
  ['a Google API key', /(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{35}/],
  ['an npm token', /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{36}/],
  ['a PyPI token', /(?<![A-Za-z0-9])pypi-AgE[A-Za-z0-9_-]{16}/],
  ['a Hugging Face token', /(?<![A-Za-z0-9])hf_[A-Za-z0-9]{30}/],
  ['a SendGrid key', /(?<![A-Za-z0-9])SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{20}/],
  ['a JSON web token', /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,400}\.eyJ[A-Za-z0-9_-]{10}/],
]

/** Programs that read keys hold the line that begins one: only a line with a body behind it is a key. */
const WHOLE_KEY =
  /-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY-----(?:\\[rn]|\s){1,4}(?:Proc-Type:|[A-Za-z0-9+/=]{40})/
/** Style sheets have names such as `sk-fading-circle`: a key has digits and letters of both cases. */
const WHOLE_API_KEY =
  /(?<![A-Za-z0-9_-])sk-(?=[A-Za-z_-]{0,60}[0-9])(?=[a-z0-9_-]{0,60}[A-Z])[A-Za-z0-9_-]{20,200}/

/** The forms for any file: as above, without those that are not unmistakable there. A token that ends by itself is left out. */
export function credentialShapes(): readonly { readonly kind: string; readonly shape: RegExp }[] {
  SHAPES_OF_FILES ??= SHAPES.filter(([kind]) => kind !== 'a JSON web token').map(([kind, shape]) => {
    const isBegin = shape.source.includes('BEGIN')
    const own = isBegin ? WHOLE_KEY : kind === 'an API key' ? WHOLE_API_KEY : shape
    return { kind, shape: new RegExp(own, 'g') }
  })
  return SHAPES_OF_FILES
}

let SHAPES_OF_FILES: readonly { readonly kind: string; readonly shape: RegExp }[] | undefined

/** The same text with a mask over each credential. */
export function withoutCredentials(text: string): string {
  return HINT.test(text) ? maskRanges(text, credentialsIn(text)) : text
}

/** A piece of each form, for texts that hold none: one pass in place of fifteen. */
const HINT =
  /PRIVATE KEY|MC4CAQAwBQYDK2VwBCIEI|AKIA|ASIA|gh[pousr]_|github_pat_|glpat-|xox[abeoprs]-|k_live_|sk-|AIza|npm_|pypi-|hf_|SG\.|eyJ/

export function credentialIn(text: string): string | undefined {
  return SHAPES.find(([, shape]) => shape.test(text))?.[0]
}

/** The characters that continue a credential. */
const MORE = /[A-Za-z0-9_+/=.-]*/y
/** A key in PEM continues to its end line; if that is missing, as far as its characters go. */
const MORE_PEM = /[A-Za-z0-9+/=:,\s-]*/y

/** The ranges of a text that hold credentials of an unmistakable form, at full length. May overlap. */
export function credentialsIn(text: string): Range[] {
  return SHAPES.flatMap(([, shape]) => {
    let end = 0
    return [...text.matchAll(new RegExp(shape, 'g'))].flatMap(({ index, 0: found }) => {
      // One that begins inside the last one is a part of it. Read again from each, a text of nothing but beginnings takes minutes.
      if (index + found.length <= end) return []
      const more = found.endsWith('-----') ? MORE_PEM : MORE
      more.lastIndex = index + found.length
      end = index + found.length + (more.exec(text)?.[0].length ?? 0)
      return [{ start: index, end }]
    })
  })
}

/** Headers that always carry a credential. */
const HEADERS =
  /^(?:authorization|x-api-key|api-key|apikey|x-auth-token|x-access-token|private-token|x-goog-api-key)$/i

/** Words before a credential in `Authorization`. */
const SCHEME = /^(?:basic|bearer|token|apikey|bot|key|digest)\s+/i

/** Whether such a header holds a literal credential. `value` is without placeholders. */
export function isLiteralCredential(name: string, value: string): boolean {
  const text = value.trim().replace(SCHEME, '')
  return HEADERS.test(name) && text !== '' && !SCHEME.test(`${text} `) && !isExample(text) && !isName(text)
}

const PARAMETER =
  /^(?:api[_-]?key|access[_-]?token|auth[_-]?token|token|password|passwd|client[_-]?secret|secret)$/i
const FLAG =
  /^--?(?:api-?key|access-?token|auth-?token|token|password|passwd|client-?secret|secret)(?:=(.*))?$/is
const SHORTEST = 6

/** The name of a url's query parameter that holds a literal credential. */
export function credentialParameter(url: string): string | undefined {
  const query = /\?([^#]*)/.exec(url)?.[1] ?? ''
  for (const pair of query.split('&')) {
    const at = pair.indexOf('=')
    const [name, value] = [pair.slice(0, Math.max(at, 0)), pair.slice(at + 1)]
    if (PARAMETER.test(name) && isLiteral(value)) return name
  }
  return undefined
}

/** Index of the argument that holds a literal credential after a flag: `--token=x`, `--token x`. */
export function credentialArgument(args: readonly string[]): number | undefined {
  const at = args.findIndex((arg, index) => {
    const [flag, value] = FLAG.exec(arg) ?? []
    return flag !== undefined && isLiteral(value ?? args[index + 1] ?? '')
  })
  if (at === -1) return undefined
  return FLAG.exec(args[at] ?? '')?.[1] === undefined ? at + 1 : at
}

/** Paths, variables and placeholders name a value elsewhere; another flag is not a value. */
function isLiteral(value: string): boolean {
  return (
    value.length >= SHORTEST &&
    !/^[-/~.@]/.test(value) &&
    !value.includes('{{') &&
    !isExample(value) &&
    !isName(value)
  )
}

/** A variable, or a placeholder of another system: `${TOKEN}`, `%TOKEN%`, `<token>`, `env:TOKEN`, `YOUR_TOKEN`. */
function isName(value: string): boolean {
  return /^(?:[${<]|%[A-Za-z_][A-Za-z0-9_]*%$|(?:env|vault|op|secret|secrets)[:.]|(?:your|my|insert|replace|enter)[_-]|[*.…]+$)/i.test(
    value,
  )
}

function isExample(value: string): boolean {
  return /^(?:demo|test|example|sample|changeme|your|xxx|<|none|null|anonymous|public|guest)/i.test(value)
}
