// A text → the kind of a literal credential in it, if there is one. Only unmistakable forms: a false alarm costs more trust in the linter
// than it saves.
import type { Range } from '../model/document.ts'
import { escapePattern, maskRanges } from '../text/mask.ts'

/** A form of credential: how it begins, which nothing else does, what follows, and what comes before. */
type Form = readonly [kind: string, starts: string, rest: string, before?: string]

const LETTERS = '[A-Za-z0-9]'
const WORDS = '[A-Za-z0-9_-]'
const HEX = '[a-f0-9]'

/**
 * The forms of the default rules of gitleaks (July 2026) that are unmistakable by themselves. Bounded to one pass over any text: a part that
 * can be long is never followed by one that can fail.
 */
const FORMS: readonly Form[] = [
  ['an AWS access key', 'AKIA ASIA ABIA ACCA', '[A-Z2-7]{16}(?![A-Z0-9])'],
  ['a key of Amazon Bedrock', 'ABSK', '[A-Za-z0-9+/]{100}'],
  ['a GitHub token', 'ghp_ gho_ ghu_ ghs_ ghr_', `${LETTERS}{36}`],
  ['a GitHub token', 'github_pat_', '[A-Za-z0-9_]{22}'],
  [
    'a GitLab token',
    'glpat- glcbt- gldt- glft- glrt- glsoat- glagent- glptt- glffct- glimt- gloas-',
    `${WORDS}{20}`,
  ],
  ['a Slack token', 'xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs-', '[A-Za-z0-9-]{10}'],
  ['a Slack token', 'xapp-', '[0-9]-[A-Z0-9]{8}'],
  ['a Slack webhook', 'hooks.slack.com/', '(?:services|workflows|triggers)/[A-Za-z0-9+/]{30}'],
  ['a Stripe key', 'sk_live_ rk_live_ sk_prod_ rk_prod_', `${LETTERS}{16}`],
  ['an API key', 'sk-', `${WORDS}{20}`, '(?<![_-])'],
  ['a Google API key', 'AIza', `${WORDS}{35}`],
  ['a Google client secret', 'GOCSPX-', `${WORDS}{20}`],
  ['an npm token', 'npm_', `${LETTERS}{36}`],
  ['a PyPI token', 'pypi-AgE', `${WORDS}{16}`],
  ['a RubyGems token', 'rubygems_', `${HEX}{48}`],
  ['a Hugging Face token', 'hf_ api_org_', `${LETTERS}{30}`],
  ['a SendGrid key', 'SG.', `${WORDS}{22}\\.${WORDS}{20}`],
  ['a Brevo key', 'xkeysib-', `${HEX}{64}`],
  ['a DigitalOcean token', 'doo_v1_ dop_v1_ dor_v1_', `${HEX}{64}`],
  ['a Databricks token', 'dapi', `${HEX}{32}(?![a-f0-9])`],
  ['a Doppler token', 'dp.pt.', `${LETTERS}{40}`],
  ['a Dynatrace token', 'dt0c01.', `${LETTERS}{24}\\.${LETTERS}{20}`],
  ['a Fly token', 'fo1_ fm1a_ fm1r_ fm2_', '[A-Za-z0-9+/_-]{40}'],
  ['a Grafana token', 'glc_ glsa_', '[A-Za-z0-9+/]{32}'],
  ['a Heroku key', 'HRKU-AA', `${WORDS}{40}`],
  ['a Linear key', 'lin_api_', `${LETTERS}{40}`],
  ['a New Relic key', 'NRAK-', '[A-Z0-9]{27}'],
  ['a Notion token', 'ntn_', `[0-9]{11}${LETTERS}{30}`],
  ['a Perplexity key', 'pplx-', `${LETTERS}{40}`],
  ['a PlanetScale credential', 'pscale_tkn_ pscale_oauth_ pscale_pw_', '[A-Za-z0-9_=.-]{32}'],
  ['a Postman key', 'PMAK-', `${HEX}{24}-${HEX}{30}`],
  ['a Prefect key', 'pnu_', `${LETTERS}{36}`],
  ['a Pulumi token', 'pul-', `${HEX}{40}`],
  ['a Sentry token', 'sntrys_ sntryu_', '[A-Za-z0-9+/=_]{40}'],
  ['a Shippo token', 'shippo_live_', `${HEX}{40}`],
  ['a Shopify token', 'shpat_ shpca_ shppa_ shpss_', '[A-Fa-f0-9]{32}'],
  ['a Square token', 'sq0atp- sq0csp-', `${WORDS}{22}`],
  ['a Telegram token', ':AA', `${WORDS}{33}(?![A-Za-z0-9_-])`, '[0-9]{8,10}'],
  ['a Vault token', 'hvs. hvb.', `${WORDS}{90}`],
  ['an OpenShift token', 'sha256~', `${WORDS}{43}`],
  ['an Atlassian token', 'ATATT3', '[A-Za-z0-9_=-]{60}'],
  ['an Alibaba key', 'LTAI', `${LETTERS}{20}(?![A-Za-z0-9])`],
  ['an Artifactory key', 'AKCp', `${LETTERS}{60}`],
  ['a 1Password token', 'ops_eyJ', '[A-Za-z0-9+/]{60}'],
  ['a private key of age', 'AGE-SECRET-KEY-1', '[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{30}'],
]

/** Bounded to one pass over any text, as {@link FORMS}. A form has no other letter or digit before it. */
const SHAPES: readonly (readonly [kind: string, shape: RegExp])[] = [
  ['a private key', /-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----/],
  // The middle of one of our own key files, without the lines around it.
  ['a private key', /MC4CAQAwBQYDK2VwBCIEI[A-Za-z0-9+/]{20}/],
  ...FORMS.map(
    ([kind, starts, rest, before = '']) =>
      [kind, new RegExp(`(?<![A-Za-z0-9])${before}(?:${anyOf(starts.split(' '))})${rest}`)] as const,
  ),
  ['a JSON web token', /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,400}\.eyJ[A-Za-z0-9_-]{10}/],
]

function anyOf(starts: readonly string[]): string {
  return starts.map(escapePattern).join('|')
}

/** Programs that read keys hold the line that begins one: only a line with a body behind it is a key. */
const WHOLE_KEY =
  /-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----(?:\\[rn]|\s){1,4}(?:Proc-Type:|Version:|Comment:|[A-Za-z0-9+/=]{40})/
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

/** How each form begins, for texts that hold none: one pass instead of one for each form. Of plain texts in order, the engine makes one table. */
const HINT = new RegExp(
  anyOf(
    [
      'PRIVATE KEY',
      'MC4CAQAwBQYDK2VwBCIEI',
      'eyJ',
      ...FORMS.flatMap(([, starts]) => starts.split(' ')),
    ].sort(),
  ),
)

/** A token of Slack: no form is shorter (test/secret/credential.test.ts). */
const SHORTEST_FORM = 15

/** Whether a text may hold a credential: false for nearly all that hold none. */
export function mayHoldCredential(text: string): boolean {
  return text.length >= SHORTEST_FORM && HINT.test(text)
}

export function credentialIn(text: string): string | undefined {
  return mayHoldCredential(text) ? SHAPES.find(([, shape]) => shape.test(text))?.[0] : undefined
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
    if (!FLAG.test(arg)) return false
    return isLiteral(FLAG.exec(arg)?.[1] ?? args[index + 1] ?? '')
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
