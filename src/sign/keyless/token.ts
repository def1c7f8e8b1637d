// Finds and reads an identity token. The places that may have one are asked in order. A token is a secret while it is valid: it is sent to
// Fulcio alone, and only the name of who it is about is ever shown. Its signature is not checked here: Fulcio does that.
import { namedPath } from '../../io/home.ts'
import { readFile } from '../../io/read/read-file.ts'
import { parseJson } from '../../json/parse.ts'
import { RlpError } from '../../model/error.ts'
import { isTable, own } from '../../model/own.ts'
import { urlOf } from '../../sigstore/signing-config.ts'
import { quoted } from '../../text/printable.ts'
import { utcSecond } from '../../text/time.ts'
import {
  answerMalformed,
  clockOff,
  jsonIn,
  type ServiceQuestion,
  type SigningExchange,
  serviceAnswer,
} from './service.ts'

/** Who Fulcio asks tokens to be for. */
const AUDIENCE = 'sigstore'

export interface TokenQuery {
  /** The token itself, as a caller of the library has it. */
  readonly text?: string | undefined
  /** A file that has it, as a person names it. */
  readonly file?: string | undefined
  readonly cwd: string
}

interface TokenText {
  readonly text: string
  /** For messages, after *the identity token*: `in SIGSTORE_ID_TOKEN`. */
  readonly where: string
  /** Whether asking again gives a newer one. */
  readonly isRenewed: boolean
}

interface TokenSource {
  /** For people: what to do to have a token come from here. */
  readonly way: string
  /** Undefined where it has none. */
  find(query: TokenQuery, exchange: SigningExchange): Promise<TokenText | undefined>
}

const VARIABLE = 'SIGSTORE_ID_TOKEN'
const GITHUB_URL = 'ACTIONS_ID_TOKEN_REQUEST_URL'
const GITHUB_TOKEN = 'ACTIONS_ID_TOKEN_REQUEST_TOKEN'
const MOST_ANSWER_BYTES = 64 * 1024

const SOURCES: readonly TokenSource[] = [
  {
    way: 'name a file that has it with --identity-token',
    async find({ text, file, cwd }) {
      if (text !== undefined) return { text, where: 'that was given', isRenewed: false }
      if (file === undefined) return undefined
      return { text: await textIn(file, cwd), where: `in "${file}"`, isRenewed: true }
    },
  },
  {
    // GitLab puts a token there that a job asks for under `id_tokens`.
    way: `set ${VARIABLE} (GitLab: id_tokens with aud: ${AUDIENCE})`,
    async find(_, { env }) {
      const text = own(env, VARIABLE)
      return text ? { text, where: `in ${VARIABLE}`, isRenewed: false } : undefined
    },
  },
  {
    way: 'give the job of GitHub Actions permissions: id-token: write',
    async find(_, exchange) {
      const [url, token] = [own(exchange.env, GITHUB_URL), own(exchange.env, GITHUB_TOKEN)]
      return url && token ? fromGitHub(url, token, exchange) : undefined
    },
  },
]

/** @throws RlpError NOT_FOUND if there is none; as reading a file, and as asking a pipeline does */
export async function findToken(query: TokenQuery, exchange: SigningExchange): Promise<TokenText> {
  for (const source of SOURCES) {
    const found = await source.find(query, exchange)
    if (found !== undefined) return found
  }
  const ways = SOURCES.map(({ way }) => way)
  throw new RlpError('NOT_FOUND', `Cannot ${exchange.doing} without a key: there is no identity token`, {
    hint: `To have one, ${ways.slice(0, -1).join(', ')}, or ${ways.at(-1)} (docs/keyless.md)`,
  })
}

async function textIn(name: string, cwd: string): Promise<string> {
  const larger = (size: number) => {
    throw new RlpError(
      'WRONG_FILE_TYPE',
      `Cannot use the identity token in "${name}": it has ${size} bytes`,
      {
        hint: 'Name a file that has the token and nothing else',
      },
    )
  }
  const reading = { follow: true, label: name, most: MOST_TOKEN_CHARACTERS, larger }
  return Buffer.from(await readFile(namedPath(name, cwd), reading)).toString('latin1')
}

/** A job that may ask for tokens is told where, and with which token of its own. */
async function fromGitHub(place: string, token: string, signing: SigningExchange): Promise<TokenText> {
  const url = urlOf(place)
  const exchange = { ...signing, secrets: [...signing.secrets, token] }
  if (url === undefined || !/^[\x21-\x7e]+$/.test(token))
    throw new RlpError('SIGNER', `Cannot ${signing.doing}: ${GITHUB_URL} or ${GITHUB_TOKEN} is malformed`, {
      hint: 'The runner sets both. Leave them as they are',
    })
  url.searchParams.set('audience', AUDIENCE)
  const question: ServiceQuestion = {
    service: 'GitHub Actions',
    method: 'GET',
    url,
    mostBytes: MOST_ANSWER_BYTES,
    headers: { accept: 'application/json', authorization: `Bearer ${token}` },
    hint: 'Check that the job has permissions: id-token: write',
  }
  const { bytes } = await serviceAnswer(question, exchange)
  const answer = jsonIn(bytes)
  const text = isTable(answer) ? own(answer, 'value') : undefined
  if (typeof text !== 'string') throw answerMalformed(question, exchange, 'it has no token')
  return { text, where: 'of GitHub Actions', isRenewed: true }
}

/** Clocks differ so much without being wrong. */
export const SKEW_MS = 60_000

/** @throws RlpError WRONG_FILE_TYPE for what is no token for Fulcio, SIGNER for one that has ended or not begun */
export function usableToken({ text, where }: TokenText, exchange: SigningExchange, now: Date): IdentityToken {
  const { doing } = exchange
  const refuse = (state: string, hint: string) =>
    new RlpError('WRONG_FILE_TYPE', `Cannot ${doing}: the identity token ${where} is not used: ${state}`, {
      hint,
    })
  const read = readIdentityToken(text)
  if (!read.ok) throw refuse(read.problem, 'Hand over the token of an OIDC issuer as it is, and nothing else')
  const { token } = read
  if (!token.audiences.includes(AUDIENCE)) {
    const { audiences } = token
    const found = audiences.length === 0 ? 'no audience' : quoted(audiences.join(', '), 200)
    throw refuse(
      `it is for ${found}, and not for "${AUDIENCE}"`,
      `Ask the issuer for a token for ${AUDIENCE}`,
    )
  }
  const here = utcSecond(now)
  if (token.ends <= now.getTime())
    throw new RlpError(
      'SIGNER',
      `Cannot ${doing}: the identity token ${where} ended at ${utcSecond(new Date(token.ends))}, and the clock of this machine says ${here}`,
      { hint: 'Get a new one right before you sign. If the clock is wrong, set it' },
    )
  if (token.begins !== undefined && token.begins > now.getTime() + SKEW_MS)
    throw clockOff(
      exchange,
      `the identity token ${where} begins at ${utcSecond(new Date(token.begins))}, and the clock of this machine says ${here}`,
    )
  return token
}

/** A longer one is refused, and so is no text at all. */
const MOST_TOKEN_CHARACTERS = 16_384

export interface IdentityToken {
  /** The token itself: a secret while it is valid. */
  readonly text: string
  readonly issuer: string
  /** Whom it is about, and what its owner proves to know: an email address that the issuer has verified, else its `sub`. */
  readonly subject: string
  readonly isEmail: boolean
  readonly audiences: readonly string[]
  /** Milliseconds since 1970; undefined where it does not say. */
  readonly begins: number | undefined
  readonly ends: number
  /** Parts of it that must not be repeated, whatever a service says. */
  readonly secrets: readonly string[]
}

/** Claims that may be shown: they say who, and not what is secret. */
const SHOWN = ['iss', 'sub', 'email', 'aud']

type ReadToken =
  | { readonly ok: true; readonly token: IdentityToken }
  | { readonly ok: false; readonly problem: string }

/** @param text with blanks around it, as files and variables have them */
export function readIdentityToken(text: string): ReadToken {
  const token = text.trim()
  if (token === '') return bad('it is empty')
  if (token.length > MOST_TOKEN_CHARACTERS) return bad(`it has more than ${MOST_TOKEN_CHARACTERS} characters`)
  const parts = token.split('.')
  if (parts.length !== 3 || !parts.every(part => /^[A-Za-z0-9_-]+$/.test(part)))
    return bad('it is no JWT: three parts in base64url, with dots between them')
  const parsed = parseJson('token', Buffer.from(parts[1] ?? '', 'base64url'))
  const claims = parsed.ok ? parsed.document.value : undefined
  if (!isTable(claims)) return bad('it is no JWT: its second part is no JSON object')
  const issuer = claimed(claims, 'iss')
  const email = claimed(claims, 'email')
  const sub = claimed(claims, 'sub')
  const isEmail = email !== undefined
  // As Fulcio does it: who logs in by address is called so.
  if (isEmail && ![true, 'true'].includes(own(claims, 'email_verified') as never))
    return bad('its issuer has not verified the email address in it')
  const subject = email ?? sub
  if (issuer === undefined || subject === undefined) return bad('it names no issuer (iss) and subject (sub)')
  const ends = seconds(own(claims, 'exp'))
  if (ends === undefined) return bad('it says no end (exp)')
  return {
    ok: true,
    token: {
      text: token,
      issuer,
      subject,
      isEmail,
      ends,
      begins: seconds(own(claims, 'nbf')),
      audiences: audiencesIn(own(claims, 'aud')),
      secrets: [token, ...hiddenIn(claims)],
    },
  }
}

/** An answer may repeat what a claim says, in place of the token. */
function hiddenIn(claims: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(claims).flatMap(([name, value]) =>
    SHOWN.includes(name) || typeof value !== 'string' ? [] : [value],
  )
}

function claimed(claims: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = own(claims, name)
  return typeof value === 'string' && value !== '' ? value : undefined
}

function seconds(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && Math.abs(value) < 8.64e12
    ? value * 1000
    : undefined
}

function audiencesIn(value: unknown): readonly string[] {
  const listed = Array.isArray(value) ? value : [value]
  return listed.filter(one => typeof one === 'string')
}

function bad(problem: string): { readonly ok: false; readonly problem: string } {
  return { ok: false, problem }
}
